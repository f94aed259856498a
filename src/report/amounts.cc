// SPDX-License-Identifier: Apache-2.0
#include "report/amounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/plural.h"

namespace tessera::detail {
namespace {

double four_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}

std::pair<double, const char*> unit_of_time(double seconds) {
  if (seconds >= 1) return {1, "s"};
  if (seconds >= 1e-3) return {1e-3, "ms"};
  if (seconds >= 1e-6) return {1e-6, "us"};
  return {1e-9, "ns"};
}

}  // namespace

std::string bounds_text(const Count& count) {
  if (count.exact()) return fmt::format("{}", count.lower);
  if (!count.upper) return fmt::format(">={}", count.lower);
  if (count.lower == 0) return fmt::format("<={}", *count.upper);
  return fmt::format("{}..{}", count.lower, *count.upper);
}

std::string bounds_text(const Count& count, std::string_view noun) {
  return count.exact() ? plural(count.lower, noun) : fmt::format("{} {}s", bounds_text(count), noun);
}

std::string seconds_text(double seconds) { return seconds_text(Seconds{seconds, seconds}); }

std::string seconds_text(const Seconds& time) {
  const auto scale = unit_of_time(std::isfinite(time.upper) ? time.upper : time.lower);
  const char* const name = scale.second;
  const auto number = [&](double x) { return fmt::format("{:.2f}", x / scale.first); };
  if (time.upper == 0) return "0";
  if (!std::isfinite(time.upper)) return fmt::format(">={} {}", number(time.lower), name);
  if (number(time.lower) == number(time.upper)) return fmt::format("{} {}", number(time.upper), name);
  if (time.lower == 0) return fmt::format("<={} {}", number(time.upper), name);
  return fmt::format("{}..{} {}", number(time.lower), number(time.upper), name);
}

std::string work_text(const Work& work) {
  std::vector<std::pair<Work::Key, Count>> counts(work.counts().begin(), work.counts().end());
  std::ranges::stable_sort(counts, std::ranges::greater{},
                           [](const auto& x) { return x.second.upper.value_or(x.second.lower); });
  std::string out;
  for (const auto& [key, count] : counts) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}{} {}", to_string(key.second), to_string(key.first),
                       key.first == OperationKind::arithmetic ? "" : "s", bounds_text(count));
  }
  return out;
}

Json json_of(const Work& work) {
  Json json = {{"flops", json_of(work.flops())},
               {"integer_operations", json_of(work.integer_operations())},
               {"transcendentals", json_of(work.transcendentals())},
               {"operations", Json::array()}};
  for (const auto& [key, count] : work.counts())
    json["operations"].push_back(
        {{"kind", to_string(key.first)}, {"type", to_string(key.second)}, {"count", json_of(count)}});
  return json;
}

Json json_of(const Seconds& time) {
  return {{"lower", four_digits(time.lower)},
          {"upper", std::isfinite(time.upper) ? Json(four_digits(time.upper)) : Json()}};
}

}  // namespace tessera::detail
