// SPDX-License-Identifier: Apache-2.0
#include "mpi/schedule.h"

#include <algorithm>
#include <map>

#include "base/try.h"
#include "mpi/limits.h"

namespace tessera::mpi {
namespace {

using transfer::PlaceMemory;
using transfer::Side;

class RoundTable {
 public:
  explicit RoundTable(const ReshardPlan& plan) : places_(plan.places()) {
    const auto pairs = plan.pairs();
    if (static_cast<Index>(pairs.size()) > kMpiLimits.coloring_steps / std::max<Index>(1, places_)) return;
    const ReshardRounds colored = rounds(plan);
    for (std::size_t k = 0; k < pairs.size(); ++k) round_[{pairs[k].from, pairs[k].to}] = colored.of_pair[k];
  }
  Index at(Index from, Index to) const {
    const auto found = round_.find({from, to});
    return found == round_.end() ? mod(to - from, places_) : found->second;
  }

 private:
  Index places_;
  std::map<std::pair<Index, Index>, Index> round_;
};

// Distributes boxes over slices, in order.
class Slicer {
 public:
  Slicer(int peer, Index round, Index most, std::vector<MessageSlice>& out)
      : peer_(peer), round_(round), most_(most), out_(out) {}

  void add(SliceBox box) {
    std::vector<transfer::TravelBox> parts;
    transfer::cut(box.box, std::max<Index>(1, most_ / box.element_bytes), parts);
    for (transfer::TravelBox& part : parts) {
      SliceBox one{box.array, box.element_bytes, std::move(part)};
      const Index bytes = one.bytes();
      if (!open_ || out_.back().bytes + bytes > most_) {
        out_.push_back({peer_, round_, 0, {}});
        open_ = true;
      }
      out_.back().bytes += bytes;
      out_.back().boxes.push_back(std::move(one));
    }
  }

 private:
  int peer_;
  Index round_;
  Index most_;
  bool open_ = false;
  std::vector<MessageSlice>& out_;
};

}  // namespace

Index slice_bytes(const MpiOptions& options) {
  // At most four slices are in memory in each direction. Larger slices would not reduce the waits for the
  // other rank.
  return std::min(options.memory_bytes / 8, Index{4} << 20);
}

Result<Schedule> make_schedule(const ReshardPlan& plan, int rank, Index most_bytes) {
  Schedule out;
  const auto width = [&](std::size_t array) { return ceil_div(plan.arrays()[array].element_bits, 8); };
  TESSERA_TRY(kept, kept_boxes(plan, rank));
  for (const ReshardMessage& message : kept) {
    const PlaceMemory from(plan, message.array, Side::from, rank);
    const PlaceMemory to(plan, message.array, Side::to, rank);
    for (const MessageBox& box : message.boxes) {
      out.kept.push_back({message.array, width(message.array), transfer::travel_box(box, from, to)});
    }
  }
  TESSERA_TRY(all, messages(plan, rank));
  // Orders messages by pair, so that the messages of one pair for all arrays are adjacent.
  std::ranges::stable_sort(all, {},
                           [](const ReshardMessage& message) { return std::pair(message.from, message.to); });
  const RoundTable table(plan);
  std::optional<Slicer> slicer;
  std::pair<Index, Index> pair{-1, -1};
  for (const ReshardMessage& message : all) {
    const bool sends = message.from == rank;
    if (pair != std::pair(message.from, message.to)) {
      pair = {message.from, message.to};
      slicer.emplace(static_cast<int>(sends ? message.to : message.from), table.at(message.from, message.to),
                     most_bytes, sends ? out.sends : out.receives);
    }
    const PlaceMemory from(plan, message.array, Side::from, message.from);
    const PlaceMemory to(plan, message.array, Side::to, message.to);
    for (const MessageBox& box : message.boxes) {
      slicer->add({message.array, width(message.array), transfer::travel_box(box, from, to)});
    }
  }
  std::ranges::stable_sort(out.sends, {}, &MessageSlice::round);
  std::ranges::stable_sort(out.receives, {}, &MessageSlice::round);
  return out;
}

}  // namespace tessera::mpi
