// SPDX-License-Identifier: Apache-2.0
#include "report/layout_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "report/layout_json.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/named_layout.h"

namespace tessera {
namespace {

Json numbers(std::span<const Index> values) { return Json(std::vector<Index>(values.begin(), values.end())); }

Json json_of(const Digits& digits) {
  Json list = Json::array();
  for (const Digit& d : digits.digits()) list.push_back(Json::array({d.dim, d.div, d.ext, d.stride}));
  Json json = {{"shape", numbers(digits.box())}, {"const", digits.base()}};
  json["digits"] = std::move(list);
  return json;
}

std::string point_text(std::span<const Index> index) { return fmt::format("({})", fmt::join(index, ", ")); }

}  // namespace

std::string reading_text(const Layout& layout) {
  const std::string order = order_text(layout);
  return fmt::format("{}{}", to_string(layout.notation()), order.substr(order.find(':')));
}

OffsetAnswer offset_answer(const Layout& layout, std::vector<Index> index) {
  OffsetAnswer answer{.index = std::move(index), .offset = 0};
  answer.offset = layout.offset(answer.index);
  const NamedLayout* named = layout.as<NamedLayout>();
  if (named == nullptr || named->type().bits >= 8) return answer;
  const Index bit = answer.offset * named->type().bits;
  answer.place = CellPlace{bit / 8, bit % 8, named->type().bits};
  return answer;
}

std::string to_text(const OffsetAnswer& answer) {
  if (!answer.place) return fmt::format("{}", answer.offset);
  const CellPlace& place = *answer.place;
  const BitRun run{0, static_cast<int>(place.bits), place.byte * 8 + place.first_bit};
  return fmt::format("{}: {}", answer.offset, runs_text({&run, 1}, run.count));
}

std::string to_text(const Preimage& preimage) {
  if (preimage.indices.empty()) return "padding";
  std::string text;
  for (const auto& index : preimage.indices) text += (text.empty() ? "" : " ") + point_text(index);
  return preimage.complete ? text : text + " and more";
}

std::vector<std::string> notes_of(const Conversion& conversion) {
  std::vector<std::string> notes;
  if (conversion.buffer_size)
    notes.push_back("the buffer has " + detail::plural(*conversion.buffer_size, "element"));
  for (const std::string& tag : conversion.dropped) notes.push_back("dropped " + tag);
  notes.insert(notes.end(), conversion.notes.begin(), conversion.notes.end());
  return notes;
}

std::string to_json(const Layout& layout, int status, std::span<const OffsetAnswer> answers) {
  Json json = detail::answer_json("at", status);
  json["layout"] = detail::described(layout);
  json["results"] = detail::results_json(answers, [](const OffsetAnswer& one) {
    Json result = {{"index", one.index}, {"offset", one.offset}};
    if (const auto& place = one.place) {
      result["byte"] = place->byte;
      result["bits"] = {place->first_bit, place->first_bit + place->bits - 1};
    }
    return result;
  });
  return detail::dump(json);
}

std::string to_json(const Layout& layout, int status, std::span<const PreimageAnswer> answers) {
  Json json = detail::answer_json("at", status);
  json["layout"] = detail::described(layout);
  json["results"] = detail::results_json(answers, [](const PreimageAnswer& one) {
    Json indices = Json::array();
    for (const auto& index : one.preimage.indices) indices.push_back(numbers(index));
    Json result = {{"offset", one.offset}, {"indices", std::move(indices)}};
    result["padding"] = one.preimage.indices.empty();
    if (one.preimage.padding_of >= 0) result["padding_of_tile"] = one.preimage.padding_of;
    result["complete"] = one.preimage.complete;
    return result;
  });
  return detail::dump(json);
}

std::vector<NotationAnswer> in_all_notations(const Layout& layout) {
  std::vector<NotationAnswer> out;
  for (const Notation notation : all_notations()) {
    NotationAnswer& one = out.emplace_back(NotationAnswer{.notation = notation});
    if (auto converted = convert(layout, notation)) {
      one.conversion = *std::move(converted);
    } else {
      one.error = std::move(converted.error());
    }
  }
  return out;
}

std::string to_text(std::span<const NotationAnswer> answers) {
  std::string out;
  for (const NotationAnswer& one : answers) {
    out += fmt::format("{}{:<9}", out.empty() ? "" : "\n",
                       one.word.empty() ? to_string(one.notation) : std::string_view(one.word));
    if (one.error) {
      out += fmt::format("none: {}", one.error->message);
      continue;
    }
    if (!one.conversion) {
      out += one.text;
      continue;
    }
    out += to_string(one.conversion->layout);
    const std::vector<std::string> notes = notes_of(*one.conversion);
    if (!notes.empty()) out += fmt::format("  [{}]", fmt::join(notes, "; "));
  }
  return out;
}

namespace {

std::string to_json(Json from, std::span<const NotationAnswer> answers) {
  Json json = detail::answer_json("convert", 0);
  json["from"] = std::move(from);
  json["to"] = nullptr;
  Json all = Json::array();
  for (const NotationAnswer& one : answers) {
    Json entry = {{"notation", one.word.empty() ? to_string(one.notation) : std::string_view(one.word)},
                  {"layout", nullptr},
                  {"reason", nullptr}};
    if (one.conversion) {
      entry["layout"] = detail::described(one.conversion->layout);
      entry["notes"] = notes_of(*one.conversion);
    } else if (one.error) {
      entry["reason"] = one.error->message;
    } else {
      entry["text"] = one.text;
    }
    all.push_back(std::move(entry));
  }
  json["notations"] = std::move(all);
  return detail::dump(json);
}

}  // namespace

std::string to_json(const Layout& from, std::span<const NotationAnswer> answers) {
  return to_json(detail::described(from), answers);
}

std::string to_json(std::string_view notation, std::string_view from,
                    std::span<const NotationAnswer> answers) {
  return to_json(Json{{"notation", notation}, {"text", from}}, answers);
}

std::string to_json(const Layout& from, std::string_view to, const ConversionAnswer& result) {
  Json json = detail::answer_json("convert", 0);
  json["from"] = detail::described(from);
  json["to"] = to;
  if (result.digits) json["digits"] = json_of(*result.digits);
  if (result.conversion) {
    const Conversion& conversion = *result.conversion;
    json["layout"] = detail::described(conversion.layout);
    if (conversion.buffer_size) json["buffer_size"] = *conversion.buffer_size;
    json["dropped"] = conversion.dropped;
    json["notes"] = conversion.notes;
  }
  if (!result.all.empty()) {
    Json all = Json::array();
    for (const Layout& one : result.all) all.push_back(detail::layout_json(one));
    json["all"] = std::move(all);
  }
  return detail::dump(json);
}

std::string to_json(const Layout& a, const Layout& b, EqualityNotion notion, const LayoutEquality& equality) {
  Json json = detail::answer_json("equal", status_of(equality.verdict));
  json["a"] = detail::described(a);
  json["b"] = detail::described(b);
  json["notion"] = to_string(notion);
  detail::add_equality(json, equality);
  return detail::dump(json);
}

}  // namespace tessera
