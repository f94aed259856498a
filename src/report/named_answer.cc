// SPDX-License-Identifier: Apache-2.0
#include "report/named_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "base/try.h"
#include "notation/layout_index.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "report/layout_answer.h"
#include "report/layout_json.h"

namespace tessera {
namespace {

Json described_named(const NamedLayout& layout) {
  Json json = {{"notation", "named"}, {"text", to_string(layout)}};
  add_fields(json, layout);
  json["order"] = reading_text(layout);
  return json;
}

Json json_of_runs(std::span<const BitRun> runs) {
  Json all = Json::array();
  for (const BitRun& run : runs) {
    all.push_back(
        {{"first", run.first}, {"count", run.count}, {"byte", run.offset / 8}, {"bit", run.offset % 8}});
  }
  return all;
}

}  // namespace

Json described_side(const NamedOrLayout& side) {
  if (side.named) return described_named(*side.named);
  return detail::described(*side.layout);
}

void add_fields(Json& json, const NamedLayout& layout) {
  json["prefix"] = layout.prefix();
  json["family"] = layout.family();
  json["field"] = layout.field().empty() ? Json() : Json(layout.field());
  Json params = Json::object();
  for (const NamedParameter& parameter : layout.parameters()) {
    const bool is_list = parameter.key == "groups" || parameter.key == "kgroups";
    params[parameter.key] = is_list ? Json(parameter.values) : Json(parameter.values.front());
  }
  json["params"] = std::move(params);
  json["kind"] = to_string(layout.kind());
  json["element_bits"] = layout.type().bits;
  json["container"] = {{"type", to_string(layout.container().type)}, {"shape", layout.container().shape}};
}

std::string reading_text(const NamedLayout& layout) {
  return fmt::format("named: rows first, {} of {} bit{}",
                     layout.kind() == NamedKind::cells ? "cells" : "elements", layout.type().bits,
                     layout.type().bits == 1 ? "" : "s");
}

std::string reading_text(const NamedOrLayout& layout) {
  return layout.named ? reading_text(*layout.named) : reading_text(*layout.layout);
}

std::string_view notation_word(const NamedOrLayout& layout) {
  return to_string(layout.named ? Notation::named : layout.layout->notation());
}

Result<std::vector<Index>> parse_named_index(std::string_view text, const NamedLayout& layout) {
  // Any layout of the shape reads the same indices.
  std::vector<Index> shape(layout.shape().begin(), layout.shape().end());
  TESSERA_TRY(space, Layout::make(Digits::normalized(std::move(shape), 0, {})));
  return parse_layout_index(text, space);
}

std::string to_json(const NamedLayout& layout, int status, std::span<const RunsAnswer> answers) {
  Json json = detail::answer_json("at", status);
  json["layout"] = described_named(layout);
  json["results"] = detail::results_json(answers, [](const RunsAnswer& one) -> Json {
    return {{"index", one.index}, {"runs", json_of_runs(one.runs)}};
  });
  return detail::dump(json);
}

std::string to_json(const NamedLayout& layout, int status, std::span<const BitAnswer> answers) {
  Json json = detail::answer_json("at", status);
  json["layout"] = described_named(layout);
  json["results"] = detail::results_json(answers, [](const BitAnswer& one) {
    Json result = {{"bit_offset", one.offset}, {"padding", !one.owner.has_value()}};
    result["index"] = one.owner ? Json(one.owner->index) : Json();
    result["bit"] = one.owner ? Json(one.owner->bit) : Json();
    return result;
  });
  return detail::dump(json);
}

std::string to_text(std::span<const BitPlane> planes) {
  std::vector<std::string> lines;
  for (const BitPlane& plane : planes) {
    lines.push_back(fmt::format("{}: {}",
                                plane.width == 1
                                    ? fmt::format("bit {}", plane.first)
                                    : fmt::format("bits {}-{}", plane.first, plane.first + plane.width - 1),
                                to_string(plane.layout)));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string to_json(const NamedLayout& layout, std::span<const BitPlane> planes) {
  Json json = detail::answer_json("convert", 0);
  json["from"] = described_named(layout);
  json["to"] = "map";
  Json all = Json::array();
  for (const BitPlane& plane : planes) {
    all.push_back({{"first", plane.first}, {"width", plane.width}, {"text", to_string(plane.layout)}});
  }
  json["planes"] = std::move(all);
  return detail::dump(json);
}

std::string to_json(const NamedOrLayout& a, const NamedOrLayout& b, EqualityNotion notion,
                    const LayoutEquality& equality) {
  Json json = detail::answer_json("equal", status_of(equality.verdict));
  json["a"] = described_side(a);
  json["b"] = described_side(b);
  json["notion"] = to_string(notion);
  detail::add_equality(json, equality);
  return detail::dump(json);
}

std::string to_text(const SizedPair& pair, const SizedEquality& answer) {
  const LayoutEquality& equality = answer.equality;
  if (equality.verdict == Verdict::yes)
    return fmt::format("yes, for {} of sizes", detail::plural(answer.tried, "combination"));
  const std::string sizes = sizes_text(pair.sizes, answer.at_sizes);
  if (equality.verdict == Verdict::undecided)
    return fmt::format("undecided for {}: {}", sizes, equality.reason);
  if (!equality.difference) return fmt::format("no for {}: {}: {}", sizes, equality.word, equality.reason);
  return fmt::format("no for {} at {}: {} and {}", sizes, fmt::join(equality.difference->index, ","),
                     equality.difference->first, equality.difference->second);
}

std::string to_json(const SizedPair& pair, EqualityNotion notion, const SizedEquality& answer) {
  Json json = detail::answer_json("equal", status_of(answer.equality.verdict));
  json["a"] = {{"text", pair.a}};
  json["b"] = {{"text", pair.b}};
  json["notion"] = to_string(notion);
  Json ranges = Json::array();
  for (const SizeRange& size : pair.sizes)
    ranges.push_back({{"name", size.name}, {"first", size.first}, {"last", size.last}, {"step", size.step}});
  json["sizes"] = std::move(ranges);
  if (answer.at_sizes.empty()) {
    json["tried"] = answer.tried;
  } else {
    Json at = Json::object();
    for (std::size_t i = 0; i < pair.sizes.size(); ++i) at[pair.sizes[i].name] = answer.at_sizes[i];
    json["at_sizes"] = std::move(at);
  }
  detail::add_equality(json, answer.equality);
  return detail::dump(json);
}

std::string to_text(const std::optional<TableDifference>& difference) {
  if (!difference) return "yes";
  const std::string at = fmt::format("no at {}: {}", fmt::join(difference->index, ","), difference->offset);
  return difference->in_table ? fmt::format("{} and {}", at, *difference->in_table)
                              : at + ", but the table lacks the element";
}

std::string to_json(const Layout& layout, const std::optional<TableDifference>& difference) {
  Json json = detail::answer_json("equal", difference ? kNo : kDone);
  json["a"] = detail::described(layout);
  json["equal"] = !difference;
  if (difference) {
    json["counterexample"] = difference->index;
    json["offsets"] = {difference->offset, difference->in_table ? Json(*difference->in_table) : Json()};
  }
  return detail::dump(json);
}

}  // namespace tessera
