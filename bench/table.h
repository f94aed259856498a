// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tables that tessera-bench prints in addition to single benchmarks.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tessera::bench {

/// A table, which is printed if its name contains the text of `--filter`.
struct Table {
  std::string name;
  void (*print)();
};

inline std::vector<Table>& tables() {
  static std::vector<Table> all;
  return all;
}

struct RegisterTable {
  RegisterTable(std::string name, void (*print)()) { tables().push_back({std::move(name), print}); }
};

/// The value at the quantile `fraction` of the list.
inline double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(fraction * static_cast<double>(values.size())))];
}

/// The median time of `repetitions` calls, in microseconds.
template <class Call>
double median_time_us(int repetitions, const Call& call) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  return quantile(times, 0.5);
}

}  // namespace tessera::bench
