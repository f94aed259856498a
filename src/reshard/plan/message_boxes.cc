// SPDX-License-Identifier: Apache-2.0
// The boxes of messages.
#include "reshard/plan/message_boxes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index_walk.h"
#include "base/state_of.h"
#include "reshard/plan/plan_state.h"
#include "reshard/plan/transfers.h"

namespace tessera {
namespace {

using detail::Meetings;
using detail::PartMeeting;
using detail::RunMeet;
using detail::Transfer;

// The indices with numbers [first, last) in a dimension of a message.
std::vector<RunMeet> slice(std::span<const RunMeet> meets, Index first, Index last) {
  std::vector<RunMeet> out;
  Index before = 0;
  for (const RunMeet& meet : meets) {
    Index begin = std::max<Index>(0, first - before);
    const Index end = std::min(meet.size(), last - before);
    before += meet.size();
    const auto add = [&](Index k, Index within, Index length, Index count) {
      RunMeet part = meet;
      part.lower += k * meet.step + within;
      part.a += k * meet.a_step + within;
      part.b += k * meet.b_step + within;
      part.length = length;
      part.count = count;
      if (count == 1) part.step = part.a_step = part.b_step = 0;
      out.push_back(part);
    };
    while (begin < end) {
      const Index k = begin / meet.length;
      const Index within = begin % meet.length;
      if (within == 0 && end - begin >= meet.length) {
        const Index whole = (end - begin) / meet.length;
        add(k, 0, meet.length, whole);
        begin += whole * meet.length;
      } else {
        const Index length = std::min(meet.length - within, end - begin);
        add(k, within, length, 1);
        begin += length;
      }
    }
  }
  return out;
}

BoxRun box_run(const RunMeet& meet) {
  return {meet.lower, meet.length, meet.count, meet.step, meet.a, meet.a_step, meet.b, meet.b_step};
}

// The boxes of a transfer.
class BoxList {
 public:
  explicit BoxList(Meetings meetings) : meetings_(meetings), inner_(meetings.size() + 1, 1) {
    for (std::size_t d = meetings.size(); d-- > 0;) inner_[d] = inner_[d + 1] * meetings[d]->size;
  }

  // Returns false if there are too many boxes.
  bool add(Index first, Index last) {
    std::vector<std::span<const RunMeet>> dims;
    return add(0, first, last, dims);
  }
  std::vector<MessageBox> take() { return std::move(boxes_); }

 private:
  // Adds the elements of dimensions d and later whose row-major numbers are in [first, last): whole indices
  // of dimension d, and parts of one index before and after them.
  bool add(std::size_t d, Index first, Index last, std::vector<std::span<const RunMeet>>& dims) {
    if (first >= last) return true;
    if (d == meetings_.size()) return detail::add_boxes(dims, boxes_);
    const Index inner = inner_[d + 1];
    const auto descend = [&](Index from, Index to, Index low, Index high) {
      std::vector<RunMeet> part;
      const bool all = from == 0 && to == meetings_[d]->size;
      if (!all) part = slice(meetings_[d]->meets, from, to);
      dims.emplace_back(all ? meetings_[d]->meets : part);
      const bool fits = add(d + 1, low, high, dims);
      dims.pop_back();
      return fits;
    };
    const Index head = first / inner;
    const Index tail = last / inner;
    if (head == tail) return descend(head, head + 1, first % inner, last % inner);
    const Index whole = first % inner == 0 ? head : head + 1;
    if (whole != head && !descend(head, whole, first % inner, inner)) return false;
    if (whole != tail && !descend(whole, tail, 0, inner)) return false;
    return last % inner == 0 || descend(tail, tail + 1, 0, last % inner);
  }

  Meetings meetings_;
  std::vector<Index> inner_;  // [d]: the number of elements in dimensions d and later
  std::vector<MessageBox> boxes_;
};

Result<std::vector<MessageBox>> boxes_of(const Transfer& transfer) {
  BoxList boxes(transfer.meetings);
  if (!boxes.add(transfer.first, transfer.last)) {
    return fail(Code::limit, fmt::format("place {} would send place {} more than {} boxes", transfer.from,
                                         transfer.to, kMaxBoxes));
  }
  return boxes.take();
}

}  // namespace

StridedMove strided(const MessageBox& box, std::span<const Index> from_strides,
                    std::span<const Index> to_strides) {
  StridedMove out;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const BoxRun& run = box[d];
    out.from += run.from_local * from_strides[d];
    out.to += run.to_local * to_strides[d];
    out.loops.push_back({run.count, run.from_step * from_strides[d], run.to_step * to_strides[d]});
    out.loops.push_back({run.length, from_strides[d], to_strides[d]});
  }
  order_by_target(out);
  return out;
}

bool detail::add_boxes(std::span<const std::span<const RunMeet>> dims, std::vector<MessageBox>& out) {
  Index count = 1;
  for (const auto meets : dims) {
    if (mul_overflows(count, std::ssize(meets), count)) return false;
  }
  if (count > kMaxBoxes - std::ssize(out)) return false;
  std::vector<std::size_t> at(dims.size(), 0);
  const auto advance = [&](std::size_t d) { return next_value(at[d], 0, dims[d].size()); };
  for (Index n = 0; n < count; ++n, advance_last(dims.size(), advance)) {
    MessageBox& box = out.emplace_back();
    for (std::size_t d = 0; d < dims.size(); ++d) box.push_back(box_run(dims[d][at[d]]));
  }
  return true;
}

Result<std::vector<ReshardMessage>> messages(const ReshardPlan& plan, std::optional<Index> place) {
  const ReshardPlan::State& state = detail::state_of(plan);
  std::vector<ReshardMessage> out;
  std::optional<Diagnostic> error;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const std::size_t begin = out.size();
    detail::for_each_transfer(
        state.arrays[k], state.planned[k], state.shares[k], state.per_node, [&](const Transfer& transfer) {
          if (error || (place && transfer.from != *place && transfer.to != *place)) return;
          auto boxes = boxes_of(transfer);
          if (!boxes) {
            error = boxes.error();
            return;
          }
          out.push_back({k, transfer.from, transfer.to, transfer.elements,
                         detail::whole_bytes(transfer.elements * state.arrays[k].element_bits),
                         std::move(*boxes)});
        });
    if (error) return fail(std::move(*error));
    std::ranges::stable_sort(
        out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), {},
        [](const ReshardMessage& message) { return std::pair(message.from, message.to); });
  }
  return out;
}

Result<std::vector<ReshardMessage>> kept_boxes(const ReshardPlan& plan, Index place) {
  const ReshardPlan::State& state = detail::state_of(plan);
  std::vector<ReshardMessage> out;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const ReshardArray& array = state.arrays[k];
    const auto source = array.from.shard_of(place);
    const auto target = array.to.shard_of(place);
    if (!source || !target) continue;
    std::optional<Diagnostic> error;
    detail::for_each_meeting(
        state.planned[k].tables, state.planned[k].parts_of(*source), state.planned[k].to_parts,
        [&](std::size_t shard, Index elements, Meetings meetings) {
          if (shard != *target || elements == 0) return;
          auto boxes = boxes_of({*source, *target, place, place, elements, 0, elements, meetings});
          if (!boxes) {
            error = boxes.error();
            return;
          }
          out.push_back({k, place, place, elements, detail::whole_bytes(elements * array.element_bits),
                         std::move(*boxes)});
        });
    if (error) return fail(std::move(*error));
  }
  return out;
}

std::string to_string(const MessageBox& box) {
  std::vector<std::string> dims;
  for (const BoxRun& run : box) {
    dims.push_back(to_string(IndexRun{run.lower, run.length, run.count, run.step, 0, 0}));
  }
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

}  // namespace tessera
