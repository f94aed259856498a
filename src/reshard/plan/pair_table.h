// SPDX-License-Identifier: Apache-2.0
/// \file
/// The number of bits that each pair of places exchanges.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reshard/limits.h"
#include "reshard/plan/plan_state.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera::detail {

/// Bits between two places. The table is dense if there are few places.
class PairTable {
 public:
  explicit PairTable(Index places) : places_(places) {
    if (places <= kReshardLimits.dense_places) dense_.assign(static_cast<std::size_t>(places * places), 0);
  }
  void add(Index from, Index to, Index bits) {
    const auto key = static_cast<std::size_t>(from * places_ + to);
    if (!dense_.empty()) {
      dense_[key] += bits;
    } else {
      sparse_[key] += bits;
    }
  }
  std::vector<PairBytes> pairs() const {
    std::vector<PairBytes> out;
    const auto add = [&](std::size_t key, Index bits) {
      if (bits == 0) return;
      const auto flat = static_cast<Index>(key);
      out.push_back({flat / places_, flat % places_, whole_bytes(bits)});
    };
    for (std::size_t key = 0; key < dense_.size(); ++key) add(key, dense_[key]);
    for (const auto& [key, bits] : sparse_) add(key, bits);
    if (dense_.empty()) {
      std::ranges::sort(out, {}, [](const PairBytes& pair) { return std::pair(pair.from, pair.to); });
    }
    return out;
  }

 private:
  Index places_;
  std::vector<Index> dense_;
  std::unordered_map<std::size_t, Index> sparse_;
};

}  // namespace tessera::detail
