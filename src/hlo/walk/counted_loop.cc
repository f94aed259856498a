// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/counted_loop.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "hlo/limits.h"
#include "hlo/module/as_size.h"
#include "hlo/ops/element_value.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

/// Two unbounded variables: 0 is the value of a counter or the number of an iteration, 1 is a value that the
/// program does not determine.
const Domain& two_variables() {
  static const Domain kDomain({{.bounds = {}}, {.bounds = {}}}, {}, {});
  return kDomain;
}

/// `first + step * variable 0`, plus variable 1 if `unknown`.
struct CounterValue {
  LoopCounter known;
  bool unknown = false;
};

/// The expression as such a value, if it is one.
std::optional<CounterValue> counter_value(Expr e) {
  const auto at = [&](Index zero, Index one) { return evaluate(e, std::array{zero, one}); };
  const auto first = at(0, 0);
  const auto second = at(1, 0);
  const auto other = at(0, 1);
  Index step = 0;
  Index factor = 0;
  if (!first || !second || !other || sub_overflows(*second, *first, step) ||
      sub_overflows(*other, *first, factor) || (factor != 0 && factor != 1)) {
    return std::nullopt;
  }
  const Expr form = Expr::variable(0) * step + Expr::variable(1) * factor + *first;
  if (!simplify(e - form, two_variables()).is_constant(0)) return std::nullopt;
  return CounterValue{{*first, step}, factor == 1};
}

bool stays_in_type(LoopCounter p, Index last, DType type) {
  const auto values = values_of(type);
  Index end = 0;
  return values && values->contains(p.first) && !mul_overflows(p.step, last, end) &&
         !add_overflows(end, p.first, end) && values->contains(end);
}

/// The least t >= 0 for which `first + step * t DIRECTION 0` does not hold.
std::optional<Index> first_failure(LoopCounter difference, CompareOp::Direction direction) {
  using enum CompareOp::Direction;
  const auto [first, step] = difference;
  const auto steps_to = [&](Index distance, Index stride) { return (distance + stride - 1) / stride; };
  switch (direction) {
    case gt:
      return first_failure({-first, -step}, lt);
    case ge:
      return first_failure({-first, -step}, le);
    case le:
      return first_failure({first - 1, step}, lt);
    case lt:
      if (first >= 0) return 0;
      return step > 0 ? std::optional(steps_to(-first, step)) : std::nullopt;
    case eq:
      if (first != 0) return 0;
      return step != 0 ? std::optional<Index>(1) : std::nullopt;
    case ne:
      if (first == 0) return 0;
      if (step == 0 || first % step != 0 || first / step > 0) return std::nullopt;
      return -(first / step);
  }
  return std::nullopt;
}

/// An element of a tuple.
Operand element_of(Instruction* tuple, std::size_t element) {
  return {tuple, static_cast<std::int32_t>(element), {}};
}

/// The element of the loop's state that an operand inside the loop names, if it names one at the top level.
std::optional<std::size_t> state_element(const Operand& parameter) {
  if (parameter.tuple_index < 0 || parameter.inner != nullptr || parameter.instruction->parameter_number != 0)
    return std::nullopt;
  return as_size(parameter.tuple_index);
}

/// An integer element of the state to which every iteration adds `step`.
struct Counting {
  std::optional<Index> first;  ///< the initial value, if the program determines it
  Index step = 0;
};

std::optional<Counting> counting(const Instruction& loop, const Computation& body, std::size_t element) {
  const ElementOptions adding{.known = [&](const Operand& parameter) -> std::optional<Expr> {
                                if (state_element(parameter) != element) return std::nullopt;
                                return Expr::variable(0);
                              },
                              .modular = true};
  const auto next = ElementTrace(two_variables(), adding).value({element_of(body.root, element)});
  if (!next) return std::nullopt;
  const auto change = counter_value(*next);
  if (!change || change->known.step != 1 || change->unknown) return std::nullopt;
  Counting out{.first = {}, .step = change->known.first};
  const Domain nothing;
  const ElementOptions outside;
  const auto first =
      ElementTrace(nothing, outside).value({element_of(loop.operands[0].instruction, element)});
  if (first && first->is_constant()) out.first = first->value();
  return out;
}

/// The comparison in the condition, as progressions over the number of the iteration.
struct LoopTest {
  CounterValue lhs;
  CounterValue rhs;
  CompareOp::Direction direction;
  DType type;
  std::vector<std::size_t> known;      ///< elements of the state whose initial value is known
  std::optional<std::size_t> unknown;  ///< the element whose initial value is not known
};

std::optional<LoopTest> test_of(const Computation& condition,
                                const std::vector<std::optional<Counting>>& by_element) {
  LoopTest out{};
  bool two_unknown = false;
  const ElementOptions counted{.known = [&](const Operand& parameter) -> std::optional<Expr> {
                                 const auto element = state_element(parameter);
                                 if (!element || *element >= by_element.size() || !by_element[*element])
                                   return std::nullopt;
                                 const auto& [first, step] = *by_element[*element];
                                 if (first) {
                                   out.known.push_back(*element);
                                   return Expr::variable(0) * step + *first;
                                 }
                                 two_unknown = two_unknown || (out.unknown && out.unknown != element);
                                 out.unknown = element;
                                 return Expr::variable(0) * step + Expr::variable(1);
                               },
                               .modular = true};
  const auto compared = ElementTrace(two_variables(), counted).comparison({{condition.root, -1, {}}});
  if (!compared || two_unknown) return std::nullopt;
  const auto lhs = counter_value(compared->lhs);
  const auto rhs = counter_value(compared->rhs);
  if (!lhs || !rhs) return std::nullopt;
  out.lhs = *lhs;
  out.rhs = *rhs;
  out.direction = compared->direction;
  out.type = compared->type;
  return out;
}

/// How often the test holds. Empty if an initial value is unknown.
std::optional<Index> trips_of(const LoopTest& test, const std::vector<std::optional<Counting>>& by_element,
                              std::span<const HloType> types) {
  LoopCounter difference;
  constexpr Index kLarge = kIndexMax / 4;
  const LoopCounter lhs = test.lhs.known;
  const LoopCounter rhs = test.rhs.known;
  if (test.unknown || sub_overflows(lhs.first, rhs.first, difference.first) ||
      sub_overflows(lhs.step, rhs.step, difference.step) || std::abs(difference.first) > kLarge ||
      std::abs(difference.step) > kLarge) {
    return std::nullopt;
  }
  const auto trips = first_failure(difference, test.direction);
  if (!trips || *trips > kHloLimits.walk.trips) return std::nullopt;
  // Neither the compared values nor the counters they are computed from leave their types.
  if (!stays_in_type(lhs, *trips, test.type) || !stays_in_type(rhs, *trips, test.type)) return std::nullopt;
  const bool counts = std::ranges::all_of(test.known, [&](std::size_t element) {
    const Counting& used = *by_element[element];
    return stays_in_type({*used.first, used.step}, *trips, types[element].array().dtype);
  });
  return counts ? trips : std::nullopt;
}

/// A loop whose counter starts at an unknown value. A loop with the condition `i < 5` ends at 5 wherever it
/// starts.
struct OpenStart {
  std::size_t element = 0;
  LoopCounter counter;  ///< from the first value in `followed`
  Index trips = 0;
  Interval clamp;
  Interval followed;
};

std::optional<OpenStart> open_start(const LoopTest& test,
                                    const std::vector<std::optional<Counting>>& by_element,
                                    std::span<const HloType> types) {
  if (!test.unknown || test.lhs.unknown == test.rhs.unknown) return std::nullopt;
  using enum CompareOp::Direction;
  const bool less = test.direction == lt || test.direction == le;
  const bool greater = test.direction == gt || test.direction == ge;
  const bool up = test.lhs.unknown ? less : greater;
  const bool down = test.lhs.unknown ? greater : less;
  const bool also_equal = test.direction == le || test.direction == ge;
  const LoopCounter moving = (test.lhs.unknown ? test.lhs : test.rhs).known;
  const LoopCounter limit = (test.lhs.unknown ? test.rhs : test.lhs).known;
  const Index step = by_element[*test.unknown]->step;
  // Accepts only a comparison of the counter itself with a constant: the counter then reaches the limit
  // without leaving its type.
  if (moving.first != 0 || moving.step != step || limit.step != 0 || !(up ? step == 1 : down && step == -1))
    return std::nullopt;
  const bool constant =
      std::ranges::all_of(test.known, [&](std::size_t element) { return by_element[element]->step == 0; });
  const auto values = values_of(types[*test.unknown].array().dtype);
  const Index last = limit.first + (also_equal ? step : 0);
  if (!constant || !values || !values->is_finite() || !values->contains(limit.first) ||
      !values->contains(last)) {
    return std::nullopt;
  }
  OpenStart out;
  out.element = *test.unknown;
  out.clamp = up ? Interval{values->lower, last} : Interval{last, values->upper};
  // A negative counter would clamp the slices that it selects, and counters are rarely negative, so a loop
  // that counts up is followed only from 0 on.
  out.followed = up && last >= 0 ? Interval{std::max<Index>(values->lower, 0), last} : out.clamp;
  out.counter = {up ? out.followed.lower : out.followed.upper, step};
  out.trips = out.followed.upper - out.followed.lower;
  return out;
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
  if (error != std::errc() || trips < 0 || trips > kHloLimits.walk.trips) return std::nullopt;
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
  std::vector<std::optional<Counting>> by_element(types.size());
  const auto is_integer_of = [](const HloType& type, DType dtype) {
    return type.is_array() && type.rank() == 0 && type.array().dtype == dtype && is_integer(dtype);
  };
  for (std::size_t e = 0; e < types.size(); ++e) {
    if (!types[e].is_array()) continue;
    const DType dtype = types[e].array().dtype;
    const bool same_everywhere = is_integer_of(types[e], dtype) &&
                                 is_integer_of(loop.operand_type(0).elements()[e], dtype) &&
                                 is_integer_of(body.root->type.elements()[e], dtype);
    if (same_everywhere) by_element[e] = counting(loop, body, e);
  }
  CountedLoop out;
  out.counters.resize(starts.back());
  const auto test = test_of(condition, by_element);
  auto trips = test ? trips_of(*test, by_element, types) : std::nullopt;
  if (!trips) trips = stated_trips(loop);
  const auto open = test && !trips ? open_start(*test, by_element, types) : std::nullopt;
  if (open) {
    trips = open->trips;
    const std::uint32_t array = starts[open->element];
    out.start = {.array = array, .element = open->element, .clamp = open->clamp, .followed = open->followed};
    out.counters[array] = open->counter;
  }
  if (!trips) return std::nullopt;
  out.trips = *trips;
  for (std::size_t e = 0; e < types.size(); ++e) {
    if (!by_element[e] || !by_element[e]->first) continue;
    const LoopCounter own{*by_element[e]->first, by_element[e]->step};
    // With an open start, a value after an unknown number of iterations is unknown, too.
    if (open ? own.step == 0 : stays_in_type(own, *trips, types[e].array().dtype))
      out.counters[starts[e]] = own;
  }
  return out;
}

}  // namespace tessera::detail
