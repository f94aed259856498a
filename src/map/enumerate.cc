// SPDX-License-Identifier: Apache-2.0
#include "map/enumerate.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/check.h"

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
  if (!started_) {
    started_ = true;
  } else {
    std::size_t i = box_.size();
    Index step = static_cast<Index>(size_);  // the last variable moves by a row, the others by one
    for (;; step = 1) {
      if (i == 0) return false;
      --i;
      if (box_[i].upper - base_[i] >= step) {
        base_[i] += step;
        break;
      }
      base_[i] = box_[i].lower;
    }
  }
  size_ = 1;
  if (!box_.empty()) {
    size_ = static_cast<std::size_t>(std::min<Index>(box_.back().upper - base_.back(), kMaxRow - 1) + 1);
  }
  return true;
}

std::vector<Index> BoxRows::point(std::size_t i) const {
  std::vector<Index> out = base_;
  if (!out.empty()) out.back() += static_cast<Index>(i);
  return out;
}

class InstructionTable {
 public:
  std::unordered_map<const void*, std::uint32_t> numbers;
};

RowEvaluator::RowEvaluator(std::span<const Expr> exprs, std::size_t variable_count) {
  InstructionTable table;
  for (const Expr e : exprs) outputs_.push_back(compile(e, variable_count, table));
  values_.resize(code_.size() * BoxRows::kMaxRow);
  defined_.resize(code_.size() * BoxRows::kMaxRow);
}

std::uint32_t RowEvaluator::compile(Expr e, std::size_t variable_count, InstructionTable& table) {
  if (const auto found = table.numbers.find(e.id()); found != table.numbers.end()) return found->second;
  Instruction instruction{.kind = e.kind()};
  if (e.is_binary()) {
    instruction.lhs = compile(e.lhs(), variable_count, table);
    instruction.rhs = compile(e.rhs(), variable_count, table);
    instruction.varies = code_[instruction.lhs].varies || code_[instruction.rhs].varies;
  } else {
    instruction.value = e.value();
    instruction.varies = e.is_variable() && e.value() + 1 == static_cast<Index>(variable_count);
  }
  const auto number = static_cast<std::uint32_t>(code_.size());
  code_.push_back(instruction);
  table.numbers.emplace(e.id(), number);
  return number;
}

namespace {

// One lane. `ok` is false if the operation has no value; `out` is then unspecified.
template <ExprKind kind>
bool apply(Index a, Index b, Index& out) {
  if constexpr (kind == ExprKind::add) return !add_overflows(a, b, out);
  if constexpr (kind == ExprKind::mul) return !mul_overflows(a, b, out);
  if constexpr (kind == ExprKind::min) {
    out = std::min(a, b);
    return true;
  }
  if constexpr (kind == ExprKind::max) {
    out = std::max(a, b);
    return true;
  }
  if (b == 0) return false;
  if constexpr (kind == ExprKind::mod) {
    if (b == kIndexMin) return false;
    out = mod(a, b);
    return true;
  }
  if (a == kIndexMin && b == -1) return false;
  out = kind == ExprKind::floor_div ? floor_div(a, b) : ceil_div(a, b);
  return true;
}

struct Operand {
  const Index* values;
  const std::uint8_t* defined;
  std::size_t step;  // 0 for one value for the whole row
};

template <ExprKind kind>
void apply_row(Operand a, Operand b, Index* out, std::uint8_t* defined, std::size_t size) {
  if constexpr (kind == ExprKind::floor_div || kind == ExprKind::mod) {
    const Index divisor = b.values[0];
    if (b.step == 0 && b.defined[0] != 0 && divisor > 0 &&
        std::has_single_bit(static_cast<std::uint64_t>(divisor))) {
      const int shift = std::countr_zero(static_cast<std::uint64_t>(divisor));
      for (std::size_t i = 0; i < size; ++i) {
        const Index x = a.values[i * a.step];
        out[i] = kind == ExprKind::mod ? (x & (divisor - 1)) : (x >> shift);
        defined[i] = a.defined[i * a.step];
      }
      return;
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    Index value = 0;
    const bool ok = apply<kind>(a.values[i * a.step], b.values[i * b.step], value);
    out[i] = value;
    defined[i] = static_cast<std::uint8_t>(ok && a.defined[i * a.step] != 0 && b.defined[i * b.step] != 0);
  }
}

}  // namespace

void RowEvaluator::run(std::span<const Index> base, std::size_t size) {
  TESSERA_CHECK(size <= BoxRows::kMaxRow, "a row is too long");
  for (std::size_t number = 0; number < code_.size(); ++number) {
    const Instruction& instruction = code_[number];
    Index* const out = &values_[number * BoxRows::kMaxRow];
    std::uint8_t* const defined = &defined_[number * BoxRows::kMaxRow];
    const std::size_t lanes = instruction.varies ? size : 1;
    if (instruction.kind == ExprKind::constant || instruction.kind == ExprKind::variable) {
      const bool constant = instruction.kind == ExprKind::constant;
      const auto variable = static_cast<std::size_t>(instruction.value);
      const bool known = constant || variable < base.size();
      const Index first = constant ? instruction.value : known ? base[variable] : 0;
      for (std::size_t i = 0; i < lanes; ++i) {
        out[i] = first + static_cast<Index>(i);
        defined[i] = static_cast<std::uint8_t>(known);
      }
      continue;
    }
    const auto operand = [&](std::uint32_t which) {
      return Operand{&values_[which * BoxRows::kMaxRow], &defined_[which * BoxRows::kMaxRow],
                     code_[which].varies ? 1u : 0u};
    };
    const Operand a = operand(instruction.lhs);
    const Operand b = operand(instruction.rhs);
    switch (instruction.kind) {
      case ExprKind::add:
        apply_row<ExprKind::add>(a, b, out, defined, lanes);
        break;
      case ExprKind::mul:
        apply_row<ExprKind::mul>(a, b, out, defined, lanes);
        break;
      case ExprKind::mod:
        apply_row<ExprKind::mod>(a, b, out, defined, lanes);
        break;
      case ExprKind::floor_div:
        apply_row<ExprKind::floor_div>(a, b, out, defined, lanes);
        break;
      case ExprKind::ceil_div:
        apply_row<ExprKind::ceil_div>(a, b, out, defined, lanes);
        break;
      case ExprKind::max:
        apply_row<ExprKind::max>(a, b, out, defined, lanes);
        break;
      default:
        apply_row<ExprKind::min>(a, b, out, defined, lanes);
        break;
    }
  }
}

bool RowEvaluator::defined(std::size_t expr, std::size_t i) const {
  const std::uint32_t number = outputs_[expr];
  return defined_[number * BoxRows::kMaxRow + (code_[number].varies ? i : 0)] != 0;
}

Index RowEvaluator::value(std::size_t expr, std::size_t i) const {
  const std::uint32_t number = outputs_[expr];
  return values_[number * BoxRows::kMaxRow + (code_[number].varies ? i : 0)];
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
  if (row_inside_) evaluator_.run(rows);
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
