// SPDX-License-Identifier: Apache-2.0
/// \file
/// What must move between two distributions of the same arrays: the fewest bytes, and which place sends them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera {

namespace detail {
struct StateAccess;
}

/// An array before and after. Both shapes are equal, or have the same number of elements, which then
/// correspond in row-major order (a view).
struct ReshardArray {
  std::string name = {};
  Index element_bits = 32;
  BoundDistribution from;
  BoundDistribution to;
};

/// Which places may exchange the parts of the target. none: no places; within: the target's own places; any:
/// all places.
enum class Relabel : std::uint8_t { none, within, any };

/// What a reshard plan may assume.
struct ReshardOptions {
  Index per_node = 0;  ///< places in a node: places 0 to per_node - 1 are the first node; 0: no nodes
  Relabel relabel = Relabel::none;
};

/// Indices of one dimension in a message: `count` intervals of `length`, `step` apart, with their local
/// indices at the sender and at the receiver. Dimensions that a view joins count as one, flattened row-major.
struct BoxRun {
  Index lower = 0;
  Index length = 1;
  Index count = 1;
  Index step = 0;
  Index from_local = 0;
  Index from_step = 0;
  Index to_local = 0;
  Index to_step = 0;
  Index size() const { return length * count; }
};

/// `[0:8, 2:4]`, `[0:1 every 4 x 3]`.
using MessageBox = std::vector<BoxRun>;
std::string to_string(const MessageBox& box);

/// Elements of one array that one place sends another.
struct ReshardMessage {
  std::size_t array = 0;
  Index from = 0;
  Index to = 0;
  Index elements = 0;
  Index bytes = 0;                     ///< rounded up
  std::vector<MessageBox> boxes = {};  ///< disjoint
};

/// Bytes between two different places, over all arrays.
struct PairBytes {
  Index from = 0;
  Index to = 0;
  Index bytes = 0;
  friend bool operator==(const PairBytes&, const PairBytes&) = default;
};

/// Bytes that enter nodes from other nodes.
struct NodeBytes {
  Index per_node = 0;
  Index least = 0;    ///< if each element enters a node once
  Index direct = 0;   ///< if each place itself fetches what its node lacks, and the rest within its node
  Index planned = 0;  ///< in this plan, where the holders of a shard first share equally what they send
};

/// The smallest totals when places exchange the parts of the target.
struct RelabelBytes {
  Index within = 0;
  Index any = 0;
};

/// The largest number of boxes of one message, and of places that are relabeled.
inline constexpr Index kMaxBoxes = Index{1} << 20;
inline constexpr Index kMaxRelabeled = 2048;

/// Messages that write exactly the elements of the target that their places do not have yet, each one once.
/// Every place receives the minimum number of bytes. Immutable; copies share their state.
class ReshardPlan {
 public:
  struct State;  // private to the implementation
  explicit ReshardPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::span<const ReshardArray> arrays() const;
  Index places() const;
  /// \name Bytes of each place, over all arrays
  /// @{
  std::span<const Index> receive() const;
  std::span<const Index> send() const;
  /// @}
  /// Bytes that all places receive: those that a place has in the target but not in the source.
  Index total() const;
  /// Bytes that source and target have on the same place.
  Index kept() const;
  /// Bytes received if every place of the target first got the whole array.
  Index full_gather() const;
  Index max_send() const;
  Index max_receive() const;
  /// Pairs of places that exchange something, sorted by (from, to).
  std::span<const PairBytes> pairs() const;
  const std::optional<NodeBytes>& nodes() const;
  /// The place that took over each part of the target: [old, new] where they differ. Empty unless requested.
  std::span<const std::pair<Index, Index>> relabeled() const;

 private:
  friend struct detail::StateAccess;
  std::shared_ptr<const State> state_;
};

/// Plans all arrays together. The places that hold one shard of a replicated source share its messages
/// equally, which minimizes, for each array, the largest number of bytes that one place sends. Errors:
/// different_shape (element counts that differ), value_count (distributions with different numbers of
/// places), overflow, limit. Time grows with the number of messages, memory with the number of parts of each
/// dimension.
Result<ReshardPlan> make_reshard_plan(std::vector<ReshardArray> arrays, const ReshardOptions& options = {});

/// The messages of all places, or those that one place sends and receives, by array. Errors: limit (more than
/// kMaxBoxes boxes).
Result<std::vector<ReshardMessage>> messages(const ReshardPlan& plan, std::optional<Index> place = {});

/// The elements that a place has both before and after: for each array with such elements, a message to
/// itself. Errors: limit.
Result<std::vector<ReshardMessage>> kept_boxes(const ReshardPlan& plan, Index place);

/// Rounds in which every place sends at most one and receives at most one message: the round of each entry of
/// pairs(). Their number is the minimum: the largest number of messages that one place sends or receives.
/// Large messages come first. O(pairs * places).
struct ReshardRounds {
  Index rounds = 0;
  std::vector<Index> of_pair;
};
ReshardRounds rounds(const ReshardPlan& plan);
/// The number of rounds alone. O(pairs).
Index round_count(const ReshardPlan& plan);

/// The totals after the best relabeling. Empty for more than kMaxRelabeled places. O(places^3).
std::optional<RelabelBytes> relabel_bytes(const ReshardPlan& plan);

/// Proves the plan from its distributions alone: every box lies in the shard of its sender and in what its
/// receiver lacks, boxes of one receiver are disjoint, and what is kept and received adds up to each target
/// shard. Errors: verify_failed, limit. Time is linear in the boxes, and quadratic in those that one place
/// receives from one source shard.
Result<void> verify(const ReshardPlan& plan);

}  // namespace tessera
