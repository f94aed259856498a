// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/indexing/fingerprint.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// As `insert`, with the fingerprints of the first members. Appends those of the other members. Copies the
/// indexing only if it becomes a member.
bool insert(IndexingSet& set, std::vector<Fingerprint>& fingerprints, const Indexing& indexing);
bool insert(IndexingSet& set, std::vector<Fingerprint>& fingerprints, Indexing&& indexing);

}  // namespace tessera::detail
