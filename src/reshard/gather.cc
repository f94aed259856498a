// SPDX-License-Identifier: Apache-2.0
#include "reshard/gather.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/try.h"
#include "reshard/plan_state.h"

namespace tessera {
namespace {

using detail::Meetings;
using detail::PartMeeting;
using detail::RunMeet;

BoxRun run_of(const RunMeet& meet) {
  return {meet.lower, meet.length, meet.count, meet.step, meet.a, meet.a_step, meet.b, meet.b_step};
}

// One box for each choice of a run in every dimension.
void add_boxes(Meetings meetings, std::vector<MessageBox>& out) {
  std::vector<std::size_t> at(meetings.size(), 0);
  while (true) {
    MessageBox box;
    for (std::size_t d = 0; d < meetings.size(); ++d) box.push_back(run_of(meetings[d]->meets[at[d]]));
    out.push_back(std::move(box));
    std::size_t d = meetings.size();
    while (d > 0 && ++at[d - 1] == meetings[d - 1]->meets.size()) at[--d] = 0;
    if (d == 0) return;
  }
}

bool too_many_boxes(Meetings meetings) {
  Index count = 1;
  for (const PartMeeting* meeting : meetings) {
    if (mul_overflows(count, std::ssize(meeting->meets), count) || count > kMostBoxes) return true;
  }
  return false;
}

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
                               limit = too_many_boxes(meetings);
                               if (limit) return;
                               boxes.clear();
                               add_boxes(meetings, boxes);
                               for (const Index to : array.to.holders(target)) {
                                 const Index from = std::ranges::binary_search(senders, to) ? to : senders[0];
                                 for (const MessageBox& box : boxes) visit({from, to, box});
                               }
                             });
  }
  if (limit) return fail(Code::limit, fmt::format("two places exchange more than {} boxes", kMostBoxes));
  return {};
}

}  // namespace tessera
