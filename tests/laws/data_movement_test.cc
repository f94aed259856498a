// SPDX-License-Identifier: Apache-2.0
// Random programs whose elements are followed one by one: which steps only move elements, how many change
// their place in memory, and which chains cancel. TESSERA_SEED, TESSERA_LAW_CASES: the number of programs
// (default 2,000).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hlo/analysis/copies.h"
#include "laws/array_placement.h"
#include "laws/random_seed.h"
#include "tessera/hlo/module.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::laws {
namespace {

using Extents = std::vector<Index>;

constexpr Index kComputed = -1;
constexpr Index kConstant = -2;
constexpr Index kAtRunTime = -3;  // an element of an operand; which one is known only at run time

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

Index count_of(const Extents& dims) {
  return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
}

Index number_of_index(const Extents& dims, const Extents& index) {
  Index out = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) out = out * dims[i] + index[i];
  return out;
}

Extents index_of_number(const Extents& dims, Index number) {
  Extents out(dims.size());
  for (std::size_t i = dims.size(); i-- > 0;) {
    out[i] = number % dims[i];
    number /= dims[i];
  }
  return out;
}

/// An array, and for each element where it comes from: 1000 * operand + element of the operand, or a constant
/// of the above.
struct Traced {
  std::string name;
  Extents dims;
  std::string layout;
  std::vector<Index> from;
};

std::string type_of(const Traced& x) { return fmt::format("s32[{}]{}", fmt::join(x.dims, ","), x.layout); }

/// A step of the entry, and what it does to the elements of its operands. The padding of a pad that is not in
/// a fusion is the last operand.
struct Step {
  std::string name;
  bool plain = false;        // no fusion
  bool at_run_time = false;  // a slice has a start known only at run time
  std::string operation;
  std::vector<Traced> operands;
  Traced result;
};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 2; ++i) {
      Traced p = fresh(random_dims(), fmt::format("p{}", i));
      text_ += fmt::format("  p{} = {} parameter({})\n", i, type_of(p), i);
      values_.push_back(p);
    }
    text_ += "  i = s32[] parameter(2)\n";
    const int count = 1 + below(4);
    for (int k = 0; k < count; ++k) below(2) == 0 ? fusion() : plain();
    const bool moved_root = below(3) == 0;
    text_ += moved_root
                 ? fmt::format("  ROOT r = {} copy({})\n", type_of(values_.back()), values_.back().name)
                 : fmt::format("  ROOT r = {} negate({})\n", type_of(values_.back()), values_.back().name);
    sliced_ = false;
    if (moved_root) add_step(values_.back(), "r", true, "copy", {values_.back()}, values_.back().from);
    text_ = callees_ + "ENTRY e {\n" + text_ + "}\n";
  }

  const std::string& text() const { return text_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  Extents random_dims() {
    Extents out(place(1 + below(3)));
    for (Index& extent : out) extent = 1 + below(4);
    return out;
  }

  std::string random_layout(std::size_t rank) {
    Extents order(rank);
    std::iota(order.rbegin(), order.rend(), 0);
    if (below(3) == 0) std::ranges::shuffle(order, random_);
    const char* const tiles[] = {"", "", "", "", ":T(2)", rank > 1 ? ":T(2,3)" : ":T(4)"};
    return fmt::format("{{{}{}}}", fmt::join(order, ","), tiles[below(6)]);
  }

  Traced fresh(const Extents& dims, std::string name) {
    Traced out{std::move(name), dims, random_layout(dims.size()), {}};
    out.from.resize(place(count_of(dims)));
    std::iota(out.from.begin(), out.from.end(), 0);
    return out;
  }

  void add_step(Traced result, std::string name, bool is_plain, std::string operation,
                std::vector<Traced> operands, std::vector<Index> from) {
    // Inside the step, elements are those of its own operands.
    result.name = name;
    result.from = std::move(from);
    steps_.push_back(
        {std::move(name), is_plain, sliced_, std::move(operation), std::move(operands), std::move(result)});
  }

  Traced pick() {
    return values_[place(below(2) == 0 ? below(static_cast<int>(values_.size()))
                                       : static_cast<int>(values_.size()) - 1)];
  }

  // The array as operand `number` of a step.
  static Traced as_operand(Traced x, Index number) {
    for (std::size_t e = 0; e < x.from.size(); ++e) x.from[e] = 1000 * number + static_cast<Index>(e);
    return x;
  }

  void define(Traced made, const std::vector<Traced>& operands, bool is_plain, const std::string& operation) {
    add_step(made, made.name, is_plain, operation, operands, made.from);
    std::iota(made.from.begin(), made.from.end(), 0);
    values_.push_back(std::move(made));
  }

  void plain() {
    sliced_ = false;
    std::vector<Traced> operands = {pick(), pick()};
    const std::vector<Traced> inside = {as_operand(operands[0], 0), as_operand(operands[1], 1)};
    next_ = fmt::format("v{}", ++number_);
    std::string operation;
    Traced made = apply(inside, "i", operation, text_);
    if (made.from.empty()) return;
    if (operation == "pad") operands.push_back({"z" + next_, {}, "", {0}});
    define(made, operands, true, operation);
  }

  void fusion() {
    sliced_ = false;
    const std::vector<Traced> operands = {pick(), pick()};
    const int id = ++number_;
    std::vector<Traced> inside;
    std::string body;
    for (Index k = 0; k < 2; ++k) {
      Traced x = as_operand(operands[place(k)], k);
      x.name = fmt::format("q{}", k);
      body += fmt::format("  q{} = {} parameter({})\n", k, type_of(x), k);
      inside.push_back(x);
    }
    body += "  j = s32[] parameter(2)\n  at = s32[] add(j, j)\n";
    const int count = 1 + below(4);
    for (int k = 0; k < count; ++k) {
      next_ = fmt::format("w{}", ++number_);
      std::string operation;
      const std::vector<Traced> two = {
          below(3) == 0 ? inside[place(below(static_cast<int>(inside.size())))] : inside.back(),
          inside[place(below(static_cast<int>(inside.size())))]};
      Traced made = apply(two, "at", operation, body);
      if (!made.from.empty()) inside.push_back(made);
    }
    Traced root = inside.back();
    const std::size_t line = body.find("  " + root.name + " = ");
    if (root.name[0] == 'q') return;
    // The root is the last line.
    body.insert(line + 2, "ROOT ");
    callees_ += fmt::format("fused{} {{\n{}}}\n", id, body);
    root.name = fmt::format("v{}", ++number_);
    text_ += fmt::format("  {} = {} fusion({}, {}, i), kind=kLoop, calls=fused{}\n", root.name, type_of(root),
                         operands[0].name, operands[1].name, id);
    define(root, operands, false, "fusion");
  }

  Traced build(const Extents& dims, const std::function<Index(const Extents&)>& from) {
    Traced out{next_, dims, random_layout(dims.size()), {}};
    for (Index e = 0; e < count_of(dims); ++e) out.from.push_back(from(index_of_number(dims, e)));
    return out;
  }

  // A random operation on one or both arrays; writes its line. Without elements if none fits.
  Traced apply(const std::vector<Traced>& xs, const std::string& index, std::string& operation,
               std::string& lines) {
    const Traced& x = xs[0];
    const Extents dims = x.dims;
    const auto at = [&](const Extents& i) { return x.from[place(number_of_index(dims, i))]; };
    const auto emit = [&](Traced made, const std::string& rest) {
      lines += fmt::format("  {} = {} {}{}\n", made.name, type_of(made), operation, rest);
      return made;
    };
    const std::size_t d = place(below(static_cast<int>(dims.size())));
    switch (below(13)) {
      case 0:
        operation = "copy";
        return emit(build(dims, at), fmt::format("({})", x.name));
      case 1: {
        operation = "transpose";
        Extents order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::shuffle(order, random_);
        Extents to;
        for (const Index k : order) to.push_back(dims[place(k)]);
        return emit(build(to,
                          [&](const Extents& i) {
                            Extents back(i.size());
                            for (std::size_t k = 0; k < i.size(); ++k) back[place(order[k])] = i[k];
                            return at(back);
                          }),
                    fmt::format("({}), dimensions={{{}}}", x.name, fmt::join(order, ",")));
      }
      case 2: {
        operation = "reshape";
        Index rest = count_of(dims);
        Extents to;
        for (Index k = 2; k <= rest && to.size() < 2; ++k)
          if (rest % k == 0 && below(2) == 0) {
            to.push_back(k);
            rest /= k;
          }
        to.push_back(rest);
        return emit(build(to, [&](const Extents& i) { return x.from[place(number_of_index(to, i))]; }),
                    fmt::format("({})", x.name));
      }
      case 3:
      case 4: {
        operation = "slice";
        Extents to = dims;
        const Index start = below(static_cast<int>(dims[d]));
        const Index stride = 1 + below(2);
        const Index limit = start + 1 + below(static_cast<int>(dims[d] - start));
        to[d] = (limit - start + stride - 1) / stride;
        std::vector<std::string> ranges;
        for (std::size_t k = 0; k < dims.size(); ++k)
          ranges.push_back(k == d ? fmt::format("[{}:{}:{}]", start, limit, stride)
                                  : fmt::format("[0:{}]", dims[k]));
        return emit(build(to,
                          [&](Extents i) {
                            i[d] = start + i[d] * stride;
                            return at(i);
                          }),
                    fmt::format("({}), slice={{{}}}", x.name, fmt::join(ranges, ", ")));
      }
      case 5:
        operation = "reverse";
        return emit(build(dims,
                          [&](Extents i) {
                            i[d] = dims[d] - 1 - i[d];
                            return at(i);
                          }),
                    fmt::format("({}), dimensions={{{}}}", x.name, d));
      case 6: {
        const Traced& y = xs[1];
        if (y.dims.size() != dims.size()) return {};
        for (std::size_t k = 0; k < dims.size(); ++k)
          if (k != d && y.dims[k] != dims[k]) return {};
        operation = "concatenate";
        Extents to = dims;
        to[d] += y.dims[d];
        return emit(build(to,
                          [&](Extents i) {
                            if (i[d] < dims[d]) return at(i);
                            i[d] -= dims[d];
                            return y.from[place(number_of_index(y.dims, i))];
                          }),
                    fmt::format("({}, {}), dimensions={{{}}}", x.name, y.name, d));
      }
      case 7: {
        operation = "pad";
        const Index low = below(4) - 2;
        const Index high = below(4) - 2;
        Extents to = dims;
        to[d] += low + high;
        if (to[d] <= 0) return {};
        lines += fmt::format("  z{} = s32[] constant(0)\n", next_);
        std::vector<std::string> edges(dims.size(), "0_0");
        edges[d] = fmt::format("{}_{}", low, high);
        return emit(build(to,
                          [&](Extents i) {
                            i[d] -= low;
                            return i[d] < 0 || i[d] >= dims[d] ? kConstant : at(i);
                          }),
                    fmt::format("({}, z{}), padding={}", x.name, next_, fmt::join(edges, "x")));
      }
      case 8: {
        operation = "broadcast";
        Extents to = dims;
        const std::size_t k = place(below(static_cast<int>(dims.size()) + 1));
        to.insert(to.begin() + static_cast<std::ptrdiff_t>(k), 1 + below(3));
        if (count_of(to) > 900) return {};
        Extents kept;
        for (std::size_t m = 0; m < to.size(); ++m)
          if (m != k) kept.push_back(static_cast<Index>(m));
        return emit(build(to,
                          [&](Extents i) {
                            i.erase(i.begin() + static_cast<std::ptrdiff_t>(k));
                            return at(i);
                          }),
                    fmt::format("({}), dimensions={{{}}}", x.name, fmt::join(kept, ",")));
      }
      case 9: {
        operation = "dynamic-slice";
        Extents to = dims;
        to[d] = 1 + below(static_cast<int>(dims[d]));
        lines += fmt::format("  z{} = s32[] constant(0)\n", next_);
        std::vector<std::string> starts(dims.size(), "z" + next_);
        starts[d] = index;
        sliced_ = sliced_ || to != dims;
        // What the element may be, over all starts.
        const auto may_be = [&](Extents i) {
          if (to == dims) return at(i);
          std::set<Index> all;
          for (Index start = 0; start + to[d] <= dims[d]; ++start, ++i[d]) all.insert(at(i));
          if (all.contains(kComputed)) return kComputed;
          return all.size() == 1 ? *all.begin() : kAtRunTime;
        };
        return emit(build(to, may_be), fmt::format("({}, {}), dynamic_slice_sizes={{{}}}", x.name,
                                                   fmt::join(starts, ", "), fmt::join(to, ",")));
      }
      case 10:
        operation = "negate";
        return emit(build(dims, [&](const Extents&) { return kComputed; }), fmt::format("({})", x.name));
      case 11: {
        operation = "add";
        if (xs[1].dims != dims) return {};
        return emit(build(dims, [&](const Extents&) { return kComputed; }),
                    fmt::format("({}, {})", x.name, xs[1].name));
      }
      default: {
        operation = "iota";
        return emit(build(dims, [&](const Extents&) { return kComputed; }),
                    fmt::format("(), iota_dimension={}", d));
      }
    }
  }

  std::mt19937_64 random_;
  std::string text_;
  std::string callees_;
  std::string next_;
  std::vector<Traced> values_;
  std::vector<Step> steps_;
  int number_ = 0;
  bool sliced_ = false;  // whether the current step has a slice with a start known only at run time
};

/// How often each case occurred. If a case never occurred, the test proves nothing about it.
struct Coverage {
  Index moving = 0;
  Index still = 0;
  Index computing = 0;
  Index partly_computed = 0;
  Index counted = 0;
  Index together = 0;  // results whose bytes lie together in the operand
  Index mixed = 0;
  Index chains = 0;
  Index cancelling = 0;
};

Placement placed(const Traced& x) { return placement(parse_hlo_type(type_of(x))->array()); }

/// The arrays that have the bytes of another one, in its order: results of reshapes.
using Renamed = std::map<std::string, std::string>;

std::string origin_of(std::string name, const Renamed& renamed) {
  for (auto at = renamed.find(name); at != renamed.end(); at = renamed.find(name)) name = at->second;
  return name;
}

void check_step(const Step& step, const Movement* listed, Renamed& renamed, Coverage& coverage) {
  const std::vector<Index>& from = step.result.from;
  const bool computed = std::ranges::find(from, kComputed) != from.end();
  const bool of_operand = std::ranges::any_of(from, [](Index f) { return f >= 0 || f == kAtRunTime; });
  const bool run_time = std::ranges::find(from, kAtRunTime) != from.end();
  std::set<Index> sources;
  for (const Index f : from)
    if (f >= 0) sources.insert(f / 1000);
  const bool constants = std::ranges::find(from, kConstant) != from.end();
  coverage.computing += computed ? 1 : 0;
  // A scalar of padding is an operand of the step, too.
  const bool moves = !computed && (of_operand || (step.plain && constants));
  if (step.operation == "reshape" && listed == nullptr && moves) {
    const Placement a = placed(step.operands[0]);
    const Placement b = placed(step.result);
    EXPECT_EQ(a.cells, b.cells) << step.name;
    for (std::size_t e = 0; e < from.size(); ++e)
      EXPECT_EQ(b.places[e], a.places[place(from[e] % 1000)]) << step.name;
    renamed[step.name] = step.operands[0].name;
    return;
  }
  EXPECT_EQ(listed != nullptr, moves) << step.name << (moves ? " only moves elements" : " computes");
  if (listed == nullptr || !moves || run_time) return;
  const BitcastAnswer& answer = listed->answer;
  // A pad that leaves nothing of its operand may be undecided: a scalar as large as the result is left.
  if (!of_operand) return;
  // The start may not matter, but that is not looked for.
  if (step.at_run_time && answer.verdict == Verdict::undecided) return;
  EXPECT_NE(answer.verdict, Verdict::undecided) << step.name << ": " << answer.reason;
  bool same = sources.size() == 1 && !constants;
  const Placement after = placed(step.result);
  std::set<Index> distances;
  Index moved = 0;
  if (same) {
    const Placement before = placed(step.operands[place(*sources.begin())]);
    same = before.cells == after.cells;
    for (std::size_t e = 0; e < from.size(); ++e) {
      const Index distance = before.places[place(from[e] % 1000)] - after.places[e];
      distances.insert(distance);
      moved += distance != 0 ? 1 : 0;
    }
    same = same && moved == 0;
    if (answer.moved_bytes) {
      EXPECT_EQ(*answer.moved_bytes, 4 * moved) << step.name;
      ++coverage.counted;
    }
    if (answer.start_bit) {
      EXPECT_EQ(distances, std::set<Index>{*answer.start_bit / 32}) << step.name;
      ++coverage.together;
    }
  } else {
    EXPECT_FALSE(answer.start_bit.has_value()) << step.name;
    ++coverage.mixed;
  }
  EXPECT_EQ(answer.verdict, same ? Verdict::yes : Verdict::no) << step.name;
  EXPECT_EQ(answer.bytes, 4 * std::ssize(from)) << step.name;
  // An array that is given twice is read once, under whatever names. A reshape keeps the numbers of elements.
  std::set<std::pair<std::string, Index>> used;
  for (const Index f : from)
    if (f >= 0) used.emplace(origin_of(step.operands[place(f / 1000)].name, renamed), f % 1000);
  // Without the indices and the padding, which are operands, too.
  EXPECT_GE(listed->once, 4 * (std::ssize(used) + std::ssize(from))) << step.name;
  EXPECT_LE(listed->once, 4 * (std::ssize(used) + std::ssize(from)) + 32) << step.name;
  (same ? coverage.still : coverage.moving) += 1;
}

void check_chains(const CopiesReport& report, const std::map<std::string, const Step*>& steps,
                  Coverage& coverage) {
  for (const MovementChain& chain : report.chains) {
    ++coverage.chains;
    EXPECT_LE(chain.saving, chain.traffic);
    EXPECT_GT(chain.saving, 0);
    // From the last result back to the first operand.
    const Step& first = *steps.at(std::string(chain.instructions.front()->name));
    const Step& last = *steps.at(std::string(chain.instructions.back()->name));
    std::vector<Index> from(last.result.from.size());
    std::iota(from.begin(), from.end(), 0);
    std::set<Index> operands;
    for (auto op = chain.instructions.rbegin(); op != chain.instructions.rend(); ++op) {
      const Step& step = *steps.at(std::string((*op)->name));
      operands.clear();
      for (Index& f : from) {
        const Index next = step.result.from[place(f)];
        const bool padding = step.operation == "pad" && next == kConstant;
        ASSERT_TRUE(padding || next >= 0) << step.name << " does not only move elements of operands";
        operands.insert(padding ? std::ssize(step.operands) - 1 : next / 1000);
        f = padding ? 0 : next % 1000;
      }
      ASSERT_EQ(operands.size(), 1U) << step.name << " moves elements of several operands";
    }
    const Traced& source = first.operands[place(*operands.begin())];
    const Placement before = placed(source);
    const Placement after = placed(last.result);
    bool same = before.cells == after.cells;
    for (std::size_t e = 0; e < from.size(); ++e)
      same = same && after.places[e] == before.places[place(from[e])];
    EXPECT_EQ(chain.answer.verdict == Verdict::yes, same);
    // The program cannot return the buffer of a parameter that is not donated, or of a constant.
    const bool kept = chain.instructions.back()->is_root && (source.name[0] == 'p' || source.name[0] == 'z');
    EXPECT_EQ(chain.cancels(), same && !kept);
    coverage.cancelling += chain.cancels() ? 1 : 0;
  }
}

TEST(DataMovement, IsThatOfEveryElement) {
  const std::uint64_t first = seed(20261128);
  const std::uint64_t count = environment("TESSERA_LAW_CASES", 2000);
  Coverage coverage;
  for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
    const Writer program(first + i);
    SCOPED_TRACE(fmt::format("seed {}\n{}", first + i, program.text()));
    const ParsedModules parsed = parse_hlo(program.text());
    for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
    ASSERT_TRUE(parsed.ok());
    const CopiesReport report = copies_report(parsed.modules[0]);
    std::map<std::string, const Movement*> listed;
    for (const Movement& movement : report.movements)
      listed[std::string(movement.instruction->name)] = &movement;
    std::map<std::string, const Step*> steps;
    Renamed renamed;
    for (const Step& step : program.steps()) {
      steps[step.name] = &step;
      const auto found = listed.find(step.name);
      check_step(step, found == listed.end() ? nullptr : found->second, renamed, coverage);
      if (found != listed.end()) listed.erase(found);
    }
    EXPECT_TRUE(listed.empty()) << listed.begin()->first << " is listed, but does not move anything";
    check_chains(report, steps, coverage);
    EXPECT_LE(report.saving + report.bitcast_savings, report.traffic);
  }
  if (count < 2000) return;
  EXPECT_GT(coverage.moving, 300);
  EXPECT_GT(coverage.still, 50);
  EXPECT_GT(coverage.computing, 300);
  EXPECT_GT(coverage.counted, 200);
  EXPECT_GT(coverage.together, 100);
  EXPECT_GT(coverage.mixed, 50);
  EXPECT_GT(coverage.chains, 20);
  EXPECT_GT(coverage.cancelling, 5);
}

}  // namespace
}  // namespace tessera::laws
