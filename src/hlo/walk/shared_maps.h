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
  struct Content {
    IndexingSet maps;
    std::vector<Fingerprint> fingerprints = {};  ///< of the first maps
  };

  SharedMaps() = default;
  explicit SharedMaps(Indexing only) : content_(std::make_shared<Content>()) {
    content_->maps.push_back(std::move(only));
  }

  bool empty() const { return content_ == nullptr || content_->maps.empty(); }
  const IndexingSet& get() const {
    static const IndexingSet kNone;
    return content_ ? content_->maps : kNone;
  }
  /// Whether both share one set.
  bool shares_with(const SharedMaps& other) const { return content_ == other.content_; }

  /// The set of this object alone. O(size of the set) if it was shared.
  Content& edit() {
    if (!content_) {
      content_ = std::make_shared<Content>();
    } else if (content_.use_count() > 1) {
      content_ = std::make_shared<Content>(*content_);
    }
    return *content_;
  }
  IndexingSet take() && {
    if (!content_) return {};
    return content_.use_count() > 1 ? content_->maps : std::move(content_->maps);
  }

  void keep_footprint() {
    if (get().size() < 2) return;
    Content& content = edit();
    const std::size_t before = content.maps.size();
    tessera::keep_footprint(content.maps);
    if (content.maps.size() != before) content.fingerprints.clear();
  }

 private:
  std::shared_ptr<Content> content_;
};

}  // namespace tessera::detail
