// SPDX-License-Identifier: Apache-2.0
#include "laws/loop_laws.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "laws/dependence.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"

namespace tessera::laws {
namespace {

/// Pairs (element of the result, element of the parameter), both row-major.
using Pairs = std::set<std::pair<Index, Index>>;

std::vector<Index> dims_of_array(const HloType& type) {
  const auto dims = type.array().dims;
  return {dims.begin(), dims.end()};
}

/// The map for these values of the parameters: its runtime variables are fixed, which narrows the other
/// variables. Empty if a value is outside its interval, because the map then applies to other values.
std::optional<IndexMap> fixed(const Indexing& x, const ParameterValues& values) {
  const auto all = x.map.variables();
  std::vector<Variable> kinds[3];
  for (std::size_t v = 0; v < all.size(); ++v)
    kinds[static_cast<std::size_t>(x.map.domain().kind(v))].push_back(all[v]);
  for (std::size_t i = 0; i < x.runtime.size(); ++i) {
    const RuntimeValue& value = x.runtime[i];
    EXPECT_TRUE(value.source != nullptr && value.source->opcode == Opcode::parameter &&
                value.source->parent->is_entry);
    const auto parameter = static_cast<std::size_t>(value.source->parameter_number);
    const Index given = std::clamp(values.at(parameter).at(0), value.clamp.lower, value.clamp.upper);
    Interval& bounds = kinds[2][i].bounds;
    if (!bounds.contains(given)) return std::nullopt;
    bounds = Interval::point(given);
  }
  Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
  for (const Constraint& c : x.map.constraints()) domain.constrain(c.expr, c.range);
  if (x.map.known_empty()) domain.set_known_empty();
  return simplify(
      IndexMap::make_unchecked(std::move(domain), {x.map.results().begin(), x.map.results().end()}));
}

/// The maps that apply to these values of the parameters.
IndexingSet applicable(const IndexingSet& maps, const ParameterValues& values) {
  IndexingSet out;
  for (const Indexing& x : maps) {
    if (x.exactness == Exactness::unknown || x.map.known_empty() || fixed(x, values)) out.push_back(x);
  }
  return out;
}

/// Adds the pairs that the maps contain for these values of the parameters.
void add_pairs(const IndexingSet& maps, const std::vector<Index>& from, const std::vector<Index>& to,
               bool swap, const ParameterValues& values, Pairs& out) {
  for (const Indexing& x : maps) {
    if (x.exactness == Exactness::unknown || x.map.known_empty()) continue;
    ASSERT_EQ(x.map.dim_count(), from.size());
    ASSERT_EQ(x.map.results().size(), to.size());
    const IndexMap map = fixed(x, values).value();
    std::vector<Interval> bounds;
    std::vector<Index> point;
    for (const Variable& v : map.variables()) bounds.push_back(v.bounds);
    for (const Interval& v : bounds) point.push_back(v.lower);
    bool more = !map.known_empty();
    while (more) {
      if (map.domain().constraints_satisfied(point)) {
        const auto element = map.evaluate(point);
        ASSERT_TRUE(element.has_value());
        for (std::size_t i = 0; i < to.size(); ++i)
          ASSERT_TRUE(0 <= (*element)[i] && (*element)[i] < to[i])
              << "the map leaves the array: " << to_string(map);
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

std::string maps_text(const IndexingSet& maps) {
  std::string out;
  for (const Indexing& x : maps)
    out +=
        fmt::format("\n  {} {}", x.exactness == Exactness::unknown ? "unknown" : to_string(x.map), x.reason);
  return out;
}

void check_set(const IndexingSet& maps, const Pairs& said, const Pairs& truth, const std::string& what,
               LoopCoverage& coverage) {
  switch (exactness(maps)) {
    case Exactness::exact:
      EXPECT_EQ(said, truth) << what << maps_text(maps);
      ++coverage.exact;
      coverage.pairs += truth.size();
      break;
    case Exactness::superset:
      EXPECT_TRUE(std::includes(said.begin(), said.end(), truth.begin(), truth.end()))
          << what << maps_text(maps);
      ++coverage.superset;
      break;
    case Exactness::unknown:
      ++coverage.unknown;
      break;
  }
}

}  // namespace

void check_loop_maps_are_the_dependence(const std::string& text, const ParameterValues& values,
                                        LoopCoverage& coverage) {
  SCOPED_TRACE(text);
  const ParsedModules parsed = parse_hlo(text);
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules.at(0);
  const auto truth = model::run(module, values);
  if (!truth) return;  // the loop would not terminate
  ++coverage.programs;
  ProgramIndexing program;
  const Instruction& root = *module.entry->root;
  for (std::uint32_t leaf = 0; leaf < root.type.leaf_count(); ++leaf) {
    const auto back = program.grouped({.value = {&root, leaf}});
    ASSERT_TRUE(back.has_value());
    const std::vector<Index> from = dims_of_array(leaf_type(root.type, leaf));
    for (std::size_t p = 0; p < module.entry->parameters.size(); ++p) {
      const Instruction* const parameter = module.entry->parameters[p];
      const std::vector<Index> to = dims_of_array(parameter->type);
      Pairs expected;
      for (std::size_t e = 0; e < (*truth)[leaf].elements.size(); ++e) {
        for (const model::Source& s : (*truth)[leaf].elements[e]) {
          if (s.parameter == p) expected.emplace(static_cast<Index>(e), s.element);
        }
      }
      const std::string what = fmt::format("result {}, parameter {}", leaf, p);
      IndexingSet maps;
      for (const ValueIndexing& value : *back) {
        if (value.value.instruction == parameter) maps = applicable(value.maps, values);
      }
      Pairs backward;
      add_pairs(maps, from, to, false, values, backward);
      check_set(maps, backward, expected, what + ", backwards", coverage);

      const auto forth = program.forward_to_root({parameter, 0});
      ASSERT_TRUE(forth.has_value());
      IndexingSet uses;
      for (const OutputIndexing& output : *forth) {
        if (output.leaf == leaf) uses = applicable(output.maps, values);
      }
      Pairs forward;
      add_pairs(uses, to, from, true, values, forward);
      check_set(uses, forward, expected, what + ", forwards", coverage);
    }
  }
}

}  // namespace tessera::laws
