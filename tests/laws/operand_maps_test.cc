// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tests every opcode with small random shapes and attributes: the maps describe the elements that the
/// instruction reads.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "laws/hlo_cases.h"
#include "laws/operand_maps_laws.h"
#include "laws/random_seed.h"

namespace tessera::laws {
namespace {

constexpr std::uint64_t kSeed = 20261120;

struct Family {
  const char* name;
  std::string (HloCases::*make)();
  std::uint64_t cases;
  bool unknown_allowed = false;
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

class OperandMaps : public testing::TestWithParam<Family> {};

TEST_P(OperandMaps, AreTheRelationThatDoingTheInstructionFinds) {
  const Family& family = GetParam();
  const std::uint64_t first = seed(kSeed);
  for (std::uint64_t i = 0; i < cases(family.cases) && !HasFailure(); ++i) {
    HloCases instructions(first + i);
    check_operand_maps((instructions.*family.make)(), first + i, family.unknown_allowed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, OperandMaps,
    testing::Values(
        Family{"elementwise", &HloCases::elementwise, 150},
        Family{"bitcast_convert", &HloCases::bitcast_convert, 30},
        Family{"broadcast", &HloCases::broadcast, 60}, Family{"reshape", &HloCases::reshape, 150},
        Family{"bitcast", &HloCases::bitcast, 150}, Family{"tiled_bitcast", &HloCases::tiled_bitcast, 150},
        Family{"transpose", &HloCases::transpose, 60}, Family{"reverse", &HloCases::reverse, 30},
        Family{"slice", &HloCases::slice, 100}, Family{"concatenate", &HloCases::concatenate, 60},
        Family{"pad", &HloCases::pad, 150}, Family{"reduce", &HloCases::reduce, 60},
        Family{"variadic_reduce", &HloCases::variadic_reduce, 20},
        Family{"reduce_window", &HloCases::reduce_window, 150},
        Family{"select_and_scatter", &HloCases::select_and_scatter, 80},
        Family{"convolution", &HloCases::convolution, 150}, Family{"dot", &HloCases::dot, 100},
        Family{"scaled_dot", &HloCases::scaled_dot, 40}, Family{"ragged_dot", &HloCases::ragged_dot, 60},
        Family{"dynamic_slice", &HloCases::dynamic_slice, 60},
        Family{"dynamic_update_slice", &HloCases::dynamic_update_slice, 60},
        Family{"known_starts", &HloCases::known_starts, 60}, Family{"gather", &HloCases::gather, 150},
        Family{"known_gather", &HloCases::known_gather, 150},
        // Unless the indices are known, the data determine which updates write an element.
        Family{"scatter", &HloCases::scatter, 150, true},
        Family{"known_scatter", &HloCases::known_scatter, 150, true}, Family{"sort", &HloCases::sort, 30},
        Family{"topk", &HloCases::topk, 30}, Family{"scan", &HloCases::scan, 80},
        Family{"fft", &HloCases::fft, 40}, Family{"cholesky", &HloCases::cholesky, 30},
        Family{"triangular_solve", &HloCases::triangular_solve, 60},
        Family{"batch_norm", &HloCases::batch_norm, 60}, Family{"rng", &HloCases::rng, 20},
        Family{"tuples", &HloCases::tuples, 30}, Family{"sizes", &HloCases::sizes, 40}),
    [](const auto& family) { return std::string(family.param.name); });

TEST(CollectiveMaps, AreWhatRunningThemOnAGroupFinds) {
  const std::uint64_t first = seed(kSeed);
  for (std::uint64_t i = 0; i < cases(400) && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(fmt::format("seed {}", first + i));
    HloCases instructions(first + i);
    const auto members = static_cast<Index>(1 + i % 4);
    check_collective_maps(instructions.collective(members), members);
  }
}

}  // namespace
}  // namespace tessera::laws
