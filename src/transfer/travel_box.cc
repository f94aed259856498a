// SPDX-License-Identifier: Apache-2.0
#include "transfer/travel_box.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tessera/relayout/relayout.h"

namespace tessera::transfer {
namespace {

constexpr Index kMostListed = Index{1} << 16;  // elements

// The elements of a box at one side, as offsets of loops.
struct BoxLoops {
  Index base = 0;
  std::vector<Index> steps;
};

std::optional<BoxLoops> nest_of(const TravelBox& box, Side side, const PlaceMemory& memory) {
  if (!memory.strides()) return {};
  const std::vector<Index>& strides = *memory.strides();
  const std::vector<Index>& first = side == Side::from ? box.from : box.to;
  BoxLoops nest;
  for (std::size_t d = 0; d < first.size(); ++d) nest.base += first[d] * strides[d];
  for (const TravelLoop& loop : box.loops) {
    nest.steps.push_back((side == Side::from ? loop.from_step : loop.to_step) * strides[loop.dim]);
  }
  return nest;
}

// The steps of a dense buffer, in the order of travel.
BoxLoops dense_nest(const TravelBox& box) {
  BoxLoops nest{0, std::vector<Index>(box.loops.size())};
  Index step = 1;
  for (std::size_t k = box.loops.size(); k-- > 0;) {
    nest.steps[k] = step;
    step *= box.loops[k].extent;
  }
  return nest;
}

Digits digits_of(const TravelBox& box, const std::vector<Index>& steps) {
  std::vector<Index> extents;
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < box.loops.size(); ++k) {
    const Index extent = box.loops[k].extent;
    extents.push_back(extent);
    digits.push_back({static_cast<Index>(k), 1, extent, steps[k]});
  }
  return Digits::normalized(std::move(extents), 0, std::move(digits));
}

// The number of elements that are consecutive in memory if the loops are ordered by their steps.
Index run_length(std::vector<TravelLoop> loops, std::span<const Index> strides, Side side) {
  const auto step = [&](const TravelLoop& loop) {
    return (side == Side::from ? loop.from_step : loop.to_step) * strides[loop.dim];
  };
  std::ranges::sort(loops, {}, step);
  Index run = 1;
  for (const TravelLoop& loop : loops) {
    if (step(loop) != run) break;
    run *= loop.extent;
  }
  return run;
}

// The runs of a box in memory, in the order of travel. Sums terms if the memory has them, else evaluates its
// layout at each element.
class RunWalk {
 public:
  RunWalk(const TravelBox& box, Side side, const PlaceMemory& memory)
      : memory_(memory), local_(side == Side::from ? box.from : box.to), at_(box.loops.size(), 0) {
    for (const TravelLoop& loop : box.loops)
      loops_.push_back({loop.dim, loop.extent, side == Side::from ? loop.from_step : loop.to_step});
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

Result<void> run_nests(PlanCache& plans, const TravelBox& box, const BoxLoops& from, const BoxLoops& to,
                       Index width, const std::byte* source, std::byte* target) {
  const Digits src = digits_of(box, from.steps);
  const Digits dst = digits_of(box, to.steps);
  const auto plan = plans.plan(src, {dst}, width);
  if (!plan) return fail(plan.error());
  run(*plan, source + from.base * width, target + to.base * width);
  return {};
}

}  // namespace

Index TravelBox::elements() const {
  Index count = 1;
  for (const TravelLoop& loop : loops) count *= loop.extent;
  return count;
}

TravelBox travel_box(const MessageBox& box, const PlaceMemory& from, const PlaceMemory& to) {
  TravelBox out;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const BoxRun& run = box[d];
    out.from.push_back(run.from_local);
    out.to.push_back(run.to_local);
    if (run.count > 1) out.loops.push_back({d, run.count, run.from_step, run.to_step});
    if (run.length > 1) out.loops.push_back({d, run.length, 1, 1});
  }
  const bool by_sender =
      from.strides() && (!to.strides() || run_length(out.loops, *from.strides(), Side::from) >
                                              run_length(out.loops, *to.strides(), Side::to));
  if (by_sender || to.strides()) {
    const std::vector<Index>& strides = by_sender ? *from.strides() : *to.strides();
    std::ranges::stable_sort(out.loops, std::ranges::greater(), [&](const TravelLoop& loop) {
      return (by_sender ? loop.from_step : loop.to_step) * strides[loop.dim];
    });
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
  const TravelLoop& loop = box.loops[k];
  const Index inner = elements / loop.extent;
  const Index step = std::max<Index>(1, most / inner);
  for (Index begin = 0; begin < loop.extent; begin += step) {
    TravelBox part = box;
    part.from[loop.dim] += begin * loop.from_step;
    part.to[loop.dim] += begin * loop.to_step;
    part.loops[k].extent = std::min(step, loop.extent - begin);
    cut(part, most, out);
  }
}

std::optional<Index> contiguous_offset(const TravelBox& box, Side side, const PlaceMemory& memory) {
  const std::optional<BoxLoops> nest = nest_of(box, side, memory);
  if (!nest) return {};
  const BoxLoops dense = dense_nest(box);
  for (std::size_t k = 0; k < box.loops.size(); ++k) {
    if (box.loops[k].extent > 1 && nest->steps[k] != dense.steps[k]) return {};
  }
  return nest->base;
}

Result<void> BoxMover::pack(const TravelBox& box, const PlaceMemory& memory, Index element_bytes,
                            const std::byte* array, std::byte* dense) {
  const std::optional<BoxLoops> nest = nest_of(box, Side::from, memory);
  if (nest) return run_nests(plans_, box, *nest, dense_nest(box), element_bytes, array, dense);
  RunWalk(box, Side::from, memory).for_each([&](Index offset, Index length) {
    copy_run(dense, array + offset * element_bytes, length, element_bytes);
    dense += length * element_bytes;
  });
  return {};
}

Result<void> BoxMover::unpack(const TravelBox& box, const PlaceMemory& memory, Index element_bytes,
                              const std::byte* dense, std::byte* array) {
  const std::optional<BoxLoops> nest = nest_of(box, Side::to, memory);
  if (nest) return run_nests(plans_, box, dense_nest(box), *nest, element_bytes, dense, array);
  RunWalk(box, Side::to, memory).for_each([&](Index offset, Index length) {
    copy_run(array + offset * element_bytes, dense, length, element_bytes);
    dense += length * element_bytes;
  });
  return {};
}

Result<void> BoxMover::move(const TravelBox& box, const PlaceMemory& from, const PlaceMemory& to,
                            Index element_bytes, const std::byte* source, std::byte* target) {
  const std::optional<BoxLoops> src = nest_of(box, Side::from, from);
  const std::optional<BoxLoops> dst = nest_of(box, Side::to, to);
  if (src && dst) return run_nests(plans_, box, *src, *dst, element_bytes, source, target);
  // Cut the box, because the runs of one side are stored in a list.
  std::vector<TravelBox> parts;
  cut(box, kMostListed, parts);
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
