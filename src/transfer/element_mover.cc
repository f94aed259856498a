// SPDX-License-Identifier: Apache-2.0
#include "transfer/element_mover.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "transfer/band_memory.h"
#include "transfer/code_side.h"

namespace tessera::transfer {
namespace {

// Boxes of at most this many elements are moved without further cuts, because moving one takes far longer
// than finding it.
constexpr Index kMovedBox = Index{1} << 16;
constexpr std::size_t kBatch = 64;

// Visits the indices of a box, last dimension fastest, until `f` stops it.
template <class F>
void for_each_index(const IndexBox& box, const F& f) {
  std::vector<Index> index = box.lo;
  while (f(index) && detail::next_index(index, box.lo, box.hi)) continue;
}

}  // namespace

Failure shared_offset(std::span<const Index> a, std::span<const Index> b, Index offset) {
  return fail(Diagnostic{.code = Code::broadcast,
                         .message = "two indices of the destination share an offset",
                         .witness = fmt::format("({}) and ({}) both lie at offset {}", fmt::join(a, ", "),
                                                fmt::join(b, ", "), offset),
                         .field = "to"});
}

// The memory of a band, and marks for its written cells.
class ElementMover::Cells {
 public:
  Cells(const Band& band, std::span<std::byte> memory, bool watched) : band_(band), memory_(memory.data()) {
    if (!watched) return;
    words_ = ceil_div(band.end - band.begin, Index{64});
    taken_.reset(new (std::nothrow) std::uint64_t[static_cast<std::size_t>(words_)]());
  }

  // Returns false if the memory for the marks could not be allocated.
  bool ready() const { return words_ == 0 || taken_ != nullptr; }
  Index mark_bytes() const { return words_ * 8; }

  bool has(Index offset) const { return offset >= band_.begin && offset < band_.end; }
  std::byte* at(Index offset, std::size_t width) const {
    return memory_ + static_cast<std::size_t>(offset - band_.begin) * width;
  }

  // Marks the cell as written. Returns false if it was already marked. Thread-safe.
  bool take(Index offset) {
    if (taken_ == nullptr) return true;
    const auto cell = static_cast<std::size_t>(offset - band_.begin);
    const std::uint64_t bit = std::uint64_t{1} << (cell % 64);
    const std::uint64_t before = std::atomic_ref(taken_[cell / 64]).fetch_or(bit, std::memory_order_relaxed);
    if ((before & bit) == 0) return true;
    shared_.store(offset, std::memory_order_relaxed);
    return false;
  }

  // The offset of a cell that two elements share, or -1.
  Index shared() const { return shared_.load(std::memory_order_relaxed); }

 private:
  const Band& band_;
  std::byte* memory_;
  Index words_ = 0;
  std::unique_ptr<std::uint64_t[]> taken_;  // one bit per cell; null if cells are not watched
  std::atomic<Index> shared_ = -1;
};

ElementMover::ElementMover(const Tensor& source, std::span<const std::byte> bytes, const Tensor& destination,
                           Index width, PageBudget& pages)
    : source_(source),
      bytes_(bytes),
      destination_(destination),
      width_(static_cast<std::size_t>(width)),
      pages_(pages),
      from_(source.layout),
      to_(destination.layout) {}

// If the box is partly outside the band, cuts the dimension that narrows the range of offsets most; otherwise
// the one that most reduces the source bytes read.
std::pair<IndexBox, IndexBox> ElementMover::halves(const IndexBox& box, const Band& band) const {
  const Interval whole = to_.offsets(box);
  const bool inside = whole.lower >= band.begin && whole.upper < band.end;
  return transfer::halves(box, round_middle, [&](const IndexBox& half, std::size_t dim) {
    Index width = from_.touched_bytes(half, source_.element_bits, std::ssize(bytes_));
    if (!inside) {
      const Interval offsets = to_.offsets(half);
      if (sub_overflows(offsets.upper, offsets.lower, width)) width = kIndexMax;
    }
    return std::pair(width, box.lo[dim] - box.hi[dim]);
  });
}

void ElementMover::visit(const IndexBox& box, const Band& band,
                         const std::function<void(const IndexBox&, Index touched)>& f) const {
  const Interval offsets = to_.offsets(box);
  if (offsets.upper < band.begin || offsets.lower >= band.end) return;
  const Index touched = from_.touched_bytes(box, source_.element_bits, std::ssize(bytes_));
  if (box.size() == 1 || (box.size() <= kMovedBox && touched <= pages_.bytes())) return f(box, touched);
  const auto [first, second] = halves(box, band);
  visit(first, band, f);
  visit(second, band, f);
}

void ElementMover::move_box(const IndexBox& box, Cells& cells) const {
  for_each_index(box, [&](std::span<const Index> index) {
    const Index offset = destination_.layout.offset(index);
    if (!cells.has(offset)) return true;
    if (!cells.take(offset)) return false;
    const Index from = source_.layout.offset(index);
    if (source_.is_packed()) {
      unpack(packing_of(source_), bytes_, from, {cells.at(offset, width_), width_});
    } else {
      std::memcpy(cells.at(offset, width_), bytes_.data() + from * static_cast<Index>(width_), width_);
    }
    return true;
  });
}

Failure ElementMover::shared_offset(Index offset) const {
  std::vector<std::vector<Index>> found;
  const Band cell{.begin = offset, .end = offset + 1, .box = std::nullopt};
  visit(IndexBox::whole(destination_.layout.shape()), cell, [&](const IndexBox& box, Index) {
    for_each_index(box, [&](const std::vector<Index>& index) {
      if (destination_.layout.offset(index) == offset) found.push_back(index);
      return found.size() < 2;
    });
  });
  return transfer::shared_offset(found.front(), found.back(), offset);
}

Result<void> ElementMover::move(const Band& band, std::span<std::byte> memory, Executor& executor) const {
  Cells cells(band, memory, /*watched=*/!to_.digits());  // digits are already known to be injective
  if (!cells.ready()) return not_enough_memory(cells.mark_bytes());
  std::vector<IndexBox> batch;
  const auto flush = [&] {
    executor.parallel_for(std::ssize(batch), [&](Index i) {
      if (cells.shared() < 0) move_box(batch[static_cast<std::size_t>(i)], cells);
    });
    batch.clear();
  };
  visit(*band.box, band, [&](const IndexBox& box, Index touched) {
    if (cells.shared() >= 0) return;
    // What is measured must have been read.
    const bool full = pages_.spent() + touched > pages_.bytes();
    if (full || batch.size() == kBatch) flush();
    pages_.spend(touched);
    batch.push_back(box);
  });
  flush();
  if (cells.shared() >= 0) return shared_offset(cells.shared());
  return {};
}

}  // namespace tessera::transfer
