// SPDX-License-Identifier: Apache-2.0
/// \file
/// One case of the relayout benchmark: its contenders, timing and checks.
#pragma once

#include <string>
#include <vector>

#include "relayout_buffers.h"
#include "relayout_cases.h"
#include "tessera/base/result.h"

namespace tessera::bench {

struct MeasureOptions {
  int threads = 1;
  int rounds = 7;  ///< 5 for arrays of 1 GB or more
  /// The quantile of the rounds to report. 0.5 is the median; 0 is the fastest round, for a busy machine.
  double quantile = 0.5;
  bool peers = true;
};

/// The time of one contender, at the chosen quantile of its rounds.
struct Timing {
  std::string name;
  double seconds = 0;
  bool correct = true;  ///< 100,000 random elements were moved correctly
};

struct Measurement {
  const RelayoutCase* subject = nullptr;
  double payload_bytes = 0;
  std::vector<Timing> copies;  ///< memcpy first
  Timing ours = {};
  std::vector<double> our_rounds;  ///< multiples of memcpy's speed, one for each round
  std::vector<Timing> peers;
  double plan_ns = 0;
  std::string plan;

  double memcpy_gbps() const { return payload_bytes / copies.front().seconds * 1e-9; }
  /// The speed as a multiple of memcpy's.
  double score() const { return copies.front().seconds / ours.seconds; }
  double score(const Timing& peer) const { return copies.front().seconds / peer.seconds; }
  double best_copy() const;
  const Timing* best_peer() const;
  /// The score to compare with the goal. It is relative to memcpy or, on two threads, to the best plain copy.
  double goal_score(int threads) const { return threads == 1 ? score() : score() / best_copy(); }
};

/// The sizes of both buffers in bytes. Errors: those of parse_layout and buffer_size.
struct BufferSizes {
  std::size_t src = 0;
  std::size_t dst = 0;
};
/// Errors: those of parse_layout and buffer_size.
Result<BufferSizes> buffer_sizes(const RelayoutCase& subject);

/// Measures one case in the given buffers. Errors: those of parse_layout and make_plan.
Result<Measurement> measure(const RelayoutCase& subject, const MeasureOptions& options, const BigBuffer& src,
                            const BigBuffer& dst);

}  // namespace tessera::bench
