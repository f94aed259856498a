// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/row_evaluator.h"

#include <bit>

#include "base/check.h"
#include "expr/apply.h"

namespace tessera {

RowEvaluator::RowEvaluator(std::span<const Expr> exprs, std::size_t variable_count) {
  for (const Expr e : exprs) outputs_.push_back(program_.add(e));
  for (const detail::Program::Step& step : program_.steps()) {
    const bool varies = step.is_binary() ? varies_[step.lhs] != 0 || varies_[step.rhs] != 0
                                         : step.kind == ExprKind::variable &&
                                               step.value + 1 == static_cast<Index>(variable_count);
    varies_.push_back(varies ? 1 : 0);
  }
  values_.resize(varies_.size() * kRowPoints);
  defined_.resize(varies_.size() * kRowPoints);
}

namespace {

struct Operand {
  const Index* values;
  const std::uint8_t* defined;
  std::size_t step;  // 0 if one value holds for the whole row
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
    const auto value = detail::apply(kind, a.values[i * a.step], b.values[i * b.step]);
    out[i] = value.value_or(0);
    defined[i] = static_cast<std::uint8_t>(value && a.defined[i * a.step] != 0 && b.defined[i * b.step] != 0);
  }
}

}  // namespace

void RowEvaluator::run(std::span<const Index> base, std::size_t size) {
  TESSERA_CHECK(size <= kRowPoints, "a row is too long");
  const auto steps = program_.steps();
  for (std::size_t number = 0; number < steps.size(); ++number) {
    const detail::Program::Step& step = steps[number];
    Index* const out = &values_[number * kRowPoints];
    std::uint8_t* const defined = &defined_[number * kRowPoints];
    const std::size_t lanes = varies_[number] != 0 ? size : 1;
    if (!step.is_binary()) {
      const bool constant = step.kind == ExprKind::constant;
      const auto variable = static_cast<std::size_t>(step.value);
      const bool known = constant || variable < base.size();
      const Index first = constant ? step.value : known ? base[variable] : 0;
      for (std::size_t i = 0; i < lanes; ++i) {
        out[i] = first + static_cast<Index>(i);
        defined[i] = static_cast<std::uint8_t>(known);
      }
      continue;
    }
    const auto operand = [&](std::uint32_t which) {
      return Operand{&values_[which * kRowPoints], &defined_[which * kRowPoints], varies_[which]};
    };
    const Operand a = operand(step.lhs);
    const Operand b = operand(step.rhs);
    switch (step.kind) {
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
  return defined_[number * kRowPoints + (varies_[number] != 0 ? i : 0)] != 0;
}

Index RowEvaluator::value(std::size_t expr, std::size_t i) const {
  const std::uint32_t number = outputs_[expr];
  return values_[number * kRowPoints + (varies_[number] != 0 ? i : 0)];
}

}  // namespace tessera
