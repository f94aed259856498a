// SPDX-License-Identifier: Apache-2.0
#include "relayout/elementwise.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "relayout/element_sizes.h"
#include "relayout/limits.h"
#include "relayout/nest.h"

namespace tessera::moving {
namespace {

// Elements per line and lines per block. 256 x 32 elements of 4 bytes take 32 KB, the size of the smallest L1
// data cache in use.
constexpr Index kLineEntries = 256;
constexpr Index kBand = 32;

// The layout as a map whose domain omits the dimensions of extent 1.
Result<Layout> without_ones(const Layout& layout) {
  std::vector<Index> box;
  std::vector<Expr> variables;
  for (const Index extent : layout.shape()) {
    variables.push_back(extent == 1 ? Expr::constant(0) : Expr::variable(static_cast<Index>(box.size())));
    if (extent > 1) box.push_back(extent);
  }
  const Expr offset = substitute(lower(layout).results()[0], variables);
  return Layout::make(IndexMap::make_unchecked(Domain::box(box), {offset}));
}

// The layout in a form that is evaluated without allocation. A tiled layout without digits allocates; its map
// does not.
Layout without_memory(const Layout& layout) {
  if (layout.tiled_map() == nullptr || layout.known_digits() != nullptr) return layout;
  return Layout::make(lower(layout)).value_or(layout);
}

Layout map_of(const Layout& layout) {
  if (layout.size() == 0 || layout.rank() <= kRelayoutLimits.nest_dims) return without_memory(layout);
  const auto map = without_ones(layout);
  TESSERA_CHECK(map.has_value(), "the map of a layout is not a layout");
  return *map;
}

// The dimension with the smallest nonzero step at index 0. If several qualify, the last of them.
std::size_t finest(const Layout& layout) {
  std::size_t found = layout.rank() == 0 ? 0 : layout.rank() - 1;
  if (layout.size() == 0) return found;
  std::vector<Index> index(layout.rank(), 0);
  const Index start = layout.offset(index);
  Index least = kIndexMax;
  for (std::size_t d = layout.rank(); d-- > 0;) {
    if (layout.shape()[d] == 1) continue;
    index[d] = 1;
    const Index step = std::abs(layout.offset(index) - start);
    index[d] = 0;
    if (step == 0 || step >= least) continue;
    least = step;
    found = d;
  }
  return found;
}

template <Index kBytes>
void copy_line(std::span<const Index> from, std::span<const Index> to, Index bytes, const std::byte* src,
               std::byte* dst) {
  const Index e = kBytes > 0 ? kBytes : bytes;
  for (std::size_t i = 0; i < from.size(); ++i)
    std::memcpy(dst + to[i] * e, src + from[i] * e, static_cast<std::size_t>(e));
}

using CopyLine = void (*)(std::span<const Index>, std::span<const Index>, Index, const std::byte*,
                          std::byte*);
CopyLine copy_line_of(Index bytes) {
  const CopyLine found =
      select_by_size<1, 2, 4, 8, 16>(bytes, [](auto size) -> CopyLine { return copy_line<size()>; });
  return found != nullptr ? found : copy_line<0>;
}

}  // namespace

struct ElementwiseCopy::Maps {
  Maps(const Layout& s, const Layout& d)
      : src(map_of(s)), dst(map_of(d)), line(finest(dst)), band(finest(src)) {}
  Layout src;
  Layout dst;
  std::size_t line;
  std::size_t band;
};

ElementwiseCopy::ElementwiseCopy(const Layout& src, const Layout& dst)
    : ElementwiseCopy(src, dst, Maps(src, dst)) {}

ElementwiseCopy::ElementwiseCopy(const Layout& src, const Layout& dst, const Maps& maps)
    : src_(src),
      dst_(dst),
      line_(maps.line),
      band_(maps.band),
      from_(maps.src, maps.line),
      to_(maps.dst, maps.line) {
  if (src.size() == 0) {
    units_ = 0;  // the product of the other extents may overflow
    return;
  }
  const auto box = src_map().shape();
  for (std::size_t d = 0; d < box.size(); ++d)
    units_ *= d == line_ ? ceil_div(box[d], kLineEntries) : d == band_ ? ceil_div(box[d], kBand) : box[d];
}

void ElementwiseCopy::run(Index first, Index last, Index element_bytes, const std::byte* src,
                          std::byte* dst) const {
  const auto box = src_map().shape();
  const CopyLine copy = copy_line_of(element_bytes);
  if (box.empty()) {
    const std::array<Index, 1> from = {src_map().offset({})};
    const std::array<Index, 1> to = {dst_map().offset({})};
    if (first < last) copy(from, to, element_bytes, src, dst);
    return;
  }
  std::array<Index, kRelayoutLimits.nest_dims> all = {};
  const std::span<Index> index = std::span(all).first(box.size());
  std::array<Index, static_cast<std::size_t>(kLineEntries)> from;
  std::array<Index, static_cast<std::size_t>(kLineEntries)> to;
  for (Index unit = first; unit < last; ++unit) {
    Index rest = unit;
    const auto part = [&](Index extent, Index size) {
      const Index count = ceil_div(extent, size);
      const Index begin = rest % count * size;
      rest /= count;
      return std::pair(begin, std::min(extent, begin + size));
    };
    // Consecutive units are blocks along the same lines.
    const auto [column, columns_end] = part(box[line_], kLineEntries);
    std::pair<Index, Index> rows = {0, 1};
    if (band_ != line_) rows = part(box[band_], kBand);
    for (std::size_t d = box.size(); d-- > 0;) {
      if (d != line_ && d != band_) index[d] = part(box[d], 1).first;
    }
    const auto length = static_cast<std::size_t>(columns_end - column);
    for (Index row = rows.first; row < rows.second; ++row) {
      if (band_ != line_) index[band_] = row;
      from_.fill(index, column, std::span(from).first(length));
      to_.fill(index, column, std::span(to).first(length));
      copy(std::span(from).first(length), std::span(to).first(length), element_bytes, src, dst);
    }
  }
}

}  // namespace tessera::moving
