// SPDX-License-Identifier: Apache-2.0
// Operations that keep or move elements.
#include <fmt/format.h>

#include <algorithm>

#include "laws/hlo_cases.h"

namespace tessera::laws {

std::string HloCases::elementwise() {
  static const std::vector<std::string> kUnary = {"abs",
                                                  "acos",
                                                  "acosh",
                                                  "asin",
                                                  "asinh",
                                                  "atanh",
                                                  "cbrt",
                                                  "ceil",
                                                  "copy",
                                                  "cosine",
                                                  "cosh",
                                                  "erf",
                                                  "exponential",
                                                  "exponential-minus-one",
                                                  "floor",
                                                  "log",
                                                  "log-plus-one",
                                                  "logistic",
                                                  "negate",
                                                  "round-nearest-afz",
                                                  "round-nearest-even",
                                                  "rsqrt",
                                                  "sign",
                                                  "sine",
                                                  "sinh",
                                                  "sqrt",
                                                  "tan",
                                                  "tanh",
                                                  "convert",
                                                  "bitcast-convert"};
  static const std::vector<std::string> kBinary = {"add",      "atan2", "divide",    "maximum", "minimum",
                                                   "multiply", "power", "remainder", "subtract"};
  static const std::vector<std::string> kInteger = {
      "and", "or", "xor", "shift-left", "shift-right-arithmetic", "shift-right-logical"};
  const Dims d = dims(pick(0, 3), pick(0, 9) == 0 ? 0 : 1);
  const std::string type = f32(d);
  switch (pick(0, 9)) {
    case 0:
      return program({type, type}, type, pick_text(kBinary));
    case 1: {
      const std::string integers = array("s32", d);
      return program({integers, integers}, integers, pick_text(kInteger));
    }
    case 2:
      return program({array("s32", d)}, array("s32", d), pick_text({"not", "popcnt", "count-leading-zeros"}));
    case 3:
      return program({coin() ? "pred[]" : array("pred", d), type, type}, type, "select");
    case 4:
      return program({coin() ? "f32[]" : type, type, coin() ? "f32[]" : type}, type, "clamp");
    case 5:
      return program({type, type}, array("pred", d), "compare", "direction=LT");
    case 6:
      return program({type, type}, array("c64", d), "complex");
    case 7:
      return program({array("c64", d)}, type, pick_text({"real", "imag"}));
    case 8:
      return program({type, type}, type, "map", fmt::format("dimensions={}, to_apply=f", braces(some(0))),
                     kAdd);
    default:
      return program({type}, type, pick_text(kUnary));
  }
}

std::string HloCases::bitcast_convert() {
  const Dims d = dims(pick(0, 2));
  const auto [wide, narrow, parts] = std::vector<std::tuple<std::string, std::string, Index>>{
      {"f32", "u8", 4}, {"s64", "s32", 2}, {"f32", "f32", 1}, {"u8", "s4", 2}}[at(pick(0, 3))];
  const std::string wide_type = array(wide, d);
  const std::string narrow_type = array(narrow, parts == 1 ? d : join(d, {parts}));
  return coin() ? program({wide_type}, narrow_type, "bitcast-convert")
                : program({narrow_type}, wide_type, "bitcast-convert");
}

std::string HloCases::broadcast() {
  const Dims out = dims(pick(0, 4), pick(0, 9) == 0 ? 0 : 1);
  Dims from = some(static_cast<Index>(out.size()));
  std::shuffle(from.begin(), from.end(), random_);
  Dims in;
  for (const Index d : from) in.push_back(out[at(d)]);
  return program({f32(in)}, f32(out), "broadcast", "dimensions=" + braces(from));
}

std::string HloCases::reshape() {
  const Dims in = dims(pick(0, 3), 1, 6);
  return program({f32(in)}, f32(reshaped(in)), "reshape");
}

std::string HloCases::bitcast() {
  const auto with_layout = [&](const Dims& d) {
    return d.empty() ? std::string() : braces(permutation(static_cast<Index>(d.size())));
  };
  const Dims in = dims(pick(0, 3), 1, 5);
  if (coin()) {
    const Dims out = reshaped(in);
    return program({f32(in) + with_layout(in)}, f32(out) + with_layout(out), "bitcast");
  }
  // Choose another element width, if the fastest dimension can compensate for it.
  Dims narrow = in;
  narrow.push_back(2);
  Dims wide = reshaped(in);
  const std::string a = array("s16", narrow) + with_layout(narrow);
  const std::string b = array("s32", wide) + with_layout(wide);
  return coin() ? program({a}, b, "bitcast") : program({b}, a, "bitcast");
}

std::string HloCases::tiled_bitcast() {
  const Index rank = pick(1, 3);
  const Dims in = dims(rank, 1, 6);
  const auto tiled = [&](const Dims& d) {
    std::string tiles;
    const Index count = pick(0, 2);
    for (Index i = 0; i < count; ++i) {
      std::vector<std::string> tile;
      const Index entries = pick(1, 3);
      for (Index e = 0; e < entries; ++e) {
        tile.push_back(e + 1 < entries && pick(0, 4) == 0 ? "*" : fmt::format("{}", pick(1, 3)));
      }
      tiles += fmt::format("({})", fmt::join(tile, ","));
    }
    return fmt::format("{{{}{}}}", list(permutation(static_cast<Index>(d.size()))),
                       tiles.empty() ? "" : ":T" + tiles);
  };
  const Dims out = coin() ? in : reshaped(in);
  return program({f32(in) + tiled(in)}, f32(out) + (out.empty() ? "" : tiled(out)), "bitcast");
}

std::string HloCases::transpose() {
  const Dims in = dims(pick(0, 4), pick(0, 9) == 0 ? 0 : 1);
  const Dims p = permutation(static_cast<Index>(in.size()));
  Dims out;
  for (const Index d : p) out.push_back(in[at(d)]);
  return program({f32(in)}, f32(out), "transpose", "dimensions=" + braces(p));
}

std::string HloCases::reverse() {
  const Dims d = dims(pick(0, 3));
  return program({f32(d)}, f32(d), "reverse", "dimensions=" + braces(some(static_cast<Index>(d.size()))));
}

std::string HloCases::slice() {
  const Dims in = dims(pick(0, 3), 1, 7);
  std::vector<std::string> ranges;
  Dims out;
  for (const Index n : in) {
    const Index start = pick(0, n);
    const Index limit = pick(0, 9) == 0 ? start : pick(start, n);
    const Index stride = pick(1, 3);
    ranges.push_back(stride == 1 && coin() ? fmt::format("[{}:{}]", start, limit)
                                           : fmt::format("[{}:{}:{}]", start, limit, stride));
    out.push_back((limit - start + stride - 1) / stride);
  }
  return program({f32(in)}, f32(out), "slice", fmt::format("slice={{{}}}", fmt::join(ranges, ", ")));
}

std::string HloCases::concatenate() {
  const Dims base = dims(pick(1, 3));
  const std::size_t dim = at(pick(0, static_cast<Index>(base.size()) - 1));
  std::vector<std::string> types;
  Dims out = base;
  out[dim] = 0;
  for (Index count = pick(1, 4); count > 0; --count) {
    Dims one = base;
    one[dim] = pick(0, 4);
    out[dim] += one[dim];
    types.push_back(f32(one));
  }
  return program(types, f32(out), "concatenate", fmt::format("dimensions={{{}}}", dim));
}

std::string HloCases::pad() {
  const Dims in = dims(pick(1, 2), pick(0, 9) == 0 ? 0 : 1, 5);
  std::vector<std::string> ranges;
  Dims out;
  for (const Index n : in) {
    const Index interior = coin() ? 0 : pick(1, 2);
    const Index low = pick(-2, 3), high = pick(-2, 3);
    const Index extent = n + (n > 0 ? (n - 1) * interior : 0) + low + high;
    if (extent < 0) return pad();
    ranges.push_back(interior == 0 && coin() ? fmt::format("{}_{}", low, high)
                                             : fmt::format("{}_{}_{}", low, high, interior));
    out.push_back(extent);
  }
  return program({f32(in), "f32[]"}, f32(out), "pad", fmt::format("padding={}", fmt::join(ranges, "x")));
}

}  // namespace tessera::laws
