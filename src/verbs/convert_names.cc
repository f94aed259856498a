// SPDX-License-Identifier: Apache-2.0
#include "verbs/convert_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/plural.h"
#include "notation/named/name_search.h"
#include "report/json.h"
#include "report/layout_json.h"
#include "report/named_answer.h"

namespace tessera::verbs {
namespace {

std::string undecided_text(const std::vector<NamedLayout>& names) {
  std::vector<std::string> texts;
  for (const NamedLayout& name : names) texts.push_back(name_of(name));
  return fmt::format("it is not known whether {} is the same function", fmt::join(texts, ", "));
}

Failure unnamed(const detail::NameSearch& found, int bits) {
  if (!found.undecided.empty()) return fail(Code::undecided, undecided_text(found.undecided));
  Diagnostic none{.code = Code::not_representable,
                  .message = fmt::format(
                      "none of the names that are searched has this function, with elements of {} (unnamed)",
                      detail::plural(bits, "bit"))};
  none.reason = "unnamed";
  return fail(std::move(none));
}

}  // namespace

Result<NamesAnswer> names_in(const NamedOrLayout& from, const std::optional<CellType>& type, bool all) {
  const int bits = type ? type->bits : static_cast<int>(from.element_bits().value_or(0));
  NamedOrLayout side = from;
  if (side.named && side.named->type().bits != bits) {
    if (!side.layout) {
      return fail(Code::different_type,
                  fmt::format("the elements of the layout have {}, and those of {} have {}",
                              detail::plural(side.named->type().bits, "bit"), to_string(*type), bits),
                  {}, "leave --type out");
    }
    side.named.reset();
  }
  detail::NameSearch found = detail::search_names(side, bits, type);
  // What is given is a name itself, also with parameters that are not searched.
  if (side.named) {
    NamedFields fields{.prefix = side.named->prefix(), .family = side.named->family()};
    fields.field = side.named->field();
    fields.parameters.assign(side.named->parameters().begin(), side.named->parameters().end());
    fields.type = type ? *type : side.named->type();
    fields.shape.assign(side.shape().begin(), side.shape().end());
    if (const auto own = NamedLayout::make(fields)) {
      std::erase(found.names, *own);
      std::erase(found.undecided, *own);
      found.names.insert(type ? found.names.end() : found.names.begin(), *own);
    }
  }
  if (found.names.empty()) return unnamed(found, bits);
  NamesAnswer answer{.from = from, .names = std::move(found.names), .all = all};
  if (all && !found.undecided.empty()) answer.notes.push_back(undecided_text(found.undecided));
  return answer;
}

std::vector<std::string> lines_of(const NamesAnswer& answer) {
  std::vector<std::string> lines;
  for (const NamedLayout& name : answer.names) {
    lines.push_back(to_string(name));
    if (!answer.all) break;
  }
  return lines;
}

std::string to_json(const NamesAnswer& answer) {
  Json json = detail::answer_json("convert", 0);
  json["from"] = described_side(answer.from);
  json["to"] = "named";
  json["layout"] = described_side({.named = answer.names.front()});
  json["dropped"] = Json::array();
  json["notes"] = answer.notes;
  if (answer.all) {
    Json all = Json::array();
    for (const NamedLayout& name : answer.names) {
      Json one = described_side({.named = name});
      one.erase("order");
      all.push_back(std::move(one));
    }
    json["all"] = std::move(all);
  }
  return detail::dump(json);
}

}  // namespace tessera::verbs
