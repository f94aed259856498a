// SPDX-License-Identifier: Apache-2.0
#include "laws/traced_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace tessera::laws {
namespace {

using Extents = std::vector<Index>;

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

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 2; ++i) {
      TracedArray p = fresh(random_dims(), fmt::format("p{}", i));
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

  TracedProgram take() { return {std::move(text_), std::move(steps_)}; }

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

  TracedArray fresh(const Extents& dims, std::string name) {
    TracedArray out{std::move(name), dims, random_layout(dims.size()), {}};
    out.from.resize(place(count_of(dims)));
    std::iota(out.from.begin(), out.from.end(), 0);
    return out;
  }

  void add_step(TracedArray result, std::string name, bool is_plain, std::string operation,
                std::vector<TracedArray> operands, std::vector<Index> from) {
    // Inside the step, elements are those of its own operands.
    result.name = name;
    result.from = std::move(from);
    steps_.push_back(
        {std::move(name), is_plain, sliced_, std::move(operation), std::move(operands), std::move(result)});
  }

  TracedArray pick() {
    return values_[place(below(2) == 0 ? below(static_cast<int>(values_.size()))
                                       : static_cast<int>(values_.size()) - 1)];
  }

  // The array as operand `number` of a step.
  static TracedArray as_operand(TracedArray x, Index number) {
    for (std::size_t e = 0; e < x.from.size(); ++e) x.from[e] = 1000 * number + static_cast<Index>(e);
    return x;
  }

  void define(TracedArray made, const std::vector<TracedArray>& operands, bool is_plain,
              const std::string& operation) {
    add_step(made, made.name, is_plain, operation, operands, made.from);
    std::iota(made.from.begin(), made.from.end(), 0);
    values_.push_back(std::move(made));
  }

  void plain() {
    sliced_ = false;
    std::vector<TracedArray> operands = {pick(), pick()};
    const std::vector<TracedArray> inside = {as_operand(operands[0], 0), as_operand(operands[1], 1)};
    next_ = fmt::format("v{}", ++number_);
    std::string operation;
    TracedArray made = apply(inside, "i", operation, text_);
    if (made.from.empty()) return;
    if (operation == "pad") operands.push_back({"z" + next_, {}, "", {0}});
    define(made, operands, true, operation);
  }

  void fusion() {
    sliced_ = false;
    const std::vector<TracedArray> operands = {pick(), pick()};
    const int id = ++number_;
    std::vector<TracedArray> inside;
    std::string body;
    for (Index k = 0; k < 2; ++k) {
      TracedArray x = as_operand(operands[place(k)], k);
      x.name = fmt::format("q{}", k);
      body += fmt::format("  q{} = {} parameter({})\n", k, type_of(x), k);
      inside.push_back(x);
    }
    body += "  j = s32[] parameter(2)\n  at = s32[] add(j, j)\n";
    const int count = 1 + below(4);
    for (int k = 0; k < count; ++k) {
      next_ = fmt::format("w{}", ++number_);
      std::string operation;
      const std::vector<TracedArray> two = {
          below(3) == 0 ? inside[place(below(static_cast<int>(inside.size())))] : inside.back(),
          inside[place(below(static_cast<int>(inside.size())))]};
      TracedArray made = apply(two, "at", operation, body);
      if (!made.from.empty()) inside.push_back(made);
    }
    TracedArray root = inside.back();
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

  TracedArray build(const Extents& dims, const std::function<Index(const Extents&)>& from) {
    TracedArray out{next_, dims, random_layout(dims.size()), {}};
    for (Index e = 0; e < count_of(dims); ++e) out.from.push_back(from(index_of_number(dims, e)));
    return out;
  }

  // A random operation on one or both arrays; writes its line. Without elements if none fits.
  TracedArray apply(const std::vector<TracedArray>& xs, const std::string& index, std::string& operation,
                    std::string& lines) {
    const TracedArray& x = xs[0];
    const Extents dims = x.dims;
    const auto at = [&](const Extents& i) { return x.from[place(number_of_index(dims, i))]; };
    const auto emit = [&](TracedArray made, const std::string& rest) {
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
        const TracedArray& y = xs[1];
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
  std::vector<TracedArray> values_;
  std::vector<TracedStep> steps_;
  int number_ = 0;
  bool sliced_ = false;  // whether the current step has a slice with a start known only at run time
};

}  // namespace

std::string type_of(const TracedArray& x) {
  return fmt::format("s32[{}]{}", fmt::join(x.dims, ","), x.layout);
}

TracedProgram traced_program(std::uint64_t seed) { return Writer(seed).take(); }

}  // namespace tessera::laws
