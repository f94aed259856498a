// SPDX-License-Identifier: Apache-2.0
// The folder triton: texts, maps, points, pictures, conversions, equality and names of layouts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runner/check.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::vectors {
namespace {

using Shape = std::vector<Index>;

std::string refusal(const Diagnostic& error) {
  return fmt::format("{} {}", to_string(error.code), error.reason);
}
std::string expected_refusal(const Json& row) {
  return fmt::format("{} {}", text_of(row, "error"),
                     row.contains("reason") && row["reason"].is_string() ? text_of(row, "reason") : "");
}
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

VectorResult compare(const Json& row, const Json& got) {
  Json expected = Json::object();
  for (const auto& [key, value] : got.items()) expected[key] = row.value(key, Json(nullptr));
  return VectorResult::when(got == expected, expected.dump(), got.dump());
}

Result<TritonBases> map_of(const Json& row, const char* key = "layout") {
  auto layout = parse_triton_layout(text_of(row, key));
  if (!layout) return fail(layout.error());
  if (row["shape"].is_null()) return triton_bases(*layout);
  return triton_bases(layout->attribute, indices(row["shape"]));
}

VectorResult text(const Json& row) {
  const auto layout = parse_triton_layout(text_of(row, "text"));
  if (text_of(row, "kind") == "refused_map") return VectorResult::fail("", "");
  if (text_of(row, "kind") == "refused") {
    const std::string got = layout ? to_string(*layout) : refusal(layout.error());
    return VectorResult::when(got == expected_refusal(row), expected_refusal(row), got);
  }
  if (!layout) return VectorResult::fail(text_of(row, "canonical"), to_string(layout.error()));
  const auto python = to_gluon(layout->attribute);
  const bool type = layout->form == TritonForm::tensor || layout->form == TritonForm::memdesc;
  Json got = {{"canonical", to_string(*layout)},
              {"layout", to_string(layout->attribute)},
              {"gluon", python ? Json(*python) : Json(nullptr)},
              {"shape", layout->shape ? Json(*layout->shape) : Json(nullptr)},
              {"element", text_or_null(layout->element)},
              {"type", nullptr},
              {"allocated", layout->allocated ? Json(*layout->allocated) : Json(nullptr)}};
  if (type) got["type"] = layout->form == TritonForm::tensor ? "tensor" : "memdesc";
  const auto again = parse_triton_layout(to_string(*layout));
  if (!again || !(*again == *layout)) got["canonical"] = "reads back as another layout";
  if (python) {
    const auto back = parse_triton_layout(*python);
    if (!back || to_gluon(back->attribute) != python)
      got["gluon"] = "reads back as another layout " + (back ? std::string() : to_string(back.error()));
  }
  return compare(row, got);
}

VectorResult texts(const Json& row) {
  if (text_of(row, "kind") != "refused_map") return text(row);
  const auto map = map_of(row);
  const std::string got = map ? "a map" : refusal(map.error());
  return VectorResult::when(got == expected_refusal(row), expected_refusal(row), got);
}

VectorResult bases(const Json& row) {
  const auto map = map_of(row);
  if (row["bases"].is_null()) {
    const std::string got = map ? "a map" : refusal(map.error());
    return VectorResult::when(got == expected_refusal(row), expected_refusal(row), got);
  }
  if (!map) return VectorResult::fail(row["bases"].dump(), to_string(map.error()));
  Json got = Json::object();
  for (const TritonInput& input : map->inputs) got["bases"][std::string(input.name)] = input.bases;
  if (row.contains("pads")) {
    got["pads"] = map->pads;
    got["allocated"] = map->allocated();
  }
  return compare(row, got);
}

VectorResult points(const Json& row) {
  const auto map = map_of(row);
  if (!map) return VectorResult::fail("a map", to_string(map.error()));
  const std::string kind = text_of(row, "kind");
  if (kind == "place") {
    Shape values;
    for (const char* input : {"register", "lane", "warp", "block"}) values.push_back(row[input].get<Index>());
    const auto element = triton_element(*map, values);
    return element ? compare(row, {{"index", *element}}) : VectorResult::fail("", to_string(element.error()));
  }
  const Shape index = indices(row["index"]);
  if (kind == "offset") {
    const auto found = triton_offset(*map, index);
    if (!found) return VectorResult::fail("an offset", to_string(found.error()));
    return compare(row,
                   {{"offset", found->offset}, {"partition", found->partition}, {"blocks", found->blocks}});
  }
  const auto found = triton_holders(*map, index);
  if (!found) return VectorResult::fail("holders", to_string(found.error()));
  Json places = Json::array();
  for (const TritonPlace& p : found->places) places.push_back({p.reg, p.lane, p.warp, p.block});
  return compare(row, {{"count", found->count}, {"holders", places}});
}

VectorResult view(const Json& row) {
  const auto map = map_of(row);
  if (!map) return VectorResult::fail("a map", to_string(map.error()));
  const auto got = triton_view(*map, row["hardware"].get<bool>() ? TritonView::hardware : TritonView::tensor);
  if (!got) return VectorResult::fail("a picture", to_string(got.error()));
  return compare(row, {{"text", *got}});
}

Result<Layout> layout_of(const Json& row, const char* key) {
  auto layout = parse_triton_layout(text_of(row, key));
  if (!layout) return fail(layout.error());
  layout->form = TritonForm::shape;
  layout->shape = indices(row["shape"]);
  // As a user writes it.
  return parse_layout(to_string(*layout));
}

VectorResult conversion(const Json& row) {
  const auto layout = layout_of(row, "layout");
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  const auto result = convert(*layout, parse_notation(text_of(row, "to")).value());
  if (row["result"].is_null()) {
    const std::string got = result ? to_string(result->layout) : refusal(result.error());
    return VectorResult::when(got == expected_refusal(row), expected_refusal(row), got);
  }
  if (!result) return VectorResult::fail(text_of(row, "result"), to_string(result.error()));
  return compare(row, {{"result", to_string(result->layout)}});
}

VectorResult equality(const Json& row) {
  const auto a = layout_of(row, "a");
  const auto b = layout_of(row, "b");
  if (!a || !b) return VectorResult::fail("layouts", to_string(a ? b.error() : a.error()));
  const LayoutEquality found = equal(*a, *b, EqualityNotion::map);
  Json got = {{"equal", found.verdict == Verdict::yes}, {"why", text_or_null(found.word)}, {"at", nullptr}};
  if (found.difference) {
    got["at"] = found.difference->index;
    got["values"] = {found.difference->first, found.difference->second};
  }
  return compare(row, got);
}

VectorResult name(const Json& row) {
  TritonBases map;
  map.shape = indices(row["shape"]);
  const Json& given = row["bases"];
  for (const std::string_view input : {"register", "lane", "warp", "offset", "block"}) {
    if (given.contains(input))
      map.inputs.push_back({input, given[std::string(input)].get<TritonBasisList>()});
  }
  const auto found = triton_name(map, row["bits"].is_null() ? 0 : row["bits"].get<Index>());
  if (!found) return compare(row, {{"layout", to_string(found.error())}});
  // Read back, the name has the bases of the row.
  const auto read = parse_triton_layout(to_string(*found));
  const auto again = read ? triton_bases(read->attribute, map.shape, "") : fail(read.error());
  if (!again) return VectorResult::fail("a layout with these bases", to_string(again.error()));
  for (const auto& [input, bases] : given.items()) {
    if (again->of(input) != bases.get<TritonBasisList>())
      return VectorResult::fail(given.dump(),
                                fmt::format("other bases of {} in {}", input, to_string(*found)));
  }
  return compare(row, {{"layout", to_string(*found)}});
}

const Register kTexts = row_check("triton", "texts.jsonl", texts);
const Register kBases = row_check("triton", "bases.jsonl", bases);
const Register kPoints = row_check("triton", "points.jsonl", points);
const Register kViews = row_check("triton", "views.jsonl", view);
const Register kConvert = row_check("triton", "convert.jsonl", conversion);
const Register kEqual = row_check("triton", "equal.jsonl", equality);
const Register kNames = row_check("triton", "names.jsonl", name);

}  // namespace
}  // namespace tessera::vectors
