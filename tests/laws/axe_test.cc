// SPDX-License-Identifier: Apache-2.0
// Compares Axe layouts with an evaluator of its own, which knows the definition and nothing else: numbers of
// random layouts, their text, and nested loops. TESSERA_AXE_CASES=100000 runs more.
#include "tessera/notation/axe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "laws/axe_text.h"
#include "tessera/reshard/placement_views.h"

namespace tessera::laws::axe {
namespace {

using Numbers = std::vector<std::int64_t>;
using Where = std::map<std::string, std::int64_t>;  // the value of each axis that is not 0
using Wheres = std::set<Where>;

struct Iter {
  std::int64_t extent;
  std::int64_t stride;
  std::string axis;
};

// A layout as numbers. Places are those of the definition.
struct Model {
  Numbers shape;
  std::vector<Iter> s;
  std::vector<Iter> r;
  std::map<std::string, std::int64_t> offset;

  std::int64_t size() const {
    std::int64_t n = 1;
    for (const auto e : shape) n *= e;
    return n;
  }
  Wheres at(std::int64_t flat) const {
    Where base(offset.begin(), offset.end());
    for (auto i = s.rbegin(); i != s.rend(); ++i) {
      base[i->axis] += flat % i->extent * i->stride;
      flat /= i->extent;
    }
    Wheres all = {base};
    for (const Iter& i : r) {
      Wheres more;
      for (const Where& w : all) {
        for (std::int64_t k = 0; k < i.extent; ++k) {
          Where v = w;
          v[i.axis] += k * i.stride;
          more.insert(v);
        }
      }
      all = more;
    }
    Wheres out;
    for (Where w : all) {
      std::erase_if(w, [](const auto& value) { return value.second == 0; });
      out.insert(w);
    }
    return out;
  }
  std::set<std::string> axes() const {
    std::set<std::string> out;
    for (const auto* list : {&s, &r})
      for (const Iter& i : *list) out.insert(i.axis);
    for (const auto& [axis, value] : offset) out.insert(axis);
    return out;
  }
  std::string text() const {
    const auto list = [](const std::vector<Iter>& all) {
      return iterators_text(all, [](const Iter& i) { return i.axis; });
    };
    std::string out = fmt::format("({}):S{}", fmt::join(shape, ","), list(s));
    if (!r.empty()) out += " + R" + list(r);
    for (const auto& [axis, value] : offset) out += fmt::format(" + {}@{}", value, axis);
    return out;
  }
};

// The places of a layout, as the model has them.
class Found {
 public:
  explicit Found(const AxeLayout& layout) : text_(to_string(layout)) {
    auto made = placement(layout);
    EXPECT_TRUE(made) << text_;
    if (made) placed_ = *std::move(made);
  }
  const std::string& text() const { return text_; }
  Wheres at(std::int64_t flat) const {
    Wheres out;
    if (!placed_) return out;
    Numbers index(placed_->rank());
    for (std::size_t d = index.size(); d-- > 0; flat /= placed_->shape()[d])
      index[d] = flat % placed_->shape()[d];
    const auto found = places(*placed_, index);
    EXPECT_TRUE(found) << text_;
    if (!found) return out;
    for (const Place& place : *found) {
      Where w;
      for (std::size_t a = 0; a < place.size(); ++a)
        if (place[a] != 0) w[placed_->axes()[a].name] = place[a];
      out.insert(w);
    }
    return out;
  }

 private:
  std::string text_;
  std::optional<tessera::Placement> placed_;
};

class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }

  // Small enough for the ends of lanes and warps: every value is below 4 on wid_in_wg, 32 on laneid.
  Model model(std::int64_t rank_most = 3) {
    static const std::vector<std::vector<std::string>> kSets = {
        {"m"},           {"m", "laneid"},   {"m", "laneid", "warpid"},           {"m", "tx"},
        {"m", "p", "q"}, {"TLane", "TCol"}, {"m", "laneid", "wid_in_wg", "wgid"}};
    const auto& axes = kSets[static_cast<std::size_t>(below(std::ssize(kSets)))];
    Model out;
    std::map<std::string, std::int64_t> room;
    for (const auto& axis : axes) room[axis] = axis == "laneid" ? 31 : axis == "wid_in_wg" ? 3 : 60;
    const auto add = [&](std::vector<Iter>& list, std::int64_t extent) {
      const std::string axis = axes[static_cast<std::size_t>(below(std::ssize(axes)))];
      std::int64_t stride = below(3) == 0 ? below(4) : std::int64_t{1} << below(5);
      if ((extent - 1) * stride > room[axis]) stride = extent > room[axis] + 1 ? 0 : 1;
      room[axis] -= (extent - 1) * stride;
      if (axis == "m" && below(8) == 0) stride = -stride;
      list.push_back({extent, stride, axis});
    };
    std::int64_t size = 1;
    const std::int64_t count = 1 + below(4);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t extent = 1 + below(k == 0 ? 6 : 4);
      size *= extent;
      add(out.s, extent);
    }
    for (std::int64_t k = below(3); k > 0; --k) add(out.r, 1 + below(3));
    for (const auto& axis : axes)
      if (below(4) == 0)
        out.offset[axis] = below(std::max<std::int64_t>(1, std::min<std::int64_t>(room[axis], 4)));
    // A shape: the extents, or another factorization of the size.
    if (below(2) == 0) {
      for (const Iter& i : out.s) out.shape.push_back(i.extent);
      return out;
    }
    for (std::int64_t d = 1 + below(rank_most); d > 1; --d) {
      std::int64_t extent = 1 + below(size);
      while (size % extent != 0) --extent;
      out.shape.push_back(extent);
      size /= extent;
    }
    out.shape.push_back(size);
    return out;
  }

 private:
  std::mt19937_64 random_;
};

AxeLayout read(const Model& model) {
  auto layout = parse_axe(model.text());
  EXPECT_TRUE(layout) << model.text() << ": " << (layout ? "" : layout.error().message);
  return *layout;
}

// The factor of a thread axis and where it goes.
std::pair<std::string, std::int64_t> fuse(const std::string& axis, const std::set<std::string>& all) {
  if (all.contains("wgid")) {
    if (axis == "laneid") return {"tx", 1};
    if (axis == "wid_in_wg") return {"tx", 32};
    if (axis == "wgid") return {"tx", 128};
  }
  if (all.contains("warpid")) {
    if (axis == "laneid") return {"tx", 1};
    if (axis == "warpid") return {"tx", 32};
  }
  if (all.contains("wid_in_wg") && all.contains("laneid")) {
    if (axis == "laneid") return {"tid_in_wg", 1};
    if (axis == "wid_in_wg") return {"tid_in_wg", 32};
  }
  return {axis, 1};
}

Model fused_model(Model model) {
  const std::set<std::string> all = model.axes();
  // Only layouts that name both are fused as the table above says.
  const auto known = [&](const std::string& axis) {
    if (all.contains("laneid")) return fuse(axis, all);
    if (all.contains("wid_in_wg") && all.contains("wgid")) {
      if (axis == "wid_in_wg") return std::pair<std::string, std::int64_t>{"warpid", 1};
      if (axis == "wgid") return std::pair<std::string, std::int64_t>{"warpid", 4};
    }
    return std::pair<std::string, std::int64_t>{axis, 1};
  };
  for (auto* list : {&model.s, &model.r}) {
    for (Iter& i : *list) {
      const auto [axis, factor] = known(i.axis);
      i = {i.extent, i.stride * factor, axis};
    }
  }
  std::map<std::string, std::int64_t> offset;
  for (const auto& [axis, value] : model.offset) {
    const auto [to, factor] = known(axis);
    offset[to] += value * factor;
  }
  model.offset = offset;
  return model;
}

// Chains that skip a unit are refused, so the model has none of them.
bool is_chain(const Model& model) {
  const std::set<std::string> all = model.axes();
  return !all.contains("laneid") || !all.contains("wgid") || all.contains("wid_in_wg");
}

Model chained(Source& source) {
  while (true) {
    Model model = source.model();
    if (is_chain(model)) return model;
  }
}

std::set<std::string> places_named(const Model& model) {
  std::set<std::string> out = model.axes();
  for (const char* const memory : {"m", "TLane", "TCol"}) out.erase(memory);
  return out;
}

void check_places(const Model& model) {
  const AxeLayout layout = read(model);
  const auto again = parse_axe(to_string(layout));
  ASSERT_TRUE(again) << to_string(layout);
  ASSERT_EQ(to_string(*again), to_string(layout));
  const AxeLayout normal = canonical(layout);
  ASSERT_EQ(canonical(normal), normal) << to_string(normal);
  const auto one = fused(layout);
  ASSERT_TRUE(one);
  const Model fused_one = fused_model(model);
  const Found of_layout(layout);
  const Found of_normal(normal);
  const Found of_fused(*one);
  for (std::int64_t x = 0; x < model.size(); ++x) {
    const Wheres expect = model.at(x);
    ASSERT_EQ(of_layout.at(x), expect) << x;
    ASSERT_EQ(of_normal.at(x), expect) << of_normal.text();
    ASSERT_EQ(of_fused.at(x), fused_one.at(x)) << of_fused.text();
  }
}

void check_equal(const Model& a, const Model& b) {
  const auto answer = equal(read(a), read(b));
  ASSERT_TRUE(answer);
  const Model of_a = fused_model(a);
  const Model of_b = fused_model(b);
  if (a.shape != b.shape) {
    ASSERT_EQ(answer->reason, "shape");
    return;
  }
  if (places_named(of_a) != places_named(of_b)) {
    ASSERT_EQ(answer->reason, "axes");
    return;
  }
  std::optional<std::int64_t> first;
  for (std::int64_t x = 0; x < a.size() && !first; ++x) {
    if (of_a.at(x) != of_b.at(x)) first = x;
  }
  ASSERT_EQ(answer->verdict, first ? Verdict::no : Verdict::yes);
  if (!first) return;
  std::int64_t at = 0;
  for (std::size_t d = 0; d < a.shape.size(); ++d) at = at * a.shape[d] + answer->at[d];
  ASSERT_EQ(at, *first);
}

void check_slice(Source& source, const Model& model) {
  std::vector<AxeRange> region;
  Numbers extents;
  for (const auto extent : model.shape) {
    const std::int64_t begin = source.below(extent);
    region.emplace_back(begin, begin + 1 + source.below(extent - begin));
    extents.push_back(region.back().second - begin);
  }
  const auto got = slice(read(model), region);
  std::vector<Wheres> values;  // in row-major order
  Numbers y(extents.size(), 0);
  while (true) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < y.size(); ++d) flat = flat * model.shape[d] + region[d].first + y[d];
    values.push_back(model.at(flat));
    std::size_t d = y.size();
    while (d > 0 && ++y[d - 1] == extents[d - 1]) y[--d] = 0;
    if (d == 0) break;
  }
  if (got) {
    ASSERT_EQ(got->shape, extents);
    const Found of_slice(*got);
    for (std::size_t x = 0; x < values.size(); ++x)
      ASSERT_EQ(of_slice.at(static_cast<std::int64_t>(x)), values[x]) << of_slice.text();
    return;
  }
  // A refusal is right only if no chain of digits, each on one axis, has these values. A slice of one element
  // always has one.
  ASSERT_EQ(got.error().code, Code::not_representable);
  ASSERT_GT(values.size(), 1u);
  Model bare = model;  // values without replicas, to look for a chain by trying all factorizations
  bare.r.clear();
  std::vector<Where> base;
  Numbers z(extents.size(), 0);
  while (true) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < z.size(); ++d) flat = flat * model.shape[d] + region[d].first + z[d];
    base.push_back(*bare.at(flat).begin());
    std::size_t d = z.size();
    while (d > 0 && ++z[d - 1] == extents[d - 1]) z[--d] = 0;
    if (d == 0) break;
  }
  const auto minus = [](Where a, const Where& b) {
    for (const auto& [axis, value] : b) a[axis] -= value;
    std::erase_if(a, [](const auto& value) { return value.second == 0; });
    return a;
  };
  // Whether base[k * weight], k < count, is a chain: some divisor e of count is its lowest digit.
  const std::function<bool(std::size_t)> is_chain_from = [&](std::size_t weight) {
    if (weight == base.size()) return true;
    for (std::size_t e = 2; e <= base.size() / weight; ++e) {
      if (base.size() / weight % e != 0) continue;
      const Where step = minus(base[weight], base[0]);
      bool works = step.size() <= 1;
      for (std::size_t k = 0; k < base.size() && works; k += weight) {
        const std::size_t digit = k / weight % e;
        Where expect = base[k - digit * weight];
        for (std::size_t j = 0; j < digit; ++j)
          for (const auto& [axis, value] : step) expect[axis] += value;
        std::erase_if(expect, [](const auto& value) { return value.second == 0; });
        works = expect == base[k];
      }
      if (works && is_chain_from(weight * e)) return true;
    }
    return false;
  };
  ASSERT_FALSE(is_chain_from(1)) << got.error().message;
}

// The smallest and the largest value of an axis, over the digits alone, as TIRx counts a span.
std::int64_t span_of(const Model& model, const std::string& axis) {
  std::int64_t out = 1;
  for (const auto* list : {&model.s, &model.r})
    for (const Iter& i : *list) out += i.axis == axis ? (i.extent - 1) * i.stride : 0;
  const auto found = model.offset.find(axis);
  return out + (found == model.offset.end() ? 0 : found->second);
}

void check_pair(const Model& a, const Model& b, bool tiled) {
  if (a.shape.size() != b.shape.size()) return;
  for (const auto* model : {&a, &b})
    for (const auto* list : {&model->s, &model->r})
      for (const Iter& i : *list)
        if (i.stride < 0) return;
  const auto got = tiled ? tile(read(a), read(b)) : direct_sum(read(a), read(b));
  if (!got) {
    ASSERT_TRUE(got.error().reason == "entangled" || got.error().reason == "scope") << got.error().message;
    return;
  }
  std::set<std::string> counted;  // the axes of the digits of b
  for (const Iter& i : b.s)
    if (i.extent > 1) counted.insert(i.axis);
  if (counted.empty()) counted.insert(b.s.front().axis);
  Model scaled = a;
  for (Iter& i : scaled.s)
    if (tiled && counted.contains(i.axis)) i.stride *= span_of(b, i.axis);
  const Found of_pair(*got);
  std::vector<Wheres> of_inner;
  for (std::int64_t y = 0; y < b.size(); ++y) of_inner.push_back(b.at(y));
  std::int64_t number = 0;
  Numbers extents;
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    extents.push_back(a.shape[d]);
    extents.push_back(b.shape[d]);
  }
  Numbers at(extents.size(), 0);
  while (true) {
    std::int64_t x = 0;
    std::int64_t y = 0;
    for (std::size_t d = 0; d < a.shape.size(); ++d) {
      x = x * a.shape[d] + at[2 * d];
      y = y * b.shape[d] + at[2 * d + 1];
    }
    Wheres sums;
    for (const Where& one : scaled.at(x)) {
      for (const Where& other : of_inner[static_cast<std::size_t>(y)]) {
        Where sum = one;
        for (const auto& [axis, value] : other) sum[axis] += value;
        std::erase_if(sum, [](const auto& value) { return value.second == 0; });
        sums.insert(sum);
      }
    }
    ASSERT_EQ(of_pair.at(number), sums) << of_pair.text();
    ++number;
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == extents[d - 1]) at[--d] = 0;
    if (d == 0) break;
  }
}

void check_thread_value(const Model& model) {
  const auto got = thread_value(read(model));
  const Model one = fused_model(model);
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> held;
  std::int64_t threads = 1;
  std::int64_t values = 1;
  std::string thread;
  for (const std::string& axis : one.axes()) {
    if (axis != "m") {
      if (!thread.empty() || axis.starts_with("T")) {
        ASSERT_FALSE(got);
        ASSERT_EQ(got.error().reason, "axes");
        return;
      }
      thread = axis;
    }
  }
  bool offset = false;
  for (const auto& [axis, value] : one.offset) offset = offset || value != 0;
  if (offset) {
    ASSERT_FALSE(got);
    ASSERT_EQ(got.error().reason, "offset");
    return;
  }
  for (std::int64_t x = 0; x < one.size(); ++x) {
    // The 1-D index with the first dimension fastest.
    std::int64_t rest = x;
    Numbers index(one.shape.size());
    for (std::size_t d = index.size(); d-- > 0; rest /= one.shape[d]) index[d] = rest % one.shape[d];
    std::int64_t number = 0;
    for (std::size_t d = index.size(); d-- > 0;) number = number * one.shape[d] + index[d];
    for (const Where& w : one.at(x)) {
      const auto value = [&](const std::string& axis) { return w.contains(axis) ? w.at(axis) : 0; };
      held[{value(thread), value("m")}].insert(number);
      threads = std::max(threads, value(thread) + 1);
      values = std::max(values, value("m") + 1);
    }
  }
  bool negative = false;
  for (const auto* list : {&one.s, &one.r})
    for (const Iter& i : *list) negative = negative || (i.extent > 1 && i.stride < 0);
  bool twice = false;
  for (const auto& [place, elements] : held) twice = twice || elements.size() > 1;
  const std::string reason = negative ? "negative_stride"
                             : twice  ? "broadcast"
                             : std::ssize(held) != static_cast<std::ptrdiff_t>(threads * values) ? "padding"
                                                                                                 : "";
  if (!reason.empty()) {
    ASSERT_FALSE(got);
    ASSERT_EQ(got.error().reason, reason);
    return;
  }
  if (!got) {
    ASSERT_TRUE(got.error().reason == "entangled" || got.error().reason == "irregular")
        << got.error().message;
    return;
  }
  ASSERT_EQ(got->size(), threads * values);
  for (std::int64_t t = 0; t < threads; ++t)
    for (std::int64_t v = 0; v < values; ++v) ASSERT_EQ((*got)(t + threads * v), *held.at({t, v}).begin());
}

void check_mesh(const Model& model) {
  const AxeLayout layout = read(model);
  const auto got = distribution_of(layout);
  if (!got) {
    ASSERT_EQ(got.error().code, Code::not_representable) << got.error().message;
    return;
  }
  const auto bound = bind_distribution(*got, layout.shape);
  ASSERT_TRUE(bound) << to_string(*got) << ": " << bound.error().message;
  const auto back = placement(*bound);
  ASSERT_TRUE(back) << to_string(*got);
  const Model one = fused_model(model);
  // Place axes as one number, in the order in which the layout prints them.
  const AxeLayout joined = *fused(layout);
  const tessera::Placement placed = *placement(joined);
  std::vector<std::string> order;
  for (const PlacementAxis& axis : placed.axes())
    if (axis.role == AxisRole::place) order.push_back(axis.name);
  std::map<std::string, std::int64_t> length;
  for (std::int64_t x = 0; x < one.size(); ++x)
    for (const Where& w : one.at(x))
      for (const auto& [axis, value] : w) length[axis] = std::max(length[axis], value + 1);
  for (std::int64_t x = 0; x < one.size(); ++x) {
    std::set<std::pair<std::int64_t, std::int64_t>> expect;
    for (Where w : one.at(x)) {
      std::int64_t number = 0;
      for (const std::string& axis : order)
        number = number * std::max<std::int64_t>(1, length[axis]) + w[axis];
      std::int64_t memory = w["m"];
      for (const char* const other : {"TLane", "TCol"}) memory += w[other];
      expect.insert({number, memory});
    }
    Numbers index(layout.shape.size());
    std::int64_t rest = x;
    for (std::size_t d = index.size(); d-- > 0; rest /= layout.shape[d]) index[d] = rest % layout.shape[d];
    std::set<std::pair<std::int64_t, std::int64_t>> held;
    const auto all = holders(*bound, index);
    for (const ShardHolder& holder : *all) held.insert({holder.place, holder.offset});
    ASSERT_EQ(held, expect) << to_string(*got) << " at " << x;
    // And back: the placement of the distribution gives the same holders.
    std::set<std::pair<std::int64_t, std::int64_t>> by_place;
    const auto back_places = places(*back, index);
    for (const Place& place : *back_places)
      by_place.insert({place_of(*bound, std::span(place).first(place.size() - 1)), place.back()});
    ASSERT_EQ(by_place, expect) << to_string(*got) << " at " << x;
  }
}

TEST(Axe, AgreesWithItsDefinition) {
  const char* const count_text = std::getenv("TESSERA_AXE_CASES");
  const char* const seed_text = std::getenv("TESSERA_SEED");
  const std::uint64_t seed = seed_text == nullptr ? 20261129 : std::strtoull(seed_text, nullptr, 10);
  const long count = count_text == nullptr ? 600 : std::strtol(count_text, nullptr, 10);
  SCOPED_TRACE(fmt::format("TESSERA_SEED={} TESSERA_AXE_CASES={}", seed, count));
  Source source(seed);
  for (long n = 0; n < count; ++n) {
    const Model a = chained(source);
    Model b = chained(source);
    if (n % 3 == 0) {  // nearly the same
      b = a;
      if (source.below(2) == 0 && !b.r.empty()) std::swap(b.r.front(), b.r.back());
      if (source.below(2) == 0) b.s[static_cast<std::size_t>(source.below(std::ssize(b.s)))].stride ^= 1;
      if (!parse_axe(b.text())) b = a;
    }
    SCOPED_TRACE(fmt::format("case {}: {} and {}", n, a.text(), b.text()));
    check_places(a);
    check_equal(a, b);
    check_slice(source, a);
    check_pair(a, b, true);
    check_pair(a, b, false);
    check_thread_value(a);
    check_mesh(a);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tessera::laws::axe
