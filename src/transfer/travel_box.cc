// SPDX-License-Identifier: Apache-2.0
#include "transfer/travel_box.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "tessera/relayout/relayout.h"
#include "transfer/limits.h"

namespace tessera::transfer {
namespace {

Index StridedLoop::* step_of(Side side) { return side == Side::from ? &StridedLoop::from : &StridedLoop::to; }
Index StridedMove::* first_of(Side side) {
  return side == Side::from ? &StridedMove::from : &StridedMove::to;
}

// Sets one side of a move to the offsets of the elements in a memory. False if the memory has no strides.
bool set_memory(const TravelBox& box, Side side, const PlaceMemory& memory, StridedMove& out) {
  if (!memory.strides()) return false;
  const std::vector<Index>& strides = *memory.strides();
  const std::vector<Index>& first = side == Side::from ? box.from : box.to;
  Index& base = out.*first_of(side);
  for (std::size_t d = 0; d < first.size(); ++d) base += first[d] * strides[d];
  for (std::size_t k = 0; k < box.loops.size(); ++k)
    out.loops[k].*step_of(side) = box.loops[k].*step_of(side) * strides[box.dims[k]];
  return true;
}

// Sets one side of a move to a dense buffer, in the order of travel.
void set_dense(Side side, StridedMove& out) {
  Index step = 1;
  for (std::size_t k = out.loops.size(); k-- > 0;) {
    out.loops[k].*step_of(side) = step;
    step *= out.loops[k].extent;
  }
}

StridedMove extents_of(const TravelBox& box) {
  StridedMove out;
  for (const StridedLoop& loop : box.loops) out.loops.push_back({loop.extent, 0, 0});
  return out;
}

// The number of elements that are consecutive in memory if the loops are ordered by their steps.
Index run_length(const TravelBox& box, std::span<const Index> strides, Side side) {
  std::vector<std::pair<Index, Index>> loops;  // step and extent
  for (std::size_t k = 0; k < box.loops.size(); ++k)
    loops.emplace_back(box.loops[k].*step_of(side) * strides[box.dims[k]], box.loops[k].extent);
  std::ranges::sort(loops);
  Index run = 1;
  for (const auto& [step, extent] : loops) {
    if (step != run) break;
    run *= extent;
  }
  return run;
}

// The runs of a box in memory, in the order of travel. Sums terms if the memory has them, else evaluates its
// layout at each element.
class RunWalk {
 public:
  RunWalk(const TravelBox& box, Side side, const PlaceMemory& memory)
      : memory_(memory), local_(side == Side::from ? box.from : box.to), at_(box.loops.size(), 0) {
    for (std::size_t k = 0; k < box.loops.size(); ++k)
      loops_.push_back({box.dims[k], box.loops[k].extent, box.loops[k].*step_of(side)});
    base_ = memory.terms().empty() ? 0 : memory.offset(std::vector<Index>(local_.size(), 0));
  }

  // Calls visit(offset, length).
  template <class Visit>
  void for_each(Visit&& visit) {
    Index begin = 0;
    Index end = 0;
    const auto add = [&](Index offset) {
      if (offset != end) {
        if (end > begin) visit(begin, end - begin);
        begin = end = offset;
      }
      ++end;
    };
    do {
      if (loops_.empty() || memory_.terms().empty()) {
        add(offset());
      } else {
        const Loop& inner = loops_.back();
        const Index* const terms = memory_.terms()[inner.dim].data() + local_[inner.dim];
        const Index rest = offset() - terms[0];
        for (Index i = 0; i < inner.extent; ++i) add(rest + terms[i * inner.step]);
      }
    } while (advance());
    visit(begin, end - begin);
  }

 private:
  struct Loop {
    std::size_t dim = 0;
    Index extent = 1;
    Index step = 0;
  };

  Index offset() const {
    if (memory_.terms().empty()) return memory_.offset(local_);
    Index sum = base_;
    for (std::size_t d = 0; d < local_.size(); ++d)
      sum += memory_.terms()[d][static_cast<std::size_t>(local_[d])];
    return sum;
  }

  // The next element, or with terms the next one of the outer loops. False after the last.
  bool advance() {
    const std::size_t inner = memory_.terms().empty() || loops_.empty() ? 0 : 1;
    for (std::size_t k = loops_.size() - inner; k-- > 0;) {
      local_[loops_[k].dim] += loops_[k].step;
      if (++at_[k] < loops_[k].extent) return true;
      local_[loops_[k].dim] -= loops_[k].extent * loops_[k].step;
      at_[k] = 0;
    }
    return false;
  }

  const PlaceMemory& memory_;
  std::vector<Index> local_;
  std::vector<Index> at_;
  std::vector<Loop> loops_;
  Index base_ = 0;
};

// Runs as short as one element of a usual width are copied without a call.
void copy_run(std::byte* target, const std::byte* source, Index length, Index width) {
  if (length == 1 && width == 2)
    std::memcpy(target, source, 2);
  else if (length == 1 && width == 4)
    std::memcpy(target, source, 4);
  else if (length == 1 && width == 8)
    std::memcpy(target, source, 8);
  else
    std::memcpy(target, source, static_cast<std::size_t>(length * width));
}

}  // namespace

Index TravelBox::elements() const {
  Index count = 1;
  for (const StridedLoop& loop : loops) count *= loop.extent;
  return count;
}

TravelBox travel_box(const MessageBox& box, const PlaceMemory& from, const PlaceMemory& to) {
  TravelBox out;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const BoxRun& run = box[d];
    out.from.push_back(run.from_local);
    out.to.push_back(run.to_local);
    const auto add = [&](const StridedLoop& loop) {
      if (loop.extent == 1) return;
      out.dims.push_back(d);
      out.loops.push_back(loop);
    };
    add({run.count, run.from_step, run.to_step});
    add({run.length, 1, 1});
  }
  const bool by_sender = from.strides() && (!to.strides() || run_length(out, *from.strides(), Side::from) >
                                                                 run_length(out, *to.strides(), Side::to));
  if (by_sender || to.strides()) {
    const Side side = by_sender ? Side::from : Side::to;
    const std::vector<Index>& strides = by_sender ? *from.strides() : *to.strides();
    std::vector<std::size_t> order(out.loops.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t k) {
      return out.loops[k].*step_of(side) * strides[out.dims[k]];
    });
    TravelBox ordered{out.from, out.to, {}, {}};
    for (const std::size_t k : order) {
      ordered.dims.push_back(out.dims[k]);
      ordered.loops.push_back(out.loops[k]);
    }
    return ordered;
  }
  return out;
}

void cut(const TravelBox& box, Index most, std::vector<TravelBox>& out) {
  const Index elements = box.elements();
  if (elements <= most) {
    out.push_back(box);
    return;
  }
  std::size_t k = 0;
  while (box.loops[k].extent == 1) ++k;
  const StridedLoop& loop = box.loops[k];
  const std::size_t dim = box.dims[k];
  const Index inner = elements / loop.extent;
  const Index step = std::max<Index>(1, most / inner);
  for (Index begin = 0; begin < loop.extent; begin += step) {
    TravelBox part = box;
    part.from[dim] += begin * loop.from;
    part.to[dim] += begin * loop.to;
    part.loops[k].extent = std::min(step, loop.extent - begin);
    cut(part, most, out);
  }
}

std::optional<Index> contiguous_offset(const TravelBox& box, Side side, const PlaceMemory& memory) {
  StridedMove move = extents_of(box);
  if (!set_memory(box, side, memory, move)) return {};
  set_dense(side == Side::from ? Side::to : Side::from, move);
  if (!move.is_run()) return {};
  return move.*first_of(side);
}

Result<void> BoxMover::pack(const TravelBox& box, const PlaceMemory& memory, Index element_bytes,
                            const std::byte* array, std::byte* dense) {
  StridedMove move = extents_of(box);
  if (set_memory(box, Side::from, memory, move)) {
    set_dense(Side::to, move);
    return run(move, element_bytes, array + move.from * element_bytes, dense, plans_);
  }
  RunWalk(box, Side::from, memory).for_each([&](Index offset, Index length) {
    copy_run(dense, array + offset * element_bytes, length, element_bytes);
    dense += length * element_bytes;
  });
  return {};
}

Result<void> BoxMover::unpack(const TravelBox& box, const PlaceMemory& memory, Index element_bytes,
                              const std::byte* dense, std::byte* array) {
  StridedMove move = extents_of(box);
  if (set_memory(box, Side::to, memory, move)) {
    set_dense(Side::from, move);
    return run(move, element_bytes, dense, array + move.to * element_bytes, plans_);
  }
  RunWalk(box, Side::to, memory).for_each([&](Index offset, Index length) {
    copy_run(array + offset * element_bytes, dense, length, element_bytes);
    dense += length * element_bytes;
  });
  return {};
}

Result<void> BoxMover::move(const TravelBox& box, const PlaceMemory& from, const PlaceMemory& to,
                            Index element_bytes, const std::byte* source, std::byte* target) {
  StridedMove all = extents_of(box);
  if (set_memory(box, Side::from, from, all) && set_memory(box, Side::to, to, all)) {
    return run(all, element_bytes, source + all.from * element_bytes, target + all.to * element_bytes,
               plans_);
  }
  // Cut the box, because the runs of one side are stored in a list.
  std::vector<TravelBox> parts;
  cut(box, kTransferLimits.box_elements, parts);
  std::vector<std::pair<Index, Index>> runs;
  for (const TravelBox& part : parts) {
    runs.clear();
    RunWalk(part, Side::from, from).for_each([&](Index offset, Index length) {
      runs.emplace_back(offset, length);
    });
    std::size_t at = 0;
    RunWalk(part, Side::to, to).for_each([&](Index offset, Index length) {
      while (length > 0) {
        auto& [begin, left] = runs[at];
        const Index both = std::min(left, length);
        copy_run(target + offset * element_bytes, source + begin * element_bytes, both, element_bytes);
        offset += both;
        begin += both;
        length -= both;
        left -= both;
        at += left == 0 ? 1 : 0;
      }
    });
  }
  return {};
}

}  // namespace tessera::transfer
