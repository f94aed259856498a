// SPDX-License-Identifier: Apache-2.0
// Compares the maps of slices, updates, gathers and scatters at computed indices with what they read, for
// every value of the parameters that the indices come from.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "laws/index_programs.h"
#include "laws/integer_run.h"
#include "laws/operand_maps_laws.h"
#include "laws/random_seed.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws {
namespace {

/// How often each case occurred. If a case never occurred, the test proves nothing about it.
struct Coverage {
  std::size_t exact = 0;
  std::size_t superset = 0;
  std::size_t unknown = 0;
  std::size_t pieces = 0;   ///< sets with several maps
  std::size_t runtime = 0;  ///< runtime variables
  std::size_t narrow = 0;   ///< runtime variables with fewer values than places
};

std::string describe(const IndexingSet& maps) {
  std::string out;
  for (const Indexing& x : maps) {
    out += "\n  " + (x.exactness == Exactness::unknown ? "unknown" : to_string(x.map)) + " " + x.reason;
    for (const RuntimeValue& value : x.runtime)
      out += fmt::format("\n    from {} at {}", value.source != nullptr ? value.source->name : "",
                         to_string(value.map));
  }
  return out;
}

/// Values of the index parameters: all of them if there are few, else some, with the extremes.
std::vector<std::vector<Indices>> assignments(const IndexProgram& program, std::uint64_t seed) {
  constexpr Index kMost = 20;
  std::mt19937_64 random(seed);
  std::vector<Indices> all{{}};  // of all elements of all parameters
  std::vector<std::pair<Index, Index>> ranges;
  for (const auto& [type, count] : program.index_parameters())
    ranges.insert(ranges.end(), static_cast<std::size_t>(count), range_of(type));
  Index total = 1;
  for (const auto& [low, high] : ranges)
    total = std::min<Index>(kMost + 1, total * std::min<Index>(high - low + 1, kMost + 1));
  if (total <= kMost) {
    for (const auto& [low, high] : ranges) {
      std::vector<Indices> next;
      for (const Indices& some : all) {
        for (Index v = low; v <= high; ++v) {
          next.push_back(some);
          next.back().push_back(v);
        }
      }
      all = std::move(next);
    }
  } else {
    all.clear();
    for (Index i = 0; i < kMost; ++i) {
      Indices one;
      for (const auto& [low, high] : ranges) {
        const auto within = [&](Index a, Index b) {
          return std::clamp(std::uniform_int_distribution<Index>(a, b)(random), low, high);
        };
        one.push_back(i == 0 ? low : i == 1 ? high : i % 2 == 0 ? within(-3, 12) : within(low, high));
      }
      all.push_back(std::move(one));
    }
  }
  std::vector<std::vector<Indices>> out;
  for (const Indices& one : all) {
    std::vector<Indices> values(program.first_index_parameter());
    std::size_t next = 0;
    for (const auto& [type, count] : program.index_parameters()) {
      values.emplace_back(one.begin() + static_cast<std::ptrdiff_t>(next),
                          one.begin() + static_cast<std::ptrdiff_t>(next) + count);
      next += static_cast<std::size_t>(count);
    }
    out.push_back(std::move(values));
  }
  return out;
}

class Judge {
 public:
  Judge(const IndexProgram& program, const HloModule& module, std::uint64_t seed, Coverage& coverage)
      : program_(program), coverage_(coverage), root_(*module.entry->root) {
    const bool called = root_.opcode == Opcode::fusion || root_.opcode == Opcode::call;
    op_ = called ? root_.called[0]->root : &root_;
    for (const auto& values : assignments(program, seed))
      runs_.push_back(run_integers(module, values, wrapped_));
  }

  void check() {
    for (std::size_t j = 0; j < op_->operands.size(); ++j) {
      const HloType& type = op_->operand_type(j);
      if (is_integer(type.array().dtype)) continue;
      // The arrays are parameters 0 and 1, also of a called computation.
      const auto operand = root_.opcode == op_->opcode
                               ? j
                               : static_cast<std::size_t>(op_->operands[j].instruction->parameter_number);
      const OutputOperand pair{.output = 0, .operand = operand};
      check_maps(j, Direction::output_to_input, output_to_input(root_, pair).value());
      check_maps(j, Direction::input_to_output, input_to_output(root_, pair).value());
      ProgramIndexing walk;
      const auto values = walk.grouped({.value = {&root_, 0}}).value();
      for (const ValueIndexing& value : values) {
        if (value.value.instruction == root_.operands[operand].instruction)
          check_maps(j, Direction::output_to_input, value.maps);
      }
      const auto results = walk.forward_to_root({root_.operands[operand].instruction, 0}).value();
      for (const OutputIndexing& to : results) check_maps(j, Direction::input_to_output, to.maps);
    }
  }

 private:
  void check_maps(std::size_t j, Direction direction, const IndexingSet& maps) {
    const std::string what =
        fmt::format("operand {}, {}:{}", j, direction == Direction::output_to_input ? "backward" : "forward",
                    describe(maps));
    const Exactness known = exactness(maps);
    coverage_.pieces += maps.size() > 1 ? 1 : 0;
    if (known == Exactness::unknown) {
      ++coverage_.unknown;
      EXPECT_TRUE(op_->opcode == Opcode::scatter && (!program_.is_known() || wrapped_)) << what;
      return;
    }
    ++(known == Exactness::exact ? coverage_.exact : coverage_.superset);
    for (const Values& values : runs_) {
      const Relation truth = reference_relation(*op_, 0, j, values).value();
      Relation found;
      for (const Indexing& x : maps) found.merge(relation_of(x, direction, values));
      EXPECT_TRUE(std::ranges::includes(found, truth)) << what;
      if (known == Exactness::exact) {
        EXPECT_TRUE(std::ranges::includes(truth, found)) << what;
      }
    }
    check_strength(known, maps, what);
  }

  void check_strength(Exactness known, const IndexingSet& maps, const std::string& what) {
    const bool may_replace = op_->opcode == Opcode::scatter;
    if (program_.is_known() && !wrapped_) {
      // Nothing is left to run time.
      if (!may_replace) {
        EXPECT_EQ(known, Exactness::exact) << what;
      }
      for (const Indexing& x : maps) EXPECT_TRUE(x.runtime.empty() || x.map.known_empty()) << what;
    }
    for (const Indexing& x : maps) {
      if (x.map.known_empty()) continue;
      for (std::size_t i = 0; i < x.runtime.size(); ++i) {
        ++coverage_.runtime;
        const Interval bounds = x.map.variables()[x.map.variables().size() - x.runtime.size() + i].bounds;
        const RuntimeValue& value = x.runtime[i];
        const auto [low, high] = range_of(to_string(value.source->type.array().dtype));
        EXPECT_GE(bounds.lower, std::clamp(low, value.clamp.lower, value.clamp.upper)) << what;
        EXPECT_LE(bounds.upper, std::clamp(high, value.clamp.lower, value.clamp.upper)) << what;
        const Index whole = op_->operand_type(0).dims()[0];
        coverage_.narrow += bounds.upper < whole - 1 && high < whole - 1 ? 1 : 0;
      }
    }
  }

  const IndexProgram& program_;
  Coverage& coverage_;
  const Instruction& root_;
  const Instruction* op_;
  std::vector<Values> runs_;
  bool wrapped_ = false;  ///< an integer left its type, which leaves its value open
};

TEST(KnownIndicesTest, MapsAreWhatIsReadForEveryValueOfTheIndices) {
  const std::uint64_t first = seed(20261128);
  const std::uint64_t count = cases(2000);
  Coverage coverage;
  for (std::uint64_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const IndexProgram program(first + i);
    SCOPED_TRACE(fmt::format("seed {}\n{}", first + i, program.text()));
    const ParsedModules parsed = parse_hlo(program.text());
    for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
    if (!parsed.ok()) break;
    Judge(program, parsed.modules[0], first + i, coverage).check();
  }
  fmt::print("exact {}, superset {}, unknown {}, several maps {}, runtime variables {}, narrow {}\n",
             coverage.exact, coverage.superset, coverage.unknown, coverage.pieces, coverage.runtime,
             coverage.narrow);
  EXPECT_GT(coverage.exact, coverage.superset);
  EXPECT_GT(coverage.pieces, count / 10);
  EXPECT_GT(coverage.runtime, count / 10);
  EXPECT_GT(coverage.narrow, count / 100);
}

}  // namespace
}  // namespace tessera::laws
