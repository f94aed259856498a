// SPDX-License-Identifier: Apache-2.0
#include "reshard/plan/segments.h"

#include <fmt/core.h>

#include "relayout/each_run.h"
#include "reshard/limits.h"
#include "reshard/plan/each_element.h"
#include "reshard/plan/message_boxes.h"
#include "reshard/plan/place_memory.h"

namespace tessera {
namespace {

using detail::PlaceMemory;
using detail::Side;

// A list of segments. A segment that continues the previous one extends it.
class SegmentList {
 public:
  // False if there are too many.
  bool add(Index from, Index to, Index bytes) {
    if (!out_.empty() && out_.back().from + out_.back().bytes == from &&
        out_.back().to + out_.back().bytes == to) {
      out_.back().bytes += bytes;
      return true;
    }
    out_.push_back({from, to, bytes});
    return std::ssize(out_) <= detail::kReshardLimits.segments;
  }
  std::vector<Segment> take() { return std::move(out_); }

 private:
  std::vector<Segment> out_;
};

bool add_strided(const StridedMove& box, Index width, SegmentList& out) {
  return for_each_run(box, [&](Index from, Index to, Index length) {
    return out.add(from * width, to * width, length * width);
  });
}

// Element by element: a side has tiles.
bool add_elements(const MessageBox& box, const PlaceMemory& from, const PlaceMemory& to, Index width,
                  SegmentList& out) {
  return detail::for_each_element(box, [&](std::span<const Index> a, std::span<const Index> b) {
    return out.add(from.offset(a) * width, to.offset(b) * width, width);
  });
}

}  // namespace

Result<std::vector<Segment>> segments(const ReshardPlan& plan, const ReshardMessage& message) {
  const Index bits = plan.arrays()[message.array].element_bits;
  if (bits % 8 != 0) {
    return fail(Code::unsupported_width,
                fmt::format("segments count whole bytes, but elements have {} bits", bits), {},
                "list boxes of elements instead: --messages");
  }
  const PlaceMemory from(plan, message.array, Side::from, message.from);
  const PlaceMemory to(plan, message.array, Side::to, message.to);
  SegmentList out;
  for (const MessageBox& box : message.boxes) {
    const bool fits = from.strides() && to.strides()
                          ? add_strided(strided(box, *from.strides(), *to.strides()), bits / 8, out)
                          : add_elements(box, from, to, bits / 8, out);
    if (fits) continue;
    return fail(Code::limit,
                fmt::format("the message from place {} to place {} has more than {} segments", message.from,
                            message.to, detail::kReshardLimits.segments),
                {}, "list its boxes instead: --messages");
  }
  return out.take();
}

}  // namespace tessera
