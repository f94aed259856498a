// SPDX-License-Identifier: Apache-2.0
// Compares maps through several collectives with an execution on all replicas.
#include "laws/replica_program.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "laws/replica_paths.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws::replica_program_test {
namespace {

/// (replica of the result, its element, replica of the operand, its element)
using Reads = std::set<std::tuple<Index, Index, Index, Index>>;

/// How often each case occurred. If a case never occurred, the test proves nothing about it.
struct Coverage {
  std::size_t reads = 0;
  std::size_t far = 0;      ///< maps of two or more hops
  std::size_t behind = 0;   ///< values read after a hop
  std::size_t several = 0;  ///< sets of several maps
};

Reads true_reads(const ReplicaProgram& program) {
  Reads out;
  for (Index replica = 0; replica < program.replicas(); ++replica) {
    for_each_index(program.result_dims(), [&](const Indices& o) {
      const Index element = number_of(program.result_dims(), o);
      for (const auto& [from, read] : program.result(replica, element))
        out.insert({replica, element, from, read});
    });
  }
  return out;
}

void check(const ReplicaProgram& program, Coverage& coverage) {
  SCOPED_TRACE(program.text());
  const ParsedModules parsed = parse_hlo(program.text());
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(parsed.ok());
  const Instruction& call = *parsed.modules.at(0).entry->root;
  std::vector<Values> values(static_cast<std::size_t>(program.replicas()));
  for (Index replica = 0; replica < program.replicas(); ++replica) {
    for (const std::size_t which : {0U, 1U}) {
      values[static_cast<std::size_t>(replica)][call.operands[which + 1].instruction] = {
          program.start(which, replica)};
    }
  }
  const Reads truth = true_reads(program);
  coverage.reads += truth.size();
  for (const bool back : {true, false}) {
    const auto maps = back ? output_to_input(call, {}) : input_to_output(call, {});
    ASSERT_TRUE(maps.has_value());
    Reads found;
    for (const Indexing& x : *maps) {
      ASSERT_NE(x.exactness, Exactness::unknown) << x.reason;
      coverage.far += x.replica.size() > 1 ? 1 : 0;
      for (const RuntimeValue& value : x.runtime) coverage.behind += value.hops > 0 ? 1 : 0;
      for (Index own = 0; own < program.replicas(); ++own) {
        for_each_read(x, values, own, [&](const Indices& from, Index other, const Indices& to) {
          const Index here = number_of(back ? program.result_dims() : program.operand_dims(), from);
          const Index there = number_of(back ? program.operand_dims() : program.result_dims(), to);
          found.insert(back ? std::tuple(own, here, other, there) : std::tuple(other, there, own, here));
        });
      }
    }
    coverage.several += maps->size() > 1 ? 1 : 0;
    EXPECT_EQ(exactness(*maps), Exactness::exact);
    EXPECT_TRUE(found == truth) << (back ? "backwards" : "forwards") << ": found " << found.size() << ", are "
                                << truth.size();
  }
}

// Maps through different groups must not be merged, nor positions and slice starts that are read on different
// replicas.
TEST(ReplicaProgramTest, MapsThroughCollectivesReadOnTheReplicasThatRunningThemFinds) {
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 600 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    check(ReplicaProgram(seed, 2 + static_cast<int>(seed % 4)), coverage);
  }
  EXPECT_GT(coverage.reads, 10000U);
  EXPECT_GT(coverage.far, 200U);
  EXPECT_GT(coverage.behind, 50U);
  EXPECT_GT(coverage.several, 100U);
}

}  // namespace
}  // namespace tessera::laws::replica_program_test
