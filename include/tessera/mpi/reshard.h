// SPDX-License-Identifier: Apache-2.0
/// \file
/// Resharding arrays in the memory of MPI processes. Needs the target tessera::mpi.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera::mpi {

/// Limits of the ranks.
struct MpiOptions {
  Index memory_bytes = Index{256} << 20;  ///< for packed data of one rank; at least kLeastMemory
  double timeout_seconds = 300;           ///< time without progress on any rank; 0: wait forever
};
inline constexpr Index kLeastMemory = Index{1} << 20;

/// What one rank did.
struct MpiReport {
  Index sent = 0;      ///< bytes
  Index received = 0;  ///< bytes
  Index kept = 0;      ///< bytes that moved within the rank
  Index slices = 0;    ///< sent and received
  double seconds = 0;
};

/// Moves the arrays of a plan: rank k of `comm` is place k. All ranks call it with the same plan and options.
/// `sources` and `targets` have one buffer for each array of the plan, which begins at offset 0 of the local
/// layout and is empty if this rank is not in the distribution; no source may overlap a target. Elements
/// narrower than a byte take a byte each.
///
/// First all ranks agree; if one of them cannot go on, every rank returns an error and nothing has been sent:
/// value_count (the numbers of ranks and places differ, or those of buffers and arrays), buffer_too_small,
/// overlap, bad_option (memory_bytes; reason `plan_mismatch`: two ranks have different plans, with the first
/// array that differs), limit (too many boxes). Then messages travel point to point, packed by relayout
/// plans. At the end all ranks agree again: if a rank failed or none made progress for `timeout_seconds`,
/// every rank that still runs returns limit with reason `rank_failed`, and the contents of the targets are
/// not specified. Messages in flight may then still use the buffers, so the program should call MPI_Abort.
///
/// Uses a duplicate of `comm` with MPI_ERRORS_RETURN; MPI 3, from one thread at a time.
Result<MpiReport> reshard(MPI_Comm comm, const ReshardPlan& plan,
                          std::span<const std::span<const std::byte>> sources,
                          std::span<const std::span<std::byte>> targets, const MpiOptions& options = {});

}  // namespace tessera::mpi
