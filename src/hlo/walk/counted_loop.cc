// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/counted_loop.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "hlo/module/as_size.h"
#include "hlo/ops/element_value.h"
#include "tessera/map/simplify.h"

namespace tessera::detail {
namespace {

/// The limit on iterations, so that arithmetic on them cannot overflow.
constexpr Index kMaxTrips = Index{1} << 40;

/// Variable 0 is a counter's value, or the number of an iteration.
const Domain& one_variable() {
  static const Domain kDomain({{.bounds = {}}}, {}, {});
  return kDomain;
}

/// `first + step * variable 0`, if the expression has that form.
std::optional<LoopCounter> progression(Expr e) {
  const auto at = [&](Index value) { return evaluate(e, std::array{value}); };
  const auto first = at(0);
  const auto second = at(1);
  Index step = 0;
  if (!first || !second || sub_overflows(*second, *first, step)) return std::nullopt;
  const Expr rest = simplify(e - (Expr::variable(0) * step + *first), one_variable());
  if (!rest.is_constant(0)) return std::nullopt;
  return LoopCounter{*first, step};
}

bool fits(LoopCounter p, Index last, DType type) {
  const auto values = values_of(type);
  Index end = 0;
  return values && values->contains(p.first) && !mul_overflows(p.step, last, end) &&
         !add_overflows(end, p.first, end) && values->contains(end);
}

/// The smallest t >= 0 for which `first + step * t DIRECTION 0` does not hold.
std::optional<Index> first_failure(LoopCounter difference, std::string_view direction) {
  const auto [first, step] = difference;
  const auto steps_to = [&](Index distance, Index stride) { return (distance + stride - 1) / stride; };
  if (direction == "GT") return first_failure({-first, -step}, "LT");
  if (direction == "GE") return first_failure({-first, -step}, "LE");
  if (direction == "LE") return first_failure({first - 1, step}, "LT");
  if (direction == "LT") {
    if (first >= 0) return 0;
    return step > 0 ? std::optional(steps_to(-first, step)) : std::nullopt;
  }
  if (direction == "EQ") {
    if (first != 0) return 0;
    return step != 0 ? std::optional<Index>(1) : std::nullopt;
  }
  if (direction == "NE") {
    if (first == 0) return 0;
    if (step == 0 || first % step != 0 || first / step > 0) return std::nullopt;
    return -(first / step);
  }
  return std::nullopt;
}

/// An element of a loop's state, at the top level of the tuple.
Operand element_of(Instruction* tuple, std::size_t element) {
  return {tuple, static_cast<std::int32_t>(element), {}};
}

/// The top-level element of the loop's state that is a parameter's value.
std::optional<std::size_t> state_element(const Operand& parameter) {
  if (parameter.tuple_index < 0 || parameter.inner != nullptr || parameter.instruction->parameter_number != 0)
    return std::nullopt;
  return as_size(parameter.tuple_index);
}

std::optional<LoopCounter> counter(const Instruction& loop, const Computation& body, std::size_t element) {
  const ElementOptions adding{.known = [&](const Operand& parameter) -> std::optional<Expr> {
                                if (state_element(parameter) != element) return std::nullopt;
                                return Expr::variable(0);
                              },
                              .modular = true};
  const auto next = ElementTrace(one_variable(), adding).value({element_of(body.root, element)});
  if (!next) return std::nullopt;
  const auto change = progression(*next);
  if (!change || change->step != 1) return std::nullopt;
  const Domain nothing;
  const ElementOptions outside;
  const auto first =
      ElementTrace(nothing, outside).value({element_of(loop.operands[0].instruction, element)});
  if (!first || !first->is_constant()) return std::nullopt;
  return LoopCounter{first->value(), change->first};
}

/// How many times the condition holds if the state's counters follow their progressions.
std::optional<Index> trips_of(const Computation& condition,
                              const std::vector<std::optional<LoopCounter>>& by_element,
                              std::span<const HloType> types) {
  std::vector<std::size_t> used;
  const ElementOptions counting{.known = [&](const Operand& parameter) -> std::optional<Expr> {
                                  const auto element = state_element(parameter);
                                  if (!element || *element >= by_element.size() || !by_element[*element])
                                    return std::nullopt;
                                  used.push_back(*element);
                                  const auto [first, step] = *by_element[*element];
                                  return Expr::variable(0) * step + first;
                                },
                                .modular = true};
  const auto compared = ElementTrace(one_variable(), counting).comparison({{condition.root, -1, {}}});
  if (!compared) return std::nullopt;
  const auto lhs = progression(compared->lhs);
  const auto rhs = progression(compared->rhs);
  LoopCounter difference;
  constexpr Index kLarge = kIndexMax / 4;
  if (!lhs || !rhs || sub_overflows(lhs->first, rhs->first, difference.first) ||
      sub_overflows(lhs->step, rhs->step, difference.step) || std::abs(difference.first) > kLarge ||
      std::abs(difference.step) > kLarge) {
    return std::nullopt;
  }
  const auto trips = first_failure(difference, compared->direction);
  if (!trips || *trips > kMaxTrips) return std::nullopt;
  // Neither the compared values nor the values they are computed from wrap around.
  if (!fits(*lhs, *trips, compared->type) || !fits(*rhs, *trips, compared->type)) return std::nullopt;
  const bool counts = std::ranges::all_of(used, [&](std::size_t element) {
    return fits(*by_element[element], *trips, types[element].array().dtype);
  });
  return counts ? trips : std::nullopt;
}

/// `{"known_trip_count":{"n":"32"}, ...}`.
std::optional<Index> stated_trips(const Instruction& loop) {
  const Attribute* const config = loop.attribute("backend_config");
  if (config == nullptr) return std::nullopt;
  std::string_view text = config->value;
  const auto skip_to = [&](std::string_view word) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + word.size());
    return true;
  };
  if (!skip_to("known_trip_count") || !skip_to("{") || !skip_to("n")) return std::nullopt;
  const std::size_t digits = text.find_first_of("0123456789}");
  if (digits == std::string_view::npos) return std::nullopt;
  Index trips = 0;
  const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), trips);
  if (error != std::errc() || trips < 0 || trips > kMaxTrips) return std::nullopt;
  return trips;
}

}  // namespace

std::optional<CountedLoop> counted_loop(const Instruction& loop, const Computation& condition,
                                        const Computation& body, Leaves& leaves) {
  const bool plain = loop.operands.size() == 1 && loop.operands[0].tuple_index < 0 && loop.type.is_tuple() &&
                     loop.operand_type(0).is_tuple() && body.root != nullptr && condition.root != nullptr &&
                     body.root->type.is_tuple() && body.parameters.size() == 1 &&
                     body.parameters[0] != nullptr && condition.parameters.size() == 1 &&
                     condition.parameters[0] != nullptr;
  if (!plain) return std::nullopt;
  const auto types = loop.type.elements();
  const auto starts = leaves.offsets(loop.type);
  if (body.root->type.elements().size() != types.size() ||
      loop.operand_type(0).elements().size() != types.size()) {
    return std::nullopt;
  }
  std::vector<std::optional<LoopCounter>> by_element(types.size());
  const auto is_integer_of = [](const HloType& type, DType dtype) {
    return type.is_array() && type.rank() == 0 && type.array().dtype == dtype && is_integer(dtype);
  };
  for (std::size_t e = 0; e < types.size(); ++e) {
    if (!types[e].is_array()) continue;
    const DType dtype = types[e].array().dtype;
    const bool same_everywhere = is_integer_of(types[e], dtype) &&
                                 is_integer_of(loop.operand_type(0).elements()[e], dtype) &&
                                 is_integer_of(body.root->type.elements()[e], dtype);
    if (same_everywhere) by_element[e] = counter(loop, body, e);
  }
  auto trips = trips_of(condition, by_element, types);
  if (!trips) trips = stated_trips(loop);
  if (!trips) return std::nullopt;
  CountedLoop out{.trips = *trips, .counters = {}};
  out.counters.resize(starts.back());
  for (std::size_t e = 0; e < types.size(); ++e) {
    if (by_element[e] && fits(*by_element[e], *trips, types[e].array().dtype))
      out.counters[starts[e]] = by_element[e];
  }
  return out;
}

}  // namespace tessera::detail
