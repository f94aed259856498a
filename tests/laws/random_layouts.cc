// SPDX-License-Identifier: Apache-2.0
// Random layouts in every notation.
#include <algorithm>
#include <memory>

#include "laws/layout_laws.h"
#include "tessera/algebra/detail/composed_layout.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/blocked_layout.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/packed_layout.h"

namespace tessera::laws {
namespace {

using Random = std::mt19937_64;
using Indices = std::vector<Index>;

constexpr Index kMaxSize = 600;

// A random number that is the same with every standard library.
Index pick(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}
bool chance(Random& random, Index in) { return pick(random, 1, in) == 1; }

template <class T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(i) - 1))]);
  }
}

Indices random_shape(Random& random, Index largest) {
  Indices shape;
  Index size = 1;
  const Index rank = pick(random, 1, 3);
  for (Index d = 0; d < rank; ++d) {
    const Index extent = std::min(pick(random, 1, largest), kMaxSize / size);
    shape.push_back(extent);
    size *= extent;
  }
  return shape;
}

Result<Layout> random_xla(Random& random) {
  TensorType type{.dtype = DType::f32, .dims = random_shape(random, 12)};
  if (chance(random, 40)) type.dims[0] = 0;
  TiledLayout layout{.minor_to_major = descending_order(type.rank())};
  shuffle(layout.minor_to_major, random);
  const Index tiles = pick(random, 0, 3);
  for (Index t = 0; t < tiles; ++t) {
    Indices tile;
    const Index entries = pick(random, 1, static_cast<Index>(type.rank()) + 1);
    for (Index i = 0; i < entries; ++i) {
      const bool star = i + 1 < entries && chance(random, 6);
      const Index size = pick(random, 1, 5);
      tile.push_back(star ? kCombine : size);
    }
    layout.tiles.push_back(std::move(tile));
  }
  if (chance(random, 5)) layout.tail_align = pick(random, 2, 64);
  type.layout = std::make_shared<const TiledLayout>(std::move(layout));
  return Layout::make(std::move(type));
}

// Modes of up to three leaves. The strides are those of a dense order, but some are changed.
StridedLayout random_strided(Random& random, bool powers, bool negative) {
  struct Leaf {
    Index extent;
    Index stride;
  };
  const Index modes = pick(random, 1, 3);
  std::vector<Index> counts;
  std::vector<Leaf> leaves;
  Index size = 1;
  for (Index m = 0; m < modes; ++m) {
    counts.push_back(pick(random, 1, 3));
    for (Index i = 0; i < counts.back(); ++i) {
      Index extent = powers ? Index{1} << pick(random, 0, 2) : pick(random, 1, 5);
      if (size * extent > kMaxSize) extent = 1;
      size *= extent;
      leaves.push_back({extent, 0});
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < leaves.size(); ++i) order.push_back(i);
  shuffle(order, random);
  Index stride = chance(random, 4) ? pick(random, 2, 4) : 1;
  for (const std::size_t i : order) {
    leaves[i].stride = stride;
    stride *= leaves[i].extent * (chance(random, 8) ? 2 : 1);
  }
  if (chance(random, 3)) {
    Leaf& spoiled = leaves[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(leaves.size()) - 1))];
    spoiled.stride = pick(random, negative ? -9 : 0, 20);
  }
  StridedLayout layout;
  LayoutBuilder build(layout);
  build.tuple(static_cast<int>(modes));
  std::size_t next = 0;
  for (const Index count : counts) {
    if (count > 1) build.tuple(static_cast<int>(count));
    for (Index i = 0; i < count; ++i, ++next) build.leaf(leaves[next].extent, leaves[next].stride);
  }
  build.finish();
  return layout;
}

Indices random_crop(const StridedLayout& layout, Random& random) {
  Indices crop;
  if (!chance(random, 3)) return crop;
  Cursor mode = first_mode(layout.profile);
  for (int i = 0; i < layout.rank(); ++i, mode = after(layout.profile, mode))
    crop.push_back(pick(random, 1, layout.size_at(mode)));
  return crop;
}

Result<Layout> random_cute(Random& random) {
  const StridedLayout layout = random_strided(random, chance(random, 2), true);
  return Layout::make(layout, random_crop(layout, random));
}

Result<Layout> random_chain(Random& random) {
  const StridedLayout layout = random_strided(random, !chance(random, 3), false);
  const Indices crop = random_crop(layout, random);
  Swizzle swizzle;
  swizzle.bits = static_cast<int>(pick(random, 1, 3));
  swizzle.base = static_cast<int>(pick(random, 0, 2));
  swizzle.shift = swizzle.bits + static_cast<int>(pick(random, 0, 2));
  if (chance(random, 4)) swizzle.shift = -swizzle.shift;
  const Index shift = chance(random, 3) ? pick(random, 1, 9) : 0;
  detail::Outcome<ComposedLayout> chain = detail::make_composed(swizzle, shift, layout);
  if (chance(random, 5))
    chain = detail::make_composed(random_strided(random, false, true), pick(random, 0, 3), *chain);
  if (!chain) return random_cute(random);
  return Layout::make(*chain, crop);
}

Result<Layout> random_morello(Random& random) {
  // The parts of each dimension, the fastest first. The last one may be Dynamic.
  std::vector<std::vector<PackedDim>> parts;
  Indices shape;
  Index size = 1;
  const Index rank = pick(random, 1, 3);
  for (Index d = 0; d < rank; ++d) {
    std::vector<PackedDim> own;
    Index extent = 1;
    const Index count = pick(random, 0, 2);
    for (Index i = 0; i < count; ++i) {
      const bool strip = chance(random, 3);
      const Index part = strip ? 2 * pick(random, 1, 3) : pick(random, 2, 4);
      if (size * extent * part > kMaxSize) break;
      own.push_back({d, strip ? PackedDim::Kind::odd_even : PackedDim::Kind::packed, part});
      extent *= part;
    }
    const Index rest = std::min(pick(random, 1, 4), kMaxSize / (size * extent));
    own.push_back({d, PackedDim::Kind::dynamic, 0});
    extent *= rest;
    size *= extent;
    shape.push_back(extent);
    parts.push_back(std::move(own));
  }
  std::vector<PackedDim> fastest_first;
  for (;;) {
    std::erase_if(parts, [](const auto& own) { return own.empty(); });
    if (parts.empty()) break;
    auto& own = parts[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(parts.size()) - 1))];
    fastest_first.push_back(own.front());
    own.erase(own.begin());
  }
  std::ranges::reverse(fastest_first);
  auto layout = PackedLayout::make(fastest_first);
  if (!layout) return Layout::make(ShapedPackedLayout{shape, row_major(shape)});
  return Layout::make(ShapedPackedLayout{shape, *std::move(layout)});
}

Result<Layout> random_strides(Random& random) {
  Strides strides;
  strides.shape = random_shape(random, 12);
  for (std::size_t d = 0; d < strides.shape.size(); ++d) strides.strides.push_back(pick(random, -6, 40));
  strides.base = chance(random, 2) ? 0 : pick(random, -5, 300);
  if (chance(random, 20)) strides.shape[0] = 0;
  return Layout::make(std::move(strides));
}

Result<Layout> random_linear(Random& random) {
  std::vector<Indices> bases(static_cast<std::size_t>(pick(random, 1, 3)));
  const bool single_bits = chance(random, 2);
  Index bit = 0;
  for (Indices& own : bases) {
    const Index bits = pick(random, 0, 3);
    for (Index k = 0; k < bits; ++k) {
      const Index any = pick(random, 0, 127);
      own.push_back(single_bits && !chance(random, 6) ? Index{1} << bit : any);
      ++bit;
    }
  }
  auto made = LinearLayout::make(std::move(bases));
  return Layout::make(*std::move(made));
}

// A map: that of another layout, or a small tree.
Result<Layout> random_map(Random& random) {
  if (!chance(random, 3)) {
    const Layout other = random_layout(random);
    if (other.size() > 0) return Layout::make(lower(other), {other.shape().begin(), other.shape().end()});
  }
  const Indices shape = random_shape(random, 9);
  const auto dim = [&] { return Expr::variable(pick(random, 0, static_cast<Index>(shape.size()) - 1)); };
  Expr sum = Expr::constant(pick(random, 0, 4));
  const Index terms = pick(random, 1, 3);
  for (Index i = 0; i < terms; ++i) {
    Expr term = dim() + pick(random, 0, 3);
    if (chance(random, 3)) term = term + dim() * pick(random, 1, 3);
    if (chance(random, 2)) term = floor_div(term, pick(random, 1, 4));
    if (chance(random, 2)) term = mod(term, pick(random, 1, 5));
    sum = sum + term * pick(random, -3, 12);
  }
  return Layout::make(IndexMap::make_unchecked(Domain::box(shape), {sum}));
}

Result<Layout> random_blocked(Random& random) {
  BlockedLayout out;
  const Index rank = pick(random, 1, 4);
  for (Index d = 0; d < rank; ++d) {
    out.shape.push_back(pick(random, 0, 20) == 0 ? 0 : pick(random, 1, rank < 3 ? 12 : 4));
    out.order.insert(out.order.begin() + pick(random, 0, d), d);
  }
  for (Index k = pick(random, 0, 4); k > 0; --k)
    out.blocks.push_back({pick(random, 0, rank - 1), pick(random, 2, 4)});
  std::vector<Index> block(out.shape.size(), 1);
  for (const auto& [dim, size] : out.blocks) block[static_cast<std::size_t>(dim)] *= size;
  const auto blocks = [&](std::size_t d) {
    return out.padded.empty() ? ceil_div(out.shape[d], block[d]) : out.padded[d] / block[d];
  };
  if (chance(random, 4)) {
    for (std::size_t d = 0; d < block.size(); ++d)
      out.padded.push_back((ceil_div(out.shape[d], block[d]) + pick(random, 0, 2)) * block[d]);
  }
  if (chance(random, 3)) {
    // Strides with gaps, and some of 0. A stride of a single block is any number.
    out.strides.resize(block.size());
    Index filled = 1;
    for (const Index size : block) filled *= size;
    for (std::size_t k = out.order.size(); k-- > 0;) {
      const auto d = static_cast<std::size_t>(out.order[k]);
      out.strides[d] = chance(random, 6) ? 0 : filled + pick(random, 0, 3) * pick(random, 0, 4);
      if (blocks(d) > 1 && out.strides[d] != 0) filled = out.strides[d] * blocks(d);
    }
  }
  if (chance(random, 3)) out.dtype = DType::s4;
  return Layout::make(std::move(out));
}

}  // namespace

Layout random_layout(Random& random) {
  constexpr Result<Layout> (*kMakers[])(Random&) = {random_xla,     random_cute,    random_chain,
                                                    random_morello, random_strides, random_linear,
                                                    random_blocked, random_map};
  for (;;) {
    auto layout = kMakers[static_cast<std::size_t>(pick(random, 0, std::ssize(kMakers) - 1))](random);
    if (layout) return *std::move(layout);
  }
}

Layout disturbed(const Layout& layout, Random& random) {
  if (layout.size() == 0 || chance(random, 4)) {
    // Converts to another notation.
    const auto to = static_cast<Notation>(pick(random, 0, std::ssize(all_notations()) - 1));
    if (auto other = convert(layout, to); other && layout.size() > 0) return other->layout;
    return layout;
  }
  // Adds a number at all indices of a dimension from some index on, or at all indices of a residue class.
  const auto dim = static_cast<std::size_t>(pick(random, 0, static_cast<Index>(layout.rank()) - 1));
  Expr x = Expr::variable(static_cast<Index>(dim));
  if (chance(random, 3)) x = x + Expr::variable(0);
  const Index cut = pick(random, 1, layout.shape()[dim] + 2);
  Expr change = chance(random, 2) ? floor_div(x, cut) : mod(x, cut);
  change = change * pick(random, -1, 2);
  auto made = Layout::make(
      IndexMap::make_unchecked(Domain::box(layout.shape()), {lower(layout).results()[0] + change}));
  if (!made) return layout;
  if (auto digits = convert(*made, Notation::strides)) return digits->layout;
  if (auto tiles = convert(*made, Notation::cute)) return tiles->layout;
  return *std::move(made);
}

}  // namespace tessera::laws
