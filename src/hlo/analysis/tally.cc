// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/tally.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

AnalyzeStats& AnalyzeStats::operator+=(const AnalyzeStats& other) {
  instructions += other.instructions;
  analyzed += other.analyzed;
  exact += other.exact;
  superset += other.superset;
  unknown += other.unknown;
  maps += other.maps;
  seconds += other.seconds;
  // Neighbors that differ only in the count are merged.
  shortfalls.insert(shortfalls.end(), other.shortfalls.begin(), other.shortfalls.end());
  std::ranges::sort(shortfalls);
  std::vector<Shortfall> merged;
  for (Shortfall& x : shortfalls) {
    const bool same =
        !merged.empty() && std::tie(merged.back().opcode, merged.back().exactness, merged.back().reason) ==
                               std::tie(x.opcode, x.exactness, x.reason);
    if (same) {
      merged.back().count += x.count;
    } else {
      merged.push_back(std::move(x));
    }
  }
  shortfalls = std::move(merged);
  return *this;
}

namespace detail {

void Tally::count(const InstructionIndexing& one) {
  ++stats_.instructions;
  if (one.instruction->operands.empty() && one.pairs.empty()) return;
  ++stats_.analyzed;
  ++(one.exactness == Exactness::exact      ? stats_.exact
     : one.exactness == Exactness::superset ? stats_.superset
                                            : stats_.unknown);
  std::set<std::pair<Exactness, std::string_view>> seen;
  for (const PairIndexing& pair : one.pairs) {
    for (const Indexing& x : pair.maps) {
      if (x.exactness != Exactness::unknown) ++stats_.maps;
      if (x.exactness == Exactness::exact) continue;
      if (!seen.emplace(x.exactness, x.reason).second) continue;
      ++shortfalls_[{std::string(one.instruction->opcode_text), x.exactness, x.reason}];
    }
  }
}

void Tally::add(const Tally& other) {
  stats_ += other.stats_;
  for (const auto& [key, number] : other.shortfalls_) shortfalls_[key] += number;
}

AnalyzeStats Tally::stats() && {
  for (const auto& [key, number] : shortfalls_) {
    stats_.shortfalls.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), number});
  }
  return std::move(stats_);
}

}  // namespace detail
}  // namespace tessera
