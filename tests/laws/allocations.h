// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts the allocations of a function.
#pragma once

namespace tessera::testing_allocations {

/// Whether allocations are counted; false under sanitizers, which replace operator new.
bool can_count();

/// Calls of operator new on this thread so far.
long count();

}  // namespace tessera::testing_allocations
