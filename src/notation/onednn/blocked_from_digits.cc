// SPDX-License-Identifier: Apache-2.0
#include "notation/onednn/blocked_from_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "notation/from_digits.h"
#include "notation/limits.h"
#include "notation/not_representable.h"
#include "notation/onednn/blocked_memory.h"

namespace tessera::detail {
namespace {

// A part of the tag: a digit, or padding.
struct TagDigit {
  Index dim;
  Index extent;
  Index stride;
  bool can_be_outer;  // the part is the top digit of its dimension and not padded
};

// Puts digits next to each other in memory, the fastest first. Unused memory between two is padding.
class TagParts {
 public:
  explicit TagParts(const Digits& digits)
      : digits_(digits), placed_(digits.box().size()), complete_(digits.box().size()) {
    for (std::size_t d = 0; d < complete_.size(); ++d) complete_[d] = digits.digits(d).empty();
  }

  Result<void> add(const Digit& digit) {
    const auto dim = static_cast<std::size_t>(digit.dim);
    const std::span<const Digit> own = digits_.digits(dim);
    if (digit != own[placed_[dim]]) {
      return not_representable(
          "order", fmt::format("digit {} of dimension {} has a smaller stride than the lower digit {}",
                               digit.div, digit.dim, own[placed_[dim]].div));
    }
    if (digit.stride != filled_) {
      if (const auto good = pad_to(digit); !good) return fail(good.error());
    }
    complete_[dim] = ++placed_[dim] == own.size();
    parts_.push_back({digit.dim, digit.ext, digit.stride, complete_[dim]});
    filled_ = digit.stride * digit.ext;
    return {};
  }

  // The outer dimensions: the slowest parts, unless `blocks_only`, then the others, which have a single
  // block.
  BlockedLayout layout(bool blocks_only) {
    BlockedLayout out{.shape = {digits_.box().begin(), digits_.box().end()}};
    while (!blocks_only && !parts_.empty() && parts_.back().can_be_outer) {
      out.order.push_back(parts_.back().dim);
      parts_.pop_back();
    }
    for (std::size_t k = parts_.size(); k-- > 0;) out.blocks.push_back({parts_[k].dim, parts_[k].extent});
    return out;
  }

 private:
  // Unused memory is padding: of the last digit if it is the top digit of its dimension, else of a dimension
  // whose digits are all faster.
  Result<void> pad_to(const Digit& digit) {
    const bool ends = !parts_.empty() && complete_[static_cast<std::size_t>(parts_.back().dim)];
    const auto padded = std::ranges::find(complete_, true);
    if (digit.stride > filled_ && ends && digit.stride % parts_.back().stride == 0) {
      parts_.back().extent = digit.stride / parts_.back().stride;
      parts_.back().can_be_outer = false;
      return {};
    }
    if (digit.stride < filled_ || digit.stride % filled_ != 0) {
      return not_representable(
          "nesting",
          fmt::format("stride {} of dimension {} is not a multiple of {}, the memory of the faster digits",
                      digit.stride, digit.dim, filled_));
    }
    if (padded == complete_.end()) {
      return not_representable(
          "padding", fmt::format("offset {} is unused, and no dimension can be padded there", filled_),
          fmt::format("offset {}", filled_));
    }
    parts_.push_back({padded - complete_.begin(), digit.stride / filled_, filled_, false});
    return {};
  }

  const Digits& digits_;
  std::vector<std::size_t> placed_;  // how many digits of each dimension are in `parts`
  std::vector<bool> complete_;       // all are
  std::vector<TagDigit> parts_;      // fastest first
  Index filled_ = 1;
};

// Adds the dimensions that the order lacks, to keep it close to a, b, c, ...
void complete_order(BlockedLayout& out) {
  for (Index d = 0; d < std::ssize(out.shape); ++d) {
    if (std::ranges::find(out.order, d) != out.order.end()) continue;
    out.order.insert(std::ranges::find_if(out.order, [&](Index other) { return other > d; }), d);
  }
}

std::vector<Digit> by_stride(std::span<const Digit> digits) {
  std::vector<Digit> sorted(digits.begin(), digits.end());
  std::ranges::sort(sorted, {}, &Digit::stride);
  return sorted;
}

Result<BlockedLayout> dense_tag(const Digits& digits) {
  if (const auto sound = check_dense_candidate(digits, "a format tag"); !sound) return fail(sound.error());
  TagParts parts(digits);
  for (const Digit& digit : by_stride(digits.digits())) {
    if (const auto good = parts.add(digit); !good) return fail(good.error());
  }
  BlockedLayout out = parts.layout(false);
  complete_order(out);
  return out;
}

bool is_top(const Digits& digits, const Digit& digit) {
  return digit == digits.digits(static_cast<std::size_t>(digit.dim)).back();
}

// A tag with outer strides: the top digit of each dimension may have any stride beyond the faster digits, or
// 0. All other digits are blocks, and so are the top digits between them.
Result<BlockedLayout> strided_tag(const Digits& digits) {
  std::vector<Digit> repeated;
  std::vector<Digit> distinct;
  for (const Digit& digit : digits.digits())
    (digit.stride == 0 && is_top(digits, digit) ? repeated : distinct).push_back(digit);
  std::vector<Index> cut(digits.box().begin(), digits.box().end());
  for (const Digit& digit : repeated) {
    Index& extent = cut[static_cast<std::size_t>(digit.dim)];
    extent = std::min(extent, digit.div);
  }
  const Digits rest = Digits::normalized(cut, digits.base(), distinct);
  if (const auto sound = check_dense_candidate(rest, "a format tag"); !sound) return fail(sound.error());

  std::vector<Digit> sorted = by_stride(distinct);
  std::size_t inner = sorted.size();
  while (inner > 0 && is_top(digits, sorted[inner - 1])) --inner;
  TagParts parts(digits);
  for (std::size_t k = 0; k < inner; ++k) {
    if (const auto good = parts.add(sorted[k]); !good) return fail(good.error());
  }
  BlockedLayout out = parts.layout(true);
  std::vector<Index> strides(out.shape.size(), 0);
  std::vector<bool> known(out.shape.size());
  const auto set = [&](const Digit& digit) {
    strides[static_cast<std::size_t>(digit.dim)] = digit.stride;
    known[static_cast<std::size_t>(digit.dim)] = true;
    out.order.insert(out.order.begin(), digit.dim);
  };
  Index filled = 1;
  for (const BlockedLayout::Block& block : out.blocks) filled *= block.size;
  for (std::size_t k = inner; k < sorted.size(); ++k) {
    if (sorted[k].stride < filled) {
      return not_representable(
          "nesting",
          fmt::format("stride {} of dimension {} is inside the memory of the faster digits, {} elements",
                      sorted[k].stride, sorted[k].dim, filled));
    }
    set(sorted[k]);
    filled = sorted[k].stride * sorted[k].ext;
  }
  for (const Digit& digit : repeated) set(digit);
  complete_order(out);
  // A dimension with a single block never uses its stride: it gets that of a dense array.
  filled = 1;
  for (const BlockedLayout::Block& block : out.blocks) filled *= block.size;
  for (std::size_t k = out.order.size(); k-- > 0;) {
    const auto d = static_cast<std::size_t>(out.order[k]);
    if (!known[d]) strides[d] = filled;
    if (!known[d] || strides[d] == 0) continue;
    filled = strides[d] * digits.digits(d).back().ext;
  }
  out.strides = std::move(strides);
  return out;
}

Result<void> check_tag_rank(std::size_t rank) {
  if (rank <= kMaxTagDims) return {};
  return fail(Code::rank_mismatch,
              fmt::format("the layout has {} dimensions, but a format tag has at most {}", rank, kMaxTagDims),
              {}, "XLA types, strides, and maps have no such limit: --to xla");
}

}  // namespace

Result<BlockedLayout> plain_tag(std::span<const Index> shape) {
  if (const auto good = check_tag_rank(shape.size()); !good) return fail(good.error());
  BlockedLayout out{.shape = {shape.begin(), shape.end()}, .order = std::vector<Index>(shape.size())};
  std::iota(out.order.begin(), out.order.end(), Index{0});
  return out;
}

std::optional<BlockedLayout> with_buffer(const BlockedLayout& tag, Index elements) {
  BlockedMemory memory;
  if (!tag.strides.empty() || !tag.padded.empty() || measure(tag, memory) || memory.elements == 0)
    return std::nullopt;
  const auto count = [&](Index dim) { return memory.outer[static_cast<std::size_t>(dim)]; };
  // The slowest dimension with several blocks; without one, any dimension.
  const auto several = std::ranges::find_if(tag.order, [&](Index dim) { return count(dim) > 1; });
  const Index slowest = several == tag.order.end() ? tag.order.front() : *several;
  const Index below = memory.elements / count(slowest);
  if (elements % below != 0) return std::nullopt;
  const Index wanted = elements / below;  // of the blocks of that dimension
  const Index missing = wanted - count(slowest);
  // The least block in which the missing ones are less than one: a divisor, which are searched in pairs.
  Index size = wanted;
  for (Index d = 1; d <= wanted / d && d <= kNotationLimits.onednn.divisors; ++d) {
    if (wanted % d != 0) continue;
    if (wanted / d > missing) size = std::min(size, wanted / d);
    if (d > missing) size = std::min(size, d);
  }
  BlockedLayout out = tag;
  std::vector<BlockedLayout::Block> added{{slowest, size}};
  for (const Index dim : tag.order) {
    if (dim != slowest && count(dim) > 1) added.push_back({dim, count(dim)});
  }
  out.blocks.insert(out.blocks.begin(), added.begin(), added.end());
  return out;
}

Result<BlockedLayout> to_blocked_layout(const Digits& digits) {
  if (const auto good = check_tag_rank(digits.box().size()); !good) return fail(good.error());
  if (auto dense = dense_tag(digits)) return dense;
  return strided_tag(digits);
}

}  // namespace tessera::detail
