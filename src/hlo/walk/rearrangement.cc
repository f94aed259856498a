// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/rearrangement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "hlo/module/as_size.h"

namespace tessera::detail {
namespace {

/// The limit on the nesting of blocks, because expressions are walked recursively and parsers accept depths
/// up to kMaxExprDepth.
constexpr int kDeep = kMaxExprDepth / 3;

}  // namespace

Rearrangement::Rearrangement(std::span<const Index> extents)
    : start_(extents.begin(), extents.end()), extents_(start_) {
  digits_.reserve(extents.size());
  ends_.reserve(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    TESSERA_CHECK(extents[i] >= 1, "an empty array has no elements to move");
    if (extents[i] > 1) {
      digits_.push_back({std::make_shared<const Block>(Expr::variable(static_cast<Index>(i)), extents[i]), 1,
                         extents[i], false});
    }
    ends_.push_back(digits_.size());
  }
}

Expr Rearrangement::BlockDigit::value() const {
  Expr e = floor_div(block->value, unit);
  // The slowest digit of a block needs no remainder.
  if (unit * extent != block->extent) e = mod(e, extent);
  return reversed ? -e + (extent - 1) : e;
}

Expr Rearrangement::number(std::span<const BlockDigit> digits) {
  Expr sum;
  Index step = 1;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    sum = digit->value() * step + sum;
    step *= digit->extent;
  }
  return sum;
}

std::vector<Rearrangement::BlockDigit> Rearrangement::parts_of(const BlockDigit& digit) {
  // Cuts the digit out of the digits of the block. The ends of the digit must coincide with ends of those
  // digits or divide them.
  std::vector<BlockDigit> parts;  // fastest first
  const Index end = digit.unit * digit.extent;
  Index step = 1;
  const auto& digits = digit.block->digits;
  for (auto part = digits.rbegin(); part != digits.rend() && step < end; ++part) {
    const Index next = step * part->extent;
    const Index from = std::max(step, digit.unit);
    const Index to = std::min(next, end);
    if (from < to) {
      if (from % step != 0 || to % from != 0 || next % to != 0) return {};
      BlockDigit cut = part->upper(from / step).lower(to / from);
      cut.reversed = cut.reversed != digit.reversed;
      parts.push_back(std::move(cut));
    }
    step = next;
  }
  std::ranges::reverse(parts);
  return parts;
}

void Rearrangement::append(std::vector<BlockDigit>& digits, std::size_t first, BlockDigit next) {
  if (digits.size() > first) {
    const BlockDigit& last = digits.back();
    if (last.block == next.block && last.reversed == next.reversed && last.unit == next.unit * next.extent) {
      next.extent *= last.extent;
      digits.pop_back();
      append(digits, first, std::move(next));
      return;
    }
  }
  std::vector<BlockDigit> parts = parts_of(next);
  if (parts.empty()) {
    digits.push_back(std::move(next));
    return;
  }
  // Appends the digits one by one, because each may merge with the previous one.
  for (BlockDigit& part : parts) append(digits, first, std::move(part));
}

Rearrangement::BlockDigit Rearrangement::block_of(std::vector<BlockDigit> digits) {
  Index extent = 1;
  for (const BlockDigit& digit : digits) extent *= digit.extent;
  const Expr value = number(digits);
  return {std::make_shared<const Block>(value, extent, std::move(digits)), 1, extent, false};
}

void Rearrangement::reshape(std::span<const Index> extents) {
  std::vector<BlockDigit> rest;  // the digits not yet assigned to an index
  rest.reserve(digits_.size() + 1);
  for (BlockDigit& digit : digits_) append(rest, 0, std::move(digit));
  std::vector<BlockDigit> own;  // those of the last index first, each fastest first
  own.reserve(digits_.size() + extents.size());
  std::vector<std::size_t> ends(extents.size());  // in `own`, by index
  for (std::size_t i = extents.size(); i-- > 0;) {
    for (Index missing = extents[i]; missing > 1;) {
      TESSERA_CHECK(!rest.empty(), "the shapes have different numbers of elements");
      const BlockDigit last = rest.back();
      rest.pop_back();
      if (const Index low = std::gcd(missing, last.extent); low > 1) {
        own.push_back(last.lower(low));
        if (low < last.extent) append(rest, 0, last.upper(low));
        missing /= low;
        continue;
      }
      // Neither extent divides the other: all digits up to the next common boundary of old and new extents
      // become one block.
      std::vector<BlockDigit> together{last};  // fastest first
      Index have = last.extent;
      Index want = missing;
      for (std::size_t next = i; have != want;) {
        if (have > want) {
          const Index extent = extents[--next];
          want = have % want == 0 && extent % (have / want) == 0 ? have : want * extent;
          continue;
        }
        BlockDigit more = rest.back();
        rest.pop_back();
        if (const Index low = want / have; want % have == 0 && more.extent % low == 0 && low < more.extent) {
          append(rest, 0, more.upper(low));
          more = more.lower(low);
        }
        have *= more.extent;
        together.push_back(std::move(more));
      }
      std::vector<BlockDigit> digits;
      for (auto digit = together.rbegin(); digit != together.rend(); ++digit) append(digits, 0, *digit);
      rest.push_back(block_of(std::move(digits)));
    }
    ends[i] = own.size();
  }
  extents_.assign(extents.begin(), extents.end());
  digits_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t first = digits_.size();
    const std::size_t begin = i + 1 < extents.size() ? ends[i + 1] : 0;
    for (std::size_t k = ends[i]; k-- > begin;) append(digits_, first, std::move(own[k]));
    ends_.push_back(digits_.size());
  }
}

void Rearrangement::transpose(std::span<const Index> order) {
  if (std::ranges::is_sorted(order)) return;
  std::vector<Index> extents;
  std::vector<BlockDigit> digits;
  std::vector<std::size_t> ends;
  extents.reserve(order.size());
  digits.reserve(digits_.size());
  ends.reserve(order.size());
  for (const Index i : order) {
    const auto own = digits_of(as_size(i));
    extents.push_back(extents_[as_size(i)]);
    digits.insert(digits.end(), own.begin(), own.end());
    ends.push_back(digits.size());
  }
  extents_ = std::move(extents);
  digits_ = std::move(digits);
  ends_ = std::move(ends);
}

void Rearrangement::reverse(std::span<const Index> dims) {
  // n - 1 - x is x with each digit reversed.
  for (const Index i : dims) {
    const std::size_t first = i == 0 ? 0 : ends_[as_size(i) - 1];
    for (std::size_t k = first; k < ends_[as_size(i)]; ++k) digits_[k].reversed = !digits_[k].reversed;
  }
}

std::vector<Expr> Rearrangement::results() const {
  std::vector<Expr> out;
  out.reserve(ends_.size());
  for (std::size_t i = 0; i < ends_.size(); ++i) out.push_back(number(digits_of(i)));
  return out;
}

bool Rearrangement::deep() const {
  return std::ranges::any_of(digits_, [](const BlockDigit& d) { return d.block->value.depth() > kDeep; });
}

}  // namespace tessera::detail
