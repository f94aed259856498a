// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts the allocations of a function.
#pragma once

namespace tessera::testing_allocations {

/// True if allocations are counted. False under sanitizers, which replace operator new.
bool can_count();

/// The number of calls of operator new on this thread so far.
long count();

}  // namespace tessera::testing_allocations
