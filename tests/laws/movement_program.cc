// SPDX-License-Identifier: Apache-2.0
#include "laws/movement_program.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::laws {
namespace {

using Extents = std::vector<Index>;

struct MovedArray {
  std::string name;
  Extents dims;
  std::string layout;
};

class MovementWriter {
 public:
  explicit MovementWriter(std::mt19937_64& random) : random_(random) {
    dtype_ = std::vector<std::string>{"f32", "bf16", "s8"}[below(3)];
  }

  std::string write() {
    MovedArray parameter{.name = "p", .dims = random_dims(), .layout = {}};
    parameter.layout = random_layout(parameter.dims.size());
    std::string body = fmt::format("  p = {} parameter(0)\n", type_of(parameter));
    values_ = {parameter};
    const std::size_t steps = 3 + below(6);
    for (std::size_t i = 0; i < steps; ++i) body += step();
    body += fmt::format("  ROOT r = {} negate({})\n", type_of(values_.back()), values_.back().name);
    return callees_ + fmt::format("ENTRY main {{\n{}}}\n", body);
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  Extents random_dims() {
    Extents out(1 + below(3));
    for (Index& extent : out) extent = 1 + static_cast<Index>(below(5));
    return out;
  }

  // An order of the dimensions, and in some cases tiles.
  std::string random_layout(std::size_t rank) {
    Extents order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::reverse(order.begin(), order.end());
    if (below(2) == 0) std::ranges::shuffle(order, random_);
    const std::vector<std::string> tiles = {
        "", "", "", ":T(2)", rank > 1 ? ":T(2,3)" : ":T(4)", rank > 1 ? ":T(4,2)(2,1)" : ":T(3)"};
    return fmt::format("{{{}{}}}", fmt::join(order, ","), tiles[below(tiles.size())]);
  }

  std::string type_of(const Extents& dims, const std::string& layout) const {
    return fmt::format("{}[{}]{}", dtype_, fmt::join(dims, ","), layout);
  }
  std::string type_of(const MovedArray& array) const { return type_of(array.dims, array.layout); }

  const MovedArray& pick() {
    const std::size_t back = below(3) == 0 ? below(values_.size()) : 0;
    return values_[values_.size() - 1 - back];
  }

  std::string define(MovedArray array, const std::string& operation) {
    array.name = fmt::format("v{}", next_++);
    values_.push_back(array);
    return fmt::format("  {} = {} {}\n", array.name, type_of(array), operation);
  }

  std::string step() {
    const MovedArray from = pick();
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return move(from);
      case 5:
        return define(from, fmt::format("negate({})", from.name));
      case 6:
        return fused(from);
      case 7:
        return looped(from);
      case 8:
        return define(from, fmt::format("call({}), to_apply={}", from.name, back_and_forth(from)));
      default:
        return branch(from);
    }
  }

  // A copy, transpose or reshape to a random layout.
  std::string move(const MovedArray& from) {
    MovedArray to{.name = {}, .dims = from.dims, .layout = random_layout(from.dims.size())};
    switch (below(3)) {
      case 0:
        return define(to, fmt::format("copy({})", from.name));
      case 1: {
        Extents order(from.dims.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::shuffle(order, random_);
        for (std::size_t i = 0; i < order.size(); ++i)
          to.dims[i] = from.dims[static_cast<std::size_t>(order[i])];
        return define(to, fmt::format("transpose({}), dimensions={{{}}}", from.name, fmt::join(order, ",")));
      }
      default: {
        Index rest = std::accumulate(from.dims.begin(), from.dims.end(), Index{1}, std::multiplies<>());
        to.dims.clear();
        for (Index d = 2; d <= rest && to.dims.size() < 2; ++d) {
          if (rest % d != 0 || below(2) == 0) continue;
          to.dims.push_back(d);
          rest /= d;
        }
        to.dims.push_back(rest);
        to.layout = random_layout(to.dims.size());
        return define(to, fmt::format("reshape({})", from.name));
      }
    }
  }

  // The name of a computation from the type of `from` to the same type, with movements inside.
  std::string back_and_forth(const MovedArray& from) {
    const std::string name = fmt::format("copies{}", next_++);
    const std::string lines = copies(from, "parameter(0)", "ROOT ");
    callees_ += fmt::format("{} {{\n{}}}\n", name, lines);
    return name;
  }

  // Lines that copy an array, the last one to its own layout. Some layouts pass through another computation.
  std::string copies(const MovedArray& from, const std::string& first, const std::string& last) {
    MovedArray now{.name = "a0", .dims = from.dims, .layout = from.layout};
    std::string out = fmt::format("  a0 = {} {}\n", type_of(now), first);
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 1; i <= count; ++i) {
      const bool ends = i == count;
      std::string operation = fmt::format("copy({})", now.name);
      if (!ends && depth_ < 2 && below(4) == 0) {
        ++depth_;
        operation = fmt::format("call({}), to_apply={}", now.name, back_and_forth(now));
        --depth_;
      } else {
        now.layout = ends ? from.layout : random_layout(from.dims.size());
      }
      now.name = fmt::format("a{}", i);
      out += fmt::format("  {}{} = {} {}\n", ends ? last : "", now.name, type_of(now), operation);
    }
    copied_ = now.name;
    return out;
  }

  std::string fused(const MovedArray& from) {
    const std::string name = back_and_forth(from);
    return define(from, fmt::format("fusion({}), kind=kLoop, calls={}", from.name, name));
  }

  std::string looped(const MovedArray& from) {
    const std::size_t n = next_++;
    const std::string state = fmt::format("(s32[], {})", type_of(from));
    const std::string part = copies(from, "get-tuple-element(s), index=1", "");
    callees_ += fmt::format(R"(body{0} {{
  s = {1} parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
{2}  ROOT t = {1} tuple(j, {3})
}}
test{0} {{
  s = {1} parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant({4})
  ROOT c = pred[] compare(i, n), direction=LT
}}
)",
                            n, state, part, copied_, below(4));
    std::string out =
        fmt::format("  z{0} = s32[] constant(0)\n  state{0} = {1} tuple(z{0}, {2})\n", n, state, from.name);
    out += fmt::format("  w{0} = {1} while(state{0}), condition=test{0}, body=body{0}\n", n, state);
    return out + define(from, fmt::format("get-tuple-element(w{}), index=1", n));
  }

  std::string branch(const MovedArray& from) {
    const std::size_t n = next_++;
    const std::string on_true = back_and_forth(from);
    const std::string on_false = back_and_forth(from);
    return fmt::format("  b{} = pred[] constant(true)\n", n) +
           define(from,
                  fmt::format("conditional(b{0}, {1}, {1}), true_computation={2}, false_computation={3}", n,
                              from.name, on_true, on_false));
  }

  std::mt19937_64& random_;
  std::string dtype_;
  std::vector<MovedArray> values_;
  std::string callees_;
  std::string copied_;
  std::size_t next_ = 0;
  int depth_ = 0;  // of calls
};

}  // namespace

std::string movement_program(std::mt19937_64& random) { return MovementWriter(random).write(); }

}  // namespace tessera::laws
