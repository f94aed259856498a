// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/plural.h"
#include "tessera/notation/packed_layout.h"

namespace tessera {
namespace {

using Kind = PackedDim::Kind;

// A list of entries during a transformation; every step updates `contig`.
struct Draft {
  std::vector<PackedDim> dims;
  std::size_t contig = 0;

  std::size_t boundary() const { return dims.size() - contig; }
  PackedLayout done() && { return PackedLayout::make_unchecked(std::move(dims), contig); }
};

Draft draft(const PackedLayout& layout) {
  return {{layout.dims().begin(), layout.dims().end()}, layout.contig()};
}

Draft prune(Draft in, std::span<const Index> shape) {
  Draft out{{}, in.contig};
  for (std::size_t i = 0; i < in.dims.size(); ++i) {
    if (shape[static_cast<std::size_t>(in.dims[i].dim)] != 1) {
      out.dims.push_back(in.dims[i]);
    } else if (i >= in.boundary()) {
      --out.contig;
    }
  }
  return out;
}

Draft merge(Draft in) {
  Draft out{{}, in.contig};
  for (std::size_t i = 0; i < in.dims.size(); ++i) {
    const PackedDim& entry = in.dims[i];
    PackedDim* last = out.dims.empty() ? nullptr : &out.dims.back();
    const bool pack_after = last != nullptr && last->dim == entry.dim && entry.kind == Kind::packed;
    if (pack_after && last->kind == Kind::packed && i != in.boundary()) {
      last->size *= entry.size;
      if (i >= in.boundary()) --out.contig;
    } else if (pack_after && last->kind == Kind::dynamic && i > in.boundary()) {
      --out.contig;
    } else {
      out.dims.push_back(entry);
    }
  }
  return out;
}

// Turns each pack that holds the rest of its dimension into a dynamic entry, and returns the position of the
// fastest such entry of each dimension. Skips packs below an odd-even strip, because its halves would move.
std::map<Index, std::size_t> relax_packings(Draft& draft, std::span<const Index> shape) {
  std::vector<Index> rest(shape.begin(), shape.end());
  std::map<Index, std::size_t> fastest;
  for (std::size_t k = draft.dims.size(); k-- > 0;) {
    PackedDim& entry = draft.dims[k];
    Index& left = rest[static_cast<std::size_t>(entry.dim)];
    if (entry.kind == Kind::dynamic) continue;
    const bool divides = left % entry.size == 0;
    if (entry.kind == Kind::odd_even) {
      if (divides) {
        left /= entry.size;
      } else if (entry.size % left == 0) {
        left = 1;
      }
      continue;
    }
    const bool below_strip =
        std::any_of(draft.dims.begin(), draft.dims.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const PackedDim& d) { return d.dim == entry.dim && d.kind == Kind::odd_even; });
    const bool covers = divides ? left == entry.size : entry.size >= left;
    if (divides) {
      left /= entry.size;
    } else if (covers) {
      left = 1;
    }
    if (covers && !below_strip) {
      entry = {entry.dim, Kind::dynamic, 0};
      fastest.emplace(entry.dim, k);
    }
  }
  return fastest;
}

Draft drop_unneeded_packings(Draft in, std::span<const Index> shape) {
  const auto fastest = relax_packings(in, shape);
  Draft out{{}, in.contig};
  for (std::size_t i = 0; i < in.dims.size(); ++i) {
    const PackedDim& entry = in.dims[i];
    const auto noted = fastest.find(entry.dim);
    const bool says_nothing = noted != fastest.end() && i < noted->second;
    const bool repeated = !out.dims.empty() && entry.kind == Kind::dynamic && out.dims.back() == entry;
    if (!says_nothing && !repeated) {
      out.dims.push_back(entry);
    } else if (i >= in.boundary() && out.contig > 0) {
      --out.contig;
    }
  }
  out.contig = std::min(out.contig, out.dims.size());
  return out;
}

// Dropping an entry can make its neighbors mergeable, so this repeats until nothing changes.
PackedLayout canonical(Draft in, std::span<const Index> shape) {
  Draft current = prune(std::move(in), shape);
  for (;;) {
    Draft next = drop_unneeded_packings(merge(current), shape);
    if (next.dims == current.dims && next.contig == current.contig) return std::move(next).done();
    current = std::move(next);
  }
}

}  // namespace

Result<PackedLayout> canonicalize(const PackedLayout& layout, std::span<const Index> shape) {
  if (const auto extents = expand(layout, shape); !extents) return fail(extents.error());
  return canonical(draft(layout), shape);
}

Result<PackedLayout> tile(const PackedLayout& layout, std::span<const Index> parent,
                          std::span<const Index> tile) {
  if (parent.size() != tile.size()) {
    return fail(Code::rank_mismatch, fmt::format("the tile has {}, but the shape has {}",
                                                 detail::plural(tile.size(), "dimension"), parent.size()));
  }
  const auto whole = expand(layout, parent);
  if (!whole) return fail(whole.error());
  const auto part = expand(layout, tile);
  if (!part) return fail(part.error());
  Draft out = draft(layout);
  const std::size_t n = whole->size();
  for (std::size_t equal = 0; equal < n; ++equal) {
    if ((*whole)[n - 1 - equal] != (*part)[n - 1 - equal]) {
      out.contig = std::min(out.contig, equal + 1);
      break;
    }
  }
  return canonical(std::move(out), tile);
}

PackedLayout drop_dims(const PackedLayout& layout, std::span<const Index> dims) {
  const Draft in = draft(layout);
  const std::set<Index> dropped(dims.begin(), dims.end());
  Draft out{{}, in.contig};
  for (std::size_t i = 0; i < in.dims.size(); ++i) {
    PackedDim entry = in.dims[i];
    const bool contiguous = i >= in.boundary();
    if (dropped.contains(entry.dim)) {
      if (contiguous) --out.contig;
      continue;
    }
    entry.dim -= std::distance(dropped.begin(), dropped.lower_bound(entry.dim));
    PackedDim* last = out.dims.empty() ? nullptr : &out.dims.back();
    if (last != nullptr && last->dim == entry.dim && entry.kind == Kind::packed &&
        last->kind != Kind::odd_even) {
      if (last->kind == Kind::packed) last->size *= entry.size;
      if (contiguous) --out.contig;
    } else {
      out.dims.push_back(entry);
    }
  }
  return std::move(out).done();
}

PackedLayout swap_dims(const PackedLayout& layout, Index a, Index b) {
  Draft out = draft(layout);
  for (PackedDim& entry : out.dims) {
    if (entry.dim == a) {
      entry.dim = b;
    } else if (entry.dim == b) {
      entry.dim = a;
    }
  }
  return std::move(out).done();
}

PackedLayout prepend_one(const PackedLayout& layout) {
  Draft out = draft(layout);
  for (PackedDim& entry : out.dims) ++entry.dim;
  return std::move(out).done();
}

namespace {

// The smallest and the largest offset of dimension d over [origin, origin + extent), with the other indices
// 0. The offset is a sum over dimensions, so the extremes over a box are sums of these.
std::pair<Index, Index> extremes(const PackedLayout& layout, std::span<const Index> shape, std::size_t d,
                                 Index origin, Index extent) {
  std::vector<Index> index(shape.size(), 0);
  std::pair<Index, Index> found{kIndexMax, kIndexMin};
  for (Index x = origin; x < origin + extent; ++x) {
    index[d] = x;
    const Index at = *offset(layout, shape, index);
    found = {std::min(found.first, at), std::max(found.second, at)};
  }
  return found;
}

}  // namespace

Result<bool> contiguous_exact(const PackedLayout& layout, std::span<const Index> shape,
                              std::span<const Index> tile, std::span<const Index> origin) {
  if (const auto extents = expand(layout, shape); !extents) return fail(extents.error());
  if (tile.size() != shape.size() || origin.size() != shape.size()) {
    return fail(Code::rank_mismatch,
                fmt::format("the tile and the origin need {} each", detail::plural(shape.size(), "number")));
  }
  Index count = 1;
  Index smallest = 0;
  Index largest = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (tile[d] < 1 || origin[d] < 0 || tile[d] > shape[d] - origin[d]) {
      return fail(Code::index_out_of_range,
                  fmt::format("a tile of {} at {} exceeds dimension {} of extent {}", tile[d], origin[d], d,
                              shape[d]));
    }
    const auto [low, high] = extremes(layout, shape, d, origin[d], tile[d]);
    count *= tile[d];
    smallest += low;
    largest += high;
  }
  return largest - smallest + 1 == count;
}

Result<Index> estimated_cache_lines(const PackedLayout& layout, std::span<const Index> shape,
                                    Index element_bytes, CacheLine line) {
  if (element_bytes < 1 || line.bytes < 1) {
    return fail(Code::bad_option,
                fmt::format("an element has {} and a cache line has {}, but both sizes must be positive",
                            detail::plural(element_bytes, "byte"), detail::plural(line.bytes, "byte")));
  }
  const auto extents = expand(layout, shape);
  if (!extents) return fail(extents.error());
  Index outer = 1;
  Index inner = element_bytes;
  for (std::size_t i = 0; i < extents->size(); ++i) {
    Index& product = i < extents->size() - layout.contig() ? outer : inner;
    if (mul_overflows(product, (*extents)[i], product))
      return fail(Code::overflow, "the estimate exceeds 64 bits");
  }
  const auto lines = checked_mul(outer, ceil_div(inner, line.bytes));
  if (!lines) return fail(Code::overflow, "the estimate exceeds 64 bits");
  return *lines;
}

}  // namespace tessera
