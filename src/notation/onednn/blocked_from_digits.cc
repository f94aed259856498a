// SPDX-License-Identifier: Apache-2.0
#include "notation/onednn/blocked_from_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "notation/from_digits.h"
#include "notation/not_representable.h"

namespace tessera::detail {
namespace {

// A part of the tag: a digit, or padding.
struct TagDigit {
  Index dim;
  Index extent;
  Index stride;
  bool can_be_outer;  // the part is the top digit of its dimension and not padded
};

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

Result<BlockedLayout> to_blocked_layout(const Digits& digits) {
  const std::span<const Index> box = digits.box();
  if (const auto good = check_tag_rank(box.size()); !good) return fail(good.error());
  if (const auto sound = check_dense_candidate(digits, "a format tag"); !sound) return fail(sound.error());
  std::vector<Digit> sorted(digits.digits().begin(), digits.digits().end());
  std::ranges::sort(sorted, {}, &Digit::stride);

  std::vector<TagDigit> parts;                  // fastest first
  std::vector<std::size_t> placed(box.size());  // how many digits of each dimension are in `parts`
  std::vector<bool> complete(box.size());
  for (std::size_t d = 0; d < box.size(); ++d) complete[d] = digits.digits(d).empty();
  Index filled = 1;
  for (const Digit& digit : sorted) {
    const auto dim = static_cast<std::size_t>(digit.dim);
    const std::span<const Digit> own = digits.digits(dim);
    if (digit != own[placed[dim]]) {
      return not_representable(
          "order", fmt::format("digit {} of dimension {} has a smaller stride than the lower digit {}",
                               digit.div, digit.dim, own[placed[dim]].div));
    }
    if (digit.stride != filled) {
      // Unused memory is padding: of the last digit if it is the top digit of its dimension, else of a
      // dimension whose digits are all faster.
      const bool ends = !parts.empty() && complete[static_cast<std::size_t>(parts.back().dim)];
      const auto padded = std::ranges::find(complete, true);
      if (digit.stride > filled && ends && digit.stride % parts.back().stride == 0) {
        parts.back().extent = digit.stride / parts.back().stride;
        parts.back().can_be_outer = false;
      } else if (digit.stride < filled || digit.stride % filled != 0) {
        return not_representable(
            "nesting",
            fmt::format("stride {} of dimension {} is not a multiple of {}, the memory of the faster digits",
                        digit.stride, digit.dim, filled));
      } else if (padded != complete.end()) {
        parts.push_back({padded - complete.begin(), digit.stride / filled, filled, false});
      } else {
        return not_representable(
            "padding", fmt::format("offset {} is unused, and no dimension can be padded there", filled),
            fmt::format("offset {}", filled));
      }
    }
    complete[dim] = ++placed[dim] == own.size();
    parts.push_back({digit.dim, digit.ext, digit.stride, complete[dim]});
    filled = digit.stride * digit.ext;
  }

  BlockedLayout out{.shape = {box.begin(), box.end()}};
  while (!parts.empty() && parts.back().can_be_outer) {
    out.order.push_back(parts.back().dim);
    parts.pop_back();
  }
  for (std::size_t k = parts.size(); k-- > 0;) out.blocks.push_back({parts[k].dim, parts[k].extent});
  // The other dimensions have a single block. They are inserted to keep the order close to a, b, c, ...
  for (Index d = 0; d < static_cast<Index>(box.size()); ++d) {
    if (std::ranges::find(out.order, d) != out.order.end()) continue;
    out.order.insert(std::ranges::find_if(out.order, [&](Index other) { return other > d; }), d);
  }
  return out;
}

}  // namespace tessera::detail
