// SPDX-License-Identifier: Apache-2.0
// The folder conversions: digits, conversions between all notations, equality, access maps, linear layouts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index_walk.h"
#include "notation/to_digits.h"
#include "runner/check.h"
#include "runner/hlo.h"
#include "tessera/hlo/walk.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/cute.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/packed_layout.h"
#include "tessera/text/index_map.h"

namespace tessera::vectors {
namespace {

using Indices = std::vector<Index>;

std::string crop_text(const Json& value) {
  return value.contains("crop") ? fmt::format(" crop ({})", fmt::join(indices(value["crop"]), ",")) : "";
}

// The layout in a test vector: given by its text, or by shape, strides and offset.
Result<Layout> layout_of(const Json& value) {
  const std::string notation = text_of(value, "notation");
  if (notation == "strides") {
    return Layout::make(
        Strides{indices(value["shape"]), indices(value["strides"]), value["offset"].get<Index>()});
  }
  const std::string text = text_of(value, "text");
  if (notation == "xla") return parse_layout("xla:" + text);
  if (notation == "cute") return parse_layout("cute:" + text + crop_text(value));
  if (notation == "map") return parse_layout("map:" + text);
  if (notation == "morello")
    return parse_layout(fmt::format("mor:{}:{}", fmt::join(indices(value["shape"]), "x"), text));
  return fail(Code::unknown_name, "unknown notation " + notation);
}

Json digits_json(const Digits& digits) {
  Json out = Json::array();
  for (const Digit& d : digits.digits()) out.push_back({d.dim, d.div, d.ext, d.stride});
  return out;
}

std::string reason_of(const Diagnostic& diagnostic) {
  return std::string(to_string(diagnostic.code)) + " " + diagnostic.reason;
}

// Compares the digits, or the reason why there are none.
VectorResult judge_digits(const Json& row, const Result<Digits>& digits) {
  if (!row["ok"].get<bool>()) {
    const std::string expected = "not_representable " + text_of(row, "reason");
    const std::string got = digits ? to_string(*digits) : reason_of(digits.error());
    return VectorResult::when(got == expected, expected, got);
  }
  const std::string expected = row["digits"].dump();
  if (!digits) return VectorResult::fail(expected, to_string(digits.error()));
  const Index base = row.value("const", Index{0});
  return VectorResult::when(digits->base() == base && digits_json(*digits) == row["digits"], expected,
                            to_string(*digits));
}

VectorResult digits(const Json& row) {
  const auto source = layout_of(row["source"]);
  if (!source) return VectorResult::fail("a layout", to_string(source.error()));
  return judge_digits(row, to_digits(*source));
}

// Compares at every index, because the shapes in the vectors are small. Returns an empty text if the
// functions agree.
std::string difference(const Layout& a, const Layout& b) {
  if (!std::ranges::equal(a.shape(), b.shape())) return "another shape";
  Indices index(a.rank(), 0);
  for (Index k = 0; k < a.size(); ++k, detail::next_index(index, a.shape())) {
    if (a.offset(index) != b.offset(index)) {
      return fmt::format("at ({}): {} and {}", fmt::join(index, ", "), a.offset(index), b.offset(index));
    }
  }
  return "";
}

// A layout in the JSON form of the vectors.
Json written(const Layout& layout) {
  switch (layout.notation()) {
    case Notation::cute: {
      Json out = {{"text", layout.shape_stride() != nullptr ? to_string(*layout.shape_stride())
                                                            : to_string(*layout.composed())}};
      if (layout.is_cropped()) out["crop"] = Indices(layout.shape().begin(), layout.shape().end());
      return out;
    }
    case Notation::strides:
      return {{"shape", layout.strides()->shape},
              {"strides", layout.strides()->strides},
              {"offset", layout.strides()->base}};
    case Notation::linear:
      return {{"bases",
               Json(std::vector<Indices>(layout.linear()->bases().begin(), layout.linear()->bases().end()))}};
    case Notation::morello:
      return {{"text", to_string(layout.packed()->layout)}};
    default:
      return {{"text", to_string(layout)}};
  }
}

VectorResult convert_row(const Json& row) {
  const auto source = layout_of(row["source"]);
  if (!source) return VectorResult::fail("a layout", to_string(source.error()));
  const auto to = parse_notation(text_of(row, "to"));
  if (!to) return VectorResult::fail("a known notation", text_of(row, "to"));
  const auto result = convert(*source, *to);
  if (!row["ok"].get<bool>()) {
    const std::string expected = "not_representable " + text_of(row, "reason");
    const std::string got = result ? to_string(result->layout) : reason_of(result.error());
    return VectorResult::when(got == expected, expected, got);
  }
  const std::string expected = row.contains("expect") ? row["expect"].dump() : "a layout";
  if (!result) return VectorResult::fail(expected, to_string(result.error()));
  const Layout& layout = result->layout;
  if (layout.notation() != *to) return VectorResult::fail(expected, to_prefixed_string(layout));
  if (text_of(row, "check") == "exact")
    return VectorResult::when(written(layout) == row["expect"], expected, written(layout).dump());
  if (const std::string wrong = difference(*source, layout); !wrong.empty())
    return VectorResult::fail(expected, to_string(layout) + ": " + wrong);
  if (row.contains("max_tiles")) {
    const TensorType& type = *layout.tensor_type();
    const std::size_t tiles = type.layout ? type.layout->tiles.size() : 0;
    return VectorResult::when(tiles <= row["max_tiles"].get<std::size_t>(), expected, to_string(layout));
  }
  return VectorResult::pass();
}

VectorResult equal_row(const Json& row) {
  const auto a = layout_of(row["a"]);
  const auto b = layout_of(row["b"]);
  if (!a || !b) return VectorResult::fail("layouts", to_string(a ? b.error() : a.error()));
  const LayoutEquality got = same_map(*a, *b);
  Json answer = {{"equal", got.verdict == Verdict::yes}};
  if (got.verdict == Verdict::undecided) answer["equal"] = "undecided";
  if (got.difference) {
    answer["counterexample"] = got.difference->index;
    answer["offsets"] = {got.difference->first, got.difference->second};
  } else if (!got.word.empty()) {
    answer["reason"] = got.word;
  }
  Json expected = Json::object();
  for (const char* key : {"equal", "counterexample", "offsets", "reason"}) {
    if (row.contains(key)) expected[key] = row[key];
  }
  return VectorResult::when(answer == expected, expected.dump(), answer.dump());
}

// The operation as a program with the operand as its parameter.
std::string program_of(const Json& row, const TensorType& operand) {
  const std::string op = row["op"] == "identity" ? "copy" : text_of(row, "op");
  const std::string attributes = text_of(row, "attributes");
  const std::string type(to_string(operand.dtype));
  return fmt::format("HloModule m\nENTRY e {{\n  p = {} parameter(0)\n{}  ROOT r = {}[{}] {}(p{}){}{}\n}}\n",
                     to_string(operand), op == "pad" ? fmt::format("  z = {}[] parameter(1)\n", type) : "",
                     type, fmt::join(indices(row["output_shape"]), ","), op, op == "pad" ? ", z" : "",
                     attributes.empty() ? "" : ", ", attributes);
}

VectorResult access(const Json& row) {
  const auto operand = parse_layout("xla:" + text_of(row, "operand"));
  if (!operand) return VectorResult::fail("a layout", to_string(operand.error()));
  const Program program = read_program(program_of(row, *operand->tensor_type()));
  if (!program.error.empty()) return VectorResult::fail("a program", program.error);
  const auto maps = output_to_input(program.root(), {});
  if (!maps || maps->size() != 1)
    return VectorResult::fail("one map", maps ? to_text(*maps) : to_string(maps.error()));
  const VectorResult same = judge_indexings(Json::array({row["map"]}), "equivalent", *maps, program.module());
  if (!same.passed) return same;
  const IndexMap& map = maps->front().map;
  const auto reads = access_map(map, *operand);
  if (!reads) return VectorResult::fail("an access map", to_string(reads.error()));
  for (const Json& point : row["points"]) {
    const Indices at = indices(point[0]);
    const auto index = map.evaluate(at);
    const auto offset = reads->evaluate(at);
    if (!reads->domain().contains(at) || index != indices(point[1]) || !offset ||
        offset->front() != point[2].get<Index>() || operand->offset(*index) != point[2].get<Index>()) {
      return VectorResult::fail(point.dump(), to_string(*reads));
    }
  }
  return VectorResult::pass();
}

VectorResult linear(const Json& row) {
  auto made = LinearLayout::make(row["bases"].get<std::vector<Indices>>());
  const auto layout = made ? Layout::make(*std::move(made)) : Result<Layout>(fail(made.error()));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  if (Json(Indices(layout->shape().begin(), layout->shape().end())) != row["shape"])
    return VectorResult::fail(row["shape"].dump(), "another shape");
  const IndexMap map = lower(*layout);
  for (const Json& point : row["points"]) {
    const Indices at = indices(point[0]);
    const Index offset = layout->offset(at);
    if (offset != point[1] || map.evaluate(at) != Indices{offset})
      return VectorResult::fail(point.dump(), std::to_string(offset));
  }
  return judge_digits(row, to_digits(*layout));
}

const Register kDigits = row_check("conversions", "digits.jsonl", digits);
const Register kConvert = row_check("conversions", "convert.jsonl", convert_row);
const Register kEqual = row_check("conversions", "equal.jsonl", equal_row);
const Register kAccess = row_check("conversions", "access.jsonl", access);
const Register kLinear = row_check("conversions", "linear.jsonl", linear);

}  // namespace
}  // namespace tessera::vectors
