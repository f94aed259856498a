// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/linear_layout.h"

#include <fmt/core.h>

#include <algorithm>

#include "notation/limits.h"

namespace tessera {

Result<LinearLayout> LinearLayout::make(std::vector<std::vector<Index>> bases) {
  int bits = 0;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    bits += static_cast<int>(bases[i].size());
    for (const Index basis : bases[i]) {
      if (basis < 0)
        return fail(Code::number_range, fmt::format("dimension {} has the negative basis {}", i, basis));
    }
  }
  if (bits > detail::kNotationLimits.linear.bits)
    return fail(Code::limit, fmt::format("the layout has {} index bits, but at most {} are possible", bits,
                                         detail::kNotationLimits.linear.bits));
  LinearLayout layout;
  layout.bases_ = std::move(bases);
  return layout;
}

std::vector<Index> LinearLayout::shape() const {
  std::vector<Index> extents;
  for (const auto& own : bases_) extents.push_back(Index{1} << own.size());
  return extents;
}

Index LinearLayout::offset(std::span<const Index> index) const {
  Index value = 0;
  for (std::size_t i = 0; i < bases_.size(); ++i) {
    for (std::size_t k = 0; k < bases_[i].size(); ++k) {
      if ((index[i] >> k) & 1) value ^= bases_[i][k];
    }
  }
  return value;
}

IndexMap LinearLayout::to_index_map() const {
  Expr sum = Expr::constant(0);
  for (int bit = 0; bit < 63; ++bit) {
    Expr parity = Expr::constant(0);
    int terms = 0;
    for (std::size_t i = 0; i < bases_.size(); ++i) {
      for (std::size_t k = 0; k < bases_[i].size(); ++k) {
        if (((bases_[i][k] >> bit) & 1) == 0) continue;
        const Expr shifted = floor_div(Expr::variable(static_cast<Index>(i)), Index{1} << k);
        parity = parity + (k + 1 == bases_[i].size() ? shifted : mod(shifted, 2));
        ++terms;
      }
    }
    if (terms == 0) continue;
    sum = sum + (terms == 1 ? parity : mod(parity, 2)) * (Index{1} << bit);
  }
  const std::vector<Index> extents = shape();
  return IndexMap::make_unchecked(Domain::box(extents), {sum});
}

}  // namespace tessera
