// SPDX-License-Identifier: Apache-2.0
#include "access/split_offsets.h"

#include <cstdlib>
#include <utility>

#include "access/limits.h"
#include "base/index_walk.h"

namespace tessera::detail {
namespace {

// The terms of a part as the mixed radix of its one variable, lowest digit first, in elements. Empty if the
// part has more variables, or if its terms overlap.
std::optional<std::vector<GridDigit>> mixed_radix(const StartPart& part, Index extent) {
  if (part.variables.size() != 1 || !part.constraints.empty()) return std::nullopt;
  std::vector<const DigitTerm*> terms;
  for (const DigitTerm& term : part.terms) {
    if (term.opaque || term.at_least_zero || !term.base.is_variable()) return std::nullopt;
    terms.push_back(&term);
  }
  std::ranges::sort(terms, {}, &DigitTerm::divisor);
  std::vector<GridDigit> out;
  Index below = 1;  // numbers that the digits so far tell apart; 0: all
  for (const DigitTerm* const term : terms) {
    if (below == 0 || term->divisor % below != 0) return std::nullopt;
    if (term->divisor > below) out.push_back({term->divisor / below, 0});
    const Index digit = term->modulus != 0 ? term->modulus : ceil_div(extent, term->divisor);
    out.push_back({std::max<Index>(digit, 1), term->coefficient});
    if (term->modulus == 0) {
      below = 0;
    } else if (mul_overflows(term->divisor, term->modulus, below)) {
      return std::nullopt;
    }
  }
  if (below != 0 && below < extent) out.push_back({ceil_div(extent, below), 0});
  return out;
}

}  // namespace

bool mentions(Expr e, Index variable) {
  const std::vector<Index> all = variables(e);
  return std::ranges::binary_search(all, variable);
}

std::optional<SplitOffsets> SplitOffsets::make(const IndexMap& map, Index most_points) {
  SplitOffsets out(most_points);
  for (const Variable& v : map.variables()) out.box_.push_back(v.bounds);
  const auto sum = view(map.results()[0], out.box_);
  if (!sum || !sum->has_values) return std::nullopt;
  out.constant_ = sum->constant;
  for (const DigitTerm& term : sum->terms) {
    if (term.variables == std::vector<Index>{kLaneVariable}) {
      out.lane_ = out.lane_ + term.digit() * term.coefficient;
    } else if (term.mentions(kLaneVariable)) {
      return std::nullopt;
    } else {
      out.add({.variables = term.variables, .terms = {term}});
    }
  }
  for (const Constraint& c : map.constraints()) {
    const std::vector<Index> used = variables(c.expr);
    if (used == std::vector<Index>{kLaneVariable}) {
      out.lane_constraints_.push_back(c);
    } else if (mentions(c.expr, kLaneVariable)) {
      return std::nullopt;
    } else {
      out.add({.variables = used, .constraints = {c}});
    }
  }
  for (std::size_t v = kWarpVariable; v < out.box_.size(); ++v)
    out.add({.variables = {static_cast<Index>(v)}});
  return out;
}

std::optional<LanePattern> SplitOffsets::lanes(Index element_bytes, std::uint64_t active,
                                               Index vector) const {
  LanePattern out{.bytes = {}, .active = 0, .width = static_cast<int>(element_bytes * vector)};
  for (Index lane = 0; lane <= box_[kLaneVariable].upper; ++lane) {
    const Index values[] = {lane};
    const auto offset = evaluate(lane_, values);
    Index bytes = 0;
    if (!offset || mul_overflows(*offset, element_bytes, bytes) || std::abs(bytes) > kAccessLimits.offset)
      return std::nullopt;
    out.bytes.push_back(bytes);
    const bool on =
        lane >= box_[kLaneVariable].lower && std::ranges::all_of(lane_constraints_, [&](const auto& c) {
          const auto value = evaluate(c.expr, values);
          return value && c.range.contains(*value);
        });
    if (on) out.active |= active & std::uint64_t{1} << lane;
  }
  return out;
}

std::optional<StartCounts> SplitOffsets::starts(Index modulus, Index element_bytes, Index end) const {
  StartCounts out = StartCounts::one(modulus);
  for (const StartPart& part : parts_) {
    const auto own = starts_of(part, modulus, element_bytes, end);
    if (!own) return std::nullopt;
    out.combine(*own);
  }
  StartCounts moved(modulus);
  moved.add(out, mod(constant_, modulus) * element_bytes);
  return moved;
}

// Merges the new part with all that share its variables.
void SplitOffsets::add(StartPart part) {
  std::vector<StartPart> others;
  for (StartPart& own : parts_) {
    if (own.shares(part.variables)) {
      part.take(std::move(own));
    } else {
      others.push_back(std::move(own));
    }
  }
  others.push_back(std::move(part));
  parts_ = std::move(others);
}

Interval SplitOffsets::bounds(Index variable, Index end) const {
  Interval out = box_[static_cast<std::size_t>(variable)];
  if (variable == kWarpVariable) out.upper = std::min(out.upper, end - 1);
  return out;
}

std::optional<StartCounts> SplitOffsets::starts_of(const StartPart& part, Index modulus, Index element_bytes,
                                                   Index end) const {
  if (part.variables.empty()) return std::nullopt;
  const Interval own = bounds(part.variables[0], end);
  if (own.upper < own.lower) return StartCounts(modulus);
  if (auto digits = mixed_radix(part, own.upper + 1)) {
    for (GridDigit& digit : *digits) digit.step = mod(digit.step, modulus) * element_bytes;
    StartCounts out = StartCounts::first(*digits, own.upper + 1, modulus);
    if (own.lower > 0) out.remove(StartCounts::first(*digits, own.lower, modulus));
    return out;
  }
  return enumerated(part, modulus, element_bytes, end);
}

std::optional<StartCounts> SplitOffsets::enumerated(const StartPart& part, Index modulus, Index element_bytes,
                                                    Index end) const {
  Index points = 1;
  std::vector<Index> values(box_.size(), 0);
  for (const Index v : part.variables) {
    const Interval own = bounds(v, end);
    if (own.upper < own.lower) return StartCounts(modulus);
    if (mul_overflows(points, own.upper - own.lower + 1, points) || points > most_points_)
      return std::nullopt;
    values[static_cast<std::size_t>(v)] = own.lower;
  }
  Expr sum;
  for (const DigitTerm& term : part.terms) sum = sum + term.digit() * term.coefficient;
  StartCounts out(modulus);
  for (Index k = 0; k < points; ++k) {
    const bool inside = std::ranges::all_of(part.constraints, [&](const Constraint& c) {
      const auto value = evaluate(c.expr, values);
      return value && c.range.contains(*value);
    });
    if (inside) {
      const auto offset = evaluate(sum, values);
      if (!offset) return std::nullopt;
      out.add(mod(*offset, modulus) * element_bytes);
    }
    advance_first(part.variables.size(), [&](std::size_t i) {
      const Index v = part.variables[i];
      const Interval own = bounds(v, end);
      return next_value(values[static_cast<std::size_t>(v)], own.lower, own.upper + 1);
    });
  }
  return out;
}

}  // namespace tessera::detail
