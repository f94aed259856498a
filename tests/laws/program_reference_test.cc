// SPDX-License-Identifier: Apache-2.0
// Compares maps through random programs with dependences that are followed element by element.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "laws/program_model.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::program_reference_test {
namespace {

/// Pairs (element of the output, element of the operand), both row-major.
using Relation = std::set<std::pair<Index, Index>>;

/// How often each case occurred. If a case never occurred, the test proves nothing about it.
struct Coverage {
  std::size_t pairs = 0;    ///< pairs of elements that depend on each other
  std::size_t sets = 0;     ///< sets with more than one map
  std::size_t runtime = 0;  ///< number of runtime variables
  std::size_t supersets = 0;
};

/// The value of a runtime variable for these start indices; empty, with a test failure, if its source is not
/// one of the two index parameters, which come last.
std::optional<Index> runtime_value(const RuntimeValue& value, const model::RandomModule& random,
                                   const model::StartIndices& indices) {
  const auto count = static_cast<Index>(random.fused.parameters.size());
  if (value.source == nullptr || value.source->opcode != Opcode::parameter ||
      value.source->parameter_number < count - 2) {
    ADD_FAILURE() << "the source of a runtime variable is not an index parameter";
    return std::nullopt;
  }
  const Index given = indices.values[value.source->parameter_number - (count - 2)];
  return std::clamp(given, value.clamp.lower, value.clamp.upper);
}

/// Adds the pairs (start, element) of a set of maps; `from` and `to` are the extents on both sides.
void enumerate(const IndexingSet& maps, const std::vector<Index>& from, const std::vector<Index>& to,
               bool swap, const model::RandomModule& random, const model::StartIndices& indices,
               Relation& out) {
  for (const Indexing& x : maps) {
    if (x.exactness == Exactness::unknown || x.map.known_empty()) continue;
    ASSERT_EQ(x.map.dim_count(), from.size());
    ASSERT_EQ(x.map.results().size(), to.size());
    ASSERT_EQ(x.map.runtime_count(), x.runtime.size());
    std::vector<Interval> bounds;
    for (const Variable& v : x.map.variables()) bounds.push_back(v.bounds);
    bool more = true;
    for (std::size_t i = 0; i < x.runtime.size(); ++i) {
      const auto value = runtime_value(x.runtime[i], random, indices);
      ASSERT_TRUE(value.has_value());
      Interval& interval = bounds[bounds.size() - x.runtime.size() + i];
      more = more && interval.contains(*value);
      interval = Interval::point(*value);
    }
    std::vector<Index> point;
    for (const Interval& v : bounds) point.push_back(v.lower);
    while (more) {
      if (x.map.domain().constraints_satisfied(point)) {
        const auto element = x.map.evaluate(point);
        ASSERT_TRUE(element.has_value());
        for (std::size_t i = 0; i < to.size(); ++i) {
          ASSERT_TRUE(0 <= (*element)[i] && (*element)[i] < to[i]) << "the map leaves the value it reads";
        }
        const std::vector<Index> start(point.begin(),
                                       point.begin() + static_cast<std::ptrdiff_t>(from.size()));
        const Index a = model::linear(start, from);
        const Index b = model::linear(*element, to);
        out.insert(swap ? std::pair(b, a) : std::pair(a, b));
      }
      more = false;
      for (std::size_t v = point.size(); v-- > 0;) {
        if (++point[v] <= bounds[v].upper) {
          more = true;
          break;
        }
        point[v] = bounds[v].lower;
      }
    }
  }
}

void check_relation(const Relation& said, const Relation& truth, Exactness exactness,
                    const std::string& what) {
  if (exactness == Exactness::exact) {
    EXPECT_EQ(said, truth) << what;
  } else {
    EXPECT_TRUE(std::includes(said.begin(), said.end(), truth.begin(), truth.end())) << what;
  }
}

/// Both directions of the fusion, and the grouped walk of its computation, agree with the model.
void check_program_maps_are_the_dependence(const model::RandomModule& random,
                                           const model::StartIndices& indices, const std::string& seed,
                                           const WalkOptions& walk, Coverage& coverage) {
  SCOPED_TRACE(seed + "\n" + random.text);
  const ParsedModules parsed = parse_hlo(random.text);
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules.at(0);
  const Instruction& fusion = *module.entry->root;
  ProgramIndexing program(walk);
  const model::Program& fused = random.fused;
  for (std::size_t k = 0; k < fused.outputs.size(); ++k) {
    const model::Array& output = fused.outputs[k];
    const auto grouped = program.grouped({.value = {fusion.called[0]->root, static_cast<std::uint32_t>(k)}});
    ASSERT_TRUE(grouped.has_value());
    for (std::size_t p = 0; p < fused.parameters.size(); ++p) {
      const std::vector<Index>& parameter = fused.parameters[p];
      Relation truth;
      for (std::size_t e = 0; e < output.elements.size(); ++e) {
        for (const model::Source& s : output.elements[e]) {
          if (s.parameter == p) truth.emplace(static_cast<Index>(e), s.element);
        }
      }
      const std::string what = fmt::format("output {}, parameter {}", k, p);

      const auto back = program.output_to_operand(fusion, {.output = k, .operand = p});
      ASSERT_TRUE(back.has_value());
      EXPECT_NE(exactness(*back), Exactness::unknown) << what;
      Relation backward;
      enumerate(*back, output.dims, parameter, false, random, indices, backward);
      check_relation(backward, truth, exactness(*back), what + ", backwards");
      coverage.pairs += truth.size();
      coverage.sets += back->size() > 1 ? 1 : 0;
      for (const Indexing& x : *back) {
        coverage.runtime += x.runtime.size();
        coverage.supersets += x.exactness == Exactness::superset ? 1 : 0;
      }

      const auto forth = program.operand_to_output(fusion, {.output = k, .operand = p});
      ASSERT_TRUE(forth.has_value());
      EXPECT_NE(exactness(*forth), Exactness::unknown) << what;
      Relation forward;
      enumerate(*forth, parameter, output.dims, true, random, indices, forward);
      check_relation(forward, truth, exactness(*forth), what + ", forwards");

      Relation in_group;
      Exactness group_exactness = Exactness::exact;
      for (const ValueIndexing& value : *grouped) {
        if (value.value.instruction != fusion.called[0]->parameters[p]) continue;
        enumerate(value.maps, output.dims, parameter, false, random, indices, in_group);
        group_exactness = exactness(value.maps);
      }
      check_relation(in_group, truth, group_exactness, what + ", grouped");
    }
  }
}

Coverage check_many(std::uint64_t first_seed, int programs, const model::ProgramOptions& options,
                    const WalkOptions& walk = {}) {
  Coverage coverage;
  if (const char* seed = std::getenv("TESSERA_SEED")) first_seed = std::strtoull(seed, nullptr, 10);
  for (int i = 0; i < programs && !::testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    model::ProgramOptions chosen = options;
    for (Index& value : chosen.indices.values) value = std::uniform_int_distribution<Index>(-1, 4)(random);
    check_program_maps_are_the_dependence(model::random_module(random, chosen), chosen.indices,
                                          fmt::format("seed {}", seed), walk, coverage);
  }
  return coverage;
}

TEST(ProgramReferenceTest, MapsThroughRandomProgramsAreTheTrueDependence) {
  const Coverage coverage = check_many(1, 1500, {.instructions = 8});
  EXPECT_GT(coverage.pairs, 10000U);
  EXPECT_GT(coverage.sets, 200U);
}

TEST(ProgramReferenceTest, MapsThroughLongerProgramsAreTheTrueDependence) {
  const Coverage coverage = check_many(10000, 150, {.instructions = 18});
  EXPECT_GT(coverage.pairs, 1000U);
  EXPECT_GT(coverage.sets, 20U);
}

TEST(ProgramReferenceTest, MapsThroughProgramsWithSupersetsContainTheTrueDependence) {
  const Coverage coverage = check_many(20000, 700, {.instructions = 8, .supersets = true});
  EXPECT_GT(coverage.supersets, 100U);
}

// Beyond limits that real programs rarely reach, one map of the whole value replaces the set of maps.
TEST(ProgramReferenceTest, MapsBeyondTheLimitsContainTheTrueDependence) {
  const Coverage few_maps = check_many(40000, 500, {.instructions = 16}, {.max_maps = 1});
  EXPECT_GT(few_maps.supersets, 100U);
  const Coverage small_maps = check_many(50000, 600, {.instructions = 12}, {.max_nodes = 1});
  EXPECT_GT(small_maps.supersets, 100U);
}

TEST(ProgramReferenceTest, MapsWithRuntimeVariablesReadWhatTheirValuesSay) {
  const Coverage coverage = check_many(30000, 1200, {.instructions = 8, .runtime = true});
  EXPECT_GT(coverage.runtime, 200U);
}

}  // namespace
}  // namespace tessera::program_reference_test
