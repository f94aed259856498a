// SPDX-License-Identifier: Apache-2.0
#include "transfer/checksum.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/index_walk.h"
#include "base/mix64.h"
#include "notation/to_digits.h"
#include "transfer/element_reader.h"
#include "transfer/index_box.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {
namespace {

// Elements of up to 8 bytes that differ have different hashes, because mix64 is a bijection. Inlined, so that
// a constant `width` unrolls the loop.
inline std::uint64_t hash(const std::byte* element, std::size_t width) {
  std::uint64_t out = 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < width; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, element + i, std::min<std::size_t>(8, width - i));
    out = detail::mix64(out + word);
  }
  return out;
}

// kWidth: the element width, or 0 if it is only known at run time.
template <std::size_t kWidth>
std::uint64_t sum_of(const std::byte* element, Index step_bytes, Index count, std::size_t width) {
  std::uint64_t sum = 0;
  for (Index i = 0; i < count; ++i, element += step_bytes) sum += hash(element, kWidth == 0 ? width : kWidth);
  return sum;
}

auto sum_of_run(std::size_t width) {
  switch (width) {
    case 1:
      return &sum_of<1>;
    case 2:
      return &sum_of<2>;
    case 4:
      return &sum_of<4>;
    case 8:
      return &sum_of<8>;
    default:
      return &sum_of<0>;
  }
}

class Summer {
 public:
  Summer(const Tensor& tensor, std::span<const std::byte> bytes, Index part_bytes,
         const std::function<void(Index)>& advance)
      : tensor_(tensor), bytes_(bytes), reader_(tensor, bytes), part_bytes_(part_bytes), advance_(advance) {}

  // Visits elements in memory order: a loop nest over the digits, the longest stride outermost.
  std::uint64_t by_digits(const Digits& digits) {
    std::vector<Digit> order(digits.digits().begin(), digits.digits().end());
    std::ranges::stable_sort(order, std::greater<>(), [](const Digit& d) { return std::abs(d.stride); });
    std::vector<Index> index(digits.box().size(), 0);
    walk(digits, order, 0, digits.base(), index);
    return sum_;
  }

  std::uint64_t by_index() {
    const Layout& layout = tensor_.layout;
    std::vector<Index> index(layout.rank(), 0);
    do {
      add_run(layout.offset(index), 0, 1);
    } while (detail::next_index(index, layout.shape()));
    return sum_;
  }

 private:
  void walk(const Digits& digits, const std::vector<Digit>& order, std::size_t level, Index offset,
            std::vector<Index>& index) {
    if (level == order.size()) return add_run(offset, 0, 1);
    const Digit& digit = order[level];
    Index& x = index[static_cast<std::size_t>(digit.dim)];
    const Index extent = digits.box()[static_cast<std::size_t>(digit.dim)];
    // If the box crops the digits, their last values may not occur.
    const Index count = x >= extent ? 0 : std::min(digit.ext, ceil_div(extent - x, digit.div));
    if (level + 1 == order.size()) return add_parts(offset, digit.stride, count);
    const Index before = x;
    for (Index t = 0; t < count; ++t, x += digit.div)
      walk(digits, order, level + 1, offset + t * digit.stride, index);
    x = before;
  }

  // Splits a run into parts, because a whole tensor may be a single run.
  void add_parts(Index offset, Index step, Index count) {
    const Index part =
        std::max<Index>(1, part_bytes_ / std::max<Index>(1, std::abs(step) * tensor_.element_bits / 8));
    for (Index t = 0; t < count; t += part) add_run(offset + t * step, step, std::min(part, count - t));
  }

  void add_run(Index offset, Index step, Index count) {
    const auto width = reader_.width();
    const std::byte* const first = bytes_.data() + offset * static_cast<Index>(width);
    const Index step_bytes = step * static_cast<Index>(width);
    if (tensor_.is_packed()) {
      for (Index i = 0; i < count; ++i) {
        std::byte scratch;
        sum_ += hash(reader_.at(offset + i * step, &scratch), 1);
      }
    } else {
      sum_ += sum_of_run(width)(first, step_bytes, count, width);
    }
    done_ += count;
    const Index run_bytes = count * std::abs(step) * tensor_.element_bits / 8;
    touched_ += run_bytes + std::min(std::abs(offset - end_) * tensor_.element_bits / 8, 2 * kPageWindow);
    end_ = offset + count * step;
    if (touched_ >= part_bytes_) {
      touched_ = 0;
      advance_(done_);
    }
  }

  const Tensor& tensor_;
  std::span<const std::byte> bytes_;
  ElementReader reader_;
  Index part_bytes_;
  const std::function<void(Index)>& advance_;
  std::uint64_t sum_ = 0;
  Index done_ = 0;
  Index touched_ = 0;
  Index end_ = 0;  // offset after the last run
};

}  // namespace

std::uint64_t element_hash(const std::byte* element, std::size_t width) { return hash(element, width); }

std::uint64_t checksum(const Tensor& tensor, std::span<const std::byte> bytes, Index part_bytes,
                       const std::function<void(Index)>& advance) {
  Summer summer(tensor, bytes, part_bytes, advance);
  const Result<Digits> digits = to_digits(tensor.layout);
  return digits ? summer.by_digits(*digits) : summer.by_index();
}

}  // namespace tessera::transfer
