// SPDX-License-Identifier: Apache-2.0
#include "laws/traffic_op.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace tessera::laws {
namespace {

std::vector<Index> unflattened(const std::vector<Index>& dims, Index number) {
  std::vector<Index> out(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    out[d] = number % dims[d];
    number /= dims[d];
  }
  return out;
}

Index flattened(const std::vector<Index>& dims, const std::vector<Index>& index) {
  Index out = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) out = out * dims[d] + index[d];
  return out;
}

class OpMaker {
 public:
  OpMaker(std::mt19937_64& random, const TrafficScope& scope, bool updates)
      : random_(random), scope_(scope), updates_(updates) {}

  TrafficOp make() {
    for (int tries = 0; tries < 100; ++tries) {
      if (auto op = attempt()) return *std::move(op);
    }
    return unary(scope_.arrays[0]);
  }

 private:
  std::size_t any() const {
    // Half of the time a recent one, so that programs are chains rather than lists.
    const Index last = std::ssize(scope_.arrays) - 1;
    const Index first = one_between(random_, 0, 1) == 0 ? 0 : std::max<Index>(last - 2, 0);
    return scope_.arrays[static_cast<std::size_t>(one_between(random_, first, last))];
  }
  const TrafficValue& value(std::size_t i) const { return scope_.values[i]; }

  template <class Source>
  static std::vector<std::vector<std::pair<std::size_t, Index>>> each(const std::vector<Index>& dims,
                                                                      const Source& source) {
    std::vector<std::vector<std::pair<std::size_t, Index>>> out;
    for (Index e = 0; e < volume_of(dims); ++e) out.push_back(source(unflattened(dims, e)));
    return out;
  }

  TrafficOp unary(std::size_t x) const {
    const auto& dims = value(x).dims;
    TrafficOp out{.line = fmt::format("negate({})", value(x).name), .dims = dims, .inputs = {x}, .needs = {}};
    for (Index e = 0; e < volume_of(dims); ++e) out.needs.push_back({{0, e}});
    return out;
  }

  std::optional<TrafficOp> attempt() {
    const std::size_t x = any();
    const TrafficValue& a = value(x);
    const std::size_t rank = a.dims.size();
    switch (one_between(random_, 0, 15)) {
      case 0:
        return unary(x);
      case 1:
      case 2: {
        std::size_t y = one_between(random_, 0, 2) == 0 ? x : any();
        if (value(y).dims != a.dims) y = x;
        TrafficOp out{.line = fmt::format("add({}, {})", a.name, value(y).name),
                      .dims = a.dims,
                      .inputs = {x, y},
                      .needs = {}};
        for (Index e = 0; e < volume_of(a.dims); ++e) out.needs.push_back({{0, e}, {1, e}});
        return out;
      }
      case 3: {
        std::vector<Index> from;
        std::vector<Index> step;
        std::vector<Index> dims;
        std::string text;
        for (std::size_t d = 0; d < rank; ++d) {
          from.push_back(one_between(random_, 0, a.dims[d] - 1));
          const Index limit = one_between(random_, from[d] + 1, a.dims[d]);
          step.push_back(one_between(random_, 1, 3));
          dims.push_back((limit - from[d] + step[d] - 1) / step[d]);
          text += fmt::format("{}[{}:{}:{}]", d > 0 ? ", " : "", from[d], limit, step[d]);
        }
        return TrafficOp{.line = fmt::format("slice({}), slice={{{}}}", a.name, text),
                         .dims = dims,
                         .inputs = {x},
                         .needs = each(dims, [&](std::vector<Index> i) {
                           for (std::size_t d = 0; d < rank; ++d) i[d] = from[d] + i[d] * step[d];
                           return std::vector{std::pair(std::size_t{0}, flattened(a.dims, i))};
                         })};
      }
      case 4: {
        const auto r = static_cast<std::size_t>(one_between(random_, 0, static_cast<Index>(rank) - 1));
        return TrafficOp{.line = fmt::format("reverse({}), dimensions={{{}}}", a.name, r),
                         .dims = a.dims,
                         .inputs = {x},
                         .needs = each(a.dims, [&](std::vector<Index> i) {
                           i[r] = a.dims[r] - 1 - i[r];
                           return std::vector{std::pair(std::size_t{0}, flattened(a.dims, i))};
                         })};
      }
      case 5: {
        if (rank != 2) return std::nullopt;
        const std::vector<Index> dims{a.dims[1], a.dims[0]};
        return TrafficOp{.line = fmt::format("transpose({}), dimensions={{1,0}}", a.name),
                         .dims = dims,
                         .inputs = {x},
                         .needs = each(dims, [&](const std::vector<Index>& i) {
                           return std::vector{std::pair(std::size_t{0}, flattened(a.dims, {i[1], i[0]}))};
                         })};
      }
      case 6: {
        if (rank != 1 || a.dims[0] > 6) return std::nullopt;
        const auto at = static_cast<std::size_t>(one_between(random_, 0, 1));
        std::vector<Index> dims(2, one_between(random_, 1, 4));
        dims[at] = a.dims[0];
        return TrafficOp{.line = fmt::format("broadcast({}), dimensions={{{}}}", a.name, at),
                         .dims = dims,
                         .inputs = {x},
                         .needs = each(dims, [&](const std::vector<Index>& i) {
                           return std::vector{std::pair(std::size_t{0}, i[at])};
                         })};
      }
      case 7:
      case 8: {
        if (rank != 2) return std::nullopt;
        const auto over = static_cast<std::size_t>(one_between(random_, 0, 1));
        const std::vector<Index> dims{a.dims[1 - over]};
        return TrafficOp{.line = fmt::format("reduce({}, {}), dimensions={{{}}}, to_apply=sum", a.name,
                                             value(scope_.zero).name, over),
                         .dims = dims,
                         .inputs = {x, scope_.zero},
                         .needs = each(dims, [&](const std::vector<Index>& i) {
                           std::vector<std::pair<std::size_t, Index>> out{{1, 0}};
                           for (Index k = 0; k < a.dims[over]; ++k) {
                             std::vector<Index> from(2, k);
                             from[1 - over] = i[0];
                             out.emplace_back(0, flattened(a.dims, from));
                           }
                           return out;
                         })};
      }
      case 9: {
        const std::size_t y = any();
        const TrafficValue& b = value(y);
        if (b.dims.size() != rank || (rank == 2 && b.dims[1] != a.dims[1])) return std::nullopt;
        std::vector<Index> dims = a.dims;
        dims[0] += b.dims[0];
        if (volume_of(dims) > 40) return std::nullopt;
        return TrafficOp{.line = fmt::format("concatenate({}, {}), dimensions={{0}}", a.name, b.name),
                         .dims = dims,
                         .inputs = {x, y},
                         .needs = each(dims, [&](std::vector<Index> i) {
                           const bool first = i[0] < a.dims[0];
                           if (!first) i[0] -= a.dims[0];
                           return std::vector{std::pair(std::size_t{first ? 0U : 1U},
                                                        flattened(first ? a.dims : b.dims, i))};
                         })};
      }
      case 10: {
        const Index all = volume_of(a.dims);
        std::vector<Index> dims{all};
        if (rank == 1) {
          const Index part = one_between(random_, 1, 4);
          if (all % part != 0) return std::nullopt;
          dims = {part, all / part};
        }
        TrafficOp out{.line = fmt::format("bitcast({})", a.name), .dims = dims, .inputs = {x}, .needs = {}};
        out.renames = true;
        for (Index e = 0; e < all; ++e) out.needs.push_back({{0, e}});
        return out;
      }
      case 11:
      case 12:
      case 13:
      case 14:
        return updates_ ? update(x, any()) : std::nullopt;
      default:
        return dynamic_slice(x);
    }
  }

  // Appends starts for each dimension; returns the clamped values.
  std::vector<Index> add_starts(TrafficOp& op, const std::vector<Index>& whole,
                                const std::vector<Index>& box) {
    std::vector<Index> out;
    for (std::size_t d = 0; d < whole.size(); ++d) {
      const auto& [place, held] =
          scope_.starts[static_cast<std::size_t>(one_between(random_, 0, std::ssize(scope_.starts) - 1))];
      op.line += ", " + value(place).name;
      op.inputs.push_back(place);
      out.push_back(std::clamp<Index>(held, 0, whole[d] - box[d]));
    }
    op.line += ")";
    op.at_runtime = true;
    return out;
  }

  std::optional<TrafficOp> update(std::size_t x, std::size_t u) {
    const TrafficValue& a = value(x);
    const TrafficValue& b = value(u);
    if (a.dims.size() != b.dims.size()) return std::nullopt;
    for (std::size_t d = 0; d < a.dims.size(); ++d)
      if (b.dims[d] > a.dims[d]) return std::nullopt;
    TrafficOp out{.line = fmt::format("dynamic-update-slice({}, {}", a.name, b.name),
                  .dims = a.dims,
                  .inputs = {x, u},
                  .needs = {}};
    const std::vector<Index> starts = add_starts(out, a.dims, b.dims);
    out.updated = static_cast<std::size_t>(volume_of(b.dims));
    out.needs = each(a.dims, [&](const std::vector<Index>& i) {
      std::vector<std::pair<std::size_t, Index>> needs;
      std::vector<Index> inside = i;
      bool in_box = true;
      for (std::size_t d = 0; d < i.size(); ++d) {
        inside[d] -= starts[d];
        in_box = in_box && inside[d] >= 0 && inside[d] < b.dims[d];
        needs.emplace_back(2 + d, 0);
      }
      needs.emplace_back(in_box ? 1 : 0, in_box ? flattened(b.dims, inside) : flattened(a.dims, i));
      return needs;
    });
    return out;
  }

  std::optional<TrafficOp> dynamic_slice(std::size_t x) {
    const TrafficValue& a = value(x);
    std::vector<Index> dims;
    for (const Index extent : a.dims) dims.push_back(one_between(random_, 1, extent));
    TrafficOp out{.line = fmt::format("dynamic-slice({}", a.name), .dims = dims, .inputs = {x}, .needs = {}};
    const std::vector<Index> starts = add_starts(out, a.dims, dims);
    out.line += fmt::format(", dynamic_slice_sizes={{{}}}", fmt::join(dims, ","));
    out.needs = each(dims, [&](std::vector<Index> i) {
      std::vector<std::pair<std::size_t, Index>> needs;
      for (std::size_t d = 0; d < i.size(); ++d) {
        i[d] += starts[d];
        needs.emplace_back(1 + d, 0);
      }
      needs.emplace_back(0, flattened(a.dims, i));
      return needs;
    });
    return out;
  }

  std::mt19937_64& random_;
  const TrafficScope& scope_;
  bool updates_;
};

}  // namespace

TrafficOp random_traffic_op(std::mt19937_64& random, const TrafficScope& scope, bool updates) {
  return OpMaker(random, scope, updates).make();
}

Index volume_of(const std::vector<Index>& dims) {
  return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
}

std::string f32_text(const std::vector<Index>& dims) {
  std::string layout;
  for (std::size_t d = dims.size(); d-- > 0;) layout += fmt::format("{}{}", d, d > 0 ? "," : "");
  return fmt::format("f32[{}]{{{}}}", fmt::join(dims, ","), layout);
}

Index one_between(std::mt19937_64& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

}  // namespace tessera::laws
