// SPDX-License-Identifier: Apache-2.0
/// \file
/// Programs of one instruction for the tests of the rules.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tessera/hlo/module.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::verify_test {

inline constexpr std::string_view kComputations = R"(
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
add2 { x = f32[] parameter(0) y = s32[] parameter(1) z = f32[] parameter(2) w = s32[] parameter(3)
  ROOT t = (f32[], s32[]) tuple(x, y) }
lt { x = f32[] parameter(0) y = f32[] parameter(1) ROOT c = pred[] compare(x, y), direction=LT }
step { x = f32[] parameter(0) c = f32[] parameter(1) y = f32[] add(x, c) ROOT t = (f32[], f32[]) tuple(y, y) }
neg { x = f32[] parameter(0) ROOT y = f32[] negate(x) }
neg8 { x = f32[8] parameter(0) ROOT y = f32[8] negate(x) }
body { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = f32[8] get-tuple-element(p), index=1
  ROOT t = (s32[], f32[8]) tuple(i, v) }
cond { p = (s32[], f32[8]) parameter(0) ROOT c = pred[] constant(false) }
)";

inline constexpr std::string_view kValues = R"(
  s = f32[] parameter(0)
  i = s32[] parameter(1)
  q = pred[] parameter(2)
  v = f32[8] parameter(3)
  m = f32[4,8] parameter(4)
  sq = f32[3,5,5] parameter(5)
  x = f32[2,12,10,4] parameter(6)
  k = f32[3,5,4,6] parameter(7)
  n = s32[4,8] parameter(8)
  z = c64[8] parameter(9)
  b = pred[4,8] parameter(10)
  st = (s32[], f32[8]) parameter(11)
  tok = token[] parameter(12)
  ix = s32[6,2] parameter(13)
  l = f32[2,3,4] parameter(14)
  r = f32[2,4,5] parameter(15)
)";

// Asynchronous starts, for tests of the operations that end them.
inline constexpr std::string_view kStarts = R"(
  gs = (f32[4,8], f32[4,16]) all-gather-start(m), replica_groups={{0,1}}, dimensions={1}
  rs = f32[4,8] all-reduce-start(m), to_apply=add
  as = ((f32[8]), f32[8], s32[]) async-start(v), calls=neg8
  au = ((f32[8]), f32[8], s32[]) async-update(as)
  ps = (f32[4,8], f32[4,8]) collective-permute-start(m), source_target_pairs={{0,1}}
  cs = (f32[4,8], f32[4,8], u32[]) copy-start(m)
  rt = (f32[4], u32[], token[]) recv(tok), channel_id=1
  st3 = (f32[4,8], u32[], token[]) send(m, tok), channel_id=1
)";

inline ParsedModules parse_lines(std::string_view lines) {
  return parse_hlo(fmt::format("{}ENTRY e {{{}{}\n}}\n", kComputations, kValues, lines));
}

// The type inferred for a line without a type.
inline std::string inferred(std::string_view line) {
  const ParsedModules parsed = parse_lines(fmt::format("  ROOT y = {}", line));
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << render(d, *parsed.source);
  return to_string(parsed.modules.at(0).entry->root->type);
}

inline Code code_of(std::string_view line) {
  const ParsedModules parsed = parse_lines(fmt::format("{}  ROOT y = {}", kStarts, line));
  EXPECT_FALSE(parsed.ok()) << line;
  EXPECT_FALSE(parsed.modules.at(0).entry->root->sound) << line;
  return parsed.ok() ? Code::file_read : parsed.diagnostics.at(0).code;
}

inline std::string message_of(std::string_view line) {
  const ParsedModules parsed = parse_lines(fmt::format("  ROOT y = {}", line));
  return parsed.ok() ? "" : parsed.diagnostics.at(0).message;
}

}  // namespace tessera::verify_test
