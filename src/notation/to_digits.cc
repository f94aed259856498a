// SPDX-License-Identifier: Apache-2.0
#include "notation/to_digits.h"

#include <algorithm>

#include "notation/not_representable.h"
#include "notation/structure.h"

namespace tessera {

Result<Digits> to_digits(const Strides& strides) {
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < strides.shape.size(); ++i) {
    if (strides.shape[i] > 1)
      digits.push_back({static_cast<Index>(i), 1, strides.shape[i], strides.strides[i]});
  }
  return Digits::normalized(strides.shape, strides.base, std::move(digits));
}

Result<Digits> to_digits(const PackedLayout& layout, std::span<const Index> shape) {
  const auto extents = expand(layout, shape);
  if (!extents) return fail(extents.error());
  std::vector<Digit> digits;
  std::vector<Index> covered(shape.size(), 1);
  Index alpha = 1;
  for (std::size_t k = extents->size(); k-- > 0;) {
    const PackedDim& entry = layout.dims()[k];
    const Index extent = (*extents)[k];
    Index& div = covered[static_cast<std::size_t>(entry.dim)];
    if (entry.kind == PackedDim::Kind::odd_even && extent > 1) {
      digits.push_back({entry.dim, div, 2, alpha * (extent / 2)});
      digits.push_back({entry.dim, div * 2, extent / 2, alpha});
    } else {
      digits.push_back({entry.dim, div, extent, alpha});
    }
    alpha *= extent;
    div *= extent;
  }
  return Digits::normalized({shape.begin(), shape.end()}, 0, std::move(digits));
}

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

namespace {

// The first index, in row-major order, at which two dimensions set the same bit. Requires that there is one.
std::vector<Index> first_meeting(const LinearLayout& layout) {
  const auto bases = layout.bases();
  std::vector<Index> index(bases.size(), 0);
  std::vector<Index> bits(bases.size(), 0);
  for (std::size_t i = bases.size(); i-- > 0;) {
    for (const Index basis : bases[i]) bits[i] |= basis;
    for (std::size_t k = 0; k < bases[i].size(); ++k) {
      for (std::size_t j = bases.size(); j-- > i + 1;) {
        if ((bases[i][k] & bits[j]) == 0) continue;
        const auto other =
            std::ranges::find_if(bases[j], [&](Index basis) { return (basis & bases[i][k]) != 0; });
        index[i] = Index{1} << k;
        index[j] = Index{1} << (other - bases[j].begin());
        return index;
      }
    }
  }
  return index;
}

}  // namespace

Result<Digits> to_digits(const LinearLayout& layout) {
  if (auto digits = detail::structural_digits(layout)) return *std::move(digits);
  if (const auto groups = detail::interacting_dims(layout); !groups.empty()) {
    const std::vector<Index> index = first_meeting(layout);
    Index sum = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      std::vector<Index> alone(index.size(), 0);
      alone[d] = index[d];
      sum += layout.offset(alone);
    }
    return detail::entangled(groups.front(), index, layout.offset(index), sum);
  }
  return digits_by_tables(layout.shape(), [&](std::span<const Index> x) { return layout.offset(x); }, {});
}

Result<Digits> to_digits(const IndexMap& map) {
  auto box = detail::box_of(map);
  if (!box) return fail(box.error());
  if (map.known_empty()) return Digits::normalized(*std::move(box), 0, {});
  if (auto digits = detail::structural_digits(map)) return *std::move(digits);
  const auto groups = detail::interacting_dims(map);
  bool defined = true;
  const auto offset = [&](std::span<const Index> x) {
    const auto value = evaluate(map.results()[0], x);
    defined = defined && value.has_value();
    return value.value_or(0);
  };
  auto digits = digits_by_tables(*std::move(box), offset, groups);
  if (!defined) return detail::not_representable("not_a_layout", "the map has no value at some index");
  return digits;
}

}  // namespace tessera
