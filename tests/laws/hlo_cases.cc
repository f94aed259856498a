// SPDX-License-Identifier: Apache-2.0
#include "laws/hlo_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tessera::laws {
namespace {

using Dims = std::vector<Index>;

std::string list(const Dims& dims) { return fmt::format("{}", fmt::join(dims, ",")); }
std::string array(const std::string& type, const Dims& dims) {
  return fmt::format("{}[{}]", type, list(dims));
}
std::string f32(const Dims& dims) { return array("f32", dims); }
std::string braces(const Dims& dims) { return fmt::format("{{{}}}", list(dims)); }

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Dims join(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A program with these parameter types and the root `type opcode(p0, p1, ...) attributes`.
std::string program(const std::vector<std::string>& parameters, const std::string& type,
                    const std::string& opcode, const std::string& attributes = "",
                    const std::string& functions = "") {
  std::string text = functions + "ENTRY e {\n";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    text += fmt::format("  p{} = {} parameter({})\n", i, parameters[i], i);
    names.push_back(fmt::format("p{}", i));
  }
  return text + fmt::format("  ROOT r = {} {}({}){}{}\n}}\n", type, opcode, fmt::join(names, ", "),
                            attributes.empty() ? "" : ", ", attributes);
}

constexpr const char* kAdd =
    "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n";
constexpr const char* kReplace = "f {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n";
constexpr const char* kSelect =
    "g {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), "
    "direction=GE\n}\n";
// The larger value and its number: the number depends on both, the value on values only.
constexpr const char* kArgMax = R"(f {
  a0 = f32[] parameter(0)
  a1 = s32[] parameter(1)
  b0 = f32[] parameter(2)
  b1 = s32[] parameter(3)
  c = pred[] compare(a0, b0), direction=GE
  v = f32[] select(c, a0, b0)
  n = s32[] select(c, a1, b1)
  ROOT t = (f32[], s32[]) tuple(v, n)
}
)";

}  // namespace

Dims HloCases::dims(Index rank, Index low, Index high) {
  Dims d;
  for (Index i = 0; i < rank; ++i) d.push_back(pick(low, high));
  return d;
}

Dims HloCases::permutation(Index rank) {
  Dims p(at(rank));
  std::iota(p.begin(), p.end(), 0);
  std::shuffle(p.begin(), p.end(), random_);
  return p;
}

Dims HloCases::some(Index rank) {
  Dims s;
  for (Index i = 0; i < rank; ++i) {
    if (coin()) s.push_back(i);
  }
  return s;
}

Dims HloCases::reshaped(const Dims& shape) {
  Dims factors;
  for (Index n : shape) {
    for (Index f = 2; n > 1; ++f) {
      for (; n % f == 0; n /= f) factors.push_back(f);
    }
  }
  std::shuffle(factors.begin(), factors.end(), random_);
  Dims out(at(pick(factors.empty() ? 0 : 1, 4)), 1);
  for (const Index f : factors) out[at(pick(0, static_cast<Index>(out.size()) - 1))] *= f;
  return out;
}

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
  // Another element width, where the fastest dimension makes up for it.
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

std::string HloCases::reduce() {
  const Dims in = dims(pick(0, 3), pick(0, 9) == 0 ? 0 : 1);
  Dims reduced = some(static_cast<Index>(in.size()));
  Dims out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (std::ranges::find(reduced, static_cast<Index>(i)) == reduced.end()) out.push_back(in[i]);
  }
  std::shuffle(reduced.begin(), reduced.end(), random_);
  return program({f32(in), "f32[]"}, f32(out), "reduce",
                 fmt::format("dimensions={}, to_apply=f", braces(reduced)), kAdd);
}

std::string HloCases::variadic_reduce() {
  const Dims in = dims(2);
  const std::string attributes = "dimensions={1}, to_apply=f";
  const Dims out = {in[0]};
  return program({f32(in), array("s32", in), "f32[]", "s32[]"},
                 fmt::format("({}, {})", f32(out), array("s32", out)), "reduce", attributes, kArgMax);
}

HloCases::WindowText HloCases::window(const Dims& in, bool dilated, bool padded, Dims sizes, bool reversal) {
  std::vector<std::string> size, stride, pads, lhs, rhs, reversed;
  Dims out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Index k = sizes.empty() ? pick(1, 3) : sizes[i];
    const Index step = pick(1, 3);
    const Index lhs_dilate = dilated ? pick(1, 3) : 1, rhs_dilate = dilated ? pick(1, 2) : 1;
    const Index low = padded ? pick(-1, 2) : 0, high = padded ? pick(-1, 2) : 0;
    const Index padded_extent = (in[i] - 1) * lhs_dilate + 1 + low + high;
    const Index covered = (k - 1) * rhs_dilate + 1;
    if (padded_extent < 0) return window(in, dilated, padded, sizes, reversal);
    out.push_back(padded_extent < covered ? 0 : (padded_extent - covered) / step + 1);
    size.push_back(fmt::format("{}", k));
    stride.push_back(fmt::format("{}", step));
    pads.push_back(fmt::format("{}_{}", low, high));
    lhs.push_back(fmt::format("{}", lhs_dilate));
    rhs.push_back(fmt::format("{}", rhs_dilate));
    reversed.push_back(coin() ? "1" : "0");
  }
  if (in.empty()) return {"window={}", {}};
  // Windows that fit nowhere are a rare case.
  if (std::ranges::find(out, 0) != out.end() && pick(0, 9) > 0)
    return window(in, dilated, padded, sizes, reversal);
  std::string text = fmt::format("window={{size={} stride={}", fmt::join(size, "x"), fmt::join(stride, "x"));
  if (padded) text += fmt::format(" pad={}", fmt::join(pads, "x"));
  if (dilated) text += fmt::format(" lhs_dilate={} rhs_dilate={}", fmt::join(lhs, "x"), fmt::join(rhs, "x"));
  if (reversal) text += fmt::format(" rhs_reversal={}", fmt::join(reversed, "x"));
  return {text + "}", out};
}

std::string HloCases::reduce_window() {
  const Dims in = dims(pick(1, 2), 1, 5);
  const WindowText w = window(in, coin(), coin());
  if (pick(0, 3) == 0) {
    return program({f32(in), array("s32", in), "f32[]", "s32[]"},
                   fmt::format("({}, {})", f32(w.out), array("s32", w.out)), "reduce-window",
                   w.text + ", to_apply=f", kArgMax);
  }
  return program({f32(in), "f32[]"}, f32(w.out), "reduce-window", w.text + ", to_apply=f", kAdd);
}

std::string HloCases::select_and_scatter() {
  const Dims in = dims(pick(1, 2), 1, 5);
  const WindowText w = window(in, false, coin());
  return program({f32(in), f32(w.out), "f32[]"}, f32(in), "select-and-scatter",
                 w.text + ", select=g, scatter=f", std::string(kAdd) + kSelect);
}

std::string HloCases::convolution() {
  const Index spatial = pick(0, 2);
  const Dims in_spatial = dims(spatial, 1, 4);
  const Dims kernel_spatial = dims(spatial, 1, 3);
  const WindowText w = window(in_spatial, coin(), coin(), kernel_spatial, coin());
  const Index feature_groups = pick(0, 2) == 0 ? pick(2, 3) : 1;
  const Index batch_groups = feature_groups == 1 && pick(0, 2) == 0 ? 2 : 1;
  const Index batch = pick(1, 2), group_in = pick(1, 2), group_out = pick(1, 2);
  const Index out_features = group_out * std::max(feature_groups, batch_groups);
  const auto labelled = [&](char first, char second, Index a, Index b, const Dims& sizes,
                            std::string& labels) {
    const Dims order = permutation(spatial + 2);
    Dims d;
    for (const Index i : order) {
      labels += i == 0 ? first : i == 1 ? second : static_cast<char>('0' + i - 2);
      d.push_back(i == 0 ? a : i == 1 ? b : sizes[at(i - 2)]);
    }
    return d;
  };
  std::string in_labels, kernel_labels, out_labels;
  const Dims in = labelled('b', 'f', batch * batch_groups, group_in * feature_groups, in_spatial, in_labels);
  const Dims kernel = labelled('i', 'o', group_in, out_features, kernel_spatial, kernel_labels);
  const Dims out = labelled('b', 'f', batch, out_features, w.out, out_labels);
  std::string attributes =
      fmt::format("{}, dim_labels={}_{}->{}", w.text, in_labels, kernel_labels, out_labels);
  if (feature_groups > 1) attributes += fmt::format(", feature_group_count={}", feature_groups);
  if (batch_groups > 1) attributes += fmt::format(", batch_group_count={}", batch_groups);
  return program({f32(in), f32(kernel)}, f32(out), "convolution", attributes);
}

std::string HloCases::dot() {
  const Dims batch = dims(pick(0, 1)), contracted = dims(pick(0, 2), 1, 3), lhs_free = dims(pick(0, 2), 1, 3),
             rhs_free = dims(pick(0, 1));
  const auto side = [&](const Dims& free, Dims& batch_dims, Dims& contracting_dims) {
    const Dims parts = join(join(batch, contracted), free);
    const Dims order = permutation(static_cast<Index>(parts.size()));
    Dims d(parts.size());
    batch_dims.resize(batch.size());
    contracting_dims.resize(contracted.size());
    // Free dimensions keep their order.
    Dims free_places;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i >= batch.size() + contracted.size()) free_places.push_back(order[i]);
    }
    std::ranges::sort(free_places);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_free = i >= batch.size() + contracted.size();
      const Index place = is_free ? free_places[i - batch.size() - contracted.size()] : order[i];
      d[at(place)] = parts[i];
      if (i < batch.size()) {
        batch_dims[i] = place;
      } else if (!is_free) {
        contracting_dims[i - batch.size()] = place;
      }
    }
    return d;
  };
  Dims lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
  const Dims lhs = side(lhs_free, lhs_batch, lhs_contracting);
  const Dims rhs = side(rhs_free, rhs_batch, rhs_contracting);
  return program(
      {f32(lhs), f32(rhs)}, f32(join(join(batch, lhs_free), rhs_free)), "dot",
      fmt::format("lhs_batch_dims={}, rhs_batch_dims={}, lhs_contracting_dims={}, rhs_contracting_dims={}",
                  braces(lhs_batch), braces(rhs_batch), braces(lhs_contracting), braces(rhs_contracting)));
}

std::string HloCases::scaled_dot() {
  const Index m = pick(1, 3), n = pick(1, 3), block = pick(1, 3), blocks = pick(1, 3);
  const Index k = block * blocks;
  const Index rows = coin() ? m : 1;
  return program({f32({m, k}), f32({k, n}), f32({rows, blocks}), coin() ? f32({blocks, n}) : f32({k, 1})},
                 f32({m, n}), "scaled-dot", "lhs_contracting_dims={1}, rhs_contracting_dims={0}");
}

std::string HloCases::ragged_dot() {
  const Index groups = pick(1, 3), m = pick(1, 4), k = pick(1, 4), n = pick(1, 3), b = pick(1, 2);
  switch (pick(0, 2)) {
    case 0:
      return program(
          {f32({m, k}), f32({groups, k, n}), array("u32", {groups})}, f32({m, n}), "ragged-dot",
          "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}");
    case 1:
      return program({f32({m, k}), f32({k, n}), array("u32", {groups})}, f32({groups, m, n}), "ragged-dot",
                     "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}");
    default:
      return program(
          {f32({b, m, k}), f32({b, k, n}), array("u32", {groups})}, f32({b, m, n}), "ragged-dot",
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
          "lhs_ragged_dims={0}");
  }
}

std::string HloCases::dynamic_slice() {
  const Dims whole = dims(pick(0, 3), 1, 5);
  Dims box;
  std::vector<std::string> types = {f32(whole)};
  for (const Index n : whole) {
    box.push_back(pick(1, n));
    types.push_back(coin() ? "s32[]" : "u32[]");
  }
  return program(types, f32(box), "dynamic-slice", "dynamic_slice_sizes=" + braces(box));
}

std::string HloCases::dynamic_update_slice() {
  const Dims whole = dims(pick(0, 3), 1, 5);
  Dims box;
  for (const Index n : whole) box.push_back(pick(1, n));
  std::vector<std::string> types = {f32(whole), f32(box)};
  for (std::size_t i = 0; i < whole.size(); ++i) types.push_back("s64[]");
  return program(types, f32(whole), "dynamic-update-slice");
}

std::string HloCases::known_starts() {
  const Dims whole = {pick(3, 6), pick(3, 6)};
  const Dims box = {pick(1, 3), pick(1, 3)};
  std::string text =
      fmt::format("ENTRY e {{\n  p0 = {} parameter(0)\n  p1 = s32[] parameter(1)\n", f32(whole));
  text += fmt::format("  a = s32[] constant({})\n  n = s32[3] iota(), iota_dimension=0\n", pick(-3, 8));
  const Index step = pick(0, 2);
  text += fmt::format("  m = s32[1] slice(n), slice={{[{}:{}]}}\n  b = s32[] reshape(m)\n", step, step + 1);
  return text + fmt::format(
                    "  c = s32[] add(a, b)\n  d = s64[] convert(c)\n  e = s64[] convert(p1)\n"
                    "  ROOT r = {} dynamic-slice(p0, {}, {}), dynamic_slice_sizes={}\n}}\n",
                    f32(box), "d", coin() ? "d" : "e", braces(box));
}

// Shapes of a gather, or of a scatter with the same windows; the indices are `p1` or made by `indices_text`.
std::string HloCases::gather_with(const std::string& indices_text, bool scatter_form) {
  const Index rank = pick(1, 3);
  const Dims operand = dims(rank, 1, 4);
  // Dimensions of the operand: with a window, without, or batched with the indices.
  Dims dropped, batching, kept;
  for (Index i = 0; i < rank; ++i) {
    const Index kind = pick(0, 3);
    (kind == 0 && indices_text.empty() ? batching : kind == 1 ? dropped : kept).push_back(i);
  }
  Dims sizes(at(rank), 1), window;
  for (const Index i : kept) {
    sizes[at(i)] = pick(1, operand[at(i)]);
    window.push_back(sizes[at(i)]);
  }
  Dims components;
  for (const Index i : join(dropped, kept)) {
    if (coin()) components.push_back(i);
  }
  std::shuffle(components.begin(), components.end(), random_);
  // The indices: batch dimensions, those that batch the operand too, and the vector.
  Dims index_batch = dims(pick(0, 2), 1, 3), batch_places;
  for (const Index i : batching) {
    batch_places.push_back(static_cast<Index>(index_batch.size()));
    index_batch.push_back(operand[at(i)]);
  }
  Index vector_dim = static_cast<Index>(index_batch.size());
  Dims indices = index_batch;
  if (components.empty() && pick(0, 4) > 0) return gather_with(indices_text, scatter_form);
  if (components.size() != 1 || coin()) {
    vector_dim = pick(0, static_cast<Index>(index_batch.size()));
    indices.insert(indices.begin() + vector_dim, static_cast<Index>(components.size()));
    for (Index& place : batch_places) place += place >= vector_dim ? 1 : 0;
  }
  // The result: batch and window dimensions, each in order, shuffled together.
  Dims spread, window_dims;
  std::size_t b = 0, w = 0;
  while (b < index_batch.size() || w < window.size()) {
    if (w < window.size() && (b == index_batch.size() || coin())) {
      window_dims.push_back(static_cast<Index>(spread.size()));
      spread.push_back(window[w++]);
    } else {
      spread.push_back(index_batch[b++]);
    }
  }
  const bool made = !indices_text.empty();
  std::string text = fmt::format("ENTRY e {{\n  p0 = {} parameter(0)\n", f32(operand));
  const std::string index_type = array("s32", indices);
  if (!made) {
    text += fmt::format("  p1 = {} parameter(1)\n", index_type);
  } else if (coin() && !indices.empty()) {
    text += fmt::format(
        "  i = {0} iota(), iota_dimension={1}\n  k = s32[] constant({2})\n  l = {0} broadcast(k), "
        "dimensions={{}}\n  p1 = {0} {3}(i, l)\n",
        index_type, pick(0, static_cast<Index>(indices.size()) - 1), pick(-1, 3),
        pick_text({"add", "multiply", "subtract"}));
  } else {
    text += fmt::format("  k = s32[] constant({1})\n  p1 = {0} broadcast(k), dimensions={{}}\n", index_type,
                        pick(-1, 4));
  }
  if (!scatter_form) {
    return text + fmt::format(
                      "  ROOT r = {} gather(p0, p1), offset_dims={}, collapsed_slice_dims={}, "
                      "start_index_map={}, operand_batching_dims={}, start_indices_batching_dims={}, "
                      "index_vector_dim={}, slice_sizes={}\n}}\n",
                      f32(spread), braces(window_dims), braces(dropped), braces(components), braces(batching),
                      braces(batch_places), vector_dim, braces(sizes));
  }
  return std::string(coin() ? kAdd : kReplace) + text +
         fmt::format(
             "  p2 = {} parameter({})\n  ROOT r = {} scatter(p0, p1, p2), update_window_dims={}, "
             "inserted_window_dims={}, scatter_dims_to_operand_dims={}, input_batching_dims={}, "
             "scatter_indices_batching_dims={}, index_vector_dim={}, to_apply=f\n}}\n",
             f32(spread), made ? 1 : 2, f32(operand), braces(window_dims), braces(dropped),
             braces(components), braces(batching), braces(batch_places), vector_dim);
}

std::string HloCases::gather() { return gather_with("", false); }
std::string HloCases::known_gather() { return gather_with("known", false); }
std::string HloCases::scatter() { return gather_with("", true); }
std::string HloCases::known_scatter() { return gather_with("known", true); }

std::string HloCases::sort() {
  const Dims d = dims(pick(1, 3));
  const Index dim = pick(0, static_cast<Index>(d.size()) - 1);
  if (coin()) {
    return program({f32(d)}, f32(d), "sort", fmt::format("dimensions={{{}}}, to_apply=g", dim), kSelect);
  }
  return program(
      {f32(d), array("s32", d)}, fmt::format("({}, {})", f32(d), array("s32", d)), "sort",
      fmt::format("dimensions={{{}}}, to_apply=g", dim),
      "g {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = s32[] parameter(2)\n  d = s32[] "
      "parameter(3)\n  ROOT e = pred[] compare(a, b), direction=LT\n}\n");
}

std::string HloCases::topk() {
  const Dims in = dims(pick(1, 3), 1, 5);
  Dims out = in;
  out.back() = pick(1, in.back());
  return program({f32(in)}, fmt::format("({}, {})", f32(out), array("s32", out)), "topk",
                 fmt::format("k={}, largest=true", out.back()));
}

std::string HloCases::scan() {
  const Dims in = dims(pick(1, 2), 1, 4);
  const std::size_t dim = at(pick(0, static_cast<Index>(in.size()) - 1));
  Dims slice = in;
  slice.erase(slice.begin() + static_cast<std::ptrdiff_t>(dim));
  const std::string s = f32(slice);
  const std::string head = fmt::format("f {{\n  x = {0} parameter(0)\n  c = {0} parameter(1)\n", s);
  const std::string tail = fmt::format("({0}, {0})", s);
  std::string body;
  switch (pick(0, 3)) {
    case 0:  // a running sum
      body = fmt::format("  y = {} add(x, c)\n  ROOT t = {} tuple(y, y)\n}}\n", s, tail);
      break;
    case 1:  // nothing is carried on
      body = fmt::format("  ROOT t = {} tuple(x, c)\n}}\n", tail);
      break;
    case 2:  // the one before
      body = fmt::format("  ROOT t = {} tuple(c, x)\n}}\n", tail);
      break;
    default:  // elements of a slice meet
      if (slice.empty()) return scan();
      body = fmt::format(
          "  z = {0} reverse(c), dimensions={{0}}\n  y = {0} add(x, z)\n  ROOT t = {1} tuple(y, y)\n}}\n", s,
          tail);
  }
  return program({f32(in), s}, fmt::format("({}, {})", f32(in), s), "scan",
                 fmt::format("dimensions={{{}}}, num_carries=1, is_reverse={}, to_apply=f", dim,
                             coin() ? "true" : "false"),
                 head + body);
}

std::string HloCases::fft() {
  Dims in = dims(pick(1, 3));
  const Index count = pick(1, static_cast<Index>(in.size()));
  const auto length = [&](const Dims& d) {
    return Dims(d.end() - static_cast<std::ptrdiff_t>(count), d.end());
  };
  Dims half = in;
  half.back() = in.back() / 2 + 1;
  switch (pick(0, 2)) {
    case 0:
      return program({array("c64", in)}, array("c64", in), "fft",
                     fmt::format("fft_type=FFT, fft_length={}", braces(length(in))));
    case 1:
      return program({f32(in)}, array("c64", half), "fft",
                     fmt::format("fft_type=RFFT, fft_length={}", braces(length(in))));
    default:
      return program({array("c64", half)}, f32(in), "fft",
                     fmt::format("fft_type=IRFFT, fft_length={}", braces(length(in))));
  }
}

std::string HloCases::cholesky() {
  Dims d = dims(pick(0, 2), 1, 2);
  const Index n = pick(1, 4);
  d = join(d, {n, n});
  return program({f32(d)}, f32(d), "cholesky", coin() ? "lower=true" : "lower=false");
}

std::string HloCases::triangular_solve() {
  const Dims batch = dims(pick(0, 1), 1, 2);
  const Index n = pick(1, 3), others = pick(1, 3);
  const bool left = coin();
  const std::string b = f32(join(batch, left ? Dims{n, others} : Dims{others, n}));
  return program({f32(join(batch, {n, n})), b}, b, "triangular-solve",
                 fmt::format("left_side={}, lower={}, unit_diagonal={}, transpose_a={}", left, coin(), coin(),
                             pick_text({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})));
}

std::string HloCases::batch_norm() {
  const Dims d = dims(pick(1, 3), 1, 3);
  const Index feature = pick(0, static_cast<Index>(d.size()) - 1);
  const std::string a = f32(d), v = f32({d[at(feature)]});
  const std::string attributes = fmt::format("epsilon=0.001, feature_index={}", feature);
  switch (pick(0, 2)) {
    case 0:
      return program({a, v, v, v, v}, a, "batch-norm-inference", attributes);
    case 1:
      return program({a, v, v}, fmt::format("({0}, {1}, {1})", a, v), "batch-norm-training", attributes);
    default:
      return program({a, v, v, v, a}, fmt::format("({0}, {1}, {1})", a, v), "batch-norm-grad", attributes);
  }
}

std::string HloCases::rng() {
  const Dims d = dims(pick(0, 2));
  if (coin()) return program({"f32[]", "f32[]"}, f32(d), "rng", "distribution=rng_uniform");
  return program({"u64[2]"}, fmt::format("(u64[2], {})", array("u32", d)), "rng-bit-generator",
                 "algorithm=rng_philox");
}

std::string HloCases::tuples() {
  const Dims a = dims(pick(0, 2)), b = dims(pick(0, 2));
  const std::string pair = fmt::format("({}, {})", f32(a), f32(b));
  switch (pick(0, 2)) {
    case 0:
      return program({f32(a), f32(b)}, pair, "tuple");
    case 1:
      return program({f32(a)}, f32(a), "opt-barrier");
    default:
      return program({f32(a)}, fmt::format("({0}, {0}, u32[])", f32(a)), "copy-start");
  }
}

std::string HloCases::sizes() {
  const Dims d = dims(pick(1, 2));
  switch (pick(0, 2)) {
    case 0:
      return program({f32(d)}, "s32[]", "get-dimension-size", "dimensions={0}");
    case 1: {
      Dims rest(d.begin() + 1, d.end());
      return program(
          {f32(d), "s32[]"},
          rest.empty() ? fmt::format("f32[<={}]", d[0]) : fmt::format("f32[<={},{}]", d[0], list(rest)),
          "set-dimension-size", "dimensions={0}");
    }
    default: {
      const Dims out = reshaped(d);
      std::vector<std::string> types = {f32(d)};
      for (std::size_t i = 0; i < out.size(); ++i) types.push_back("s32[]");
      return program(types, f32(out), "dynamic-reshape");
    }
  }
}

std::string HloCases::collective(Index members) {
  Dims small = dims(pick(1, 3), 1, 3);
  const std::size_t dim = at(pick(0, static_cast<Index>(small.size()) - 1));
  Dims large = small;
  large[dim] *= members;
  Dims group(at(members));
  std::iota(group.begin(), group.end(), 0);
  const std::string groups = fmt::format("replica_groups={{{}}}", braces(group));
  const std::string along = fmt::format("{}, dimensions={{{}}}", groups, dim);
  const auto pair = [](const std::string& type) { return fmt::format("({0}, {0})", type); };
  switch (pick(0, 12)) {
    case 0:
      return program({f32(small)}, f32(small), "all-reduce", groups + ", to_apply=f", kAdd);
    case 1:
      return program({f32(small), f32(small)}, pair(f32(small)), "all-reduce", groups + ", to_apply=f", kAdd);
    case 2:
      return program({f32(small)}, f32(large), "all-gather", along);
    case 3:
      return program({f32(small), f32(small)}, pair(f32(large)), "all-gather", along);
    case 4:
      return program({f32(small)}, fmt::format("({}, {})", f32(small), f32(large)), "all-gather-start",
                     along);
    case 5:
      return program({f32(large)}, f32(small), "reduce-scatter", along + ", to_apply=f", kAdd);
    case 6:
      return program({f32(large), f32(large)}, pair(f32(small)), "reduce-scatter", along + ", to_apply=f",
                     kAdd);
    case 7:
      return program({f32(large)}, f32(large), "all-to-all", along);
    case 8: {
      if (members == 1) return collective(members);
      const std::vector<std::string> types(at(members), f32(small));
      return program(types, fmt::format("({})", fmt::join(types, ", ")), "all-to-all", groups);
    }
    case 9:
      return program({f32(small)}, f32(small), "collective-broadcast", groups);
    case 10:
      return program({f32(small)}, pair(f32(small)), "collective-permute-start", pairs(members));
    default:
      return program({f32(small)}, f32(small), "collective-permute", pairs(members));
  }
}

std::string HloCases::pairs(Index members) {
  const Dims targets = permutation(members);
  const Index turn = pick(1, members);
  const Index kind = pick(0, 3);
  std::vector<std::string> texts;
  for (Index source = 0; source < members; ++source) {
    // A turn, part of one, a permutation, and part of one.
    const Index target = kind < 2 ? (source + turn) % members : targets[at(source)];
    if (kind % 2 == 0 || coin()) texts.push_back(fmt::format("{{{},{}}}", source, target));
  }
  return fmt::format("source_target_pairs={{{}}}", fmt::join(texts, ","));
}

}  // namespace tessera::laws
