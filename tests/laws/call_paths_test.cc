// SPDX-License-Identifier: Apache-2.0
// Each call of a computation must have its own values, such as the slice starts that it computes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/syntax/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws {
namespace {

constexpr Index kExtent = 12;
constexpr Index kRoom = 3;  // starts of slices are clamped to it

using Sources = std::set<Index>;
using Array = std::vector<Sources>;

/// Computations (x = f32[12], i = s32[], j = s32[]) -> f32[12]. `shift` takes slices at starts computed from
/// i and j. Later computations call earlier ones, and the last one is the entry.
class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    const int count = pick(2, 4);
    for (int c = 0; c < count; ++c) write(c, c + 1 == count);
  }

  const std::string& text() const { return text_; }
  /// The elements of x that the program reads for these values of i and j.
  Array run(Index i, Index j) const {
    Array x;
    for (Index e = 0; e < kExtent; ++e) x.push_back({e});
    Array all = run(computations_.size() - 1, x, i, j);
    return only_ < 0 ? all : Array{all[static_cast<std::size_t>(only_)]};
  }

 private:
  struct Line {
    int callee = -1;  // if -1, the value is a slice of value `a`, or the sum of values `a` and `b`
    bool slice = false;
    bool update = false;  // writes the first elements of value `a` into a constant array
    std::size_t a = 0, b = 0;
    std::size_t i = 0, j = 0;  // scalars
  };
  struct Scalar {
    char operation;  // + or *, applied to the scalars a and b
    std::size_t a, b;
  };
  struct Body {
    std::vector<Scalar> scalars;
    std::vector<Line> lines;
  };

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(pick(0, static_cast<int>(n) - 1)); }

  void write(int c, bool entry) {
    Body body;
    std::string out = fmt::format(
        "{}f{} {{\n  x0 = f32[12] parameter(0)\n  k0 = s32[] parameter(1)\n"
        "  k1 = s32[] parameter(2)\n  z = f32[] constant(0)\n",
        entry ? "ENTRY " : "", c);
    const int scalars = pick(0, 2);
    for (int k = 0; k < scalars; ++k) {
      Scalar s{pick(0, 1) == 0 ? '+' : '*', 0, 0};
      s.a = below(body.scalars.size() + 2);
      s.b = below(body.scalars.size() + 2);
      out += fmt::format("  k{} = s32[] {}(k{}, k{})\n", body.scalars.size() + 2,
                         s.operation == '+' ? "add" : "multiply", s.a, s.b);
      body.scalars.push_back(s);
    }
    const int lines = pick(1, 3);
    for (int k = 0; k < lines; ++k) {
      Line line;
      const int kind = c == 0 ? pick(0, 3) : pick(0, 9);
      line.callee = kind > 3 ? pick(0, c - 1) : -1;
      line.slice = kind < 2;
      line.update = kind == 2;
      line.a = below(body.lines.size() + 1);
      line.b = below(body.lines.size() + 1);
      line.i = below(body.scalars.size() + 2);
      line.j = below(body.scalars.size() + 2);
      const auto name = body.lines.size() + 1;
      if (line.callee >= 0) {
        out += fmt::format("  x{} = f32[12] call(x{}, k{}, k{}), to_apply=f{}\n", name, line.a, line.i,
                           line.j, line.callee);
      } else if (line.slice) {
        out += fmt::format(
            "  p{0} = f32[15] pad(x{1}, z), padding=0_3\n"
            "  x{0} = f32[12] dynamic-slice(p{0}, k{2}), dynamic_slice_sizes={{12}}\n",
            name, line.a, line.i);
      } else if (line.update) {
        out += fmt::format(
            "  w{0} = f32[4] slice(x{1}), slice={{[0:4]}}\n"
            "  n{0} = f32[12] broadcast(z), dimensions={{}}\n"
            "  x{0} = f32[12] dynamic-update-slice(n{0}, w{0}, k{2})\n",
            name, line.a, line.i);
      } else {
        out += fmt::format("  x{} = f32[12] add(x{}, x{})\n", name, line.a, line.b);
      }
      body.lines.push_back(line);
    }
    // If the result has a single element, it depends on the start alone.
    if (entry && pick(0, 1) == 0) {
      only_ = pick(0, 11);
      text_ += out + fmt::format("  ROOT r = f32[1] slice(x{}), slice={{[{}:{}]}}\n}}\n", body.lines.size(),
                                 only_, only_ + 1);
    } else {
      text_ += out + fmt::format("  ROOT r = f32[12] copy(x{})\n}}\n", body.lines.size());
    }
    computations_.push_back(std::move(body));
  }

  Array run(std::size_t c, const Array& x, Index i, Index j) const {
    const Body& body = computations_[c];
    std::vector<Index> scalars{i, j};
    for (const Scalar& s : body.scalars) {
      scalars.push_back(s.operation == '+' ? scalars[s.a] + scalars[s.b] : scalars[s.a] * scalars[s.b]);
    }
    std::vector<Array> values{x};
    for (const Line& line : body.lines) {
      if (line.callee >= 0) {
        values.push_back(
            run(static_cast<std::size_t>(line.callee), values[line.a], scalars[line.i], scalars[line.j]));
        continue;
      }
      Array out(kExtent);
      for (std::size_t e = 0; e < out.size(); ++e) {
        if (line.slice) {
          const auto from = e + static_cast<std::size_t>(std::clamp<Index>(scalars[line.i], 0, kRoom));
          if (from < out.size()) out[e] = values[line.a][from];
        } else if (line.update) {
          const auto first = static_cast<std::size_t>(std::clamp<Index>(scalars[line.i], 0, kExtent - 4));
          if (first <= e && e < first + 4) out[e] = values[line.a][e - first];
        } else {
          out[e] = values[line.a][e];
          out[e].insert(values[line.b][e].begin(), values[line.b][e].end());
        }
      }
      values.push_back(std::move(out));
    }
    return values.back();
  }

  std::mt19937_64 random_;
  std::vector<Body> computations_;
  int only_ = -1;  // the only element of the result, or -1 for all
  std::string text_;
};

/// The value of a scalar that is computed inside these nested calls.
Index scalar_value(const Instruction& at, std::span<const CallSite> calls, const std::vector<Index>& entry) {
  const auto operand = [&](std::size_t k) { return scalar_value(*at.operands[k].instruction, calls, entry); };
  switch (at.opcode) {
    case Opcode::add:
      return operand(0) + operand(1);
    case Opcode::multiply:
      return operand(0) * operand(1);
    default: {
      EXPECT_EQ(at.opcode, Opcode::parameter);
      const auto number = static_cast<std::size_t>(at.parameter_number);
      if (calls.empty()) return entry[number];
      const CallSite& call = calls.back();
      EXPECT_EQ(call.caller->called[0], at.parent);
      return scalar_value(*call.caller->operands[number + call.first_operand].instruction,
                          calls.first(calls.size() - 1), entry);
    }
  }
}

/// Pairs (start index, element) for these values of the entry's scalars.
std::set<std::pair<Index, Index>> reads(const IndexingSet& maps, const std::vector<Index>& entry) {
  std::set<std::pair<Index, Index>> out;
  for (const Indexing& x : maps) {
    if (x.map.known_empty()) continue;
    EXPECT_EQ(x.exactness, Exactness::exact) << x.reason;
    EXPECT_EQ(x.map.range_count(), 0U);
    const Interval dim = x.map.variables()[0].bounds;
    for (Index d = dim.lower; d <= dim.upper; ++d) {
      std::vector<Index> point{d};
      for (const RuntimeValue& value : x.runtime) {
        const Index known = scalar_value(*value.source, value.calls, entry);
        point.push_back(std::clamp(known, value.clamp.lower, value.clamp.upper));
      }
      if (x.map.domain().contains(point)) out.emplace(d, x.map.evaluate(point).value()[0]);
    }
  }
  return out;
}

// Regression: values of several calls were merged into one, and half of the elements read were lost.
TEST(CallPathsTest, ValuesAreThoseOfTheirCalls) {
  std::size_t inside = 0, twice = 0;
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
    const Program program(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, program.text()));
    const ParsedModules parsed = parse_hlo(std::string_view(program.text()));
    for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
    ASSERT_TRUE(parsed.ok());
    const Computation& entry = *parsed.modules.at(0).entry;
    ProgramIndexing indexing;
    IndexingSet back;
    for (const auto& p : indexing.root_to_parameters(entry, 0)) {
      if (p.parameter == 0) back = p.maps;
    }
    IndexingSet forth;
    const auto outputs = indexing.forward_to_root({entry.parameters[0], 0});
    ASSERT_TRUE(outputs.has_value());
    if (!outputs->empty()) forth = outputs->front().maps;
    for (const Indexing& x : back) {
      for (std::size_t k = 0; k < x.runtime.size(); ++k) {
        inside += x.runtime[k].calls.empty() ? 0 : 1;
        for (std::size_t l = 0; l < k; ++l) twice += x.runtime[k].source == x.runtime[l].source ? 1 : 0;
      }
    }
    for (const auto& [i, j] : {std::pair<Index, Index>{0, 1}, {1, 2}, {2, 0}, {3, 1}}) {
      const Array truth = program.run(i, j);
      std::set<std::pair<Index, Index>> wanted, transposed;
      for (std::size_t e = 0; e < truth.size(); ++e) {
        for (const Index from : truth[e]) {
          wanted.emplace(static_cast<Index>(e), from);
          transposed.emplace(from, static_cast<Index>(e));
        }
      }
      EXPECT_EQ(reads(back, {0, i, j}), wanted) << "backwards for " << i << ", " << j;
      EXPECT_EQ(reads(forth, {0, i, j}), transposed) << "forwards for " << i << ", " << j;
    }
  }
  EXPECT_GT(inside, 500U);
  EXPECT_GT(twice, 50U);
}

}  // namespace
}  // namespace tessera::laws
