// SPDX-License-Identifier: Apache-2.0
// Operations on rows, matrices, tuples and sizes.
#include <fmt/format.h>

#include "laws/hlo_cases.h"

namespace tessera::laws {

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
    case 1:  // the carry does not change
      body = fmt::format("  ROOT t = {} tuple(x, c)\n}}\n", tail);
      break;
    case 2:  // the previous element
      body = fmt::format("  ROOT t = {} tuple(c, x)\n}}\n", tail);
      break;
    default:  // combines the elements of a slice
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

}  // namespace tessera::laws
