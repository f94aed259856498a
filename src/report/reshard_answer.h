// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reports of the data that moves between two distributions, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reshard/collectives/collectives.h"
#include "reshard/plan/segments.h"
#include "reshard/proof/simulate.h"
#include "tessera/base/dtype.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// The plan of one array.
struct ReshardAnswer {
  ReshardPlan plan;
  DType dtype = DType::f32;
  std::optional<std::vector<ReshardMessage>> messages = {};  ///< the messages to list
  std::vector<std::vector<Segment>> segments = {};           ///< of each message, if they are wanted
  std::optional<std::vector<ReshardMessage>> kept = {};      ///< what stays in place, to list
  std::vector<std::vector<Segment>> kept_segments = {};      ///< of each part that stays, if they are wanted
  bool verified = false;
  std::optional<SimulationReport> simulated = {};
  bool explained = false;
  CollectiveAnswer collectives = {};  ///< if `explained`
};

/// The notations and the array; bytes moved, messages, rounds; the largest sums of one place; the cost of
/// gathering everything; relabeling, if it would save bytes; bytes into nodes; messages, one line for each
/// box.
std::string to_text(const ReshardAnswer& answer);

/// Fills in `messages`, of all places or of one, and `segments` and `kept` if they are wanted. Errors: those
/// of messages, segments and kept_boxes.
Result<void> list_messages(ReshardAnswer& answer, std::optional<Index> place, bool segments, bool kept);

/// `{"schema": "tessera.reshard/1", "status": 0, "places": …, "arrays": […], "receive": […], …}`. One line.
std::string to_json(const ReshardAnswer& answer);

}  // namespace tessera
