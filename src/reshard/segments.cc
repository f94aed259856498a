// SPDX-License-Identifier: Apache-2.0
#include "reshard/segments.h"

#include <fmt/core.h>

#include "reshard/place_memory.h"
#include "reshard/strided_box.h"

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
    return std::ssize(out_) <= kMostSegments;
  }
  std::vector<Segment> take() { return std::move(out_); }

 private:
  std::vector<Segment> out_;
};

bool add_strided(const StridedBox& box, Index width, SegmentList& out) {
  const bool run = !box.loops.empty() && box.loops.back().from == 1 && box.loops.back().to == 1;
  const Index length = run ? box.loops.back().extent : 1;
  std::vector<Index> at(box.loops.size() - (run ? 1 : 0), 0);
  while (true) {
    Index from = box.from;
    Index to = box.to;
    for (std::size_t k = 0; k < at.size(); ++k) {
      from += at[k] * box.loops[k].from;
      to += at[k] * box.loops[k].to;
    }
    if (!out.add(from * width, to * width, length * width)) return false;
    std::size_t k = at.size();
    while (k > 0 && ++at[k - 1] == box.loops[k - 1].extent) at[--k] = 0;
    if (k == 0) return true;
  }
}

// Element by element: a side has tiles.
bool add_elements(const MessageBox& box, const PlaceMemory& from, const PlaceMemory& to, Index width,
                  SegmentList& out) {
  std::vector<Index> at(box.size(), 0);
  std::vector<Index> a(box.size());
  std::vector<Index> b(box.size());
  while (true) {
    for (std::size_t d = 0; d < box.size(); ++d) {
      const Index k = at[d] / box[d].length;
      const Index i = at[d] % box[d].length;
      a[d] = box[d].from_local + k * box[d].from_step + i;
      b[d] = box[d].to_local + k * box[d].to_step + i;
    }
    if (!out.add(from.offset(a) * width, to.offset(b) * width, width)) return false;
    std::size_t d = box.size();
    while (d > 0 && ++at[d - 1] == box[d - 1].size()) at[--d] = 0;
    if (d == 0) return true;
  }
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
                            message.to, kMostSegments),
                {}, "list its boxes instead: --messages");
  }
  return out.take();
}

}  // namespace tessera
