// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tessera/base/result.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// The value of `replica_groups`. Errors as in attributes.h, and limit, for a short form of more than 2^20
/// replicas.
Result<ReplicaGroups> read_replica_groups(const Attribute& attribute);

}  // namespace tessera
