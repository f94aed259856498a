// SPDX-License-Identifier: Apache-2.0
// CuTe layouts as digits, and digits as CuTe layouts.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "notation/from_digits.h"
#include "notation/layout_form.h"
#include "notation/not_representable.h"
#include "notation/to_digits.h"
#include "tessera/algebra/detail/strided_layout.h"

namespace tessera {

using detail::not_representable;

Digits to_digits(const StridedLayout& layout, std::span<const Index> crop) {
  std::vector<Index> box;
  std::vector<Digit> digits;
  Cursor mode = first_mode(layout.profile);
  for (int i = 0; i < layout.rank(); ++i) {
    const Cursor end = after(layout.profile, mode);
    Index div = 1;
    for (int leaf = mode.leaf; leaf < end.leaf; ++leaf) {
      if (layout.extent[leaf] > 1) digits.push_back({i, div, layout.extent[leaf], layout.stride[leaf]});
      div *= layout.extent[leaf];
    }
    box.push_back(crop.empty() ? div : crop[static_cast<std::size_t>(i)]);
    mode = end;
  }
  return Digits::normalized(std::move(box), 0, std::move(digits));
}

Result<StridedLayout> to_strided_layout(const Digits& digits, std::span<const Index> unit) {
  if (digits.empty_box())
    return not_representable("empty", "the box is empty, but CuTe's extents are at least 1");
  if (digits.base() != 0) {
    return not_representable(
        "offset", fmt::format("index 0 is at offset {}, but a CuTe layout starts at 0", digits.base()));
  }
  const std::size_t rank = digits.box().size();
  if (const auto some = detail::check_rank(rank, "a CuTe layout"); !some) return fail(some.error());
  StridedLayout layout;
  LayoutBuilder build(layout);
  // A single dimension with several digits needs its own parentheses; without them each digit would be a
  // mode.
  const bool flat = rank == 1 && digits.digits().size() < 2;
  if (!flat) build.tuple(static_cast<int>(std::min<std::size_t>(rank, kMaxLeaves)));
  for (std::size_t d = 0; d < rank; ++d) {
    const auto own = digits.digits(d);
    if (own.empty()) build.leaf(1, unit.empty() ? 0 : unit[d]);
    if (own.size() > 1) build.tuple(static_cast<int>(std::min<std::size_t>(own.size(), kMaxLeaves)));
    for (const Digit& digit : own) build.leaf(digit.ext, digit.stride);
  }
  const detail::AlgebraError error = build.finish();
  if (error.code == Code::capacity) {
    return fail(
        Code::capacity,
        fmt::format("the layout needs more than {} leaves, the maximum of a CuTe layout here", kMaxLeaves));
  }
  if (error.failed)
    return fail(Code::overflow, "the size or an offset of the uncropped modes exceeds 63 bits");
  return layout;
}

}  // namespace tessera
