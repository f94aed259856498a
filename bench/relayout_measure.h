// SPDX-License-Identifier: Apache-2.0
/// \file
/// One case of the relayout benchmark: who takes part, how it is timed and checked.
#pragma once

#include <string>
#include <vector>

#include "relayout_buffers.h"
#include "relayout_cases.h"
#include "tessera/base/result.h"

namespace tessera::bench {

struct MeasureOptions {
  int threads = 1;
  int rounds = 7;  ///< 5 from 1 GB on
  /// Which round counts: 0.5 the median; 0 the fastest, for a look at a machine that is busy.
  double quantile = 0.5;
  bool peers = true;
};

/// The median time of one contender.
struct Timing {
  std::string name;
  double seconds = 0;
  bool correct = true;  ///< 100,000 indices at random held what they should
};

struct Measurement {
  const RelayoutCase* subject = nullptr;
  double payload_bytes = 0;
  std::vector<Timing> copies;  ///< memcpy first
  Timing ours = {};
  std::vector<double> our_rounds;  ///< times memcpy's speed, round by round
  std::vector<Timing> peers;
  double plan_ns = 0;
  std::string plan;

  double memcpy_gbps() const { return payload_bytes / copies.front().seconds * 1e-9; }
  /// Times memcpy's speed.
  double score() const { return copies.front().seconds / ours.seconds; }
  double score(const Timing& peer) const { return copies.front().seconds / peer.seconds; }
  double best_copy() const;
  const Timing* best_peer() const;
  /// The score the goal is about: against memcpy, or against the best copy where there are two threads.
  double goal_score(int threads) const { return threads == 1 ? score() : score() / best_copy(); }
};

/// Bytes of both buffers. Errors: those of parse_layout and buffer_size.
struct BufferSizes {
  std::size_t src = 0;
  std::size_t dst = 0;
};
Result<BufferSizes> buffer_sizes(const RelayoutCase& subject);

/// Errors: those of parse_layout and make_plan.
Result<Measurement> measure(const RelayoutCase& subject, const MeasureOptions& options, const BigBuffer& src,
                            const BigBuffer& dst);

}  // namespace tessera::bench
