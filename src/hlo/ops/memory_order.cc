// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/memory_order.h"

#include <algorithm>

#include "hlo/ops/checked.h"
#include "hlo/ops/reshape.h"

namespace tessera::detail {

std::optional<MemoryOrder> MemoryOrder::make(const TensorType& type) {
  MemoryOrder m;
  const Index bits = bit_width(type.dtype);
  m.element_bits_ = type.layout != nullptr && type.layout->element_bits > 0 ? type.layout->element_bits
                                                                            : (bits + 7) / 8 * 8;
  m.order_ = type.minor_to_major();
  std::ranges::reverse(m.order_);
  if (m.order_.size() != type.dims.size()) return std::nullopt;
  std::vector<bool> seen(m.order_.size(), false);
  for (std::size_t p = 0; p < m.order_.size(); ++p) {
    const Index dim = m.order_[p];
    if (dim < 0 || dim >= static_cast<Index>(seen.size()) || seen[static_cast<std::size_t>(dim)])
      return std::nullopt;
    seen[static_cast<std::size_t>(dim)] = true;
    m.extents_.push_back(type.dims[static_cast<std::size_t>(dim)]);
    m.row_major_ = m.row_major_ && dim == static_cast<Index>(p);
  }
  if (type.layout == nullptr) return m;
  for (const std::vector<Index>& tile : type.layout->tiles) {
    if (tile.empty() || tile.back() == kCombine) return std::nullopt;
    m.row_major_ = false;
    Tile step{};
    step.extended = tile.size() > m.extents_.size() ? tile.size() - m.extents_.size() : 0;
    m.extents_.insert(m.extents_.begin(), step.extended, 1);
    step.kept = m.extents_.size() - tile.size();
    step.bounds = m.extents_;
    std::vector<Index> outer, inner;
    for (std::size_t i = 0; i < tile.size();) {
      Cut cut{.first = step.kept + i, .count = 1, .tile = 0, .bound = 1};
      Checked bound = m.extents_[step.kept + i];
      for (; tile[i] == kCombine; ++i, ++cut.count) bound = bound * m.extents_[step.kept + i + 1];
      cut.tile = tile[i++];
      if (!bound.valid() || cut.tile < 1) return std::nullopt;
      cut.bound = bound.value();
      outer.push_back(ceil_div(cut.bound, cut.tile));
      inner.push_back(cut.tile);
      step.cuts.push_back(cut);
    }
    m.extents_.resize(step.kept);
    m.extents_.insert(m.extents_.end(), outer.begin(), outer.end());
    m.extents_.insert(m.extents_.end(), inner.begin(), inner.end());
    m.tiles_.push_back(std::move(step));
  }
  return m;
}

std::vector<Expr> MemoryOrder::coordinates(std::span<const Expr> index) const {
  std::vector<Expr> at;
  for (const Index dim : order_) at.push_back(index[static_cast<std::size_t>(dim)]);
  for (const Tile& tile : tiles_) {
    at.insert(at.begin(), tile.extended, Expr());
    std::vector<Expr> outer, inner;
    for (const Cut& cut : tile.cuts) {
      Expr one;
      for (std::size_t i = cut.first; i < cut.first + cut.count; ++i) one = one * tile.bounds[i] + at[i];
      outer.push_back(cut.bound <= cut.tile ? Expr() : floor_div(one, cut.tile));
      inner.push_back(cut.bound <= cut.tile ? one : mod(one, cut.tile));
    }
    at.resize(tile.kept);
    at.insert(at.end(), outer.begin(), outer.end());
    at.insert(at.end(), inner.begin(), inner.end());
  }
  return at;
}

std::vector<Expr> MemoryOrder::index(std::vector<Expr> at, MapBuilder& map) const {
  for (auto tile = tiles_.rbegin(); tile != tiles_.rend(); ++tile) {
    std::vector<Expr> before(tile->bounds.size());
    std::copy_n(at.begin(), tile->kept, before.begin());
    const std::size_t cuts = tile->cuts.size();
    for (std::size_t c = 0; c < cuts; ++c) {
      const Cut& cut = tile->cuts[c];
      Expr one = at[tile->kept + c] * cut.tile + at[tile->kept + cuts + c];
      if (cut.bound % cut.tile != 0) map.constrain(one, {0, cut.bound - 1});
      for (std::size_t i = cut.first + cut.count; i-- > cut.first;) {
        before[i] = i == cut.first ? one : mod(one, tile->bounds[i]);
        if (i != cut.first) one = floor_div(one, tile->bounds[i]);
      }
    }
    before.erase(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(tile->extended));
    at = std::move(before);
  }
  std::vector<Expr> index(order_.size());
  for (std::size_t p = 0; p < order_.size(); ++p) index[static_cast<std::size_t>(order_[p])] = at[p];
  return index;
}

}  // namespace tessera::detail
