// SPDX-License-Identifier: Apache-2.0
#include "map/values/enumerate.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/cancellation.h"
#include "base/check.h"
#include "base/index_walk.h"

namespace tessera {

std::vector<Interval> box_of(const Domain& domain) {
  std::vector<Interval> box;
  box.reserve(domain.variable_count());
  for (const Variable& variable : domain.variables()) box.push_back(variable.bounds);
  return box;
}

std::optional<Index> point_count(std::span<const Interval> box) {
  Index product = 1;
  for (const Interval& interval : box) {
    const auto count = interval.count();
    if (!count || mul_overflows(product, *count, product)) return std::nullopt;
  }
  return product;
}

BoxRows::BoxRows(std::vector<Interval> box) : box_(std::move(box)) {
  for (const Interval& interval : box_) base_.push_back(interval.lower);
}

bool BoxRows::next() {
  const auto advance = [this](std::size_t i) {  // the last variable by a row, the others by one
    const Index step = i + 1 == box_.size() ? static_cast<Index>(size_) : 1;
    return detail::next_step(base_[i], box_[i].lower, box_[i].upper, step);
  };
  constexpr unsigned kRowsBetweenQuestions = 64;
  thread_local unsigned rows = 0;
  if (++rows % kRowsBetweenQuestions == 0 && detail::cancelled()) return false;
  if (started_ && !detail::advance_last(box_.size(), advance)) return false;
  started_ = true;
  size_ = 1;
  if (!box_.empty()) {
    size_ = static_cast<std::size_t>(std::min<Index>(box_.back().upper - base_.back(), kRowPoints - 1) + 1);
  }
  return true;
}

std::vector<Index> BoxRows::point(std::size_t i) const {
  std::vector<Index> out = base_;
  if (!out.empty()) out.back() += static_cast<Index>(i);
  return out;
}

namespace {

std::vector<Expr> constraints_then_results(const IndexMap& map) {
  std::vector<Expr> exprs;
  for (const Constraint& c : map.constraints()) exprs.push_back(c.expr);
  exprs.insert(exprs.end(), map.results().begin(), map.results().end());
  return exprs;
}

}  // namespace

MapEvaluator::MapEvaluator(const IndexMap& map)
    : map_(map),
      constraint_count_(map.constraints().size()),
      evaluator_(constraints_then_results(map), map.variables().size()) {}

void MapEvaluator::run(const BoxRows& rows) {
  const auto base = rows.base();
  row_inside_ = !map_.known_empty();
  last_ = {0, static_cast<Index>(rows.size()) - 1};
  for (std::size_t v = 0; v < base.size() && row_inside_; ++v) {
    const Interval bounds = map_.variables()[v].bounds;
    if (v + 1 < base.size()) {
      row_inside_ = bounds.contains(base[v]);
    } else {
      const Interval row{base[v], base[v] + static_cast<Index>(rows.size()) - 1};
      const auto common = intersect(bounds, row);
      row_inside_ = common.has_value();
      if (common) last_ = {common->lower - base[v], common->upper - base[v]};
    }
  }
  if (row_inside_) evaluator_.run(base, rows.size());
}

bool MapEvaluator::inside(std::size_t i) const {
  if (!row_inside_ || !last_.contains(static_cast<Index>(i))) return false;
  for (std::size_t c = 0; c < constraint_count_; ++c) {
    if (!evaluator_.defined(c, i) || !map_.constraints()[c].range.contains(evaluator_.value(c, i)))
      return false;
  }
  return true;
}

std::optional<std::vector<Index>> MapEvaluator::values(std::size_t i) const {
  std::vector<Index> out(map_.results().size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    if (!defined(r, i)) return std::nullopt;
    out[r] = value(r, i);
  }
  return out;
}

}  // namespace tessera
