// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reduction functions for test programs. Each has the name f.
#pragma once

namespace tessera::laws {

inline constexpr const char* kAdd =
    "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n";

/// The larger value and its index. The resulting index depends on both values and both indices, the resulting
/// value only on the values.
inline constexpr const char* kArgMax = R"(f {
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

}  // namespace tessera::laws
