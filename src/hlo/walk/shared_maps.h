// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sets of maps that many values of a walk share.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "hlo/indexing/fingerprint.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// An indexing set. Copies share it until one of them is changed. Most instructions of a program are
/// elementwise and pass the maps of their result on to each operand, so a walk meets the same set on many
/// paths and needs to compare no maps there.
class SharedMaps {
 public:
  struct FingerprintedSet {
    IndexingSet maps;
    std::vector<Fingerprint> fingerprints = {};  ///< of the first maps
  };

  SharedMaps() = default;
  explicit SharedMaps(Indexing only) : set_(std::make_shared<FingerprintedSet>()) {
    set_->maps.push_back(std::move(only));
  }

  bool empty() const { return set_ == nullptr || set_->maps.empty(); }
  const IndexingSet& get() const {
    static const IndexingSet kEmpty;
    return set_ ? set_->maps : kEmpty;
  }
  /// Whether both share one set.
  bool shares_with(const SharedMaps& other) const { return set_ == other.set_; }

  /// The set of this object alone. O(size of the set) if it was shared.
  FingerprintedSet& edit() {
    if (!set_) {
      set_ = std::make_shared<FingerprintedSet>();
    } else if (set_.use_count() > 1) {
      set_ = std::make_shared<FingerprintedSet>(*set_);
    }
    return *set_;
  }
  IndexingSet take() && {
    if (!set_) return {};
    return set_.use_count() > 1 ? set_->maps : std::move(set_->maps);
  }

  void keep_footprint() {
    if (get().size() < 2) return;
    FingerprintedSet& own = edit();
    const std::size_t before = own.maps.size();
    tessera::keep_footprint(own.maps);
    if (own.maps.size() != before) own.fingerprints.clear();
  }

 private:
  std::shared_ptr<FingerprintedSet> set_;
};

}  // namespace tessera::detail
