// SPDX-License-Identifier: Apache-2.0
#include "report/program/step_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::detail {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

// max(part, other) - max(part - less, other): more if `part` and `less` are more, and if `other` is less.
double gain(double part, double less, double other) {
  if (!std::isfinite(part)) return less;
  return std::max(part, other) - std::max(std::max(part - less, 0.0), other);
}

Seconds gain(const Seconds& part, const Seconds& less, const Seconds& other) {
  return {std::isfinite(other.upper) ? gain(part.lower, less.lower, other.upper) : 0.0,
          gain(part.upper, less.upper, other.lower)};
}

Seconds largest(const Seconds& a, const Seconds& b) {
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Seconds at_rate(const Count& bytes, double rate) {
  return {static_cast<double>(bytes.lower) / rate,
          bytes.upper ? static_cast<double>(*bytes.upper) / rate : kNoBound};
}

}  // namespace

Seconds times_of(const Seconds& time, const Count& runs) {
  const double most = runs.upper ? static_cast<double>(*runs.upper) : kNoBound;
  return {time.lower * static_cast<double>(runs.lower), time.upper == 0 || most == 0 ? 0 : time.upper * most};
}

StepClock::StepClock(const ProgramTime* time, const Chip* chip) : chip_(chip) {
  if (time == nullptr) return;
  for (const StepTime& step : time->steps) steps_.emplace(step.instruction, &step);
}

const StepTime* StepClock::of(const Instruction& step) const {
  const auto found = steps_.find(&step);
  return found == steps_.end() ? nullptr : found->second;
}

Seconds StepClock::without_bytes(const Instruction& step, const Count& bytes) const {
  const StepTime* const own = of(step);
  if (own == nullptr || !chip_->bandwidth) return {};
  return times_of(gain(own->memory, at_rate(bytes, *chip_->bandwidth), largest(own->compute, own->link)),
                  own->runs);
}

Seconds StepClock::without_link(const Instruction& step, const Count& bytes) const {
  const StepTime* const own = of(step);
  if (own == nullptr || !chip_->link) return {};
  return times_of(gain(own->link, at_rate(bytes, *chip_->link), largest(own->compute, own->memory)),
                  own->runs);
}

Seconds StepClock::without(const Instruction& step) const {
  const StepTime* const own = of(step);
  return own == nullptr ? Seconds{} : own->total;
}

Seconds StepClock::without_work(const Instruction& step, double part, const Count& bytes) const {
  const StepTime* const own = of(step);
  if (own == nullptr) return {};
  const double rate = chip_->bandwidth.value_or(kNoBound);
  const double less = bytes.upper ? static_cast<double>(*bytes.upper) / rate : kNoBound;
  const double after =
      std::max({own->compute.upper * (1 - part), std::max(own->memory.upper - less, 0.0), own->link.upper});
  const double most =
      std::isfinite(own->time.upper) ? std::max(own->time.upper - after, 0.0) : own->time.upper;
  return times_of({0, most}, own->runs);
}

Seconds StepClock::merged(const Instruction& first, const Instruction& second, Index bytes) const {
  const StepTime* const a = of(first);
  const StepTime* const b = of(second);
  if (a == nullptr || b == nullptr) return {};
  const Seconds before = a->time + b->time;
  const double less = chip_->bandwidth ? 2 * static_cast<double>(bytes) / *chip_->bandwidth : 0;
  const Seconds memory = a->memory + b->memory;
  const Seconds after = largest({std::max(memory.lower - less, 0.0), std::max(memory.upper - less, 0.0)},
                                largest(a->compute + b->compute, a->link + b->link));
  const double lower = std::isfinite(after.upper) ? std::max(before.lower - after.upper, 0.0) : 0.0;
  return times_of({lower, before.upper - after.lower}, b->runs);
}

}  // namespace tessera::detail
