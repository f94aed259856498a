// SPDX-License-Identifier: Apache-2.0
#include "laws/loop_laws.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "laws/dependence.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws {
namespace {

/// Pairs (element of the result, element of the parameter), both row-major.
using Pairs = std::set<std::pair<Index, Index>>;

std::vector<Index> dims_of_array(const HloType& type) {
  const auto dims = type.array().dims;
  return {dims.begin(), dims.end()};
}

/// The values of the runtime variables of a map at the values of its other variables: elements of parameters
/// of the entry, clamped. Where one is read may depend on another one, listed before or after it.
class RuntimeValues {
 public:
  /// Sets the values in `point`.
  RuntimeValues(const Indexing& x, const ParameterValues& values, std::vector<Index>& point)
      : x_(x), values_(values), point_(point), states_(x.runtime.size()) {
    for (std::size_t i = 0; i < x.runtime.size(); ++i) set(i);
  }

  /// Whether all are elements of their arrays. If not, the point must be outside the map's domain.
  bool all_read() const { return all_read_; }

 private:
  enum class State : std::uint8_t { open, busy, done };

  void set(std::size_t i) {
    if (states_[i] == State::done) return;
    const RuntimeValue& value = x_.runtime[i];
    ASSERT_NE(states_[i], State::busy) << "a runtime variable is read at a place that depends on itself";
    states_[i] = State::busy;
    const std::size_t first = x_.map.variables().size() - x_.runtime.size();
    for (const Expr e : value.map.results()) {
      for (const Index v : variables(e))
        if (std::cmp_greater_equal(v, first)) set(static_cast<std::size_t>(v) - first);
    }
    point_[first + i] = read(value);
    states_[i] = State::done;
  }

  Index read(const RuntimeValue& value) {
    EXPECT_TRUE(value.source != nullptr && value.source->opcode == Opcode::parameter &&
                value.source->parent->is_entry);
    const auto known = static_cast<std::ptrdiff_t>(value.map.variables().size());
    const auto at = value.map.evaluate(std::vector<Index>(point_.begin(), point_.begin() + known));
    EXPECT_TRUE(at.has_value());
    const std::vector<Index> dims = dims_of_array(value.source->type);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (0 <= at->at(d) && at->at(d) < dims[d]) continue;
      all_read_ = false;
      return value.clamp.lower;
    }
    const auto parameter = static_cast<std::size_t>(value.source->parameter_number);
    const auto element = static_cast<std::size_t>(model::linear(*at, dims));
    return std::clamp(values_.at(parameter).at(element), value.clamp.lower, value.clamp.upper);
  }

  const Indexing& x_;
  const ParameterValues& values_;
  std::vector<Index>& point_;
  std::vector<State> states_;
  bool all_read_ = true;
};

/// Whether the map may apply to these values of the parameters: a runtime variable that has one value for the
/// whole run has it in its interval.
bool may_apply(const Indexing& x, const ParameterValues& values) {
  const std::size_t first = x.map.variables().size() - x.runtime.size();
  std::vector<Index> anywhere(x.map.variables().size());
  RuntimeValues(x, values, anywhere);
  for (std::size_t i = 0; i < x.runtime.size(); ++i) {
    if (!x.runtime[i].map.results().empty()) continue;
    if (!x.map.variables()[first + i].bounds.contains(anywhere[first + i])) return false;
  }
  return true;
}

/// The maps that apply to these values of the parameters.
IndexingSet applicable(const IndexingSet& maps, const ParameterValues& values) {
  IndexingSet out;
  for (const Indexing& x : maps) {
    if (x.exactness == Exactness::unknown || x.map.known_empty() || may_apply(x, values)) out.push_back(x);
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
    const std::size_t symbols = x.map.dim_count() + x.map.range_count();
    std::vector<Index> point;
    for (const Variable& v : x.map.variables()) point.push_back(v.bounds.lower);
    bool more = true;
    while (more) {
      const RuntimeValues runtime(x, values, point);
      if (x.map.domain().contains(point)) {
        ASSERT_TRUE(runtime.all_read())
            << "a runtime variable is read outside its array: " << to_string(x.map);
        const auto element = x.map.evaluate(point);
        ASSERT_TRUE(element.has_value());
        for (std::size_t i = 0; i < to.size(); ++i)
          ASSERT_TRUE(0 <= (*element)[i] && (*element)[i] < to[i])
              << "the map leaves the array: " << to_string(x.map);
        const std::vector<Index> start(point.begin(),
                                       point.begin() + static_cast<std::ptrdiff_t>(from.size()));
        const Index a = model::linear(start, from);
        const Index b = model::linear(*element, to);
        out.insert(swap ? std::pair(b, a) : std::pair(a, b));
      }
      more = false;
      for (std::size_t v = symbols; v-- > 0;) {
        if (++point[v] <= x.map.variables()[v].bounds.upper) {
          more = true;
          break;
        }
        point[v] = x.map.variables()[v].bounds.lower;
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
