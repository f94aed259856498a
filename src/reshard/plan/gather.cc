// SPDX-License-Identifier: Apache-2.0
#include "reshard/plan/gather.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/try.h"
#include "reshard/plan/message_boxes.h"
#include "reshard/plan/planned_array.h"

namespace tessera {
namespace {

using detail::Meetings;
using detail::PartMeeting;
using detail::RunMeet;

}  // namespace

Result<void> for_each_place_box(const ReshardArray& array, const std::function<void(PlaceBox)>& visit) {
  TESSERA_TRY(planned, detail::planned_array(array));
  bool limit = false;
  std::vector<MessageBox> boxes;
  for (std::size_t source = 0; source < array.from.shards(); ++source) {
    const auto senders = array.from.holders(source);
    detail::for_each_meeting(planned.tables, planned.parts_of(source), planned.to_parts,
                             [&](std::size_t target, Index elements, Meetings meetings) {
                               if (elements == 0 || limit) return;
                               std::vector<std::span<const RunMeet>> dims;
                               for (const PartMeeting* meeting : meetings) dims.emplace_back(meeting->meets);
                               boxes.clear();
                               limit = !detail::add_boxes(dims, boxes);
                               if (limit) return;
                               for (const Index to : array.to.holders(target)) {
                                 const Index from = std::ranges::binary_search(senders, to) ? to : senders[0];
                                 for (const MessageBox& box : boxes) visit({from, to, box});
                               }
                             });
  }
  if (limit) return fail(Code::limit, fmt::format("two places exchange more than {} boxes", kMaxBoxes));
  return {};
}

}  // namespace tessera
