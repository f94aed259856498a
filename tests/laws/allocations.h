// SPDX-License-Identifier: Apache-2.0
/// \file
/// How often a function allocates.
#pragma once

namespace tessera::testing_allocations {

/// Not counted under sanitizers, which replace operator new.
bool can_count();

/// Calls of operator new on this thread so far.
long count();

}  // namespace tessera::testing_allocations
