// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cache sizes of this machine, from which block sizes and prefetch distances are derived.
#pragma once

#include "tessera/base/index.h"

namespace tessera::moving {

/// Bytes of a cache line. Fixed: x86 and nearly all Arm cores have lines of 64 bytes. A line of 128 bytes is
/// written by two streaming stores, which is slower but correct.
inline constexpr Index kLine = 64;

/// Data caches of one core, in bytes. The defaults are the smallest caches of current cores; they apply if
/// the system does not report its own.
struct Caches {
  Index l1 = Index{32} << 10;
  Index l2 = Index{1} << 20;
  /// True if loads, prefetches into L1 and streaming stores wait for the same fill buffers, as on Intel. Then
  /// a buffer between source and destination costs more than it saves, because its misses in L1 wait for
  /// memory too: reads, shuffles and stores take turns instead of overlapping.
  bool shares_fill_buffers = false;
};

/// The caches of this machine, read once.
const Caches& caches();

/// Replaces the caches of this machine, for tests and measurements. Not thread-safe.
void set_caches(const Caches& other);

}  // namespace tessera::moving
