// SPDX-License-Identifier: Apache-2.0
#include "notation/to_digits.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "expr/view.h"
#include "map/values/enumerate.h"
#include "notation/not_representable.h"
#include "notation/structure.h"

namespace tessera {

std::vector<std::size_t> detail::all_dims(std::size_t rank) {
  std::vector<std::size_t> dims(rank);
  std::iota(dims.begin(), dims.end(), std::size_t{0});
  return dims;
}

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

namespace detail {

std::optional<Digits> structural_digits(const LinearLayout& layout) {
  Index seen = 0;
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < layout.bases().size(); ++i) {
    for (std::size_t k = 0; k < layout.bases()[i].size(); ++k) {
      const Index basis = layout.bases()[i][k];
      if ((seen & basis) != 0) return std::nullopt;
      seen |= basis;
      digits.push_back({static_cast<Index>(i), Index{1} << k, 2, basis});
    }
  }
  // The bases share no bits, so XOR is addition.
  return Digits::normalized(layout.shape(), 0, std::move(digits));
}

// Offsets of different dimensions add up if and only if they share no bits.
DimGroups interacting_dims(const LinearLayout& layout) {
  std::vector<Index> bits(layout.bases().size(), 0);
  DimGroups groups;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (const Index basis : layout.bases()[i]) bits[i] |= basis;
    std::vector<std::size_t> own = {i};
    // Merges every group that shares bits with this dimension.
    std::erase_if(groups, [&](const auto& group) {
      const bool meets = std::ranges::any_of(group, [&](std::size_t j) { return (bits[i] & bits[j]) != 0; });
      if (meets) own.insert(own.end(), group.begin(), group.end());
      return meets;
    });
    std::ranges::sort(own);
    groups.push_back(std::move(own));
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

}  // namespace detail

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

namespace {

// The terms as digits of the dimensions; empty if some term is not a digit.
std::optional<std::vector<Digit>> digits_of(const detail::ExprView& offset) {
  std::vector<Digit> digits;
  for (const detail::DigitTerm& term : offset.terms) {
    if (!term.base.is_variable() || term.at_least_zero) return std::nullopt;
    digits.push_back({term.base.value(), term.divisor, term.modulus, term.coefficient});
  }
  return digits;
}

// Completes the digits of each dimension to a chain that covers the box, filling gaps with digits of stride
// 0. An ext of 0 means that there is no mod. Empty if they do not form a chain.
std::optional<std::vector<Digit>> chains(std::vector<Digit> terms, std::span<const Index> box) {
  std::ranges::sort(terms, [](const Digit& a, const Digit& b) {
    return std::pair(a.dim, a.div) < std::pair(b.dim, b.div);
  });
  std::vector<Digit> digits;
  std::size_t i = 0;
  for (std::size_t d = 0; d < box.size(); ++d) {
    Index div = 1;
    for (; i < terms.size() && terms[i].dim == static_cast<Index>(d); ++i) {
      Digit term = terms[i];
      if (term.div < div || term.div % div != 0) return std::nullopt;
      if (term.div > div) digits.push_back({term.dim, div, term.div / div, 0});
      if (term.ext == 0) term.ext = std::max<Index>(1, ceil_div(box[d], term.div));
      digits.push_back(term);
      if (mul_overflows(term.div, term.ext, div)) return std::nullopt;
    }
    if (div < box[d]) digits.push_back({static_cast<Index>(d), div, ceil_div(box[d], div), 0});
  }
  return digits;
}

// Dimensions in the same term of the sum may interact. Joins the sets that terms connect.
detail::DimGroups interacting(const detail::ExprView& offset, std::size_t rank) {
  std::vector<std::size_t> parent = detail::all_dims(rank);
  const auto find = [&](Index dim) {
    auto d = static_cast<std::size_t>(dim);
    while (parent[d] != d) d = parent[d];
    return d;
  };
  for (const detail::DigitTerm& term : offset.terms) {
    for (const Index v : term.variables) parent[find(v)] = find(term.variables.front());
  }
  detail::DimGroups by_root(rank);
  for (std::size_t d = 0; d < rank; ++d) by_root[find(static_cast<Index>(d))].push_back(d);
  std::erase_if(by_root, [](const auto& group) { return group.size() < 2; });
  return by_root;
}

// The view of a map's offset; if it takes too long to compute, a single term over all dimensions.
detail::ExprView offset_view(const IndexMap& map) {
  const Expr offset = map.results()[0];
  if (auto seen = detail::view(offset, box_of(map.domain()))) return *std::move(seen);
  detail::ExprView whole;
  whole.terms.push_back({.base = offset, .opaque = true, .variables = variables(offset)});
  return whole;
}

Failure not_a_layout(std::string message) {
  return detail::not_representable("not_a_layout", std::move(message));
}

std::optional<Digits> matched(const detail::ExprView& offset, std::span<const Index> box) {
  auto terms = digits_of(offset);
  const auto digits = terms ? chains(*std::move(terms), box) : std::nullopt;
  if (!digits) return std::nullopt;
  return Digits::normalized({box.begin(), box.end()}, offset.constant, *digits);
}

}  // namespace

namespace detail {

Result<std::vector<Index>> box_of(const IndexMap& map) {
  if (map.results().size() != 1)
    return not_a_layout(fmt::format("a layout has one result, but this map has {}", map.results().size()));
  if (map.domain().symbol_count() != 0) return not_a_layout("a layout has no range or runtime variables");
  if (map.known_empty() && map.dim_count() == 0) return not_a_layout("a map without points has no shape");
  if (map.known_empty()) return std::vector<Index>(map.dim_count(), 0);
  if (!map.constraints().empty()) return not_a_layout("a layout's domain is a box, without constraints");
  std::vector<Index> box;
  for (const Variable& v : map.variables()) {
    if (v.bounds.lower != 0 || v.bounds.upper == kPosInf)
      return not_a_layout("every dimension must start at 0 and be bounded");
    box.push_back(v.bounds.upper + 1);
  }
  return box;
}

std::optional<Digits> structural_digits(const IndexMap& map) {
  const auto box = box_of(map);
  if (!box) return std::nullopt;
  if (map.known_empty()) return Digits::normalized(*box, 0, {});
  return matched(offset_view(map), *box);
}

DimGroups interacting_dims(const IndexMap& map) { return interacting(offset_view(map), map.dim_count()); }

}  // namespace detail

Result<Digits> to_digits(const IndexMap& map) {
  auto box = detail::box_of(map);
  if (!box) return fail(box.error());
  if (map.known_empty()) return Digits::normalized(*std::move(box), 0, {});
  const detail::ExprView seen = offset_view(map);
  if (auto digits = matched(seen, *box)) return *std::move(digits);
  const auto groups = interacting(seen, box->size());
  bool defined = true;
  const auto offset = [&](std::span<const Index> x) {
    const auto value = evaluate(map.results()[0], x);
    defined = defined && value.has_value();
    return value.value_or(0);
  };
  auto digits = digits_by_tables(*std::move(box), offset, groups);
  if (!defined) return not_a_layout("the map has no value at some index");
  return digits;
}

}  // namespace tessera
