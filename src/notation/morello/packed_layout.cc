// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/packed_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/plural.h"
#include "notation/layout_form.h"

namespace tessera {
namespace {

// The entry's number as a span, which the parser replaces by the span of the entry in the text.
Span entry_span(std::size_t number) {
  return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number + 1)};
}

using Kind = PackedDim::Kind;

// Whether entries i - 1 and i of one dimension equal a single entry. `boundary` is the position of the first
// entry of the contiguous part: merging across it would lose contiguity.
bool mergeable(const std::vector<PackedDim>& dims, std::size_t i, std::size_t boundary) {
  const PackedDim& slow = dims[i - 1];
  const PackedDim& fast = dims[i];
  if (slow.dim != fast.dim || fast.kind != Kind::packed) return false;
  return (slow.kind == Kind::packed && i != boundary) || (slow.kind == Kind::dynamic && i > boundary);
}

Result<void> check_entry(const PackedDim& d) {
  if (d.dim < 0 || d.dim > kMaxPackedDim)
    return fail(Code::dim_out_of_range,
                fmt::format("dimension {} is not between 0 and {}", d.dim, kMaxPackedDim));
  if (d.kind == Kind::dynamic && d.size != 0)
    return fail(Code::number_range, fmt::format("a dynamic entry has the size 0, not {}", d.size));
  if (d.size < 0) return fail(Code::number_range, fmt::format("the size {} is negative", d.size));
  if (d.kind == Kind::dynamic) return {};
  if (d.size == 0)
    return fail(Code::zero_size, fmt::format("dimension {} has a pack of size 0", d.dim), {},
                "leave the entry out");
  if (d.kind == Kind::packed && d.size == 1) {
    return fail(Code::packed_one, fmt::format("{} p(1) has no effect", d.dim), {}, "leave the entry out");
  }
  if (d.kind == Kind::odd_even && d.size % 2 != 0) {
    return fail(Code::oddeven_odd,
                fmt::format("{} oe({}) has an odd size, but its halves need an even size", d.dim, d.size), {},
                "choose an even size, usually twice the number of lanes");
  }
  return {};
}

}  // namespace

Result<PackedLayout> PackedLayout::make(std::vector<PackedDim> dims, std::size_t contig) {
  if (contig > dims.size()) {
    return fail(
        Code::contig_range,
        fmt::format("c{} is too large: the layout has {}", contig, detail::plural(dims.size(), "entry")), {},
        "write at most the number of entries, or leave the part out to make all of them contiguous");
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (auto sound = check_entry(dims[i]); !sound) {
      sound.error().span = entry_span(i);
      return fail(sound.error());
    }
  }
  std::set<Index> dynamic;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].kind == Kind::dynamic && !dynamic.insert(dims[i].dim).second) {
      return fail(Code::dynamic_repeated, fmt::format("dimension {} has two dynamic entries", dims[i].dim),
                  entry_span(i), "give the faster entry a size: [0, 1, 0 p(4)]");
    }
  }
  std::set<Index> seen;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const PackedDim& d = dims[i];
    if (d.kind == Kind::dynamic && seen.contains(d.dim)) {
      return fail(
          Code::dynamic_not_outermost,
          fmt::format("the dynamic entry of dimension {} comes after a fixed one; it must be the slowest",
                      d.dim),
          entry_span(i), "put the dynamic entry first: [0, 1, 0 p(4)]");
    }
    seen.insert(d.dim);
  }
  for (std::size_t i = 1; i < dims.size(); ++i) {
    if (mergeable(dims, i, dims.size() - contig)) {
      return fail(Code::mergeable,
                  fmt::format("entries {} and {} of dimension {} form one entry", i - 1, i, dims[i].dim),
                  entry_span(i), "write one entry, or say where contiguity ends: ([0, 0 p(2)], c1)");
    }
  }
  return make_unchecked(std::move(dims), contig);
}

Result<PackedLayout> PackedLayout::make(std::vector<PackedDim> dims) {
  const std::size_t contig = dims.size();
  return make(std::move(dims), contig);
}

PackedLayout PackedLayout::make_unchecked(std::vector<PackedDim> dims, std::size_t contig) {
  PackedLayout layout;
  layout.dims_ = std::move(dims);
  layout.contig_ = contig;
  return layout;
}

Result<std::vector<Index>> expand(const PackedLayout& layout, std::span<const Index> shape) {
  constexpr const char* kFittingPack =
      "add a dynamic entry for the dimension, [0, 1, 0 p(4)], or choose a pack that divides the extent";
  Index elements = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 1)
      return fail(Code::bad_extent,
                  fmt::format("dimension {} has extent {}, but it must be at least 1", i, shape[i]), {},
                  "types, strides and maps may have extents of 0: np:(2,0):(1,1)");
    if (mul_overflows(elements, shape[i], elements)) {
      return fail(Code::overflow, "the number of elements exceeds 64 bits");
    }
  }
  std::vector<Index> rest(shape.begin(), shape.end());
  std::vector<bool> shortened(shape.size(), false);
  std::vector<Index> extents(layout.dims().size());
  for (std::size_t k = extents.size(); k-- > 0;) {
    const PackedDim& entry = layout.dims()[k];
    if (entry.dim >= static_cast<Index>(shape.size())) {
      return fail(Code::dim_out_of_range,
                  fmt::format("entry {} names dimension {}, but the rank is {}", k, entry.dim, shape.size()),
                  entry_span(k));
    }
    const auto d = static_cast<std::size_t>(entry.dim);
    if (entry.kind == Kind::dynamic) {
      extents[k] = std::exchange(rest[d], 1);
    } else if (rest[d] < entry.size) {
      // What remains of the extent may be less than the size of one pack. An odd-even strip may be shortened
      // only if nothing remains.
      if ((entry.kind == Kind::odd_even && rest[d] != 1) || shortened[d]) {
        return fail(Code::not_applicable,
                    fmt::format("entry {} of size {} does not fit in the remaining {} of dimension {}", k,
                                entry.size, rest[d], d),
                    entry_span(k), kFittingPack);
      }
      shortened[d] = true;
      extents[k] = std::exchange(rest[d], 1);
    } else if (rest[d] % entry.size != 0) {
      return fail(Code::not_applicable,
                  fmt::format("entry {} of size {} does not divide the remaining {} of dimension {}", k,
                              entry.size, rest[d], d),
                  entry_span(k), kFittingPack);
    } else {
      extents[k] = entry.size;
      rest[d] /= entry.size;
    }
  }
  for (std::size_t d = 0; d < rest.size(); ++d) {
    if (rest[d] != 1) {
      return fail(Code::not_applicable, fmt::format("no entry has the factor {} of dimension {}", rest[d], d),
                  {}, kFittingPack);
    }
  }
  return extents;
}

Result<Index> ShapedPackedLayout::offset(std::span<const Index> index) const {
  return tessera::offset(layout, shape, index);
}

Result<Index> offset(const PackedLayout& layout, std::span<const Index> shape, std::span<const Index> index) {
  const auto extents = expand(layout, shape);
  if (!extents) return fail(extents.error());
  if (const auto inside = detail::check_index(index, shape); !inside) return fail(inside.error());
  std::vector<Index> covered(shape.size(), 1);
  Index alpha = 1;
  Index sum = 0;
  for (std::size_t k = extents->size(); k-- > 0;) {
    const PackedDim& entry = layout.dims()[k];
    const auto d = static_cast<std::size_t>(entry.dim);
    const Index extent = (*extents)[k];
    Index q = (index[d] / covered[d]) % extent;
    if (entry.kind == Kind::odd_even && extent > 1) q = (q % 2) * (extent / 2) + q / 2;
    sum += alpha * q;
    alpha *= extent;
    covered[d] *= extent;
  }
  return sum;
}

namespace {

PackedLayout of_order(std::span<const Index> shape, std::span<const Index> order) {
  std::vector<PackedDim> dims;
  for (const Index d : order) {
    if (shape[static_cast<std::size_t>(d)] != 1) dims.push_back({d, Kind::dynamic, 0});
  }
  const std::size_t contig = dims.size();
  return PackedLayout::make_unchecked(std::move(dims), contig);
}

std::vector<Index> ascending(std::size_t rank) {
  std::vector<Index> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<Index>(i);
  return order;
}

bool all_dynamic(const PackedLayout& layout) {
  return std::ranges::all_of(layout.dims(), [](const PackedDim& d) { return d.kind == Kind::dynamic; });
}

}  // namespace

PackedLayout row_major(std::span<const Index> shape) { return of_order(shape, ascending(shape.size())); }

PackedLayout col_major(std::span<const Index> shape) {
  auto order = ascending(shape.size());
  std::ranges::reverse(order);
  return of_order(shape, order);
}

PackedLayout batched_col_major(std::span<const Index> shape) {
  auto order = ascending(shape.size());
  if (!order.empty()) std::reverse(order.begin() + 1, order.end());
  return of_order(shape, order);
}

Result<PackedLayout> nhwc(std::span<const Index> shape) {
  if (shape.size() != 4) {
    return fail(Code::rank_mismatch, fmt::format("NHWC is for 4 dimensions, not {}", shape.size()));
  }
  return of_order(shape, std::vector<Index>{0, 2, 3, 1});
}

bool is_row_major(const PackedLayout& layout) {
  return all_dynamic(layout) && std::ranges::is_sorted(layout.dims(), {}, &PackedDim::dim);
}

bool is_col_major(const PackedLayout& layout) {
  // is_sorted by >= requires strictly decreasing dimensions.
  return all_dynamic(layout) &&
         std::ranges::is_sorted(layout.dims(), std::ranges::greater_equal{}, &PackedDim::dim);
}

}  // namespace tessera
