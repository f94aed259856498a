// SPDX-License-Identifier: Apache-2.0
#include "hlo/time/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "map/image/image_union.h"

namespace tessera::detail {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

Seconds seconds_of(const Count& count, double rate) {
  return {static_cast<double>(count.lower) / rate,
          count.upper ? static_cast<double>(*count.upper) / rate : kNever};
}

Seconds larger(const Seconds& a, const Seconds& b) {
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Seconds multiply(const Seconds& time, const Count& runs) {
  Seconds out{time.lower * static_cast<double>(runs.lower), kNever};
  if (runs.upper && (time.upper != kNever || *runs.upper == 0))
    out.upper = *runs.upper == 0 ? 0 : time.upper * static_cast<double>(*runs.upper);
  return out;
}

// Products run on one unit and other operations on another, at the same time; types of one unit after
// another.
Seconds compute_time(const Work& work, const Chip& chip, std::set<std::string>& unrated) {
  Seconds out;
  for (const OperationKind kind : {OperationKind::product, OperationKind::arithmetic}) {
    Seconds unit;
    for (const auto& [key, count] : work.counts()) {
      if (key.first != kind) continue;
      if (const auto rate = chip.rate(kind, key.second)) {
        unit = unit + seconds_of(count, *rate);
      } else {
        unrated.insert(fmt::format("{} {}", to_string(key.second),
                                   kind == OperationKind::product ? "products" : "arithmetic"));
      }
    }
    out = larger(out, unit);
  }
  for (const auto& [key, count] : work.counts())
    if (key.first == OperationKind::transcendental) unrated.insert("transcendentals");
  if (!work.unknown().empty()) out.upper = kNever;
  return out;
}

Limit limit_of(const StepTime& step) {
  const std::pair<const Seconds*, Limit> all[] = {
      {&step.memory, Limit::memory}, {&step.compute, Limit::compute}, {&step.link, Limit::link}};
  if (step.time.upper == 0) return Limit::none;
  for (const auto& [own, limit] : all) {
    const bool most = std::ranges::all_of(all, [&, mine = own](const auto& other) {
      return other.first == mine || mine->lower >= other.first->upper;
    });
    if (most && own->lower > 0) return limit;
  }
  return Limit::undecided;
}

// What exchanges take while the steps between their starts and ends run: no more than either, and of several
// exchanges no more than the different steps together.
Seconds hidden_time(const std::vector<StepTime>& steps,
                    const std::unordered_map<const Instruction*, std::size_t>& places,
                    const std::vector<StepLink>& links) {
  double each = 0;
  double together = 0;
  std::unordered_set<const Instruction*> counted;
  for (const StepLink& x : links) {
    const auto own = places.find(x.instruction);
    if (own == places.end() || x.between.empty()) continue;
    double between = 0;
    for (const Instruction* op : x.between) {
      const auto found = places.find(op);
      if (found == places.end()) continue;
      // Without its own link: exchanges at the same time share the links.
      const StepTime& step = steps[found->second];
      const double time = multiply(larger(step.memory, step.compute), step.runs).upper;
      between += time;
      if (counted.insert(op).second) together += time;
    }
    each += std::min(multiply(steps[own->second].link, steps[own->second].runs).upper, between);
  }
  return {0, std::min(each, together)};
}

double order_of(const Seconds& time) { return time.upper == kNever ? time.lower : time.upper; }

}  // namespace

std::string_view to_string(Limit limit) {
  switch (limit) {
    case Limit::none:
      return "";
    case Limit::memory:
      return "memory";
    case Limit::compute:
      return "compute";
    case Limit::link:
      return "link";
    case Limit::undecided:
      break;
  }
  return "?";
}

Seconds operator+(const Seconds& a, const Seconds& b) { return {a.lower + b.lower, a.upper + b.upper}; }

ProgramTime program_time(const ProgramTraffic& traffic, const ProgramWork& work, const Chip& chip,
                         const std::vector<StepLink>& links) {
  ProgramTime out;
  std::unordered_map<const Instruction*, std::size_t> places;
  const auto step_of = [&](const Instruction* instruction, const Count& runs) -> StepTime& {
    const auto [found, is_new] = places.try_emplace(instruction, out.steps.size());
    if (is_new) out.steps.push_back({.instruction = instruction, .runs = runs});
    return out.steps[found->second];
  };
  for (const StepTraffic& x : traffic.steps) {
    StepTime& step = step_of(x.instruction, x.runs);
    step.bytes = x.minimum();
    if (x.may_vanish) step.bytes.lower = 0;
    if (chip.bandwidth) step.memory = seconds_of(step.bytes, *chip.bandwidth);
  }
  std::set<std::string> unrated;
  std::unordered_set<const Instruction*> products;
  for (const StepWork& x : work.steps) {
    const bool product = std::ranges::any_of(
        x.work.counts(), [](const auto& count) { return count.first.first == OperationKind::product; });
    if (product) products.insert(x.instruction);
    StepTime& step = step_of(x.instruction, x.runs);
    step.flops = x.work.operations();
    step.compute = compute_time(x.work, chip, unrated);
  }
  for (const StepTraffic& x : traffic.steps) {
    if (chip.bandwidth && !products.contains(x.instruction) && x.exactness != Exactness::unknown)
      out.rereading = out.rereading + multiply(seconds_of(x.repeated, *chip.bandwidth), x.runs);
  }
  for (const StepLink& x : links) {
    const auto found = places.find(x.instruction);
    if (found == places.end() || !chip.link) continue;
    out.steps[found->second].link = seconds_of(x.bytes, *chip.link);
  }
  std::unordered_set<const Instruction*> other;  // steps that do more than move data
  for (const StepWork& x : work.steps) other.insert(x.instruction);
  for (const StepLink& x : links) other.insert(x.instruction);
  for (StepTime& step : out.steps) {
    step.time = larger(larger(step.memory, step.compute), step.link);
    step.total = multiply(step.time, step.runs);
    step.limit = limit_of(step);
    out.total = out.total + step.total;
    if (!other.contains(step.instruction)) out.moving = out.moving + step.total;
    Seconds* const part = step.limit == Limit::memory      ? &out.memory
                          : step.limit == Limit::compute   ? &out.compute
                          : step.limit == Limit::link      ? &out.link
                          : step.limit == Limit::undecided ? &out.undecided
                                                           : nullptr;
    if (part != nullptr) *part = *part + step.total;
  }
  out.hidden = hidden_time(out.steps, places, links);
  std::ranges::stable_sort(out.steps, std::ranges::greater{},
                           [](const StepTime& x) { return order_of(x.total); });
  for (const std::string& x : unrated) out.unrated += (out.unrated.empty() ? "" : ", ") + x;
  return out;
}

}  // namespace tessera::detail
