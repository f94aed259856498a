// SPDX-License-Identifier: Apache-2.0
#include "transfer/stored_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "files/dense.h"
#include "relayout/each_run.h"
#include "transfer/code_mover.h"

namespace tessera::transfer {
namespace {

// Elements that are visited in order, wherever they are.
constexpr Index kLeastBox = 256;
// Bytes of two tensors without digits that are compared at once, each in the order that suits its file.
constexpr Index kTogether = Index{1} << 20;

// Moves all elements to row-major order by a plan. False if there is none.
bool move_to_rows(const CheckpointTensor& tensor, std::span<const std::byte> stored,
                  std::span<std::byte> rows, PlanCache& plans) {
  const Index bits = tensor.element_bits;
  if (tensor.layout && bits % 8 == 0) {
    const auto dense = dense_layout(std::nullopt, tensor.shape, DenseOrder::c, bits);
    if (!dense) return false;
    const auto plan = plans.plan(*tensor.layout, *dense, bits / 8, {.padding = Padding::keep});
    return plan && run_checked(*plan, stored, rows);
  }
  // Packed rows are whole bytes, which may be more than their elements.
  if (!tensor.named || tensor.shape.back() * bits % 8 != 0) return false;
  const auto dense = parse_named_layout(
      fmt::format("pack:low {}[{}]", to_string(tensor.named->type()), fmt::join(tensor.shape, ",")));
  if (!dense || dense->buffer_bytes() != std::ssize(rows)) return false;
  const auto from = code_side(*tensor.named);
  const auto to = code_side(*dense);
  if (!from || !to) return false;
  const auto mover = CodeMover::make(*from, *to);
  return mover && !mover->by_element() && move_codes(*mover, stored, rows);
}

}  // namespace

// Counts the page windows of `count` bits of the tensor. Elements are mostly near the one before.
void StoredElements::touch(Index bit, Index count) {
  if (pages_ == nullptr) return;
  if (pages_->drops() != drops_) {
    drops_ = pages_->drops();
    windows_.clear();
    window_ = -1;
  }
  const Index last = (tensor_.begin + (bit + count - 1) / 8) / kPageWindow;
  for (Index window = (tensor_.begin + bit / 8) / kPageWindow; window <= last; ++window) {
    if (window == window_) continue;
    window_ = window;
    const auto number = static_cast<std::size_t>(window);
    if (number >= windows_.size()) windows_.resize(number + 1);
    if (windows_[number]) continue;
    windows_[number] = true;
    pages_->spend(kPageWindow);
  }
}

Index StoredElements::lay_out(PlanCache& plans) {
  if (!by_number_ || !rows_.empty() || bits_ != tensor_.element_bits) return 0;
  const std::span<const std::byte> stored(bytes_, static_cast<std::size_t>(tensor_.end - tensor_.begin));
  std::vector<std::byte> rows(
      static_cast<std::size_t>(ceil_div(detail::element_count(tensor_.shape).value_or(0) * bits_, Index{8})));
  if (rows.empty() || !move_to_rows(tensor_, stored, rows, plans)) return 0;
  rows_ = std::move(rows);
  if (pages_ != nullptr) pages_->spend(std::ssize(stored));
  return std::ssize(rows_);
}

void StoredElements::read(std::span<const Index> index, Index length, std::byte* target, Index bit) {
  if (!tensor_.layout) {
    for (int k = 0; k < static_cast<int>(bits_); ++k) {
      const Index from = tensor_.named->bit_offset(index, k);
      touch(from, 1);
      copy_bits(bytes_, from, target, bit + k, 1);
    }
    return;
  }
  const Index first = tensor_.layout->offset(index) * bits_;
  const Index step = tensor_.rows.step * bits_;
  const Index run = step == bits_ ? length : 1;
  for (Index k = 0; k < length; k += run) {
    touch(first + k * step, run * bits_);
    copy_bits(bytes_, first + k * step, target, bit + k * bits_, run * bits_);
  }
}

// How many elements from this one on equal those of the other buffer from bit `bit` on.
Index StoredElements::matching(std::span<const Index> index, Index length, const std::byte* other,
                               Index bit) {
  if (!tensor_.layout) {
    std::array<std::byte, 16> element = {};
    read(index, 1, element.data(), 0);
    return same_bits(element.data(), 0, other, bit, bits_) ? 1 : 0;
  }
  const Index first = tensor_.layout->offset(index) * bits_;
  const Index step = tensor_.rows.step * bits_;
  if (step == bits_) touch(first, length * bits_);
  if (step == bits_ && same_bits(bytes_, first, other, bit, length * bits_)) return length;
  for (Index k = 0; k < length; ++k) {
    touch(first + k * step, bits_);
    if (!same_bits(bytes_, first + k * step, other, bit + k * bits_, bits_)) return k;
  }
  return length;
}

void StoredElements::each(Index first, Index count, const Visit& visit) const {
  if (count == 0) return;
  std::vector<Index> index = detail::index_with_number(tensor_.shape, first);
  for (Index k = 0; k < count;) {
    const Index length =
        index.empty()
            ? 1
            : std::min({count - k, tensor_.shape.back() - index.back(), tensor_.rows.from(index.back())});
    if (!visit(k, index, length)) return;
    k += length;
    if (!index.empty()) index.back() += length - 1;
    detail::next_index(index, tensor_.shape);
  }
}

// Visits the elements of a box, in halves as long as these touch more than may be resident.
bool StoredElements::each_in(const IndexBox& box,
                             const std::function<bool(std::span<const Index>, Index)>& visit) const {
  const auto touched = [this](const IndexBox& one) {
    return reach_->touched_bytes(one, bits_, tensor_.end - tensor_.begin);
  };
  if (box.size() <= kLeastBox || touched(box) <= pages_->bytes() / 2) {
    std::vector<Index> index = box.lo;
    while (true) {
      const Index length = std::min(box.hi.back() - index.back(), tensor_.rows.from(index.back()));
      if (!visit(index, length)) return false;
      index.back() += length - 1;
      if (!detail::next_index(index, box.lo, box.hi)) return true;
    }
  }
  const auto [first, second] = halves(box, round_middle, [&](const IndexBox& half, std::size_t) {
    return std::pair(touched(half), Index{0});
  });
  return each_in(first, visit) && each_in(second, visit);
}

// As each(), but in an order that touches few pages at a time: the elements of a row may be far apart.
bool StoredElements::each_near(Index first, Index count, const Visit& visit) {
  const Index bytes = tensor_.end - tensor_.begin;
  if (pages_ == nullptr || !tensor_.layout || bytes <= pages_->bytes() / 2) {
    bool all = true;
    each(first, count,
         [&](Index k, std::span<const Index> index, Index length) { return all = visit(k, index, length); });
    return all;
  }
  if (!reach_) reach_.emplace(*tensor_.layout);
  IndexBox box = IndexBox::whole(tensor_.shape);
  const std::vector<Index> strides = detail::row_major_strides(tensor_.shape);
  for (Index at = first; at < first + count;) {
    // The largest box that begins here and ends in the range.
    const std::vector<Index> lo = detail::index_with_number(tensor_.shape, at);
    std::size_t d = tensor_.shape.size() - 1;
    while (d > 0 && lo[d] == 0 && at + strides[d - 1] <= first + count) --d;
    for (std::size_t k = 0; k < lo.size(); ++k) {
      box.lo[k] = k <= d ? lo[k] : 0;
      box.hi[k] = k < d ? lo[k] + 1 : tensor_.shape[k];
    }
    box.hi[d] = std::min(tensor_.shape[d], lo[d] + (first + count - at) / strides[d]);
    const bool all = each_in(box, [&](std::span<const Index> index, Index length) {
      return visit(detail::number_of_index(index, tensor_.shape) - first, index, length);
    });
    if (!all) return false;
    at += box.size();
  }
  return true;
}

void StoredElements::copy_each(Index first, Index count, std::byte* target, Index at) {
  each_near(first, count, [&](Index k, std::span<const Index> index, Index length) {
    read(index, length, target, (at + k) * bits_);
    return true;
  });
}

Index StoredElements::equal_each(Index first, Index count, const std::byte* other, Index at) {
  Index same = 0;
  if (!by_number_) {
    const std::byte* const own = bytes_;
    while (same < count && same_bits(own, (first + same) * bits_, other, (at + same) * bits_, bits_)) ++same;
    return same;
  }
  const Visit compare = [&](Index k, std::span<const Index> index, Index length) {
    const Index equal_here = matching(index, length, other, (at + k) * bits_);
    same += equal_here;
    return equal_here == length;
  };
  if (each_near(first, count, compare)) return count;
  same = 0;  // in order, so that the first one is found
  each(first, count, compare);
  return same;
}

Index StoredElements::equal(Index first, Index count, StoredElements& other, Index at) {
  if (!other.by_number_) return equal(first, count, other.bytes_, at);
  if (!by_number_) return other.equal(at, count, bytes_, first);
  const Index together = kTogether * 8 / bits_;
  std::vector<std::byte> buffer(
      static_cast<std::size_t>(ceil_div(std::min(count, together) * bits_, Index{8})));
  for (Index done = 0; done < count; done += together) {
    const Index here = std::min(together, count - done);
    other.copy(at + done, here, buffer.data(), 0);
    if (const Index same = equal(first + done, here, buffer.data(), 0); same < here) return done + same;
  }
  return count;
}

Result<std::optional<std::pair<Index, Index>>> first_difference(StoredElements& from, StoredElements& to,
                                                                const StridedMove& move, Index bits,
                                                                PageBudget& pages) {
  // Both sides of a piece touch no more than the quarter that PageBudget keeps free. Whole bytes of each
  // file.
  const Index piece = std::max<Index>(1, pages.limit() / bits / 8) * 8;
  std::array<Index, 2> last = {-kPageWindow, -kPageWindow};
  std::optional<std::pair<Index, Index>> bad;
  for_each_run(move, [&](Index a, Index b, Index length) {
    for (Index done = 0; done < length && !bad; done += piece) {
      const Index here = std::min(piece, length - done);
      const Index same = from.equal(a + done, here, to, b + done);
      if (same < here) bad = {a + done + same, b + done + same};
      // Runs may be far apart on either side: tiles are in one of the files.
      Index apart = 0;
      for (const auto& [end, at] : {std::pair(&last[0], a + done), std::pair(&last[1], b + done)}) {
        apart += std::min(std::abs(at - *end) * bits / 8, kPageWindow);
        *end = at + here;
      }
      pages.spend(here * bits / 4 + apart);
    }
    return !bad;
  });
  if (detail::cancelled()) return detail::cancelled_failure();
  return bad;
}

}  // namespace tessera::transfer
