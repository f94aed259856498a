// SPDX-License-Identifier: Apache-2.0
#include "cuda/access_cases.h"

#include <array>

#include "access/accessed_layout.h"
#include "tessera/access/access.h"

namespace tessera::bench {
namespace {

constexpr std::array kCases = {
    AccessCase{"stride 1", true, "32:1", 4, 1},
    AccessCase{"stride 2", true, "32:2", 4, 1},
    AccessCase{"stride 3", true, "32:3", 4, 1},
    AccessCase{"stride 8", true, "32:8", 4, 1},
    AccessCase{"stride 32", true, "32:32", 4, 1},
    AccessCase{"stride 33", true, "32:33", 4, 1},
    AccessCase{"one word", true, "32:0", 4, 1},
    AccessCase{"8 words, 4 lanes each", true, "(4,8):(0,1)", 4, 1},
    AccessCase{"column of 32x32", true, "(1,32):(1,32)", 4, 1},
    AccessCase{"column of Sw<5,0,5>", true, "Sw<5,0,5> o _0 o (1,32):(1,32)", 4, 1},
    AccessCase{"bytes, stride 1", true, "32:1", 1, 1},
    AccessCase{"halves, stride 64", true, "32:64", 2, 1},
    AccessCase{"8 bytes, stride 2", true, "(32,2):(2,1)", 4, 2},
    AccessCase{"8 bytes, stride 4", true, "(32,2):(4,1)", 4, 2},
    AccessCase{"16 bytes, stride 4", true, "(32,4):(4,1)", 4, 4},
    AccessCase{"16 bytes, stride 8", true, "(32,4):(8,1)", 4, 4},
    AccessCase{"16 bytes, rows of 128 bytes", true, "(32,4):(32,1)", 4, 4},
    AccessCase{"16 bytes, Sw<3,2,3>", true, "Sw<3,2,3> o _0 o (32,4):(32,1)", 4, 4},
    AccessCase{"16 bytes, rows of 144 bytes", true, "(32,4):(36,1)", 4, 4},
    AccessCase{"stride 1", false, "32:1", 4, 1},
    AccessCase{"stride 2", false, "32:2", 4, 1},
    AccessCase{"stride 8", false, "32:8", 4, 1},
    AccessCase{"stride 100", false, "32:100", 4, 1},
    AccessCase{"one word", false, "32:0", 4, 1},
    AccessCase{"8 in a row, rows of 1000", false, "(8,4):(1,1000)", 4, 1},
    AccessCase{"8 in a row, rows of 1001", false, "(8,4):(1,1001)", 4, 1},
    AccessCase{"16 bytes, stride 4", false, "(32,4):(4,1)", 4, 4},
    AccessCase{"16 bytes, stride 16", false, "(32,4):(16,1)", 4, 4},
};

PredictedAccess predicted(const AccessCase& one) {
  PredictedAccess out{.access = one, .bytes = {}};
  const Result<Layout> layout = parse_layout(one.layout);
  if (!layout) return out.error = to_string(layout.error()), out;
  // A layout of only the lanes, whatever its nesting.
  Access access = whole_layout(*layout);
  access.vector = one.vector;
  if (one.vector == 1) access.tv = *parse_layout("32:1");
  const std::vector<Access> accesses = {access};
  const AccessOptions options{
      .element_bits = 8 * one.element_bytes, .shared = one.shared, .global = !one.shared};
  const Result<AccessReports> reports = analyze_accesses(*layout, accesses, options);
  if (!reports) return out.error = to_string(reports.error()), out;
  const auto made = detail::AccessedLayout::make(*layout, accesses, options);
  if (!made) return out.error = to_string(made.error()), out;
  const detail::CountedAccess& counted = made->accesses[0];
  for (const Index byte : made->bytes_of(counted, counted.instructions[0])) out.bytes.push_back(byte);
  if (one.shared) out.wavefronts = reports->each[0].shared->wavefronts;
  if (!one.shared) out.sectors = reports->each[0].global->sum.sectors;
  return out;
}

}  // namespace

std::vector<PredictedAccess> predicted_accesses() {
  std::vector<PredictedAccess> out;
  for (const AccessCase& one : kCases) out.push_back(predicted(one));
  return out;
}

}  // namespace tessera::bench
