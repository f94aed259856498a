// SPDX-License-Identifier: Apache-2.0
/// \file
/// How often a function asks for memory.
#pragma once

namespace tessera::testing_allocations {

/// Sanitizers count nothing: they have an operator new of their own.
bool can_count();

/// Calls of operator new on this thread so far.
long count();

}  // namespace tessera::testing_allocations
