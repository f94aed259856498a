// SPDX-License-Identifier: Apache-2.0
#include "laws/dynamic_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

namespace tessera::laws::dynamic_sizes {
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

// What a program begins with, and one operation that follows.
struct Programs {
  explicit Programs(std::uint64_t seed)
      : cases(seed),
        rank(static_cast<std::size_t>(cases.pick(1, 3))),
        dim(static_cast<std::size_t>(cases.pick(0, static_cast<Index>(rank) - 1))),
        a(cases.shape(rank)),
        sizes(cases.sizes(a)),
        one(fmt::format("ENTRY e {{\n  a = {} parameter(0)\n", a.text())) {}

  std::optional<DynamicProgram> any() {
    switch (cases.pick(0, 8)) {
      case 0:
        return reversed();
      case 1:
        return concatenated();
      case 2:
        return padded();
      case 3:
        return summed();
      case 4:
        return multiplied();
      case 5:
        return reduced_in_windows();
      case 6:
        return resized();
      case 7:
        return convolved();
      default:
        return joined();
    }
  }

  // Elements in the other order.
  std::optional<DynamicProgram> reversed() {
    Relation truth;
    for_each_index(sizes, [&](const Indices& x) {
      Indices o = x;
      o[dim] = sizes[dim] - 1 - o[dim];
      truth.insert({o, x});
    });
    const std::string text =
        fmt::format("{}  ROOT r = {} reverse(a), dimensions={{{}}}\n}}\n", one, a.text(), dim);
    return DynamicProgram{text, {{"a", sizes}, {"r", sizes}}, {{0, truth}}};
  }

  std::optional<DynamicProgram> concatenated() {
    Relation truth;
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
        fmt::format("{}  b = {} parameter(1)\n  ROOT r = {} concatenate(a, b), dimensions={{{}}}\n}}\n", one,
                    b.text(), sum.text(), dim);
    const NamedSizes named = {{"a", sizes}, {"b", second}, {"r", whole}};
    Relation of_first;
    for_each_index(sizes, [&](const Indices& x) { of_first.insert({x, x}); });
    return DynamicProgram{text, named, {{1, truth}, {0, of_first}}};
  }

  std::optional<DynamicProgram> padded() {
    Relation truth;
    const Index low = cases.pick(-1, 2);
    const Index high = cases.pick(-1, 2);
    const Index interior = cases.pick(0, 2);
    const auto padded = [&](Index size) {
      return std::max<Index>(size + low + high + interior * std::max<Index>(size - 1, 0), 0);
    };
    if (a.bounds[dim] + low + high + interior * (a.bounds[dim] - 1) < 0) return std::nullopt;
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
        fmt::format("{}  z = f32[] constant(0)\n  ROOT r = {} pad(a, z), padding={}\n}}\n", one, wide.text(),
                    fmt::join(padding, "x"));
    return DynamicProgram{text, {{"a", sizes}, {"r", whole}}, {{0, truth}}};
  }

  // A sum over the dimension reads what exists.
  std::optional<DynamicProgram> summed() {
    Relation truth;
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
    return DynamicProgram{text, {{"a", sizes}, {"r", without(sizes)}}, {{0, truth}}};
  }

  // A product of matrices ends at the smaller of the contracted sizes; two dynamic ones are equal.
  std::optional<DynamicProgram> multiplied() {
    Relation truth;
    if (rank < 2) return std::nullopt;
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
    return DynamicProgram{text, named, {{0, truth}, {1, of_second}}};
  }

  // Windows end where the array ends.
  std::optional<DynamicProgram> reduced_in_windows() {
    Relation truth;
    const Window w = Window::any(cases);
    if (w.padded(a.bounds[dim]) < 0) return std::nullopt;
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
    return DynamicProgram{text, {{"a", sizes}, {"r", whole}}, {{0, truth}}};
  }

  // Elements beyond the new size are dropped.
  std::optional<DynamicProgram> resized() {
    Relation truth;
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
    return DynamicProgram{text, {{"a", whole}, {"r", left}}, {{0, truth}}};
  }

  // A convolution sums over the input features of a group and over the window.
  std::optional<DynamicProgram> convolved() {
    Relation truth;
    const Window w = Window::any(cases);
    const bool reversed = cases.pick(0, 1) == 1;
    const Index feature_groups = cases.pick(1, 2);
    const Index batch_groups = feature_groups == 1 ? cases.pick(1, 2) : 1;
    const Index groups = feature_groups * batch_groups;
    Shape x = cases.shape(3);
    if (w.padded(x.bounds[1]) < 0) return std::nullopt;
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
    return DynamicProgram{text, named, {{0, truth, open}, {1, of_kernel, open_kernel}}};
  }

  // Joins two adjacent dimensions; dynamic dimensions stay dynamic.
  std::optional<DynamicProgram> joined() {
    Relation truth;
    if (rank < 2) return std::nullopt;
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
    return DynamicProgram{text, {{"a", sizes}, {"r", out}}, {{0, truth}}};
  }

  Cases cases;
  std::size_t rank;
  std::size_t dim;  // which the operation changes, moves or sums
  Shape a;
  Indices sizes;
  std::string one;  // the beginning of a program with the parameter a
};

}  // namespace

bool exists(const Indices& sizes, const Indices& index) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (index[i] >= sizes[i]) return false;
  }
  return true;
}

std::optional<DynamicProgram> random_program(std::uint64_t seed) { return Programs(seed).any(); }

}  // namespace tessera::laws::dynamic_sizes
