// SPDX-License-Identifier: Apache-2.0
// The sizes of dynamic dimensions are known only at run time, so maps must hold for all sizes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hlo/indexing/variables.h"
#include "laws/operand_maps_laws.h"
#include "tessera/hlo/module.h"

namespace tessera::laws::dynamic_sizes_test {
namespace {

struct Shape {
  Indices bounds;
  std::vector<bool> dynamic;

  std::string text() const {
    std::vector<std::string> dims;
    for (std::size_t i = 0; i < bounds.size(); ++i)
      dims.push_back(fmt::format("{}{}", dynamic[i] ? "<=" : "", bounds[i]));
    return fmt::format("f32[{}]", fmt::join(dims, ","));
  }
};

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {}
  Index pick(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }

  Shape shape(std::size_t rank) {
    Shape s;
    for (std::size_t i = 0; i < rank; ++i) {
      s.bounds.push_back(pick(1, 4));
      s.dynamic.push_back(pick(0, 2) == 0);
    }
    return s;
  }
  Indices sizes(const Shape& s) {
    Indices out;
    for (std::size_t i = 0; i < s.bounds.size(); ++i)
      out.push_back(s.dynamic[i] ? pick(0, s.bounds[i]) : s.bounds[i]);
    return out;
  }

 private:
  std::mt19937_64 random_;
};

bool exists(const Indices& sizes, const Indices& index) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (index[i] >= sizes[i]) return false;
  }
  return true;
}

using NamedSizes = std::map<std::string, Indices, std::less<>>;

// The indexing with numbers for its sizes, whose texts end with `dimension 1 of a`.
Indexing with_sizes(Indexing x, const NamedSizes& named) {
  while (!x.runtime.empty()) {
    const std::string& text = x.runtime[0].text;
    const std::size_t of = text.rfind(" of ");
    const auto found = named.find(text.substr(of + 4));
    EXPECT_NE(found, named.end()) << text;
    if (found == named.end()) return x;
    const auto dim = static_cast<std::size_t>(text[of - 1] - '0');
    detail::replace_runtime(x, 0, Expr::constant(found->second.at(dim)));
  }
  return x;
}

// What the maps of one direction say about existing elements.
struct Found {
  Direction direction;
  Relation pairs = {};
  bool exact = true;
  std::string text = {};  // of the maps
};

// For both directions, the pairs that begin at an existing element. Their other side may not exist: an exact
// map has no such pair. Regression: maps of an operand of concatenate went on after the end of a smaller
// operand.
std::vector<Found> from_existing(const Instruction& root, std::size_t operand, const Indices& out_sizes,
                                 const Indices& in_sizes, const NamedSizes& named = {}) {
  std::vector<Found> all;
  for (const Direction direction : {Direction::output_to_input, Direction::input_to_output}) {
    const bool back = direction == Direction::output_to_input;
    const auto maps =
        back ? output_to_input(root, {.operand = operand}) : input_to_output(root, {.operand = operand});
    EXPECT_TRUE(maps.has_value());
    if (!maps) continue;
    Found& found = all.emplace_back(Found{.direction = direction});
    for (const Indexing& x : *maps) {
      EXPECT_NE(x.exactness, Exactness::unknown) << x.reason;
      if (x.exactness == Exactness::unknown) continue;
      found.exact = found.exact && x.exactness == Exactness::exact;
      found.text += to_string(x.map) + " " + x.reason + "\n";
      for (const auto& [o, i] : relation_of(with_sizes(x, named), direction, {})) {
        if (exists(back ? out_sizes : in_sizes, back ? o : i)) found.pairs.insert({o, i});
      }
    }
  }
  return all;
}

void expect_covers(const Found& found, const Relation& truth) {
  if (found.exact) {
    EXPECT_EQ(found.pairs, truth) << found.text;
  } else {
    EXPECT_TRUE(std::ranges::includes(found.pairs, truth)) << found.text;
  }
}

// Named sizes make every map exact, but for directions in which not only sizes decide.
void check_named(const std::string& text, std::size_t operand, const Relation& truth, const NamedSizes& named,
                 const std::vector<Direction>& open = {}) {
  SCOPED_TRACE("with names of sizes");
  const ParsedModules parsed = parse_hlo(std::string_view(text), {.sizes = true});
  ASSERT_TRUE(parsed.ok());
  const Instruction& root = *parsed.modules.at(0).entry->root;
  const Indices& out_sizes = named.at("r");
  const Indices& in_sizes = named.at(std::string(root.operands[operand].instruction->name));
  for (const Found& found : from_existing(root, operand, out_sizes, in_sizes, named)) {
    EXPECT_TRUE(found.exact || std::ranges::find(open, found.direction) != open.end()) << found.text;
    expect_covers(found, truth);
  }
}

// The maps must cover the elements that are read. From existing elements, an exact answer must lead to no
// others.
void check(const std::string& text, std::size_t operand, const Relation& truth, const Indices& out_sizes,
           const Indices& in_sizes, int& supersets) {
  SCOPED_TRACE(fmt::format("{}operand {}, sizes {} of {}", text, operand, fmt::join(out_sizes, ","),
                           fmt::join(in_sizes, ",")));
  const ParsedModules parsed = parse_hlo(std::string_view(text));
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(parsed.ok());
  const Instruction& root = *parsed.modules.at(0).entry->root;
  for (const Found& found : from_existing(root, operand, out_sizes, in_sizes)) {
    supersets += found.exact ? 0 : 1;
    expect_covers(found, truth);
  }
}

// One windowed dimension.
struct Window {
  Index size, stride, low, high, in_step, window_step;

  static Window any(Cases& cases) {
    return {cases.pick(1, 3),  cases.pick(1, 2), cases.pick(-1, 1),
            cases.pick(-1, 2), cases.pick(1, 2), cases.pick(1, 2)};
  }
  Index padded(Index n) const { return (n == 0 ? 0 : (n - 1) * in_step + 1) + low + high; }
  Index count(Index n) const {
    const Index room = padded(n) - (size - 1) * window_step - 1;
    return room < 0 ? 0 : room / stride + 1;
  }
  // Calls `f` with each output, window element and input element that meet.
  template <class F>
  void meet(Index n, F f) const {
    for (Index o = 0; o < count(n); ++o) {
      for (Index k = 0; k < size; ++k) {
        const Index place = o * stride + k * window_step - low;
        if (place >= 0 && place % in_step == 0 && place / in_step < n) f(o, k, place / in_step);
      }
    }
  }
};

constexpr const char* kSum =
    "sum {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = f32[] add(p, q)\n}\n";

// Regression: maps that only hold for the largest sizes were marked exact; those of sums, products and
// windows went on to the bound. A sum over a dynamic and a fixed dimension read all of the fixed one.
TEST(DynamicSizesTest, MapsHoldForAllSizes) {
  int supersets = 0;
  for (std::uint64_t seed = 1; seed <= 2500 && !HasFailure(); ++seed) {
    Cases cases(seed);
    const auto rank = static_cast<std::size_t>(cases.pick(1, 3));
    const auto dim = static_cast<std::size_t>(cases.pick(0, static_cast<Index>(rank) - 1));
    const Shape a = cases.shape(rank);
    const Indices sizes = cases.sizes(a);
    const std::string one = fmt::format("ENTRY e {{\n  a = {} parameter(0)\n", a.text());
    Relation truth;
    switch (cases.pick(0, 8)) {
      case 0: {
        for_each_index(sizes, [&](const Indices& x) {
          Indices o = x;
          o[dim] = sizes[dim] - 1 - o[dim];
          truth.insert({o, x});
        });
        const std::string text =
            fmt::format("{}  ROOT r = {} reverse(a), dimensions={{{}}}\n}}\n", one, a.text(), dim);
        check(text, 0, truth, sizes, sizes, supersets);
        check_named(text, 0, truth, {{"a", sizes}, {"r", sizes}});
        break;
      }
      case 1: {
        Shape b = a;
        b.bounds[dim] = cases.pick(1, 4);
        b.dynamic[dim] = cases.pick(0, 1) == 0;
        Indices second = sizes;
        second[dim] = cases.sizes(b)[dim];
        Shape sum = a;
        sum.bounds[dim] += b.bounds[dim];
        sum.dynamic[dim] = a.dynamic[dim] || b.dynamic[dim];
        Indices whole = sizes;
        whole[dim] += second[dim];
        for_each_index(second, [&](const Indices& x) {
          Indices o = x;
          o[dim] += sizes[dim];
          truth.insert({o, x});
        });
        const std::string text =
            fmt::format("{}  b = {} parameter(1)\n  ROOT r = {} concatenate(a, b), dimensions={{{}}}\n}}\n",
                        one, b.text(), sum.text(), dim);
        const NamedSizes named = {{"a", sizes}, {"b", second}, {"r", whole}};
        check(text, 1, truth, whole, second, supersets);
        check_named(text, 1, truth, named);
        truth.clear();
        for_each_index(sizes, [&](const Indices& x) { truth.insert({x, x}); });
        check(text, 0, truth, whole, sizes, supersets);
        check_named(text, 0, truth, named);
        break;
      }
      case 2: {
        const Index low = cases.pick(-1, 2);
        const Index high = cases.pick(-1, 2);
        const Index interior = cases.pick(0, 2);
        const auto padded = [&](Index size) {
          return std::max<Index>(size + low + high + interior * std::max<Index>(size - 1, 0), 0);
        };
        if (a.bounds[dim] + low + high + interior * (a.bounds[dim] - 1) < 0) break;
        Shape wide = a;
        wide.bounds[dim] = padded(a.bounds[dim]);
        Indices whole = sizes;
        whole[dim] = padded(sizes[dim]);
        for_each_index(sizes, [&](const Indices& x) {
          Indices o = x;
          o[dim] = x[dim] * (interior + 1) + low;
          if (o[dim] >= 0 && o[dim] < whole[dim]) truth.insert({o, x});
        });
        std::vector<std::string> padding(rank, "0_0");
        padding[dim] = fmt::format("{}_{}_{}", low, high, interior);
        const std::string text =
            fmt::format("{}  z = f32[] constant(0)\n  ROOT r = {} pad(a, z), padding={}\n}}\n", one,
                        wide.text(), fmt::join(padding, "x"));
        check(text, 0, truth, whole, sizes, supersets);
        check_named(text, 0, truth, {{"a", sizes}, {"r", whole}});
        break;
      }
      case 3: {  // a sum over the dimension reads what exists
        Shape rest = a;
        rest.bounds.erase(rest.bounds.begin() + static_cast<std::ptrdiff_t>(dim));
        rest.dynamic.erase(rest.dynamic.begin() + static_cast<std::ptrdiff_t>(dim));
        const auto without = [&](Indices x) {
          x.erase(x.begin() + static_cast<std::ptrdiff_t>(dim));
          return x;
        };
        for_each_index(sizes, [&](const Indices& x) { truth.insert({without(x), x}); });
        const std::string text = fmt::format(
            "{}{}  z = f32[] constant(0)\n  ROOT r = {} reduce(a, z), dimensions={{{}}}, to_apply=sum\n}}\n",
            kSum, one, rest.text(), dim);
        check(text, 0, truth, without(sizes), sizes, supersets);
        check_named(text, 0, truth, {{"a", sizes}, {"r", without(sizes)}});
        break;
      }
      case 4: {  // a product of matrices ends at the smaller of the contracted sizes; two dynamic ones are
                 // equal
        if (rank < 2) break;
        Shape b = cases.shape(2);
        b.bounds[0] = a.bounds[dim];
        Indices second = cases.sizes(b);
        if (b.dynamic[0] && a.dynamic[dim]) second[0] = sizes[dim];
        Shape product = a;
        product.bounds.erase(product.bounds.begin() + static_cast<std::ptrdiff_t>(dim));
        product.dynamic.erase(product.dynamic.begin() + static_cast<std::ptrdiff_t>(dim));
        product.bounds.push_back(b.bounds[1]);
        product.dynamic.push_back(b.dynamic[1]);
        Indices whole = sizes;
        whole.erase(whole.begin() + static_cast<std::ptrdiff_t>(dim));
        whole.push_back(second[1]);
        Relation of_second;
        for_each_index(sizes, [&](const Indices& x) {
          if (x[dim] >= second[0]) return;
          for (Index column = 0; column < second[1]; ++column) {
            Indices o = x;
            o.erase(o.begin() + static_cast<std::ptrdiff_t>(dim));
            o.push_back(column);
            truth.insert({o, x});
            of_second.insert({o, {x[dim], column}});
          }
        });
        const std::string text = fmt::format(
            "{}  b = {} parameter(1)\n  ROOT r = {} dot(a, b), lhs_contracting_dims={{{}}}, "
            "rhs_contracting_dims={{0}}\n}}\n",
            one, b.text(), product.text(), dim);
        const NamedSizes named = {{"a", sizes}, {"b", second}, {"r", whole}};
        check(text, 0, truth, whole, sizes, supersets);
        check_named(text, 0, truth, named);
        check(text, 1, of_second, whole, second, supersets);
        check_named(text, 1, of_second, named);
        break;
      }
      case 5: {  // windows end where the array ends
        const Window w = Window::any(cases);
        if (w.padded(a.bounds[dim]) < 0) break;
        Shape result = a;
        result.bounds[dim] = w.count(a.bounds[dim]);
        Indices whole = sizes;
        whole[dim] = w.count(sizes[dim]);
        Indices rest = sizes;
        rest[dim] = 1;
        w.meet(sizes[dim], [&](Index at, Index, Index from) {
          for_each_index(rest, [&](const Indices& x) {
            Indices o = x;
            Indices i = x;
            o[dim] = at;
            i[dim] = from;
            truth.insert({o, i});
          });
        });
        std::vector<std::string> extents(rank, "1");
        std::vector<std::string> strides(rank, "1");
        std::vector<std::string> pads(rank, "0_0");
        std::vector<std::string> in_steps(rank, "1");
        std::vector<std::string> window_steps(rank, "1");
        extents[dim] = fmt::format("{}", w.size);
        strides[dim] = fmt::format("{}", w.stride);
        pads[dim] = fmt::format("{}_{}", w.low, w.high);
        in_steps[dim] = fmt::format("{}", w.in_step);
        window_steps[dim] = fmt::format("{}", w.window_step);
        const std::string text = fmt::format(
            "{}{}  z = f32[] constant(0)\n  ROOT r = {} reduce-window(a, z), window={{size={} stride={} "
            "pad={} lhs_dilate={} rhs_dilate={}}}, to_apply=sum\n}}\n",
            kSum, one, result.text(), fmt::join(extents, "x"), fmt::join(strides, "x"), fmt::join(pads, "x"),
            fmt::join(in_steps, "x"), fmt::join(window_steps, "x"));
        check(text, 0, truth, whole, sizes, supersets);
        check_named(text, 0, truth, {{"a", sizes}, {"r", whole}});
        break;
      }
      case 6: {  // elements beyond the new size are dropped
        Indices whole = sizes;
        Shape cut = a;
        cut.dynamic[dim] = cases.pick(0, 3) > 0;
        Indices left = whole;
        left[dim] = cases.sizes(cut)[dim];
        for_each_index(left, [&](const Indices& x) {
          if (exists(whole, x)) truth.insert({x, x});
        });
        const std::string text = fmt::format(
            "ENTRY e {{\n  a = {} parameter(0)\n  n = s32[] parameter(1)\n  ROOT r = {} "
            "set-dimension-size(a, "
            "n), dimensions={{{}}}\n}}\n",
            a.text(), cut.text(), dim);
        check(text, 0, truth, left, whole, supersets);
        check_named(text, 0, truth, {{"a", whole}, {"r", left}});
        break;
      }
      case 7: {  // a convolution sums over the input features of a group and over the window
        const Window w = Window::any(cases);
        const bool reversed = cases.pick(0, 1) == 1;
        const Index feature_groups = cases.pick(1, 2);
        const Index batch_groups = feature_groups == 1 ? cases.pick(1, 2) : 1;
        const Index groups = feature_groups * batch_groups;
        Shape x = cases.shape(3);
        if (w.padded(x.bounds[1]) < 0) break;
        Indices in = cases.sizes(x);
        Shape kernel = cases.shape(3);
        kernel.bounds[0] = w.size;
        kernel.dynamic[0] = false;
        kernel.bounds[1] = x.bounds[2];
        Indices weights = cases.sizes(kernel);
        if (kernel.dynamic[1] && x.dynamic[2]) weights[1] = in[2];
        const Index features = std::min(in[2], weights[1]);
        const Shape result = {{x.bounds[0], w.count(x.bounds[1]), kernel.bounds[2] * groups},
                              {x.dynamic[0], x.dynamic[1], kernel.dynamic[2]}};
        const Indices whole = {in[0], w.count(in[1]), weights[2] * groups};
        Relation of_kernel;
        w.meet(in[1], [&](Index at, Index k, Index from) {
          for_each_index(Indices{in[0], features, whole[2]}, [&](const Indices& i) {
            const Index group = i[2] / weights[2];
            const Index batch = batch_groups > 1 ? group * in[0] : 0;
            const Index feature = feature_groups > 1 ? group * in[2] : 0;
            truth.insert({{i[0], at, i[2]}, {batch + i[0], from, feature + i[1]}});
            of_kernel.insert({{i[0], at, i[2]}, {reversed ? w.size - 1 - k : k, i[1], i[2]}});
          });
        });
        x.bounds[0] *= batch_groups;
        in[0] *= batch_groups;
        x.bounds[2] *= feature_groups;
        in[2] *= feature_groups;
        kernel.bounds[2] *= groups;
        weights[2] *= groups;
        const std::string text = fmt::format(
            "ENTRY e {{\n  a = {} parameter(0)\n  b = {} parameter(1)\n  ROOT r = {} convolution(a, b), "
            "window={{size={} stride={} pad={}_{} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}, "
            "dim_labels=b0f_0io->b0f, feature_group_count={}, batch_group_count={}\n}}\n",
            x.text(), kernel.text(), result.text(), w.size, w.stride, w.low, w.high, w.in_step, w.window_step,
            reversed ? 1 : 0, feature_groups, batch_groups);
        const NamedSizes named = {{"a", in}, {"b", weights}, {"r", whole}};
        std::vector<Direction> open;
        if ((feature_groups > 1 && x.dynamic[2]) || (batch_groups > 1 && x.dynamic[0]) ||
            (groups > 1 && kernel.dynamic[2]))
          open = {Direction::output_to_input, Direction::input_to_output};
        const std::vector<Direction> open_kernel =
            feature_groups > 1 && kernel.dynamic[1] != x.dynamic[2]
                ? std::vector{Direction::output_to_input, Direction::input_to_output}
                : std::vector{Direction::output_to_input};
        if (feature_groups > 1 && kernel.dynamic[1] && !x.dynamic[2])
          open = {Direction::output_to_input, Direction::input_to_output};
        check(text, 0, truth, whole, in, supersets);
        check_named(text, 0, truth, named, open);
        check(text, 1, of_kernel, whole, weights, supersets);
        check_named(text, 1, of_kernel, named, open_kernel);
        break;
      }
      default: {
        // Joins two adjacent dimensions; dynamic dimensions stay dynamic.
        if (rank < 2) break;
        const std::size_t at = std::min(dim, rank - 2);
        Shape joined = a;
        joined.bounds[at] *= a.bounds[at + 1];
        joined.dynamic[at] = a.dynamic[at] || a.dynamic[at + 1];
        joined.bounds.erase(joined.bounds.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        joined.dynamic.erase(joined.dynamic.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        Indices out = sizes;
        out[at] *= sizes[at + 1];
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        for_each_index(sizes, [&](const Indices& x) {
          Indices o = x;
          o[at] = x[at] * sizes[at + 1] + x[at + 1];
          o.erase(o.begin() + static_cast<std::ptrdiff_t>(at) + 1);
          truth.insert({o, x});
        });
        const std::string text = fmt::format("{}  ROOT r = {} reshape(a)\n}}\n", one, joined.text());
        check(text, 0, truth, out, sizes, supersets);
        check_named(text, 0, truth, {{"a", sizes}, {"r", out}});
      }
    }
  }
  EXPECT_GT(supersets, 200);
}

// Regression: the maps of a scan, which reads no later step, depended on the number of steps.
TEST(DynamicSizesTest, AScanForwardsReadsWhatExists) {
  const auto exact = [](std::string_view reverse, Direction direction) {
    const ParsedModules parsed = parse_hlo(fmt::format(R"(step {{
  x = f32[] parameter(0)
  c = f32[] parameter(1)
  s = f32[] add(x, c)
  ROOT t = (f32[], f32[]) tuple(s, s)
}}
ENTRY e {{
  a = f32[<=4] parameter(0)
  z = f32[] constant(0)
  ROOT r = (f32[<=4], f32[]) scan(a, z), dimensions={{0}}, num_carries=1{}, to_apply=step
}})",
                                                       reverse));
    EXPECT_TRUE(parsed.ok());
    const Instruction& root = *parsed.modules.at(0).entry->root;
    const auto maps =
        direction == Direction::output_to_input ? output_to_input(root, {}) : input_to_output(root, {});
    return maps && maps->size() == 1 && maps->front().exactness == Exactness::exact;
  };
  EXPECT_TRUE(exact("", Direction::output_to_input));
  EXPECT_FALSE(exact("", Direction::input_to_output));
  EXPECT_FALSE(exact(", is_reverse=true", Direction::output_to_input));
  EXPECT_TRUE(exact(", is_reverse=true", Direction::input_to_output));
}

// Regression: without elements, neither the function of a reduction runs nor that of a scan, so that the
// other initial values are not read; their maps were exact. So was that of a loop's counter, up to the bound.
TEST(DynamicSizesTest, WhatMayNotRunMayNotRead) {
  const std::string reduction = R"(f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  s = f32[] add(a, b)
  t = f32[] add(c, d)
  u = f32[] add(s, t)
  ROOT w = (f32[], f32[]) tuple(u, u)
}
ENTRY e {
  a = ROWS parameter(0)
  b = ROWS parameter(1)
  z = f32[] parameter(2)
  y = f32[] parameter(3)
  ROOT r = (f32[], f32[]) reduce(a, b, z, y), dimensions={0}, to_apply=f
})";
  const std::string scan = R"(step {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  s = f32[] add(c, d)
  ROOT t = (f32[], f32[], f32[]) tuple(s, s, s)
}
ENTRY e {
  z = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = (ROWS, f32[], f32[]) scan(z, y), dimensions={0}, num_carries=2, to_apply=step
})";
  const auto of = [](std::string text, std::string_view rows, std::size_t operand, std::size_t output) {
    for (std::size_t at = text.find("ROWS"); at != std::string::npos; at = text.find("ROWS"))
      text.replace(at, 4, rows);
    const ParsedModules parsed = parse_hlo(std::string_view(text));
    EXPECT_TRUE(parsed.ok());
    std::string out;
    for (const bool back : {true, false}) {
      const OutputOperand pair{.output = output, .operand = operand};
      const Instruction& root = *parsed.modules.at(0).entry->root;
      const auto maps = back ? output_to_input(root, pair) : input_to_output(root, pair);
      EXPECT_TRUE(maps);
      out += !maps || maps->empty()                        ? "none "
             : maps->front().exactness == Exactness::exact ? "exact "
                                                           : "superset ";
    }
    return out;
  };
  EXPECT_EQ(of(reduction, "f32[4]", 3, 0), "exact exact ");
  EXPECT_EQ(of(reduction, "f32[0]", 3, 0), "none none ");
  EXPECT_EQ(of(reduction, "f32[<=4]", 3, 0), "superset superset ");
  EXPECT_EQ(of(reduction, "f32[<=4]", 2, 0), "exact exact ");
  EXPECT_EQ(of(scan, "f32[4]", 1, 1), "exact exact ");
  EXPECT_EQ(of(scan, "f32[0]", 1, 1), "none none ");
  EXPECT_EQ(of(scan, "f32[<=4]", 1, 1), "superset superset ");
  EXPECT_EQ(of(scan, "f32[<=4]", 0, 1), "exact exact ");
  const ParsedModules loop = parse_hlo(std::string_view(R"(c {
  s = (s32[], f32[<=4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT l = pred[] compare(i, n), direction=LT
}
b {
  s = (s32[], f32[<=4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[<=4] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[<=4] negate(x)
  ROOT t = (s32[], f32[<=4]) tuple(j, y)
}
ENTRY e {
  a = f32[<=4] parameter(0)
  z = s32[] constant(0)
  t = (s32[], f32[<=4]) tuple(z, a)
  ROOT r = (s32[], f32[<=4]) while(t), condition=c, body=b
})"));
  ASSERT_TRUE(loop.ok());
  const auto readers = input_to_output(*loop.modules.at(0).entry->root, {.output = 1, .operand = 0});
  ASSERT_TRUE(readers);
  const auto of_counter = std::ranges::find(*readers, 0, &Indexing::leaf);
  ASSERT_NE(of_counter, readers->end());
  EXPECT_EQ(of_counter->exactness, Exactness::superset);
}

// Regression: the map of a predicate said that all elements up to the bound of a conditional read it.
TEST(DynamicSizesTest, OnlyElementsWithinTheSizesReadAPredicate) {
  const std::string_view text = R"(HloModule m
t { x = f32[<=4] parameter(0) ROOT n = f32[<=4] negate(x) }
f { x = f32[<=4] parameter(0) ROOT n = f32[<=4] copy(x) }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[<=4] parameter(1)
  ROOT r = f32[<=4] conditional(p, a, a), true_computation=t, false_computation=f
})";
  for (const bool names : {false, true}) {
    const ParsedModules parsed = parse_hlo(text, {.sizes = names});
    ASSERT_TRUE(parsed.ok());
    const auto maps = input_to_output(*parsed.modules.at(0).entry->root, {.operand = 0});
    ASSERT_TRUE(maps);
    ASSERT_EQ(maps->size(), 1U);
    const Indexing& x = maps->front();
    ASSERT_EQ(x.exactness == Exactness::exact, names) << x.reason;
    for (Index size = 0; size <= 4 && names; ++size) {
      ASSERT_EQ(x.runtime.size(), 1U);
      Indexing known = x;
      detail::replace_runtime(known, 0, Expr::constant(size));
      EXPECT_EQ(relation_of(known, Direction::input_to_output, {}).size(), static_cast<std::size_t>(size));
    }
  }
}

// Dimensions that a program forces to be equal have one size: two reverses cancel.
TEST(DynamicSizesTest, EqualSizesShareAName) {
  const ParsedModules parsed = parse_hlo(std::string_view(R"(HloModule m
ENTRY e {
  a = f32[<=8,4] parameter(0)
  b = f32[<=8,4] parameter(1)
  s = f32[<=8,4] add(a, b)
  r = f32[<=8,4] reverse(s), dimensions={0}
  n = s32[] get-dimension-size(a), dimensions={0}
  c = f32[8,4] parameter(2)
  d = f32[<=8,4] set-dimension-size(c, n), dimensions={0}
  t = f32[<=8,4] multiply(r, d)
  ROOT u = f32[<=8,4] reverse(t), dimensions={0}
})"),
                                         {.sizes = true});
  ASSERT_TRUE(parsed.ok());
  const Instruction& root = *parsed.modules.at(0).entry->root;
  ProgramIndexing program;
  const auto reads = program.grouped({.value = {&root, 0}});
  ASSERT_TRUE(reads);
  std::map<std::string, std::string, std::less<>> maps;
  for (const ValueIndexing& v : *reads) {
    ASSERT_EQ(v.maps.size(), 1U);
    EXPECT_EQ(v.maps[0].exactness, Exactness::exact);
    for (const RuntimeValue& size : v.maps[0].runtime)
      EXPECT_EQ(size.text, "n0, the size of dimension 0 of a");
    EXPECT_LE(v.maps[0].runtime.size(), 1U);
    maps[std::string(v.value.instruction->name)] = to_string(v.maps[0].map);
  }
  EXPECT_TRUE(maps["c"].starts_with("(d0, d1){rt0} -> (-d0 + rt0 - 1, d1)")) << maps["c"];
  EXPECT_TRUE(maps["a"].find("-> (d0, d1)") != std::string::npos) << maps["a"];
}

}  // namespace
}  // namespace tessera::laws::dynamic_sizes_test
