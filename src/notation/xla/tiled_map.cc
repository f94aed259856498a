// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/tiled_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/index_walk.h"
#include "notation/layout_form.h"

namespace tessera {
namespace {

// The arithmetic of the steps, on numbers and (below) on expressions, so that both share one implementation.
struct NumberOps {
  static Index scaled_sum(Index high, Index bound, Index low) { return high * bound + low; }
  static Index quotient(Index value, Index divisor) { return value / divisor; }
  static Index remainder(Index value, Index divisor) { return value % divisor; }
};

struct ExprOps {
  static Expr scaled_sum(Expr high, Index bound, Expr low) { return high * bound + low; }
  static Expr quotient(Expr value, Index divisor) { return floor_div(value, divisor); }
  static Expr remainder(Expr value, Index divisor) { return mod(value, divisor); }
};

Failure too_large(std::string_view what) {
  return fail(Code::overflow, fmt::format("the number of {} exceeds 64 bits", what));
}

}  // namespace

Result<TiledMap> TiledMap::make(const TensorType& type) {
  TiledMap map;
  map.dims_ = type.dims;
  for (std::size_t i = 0; i < type.dim_kinds.size(); ++i) {
    if (type.dim_kinds[i] == DimKind::unbounded) {
      return fail(Code::unbounded, fmt::format("dimension {} has no bound, so offsets are undefined", i), {},
                  "give the dimension a bound, f32[<=8,5]; offsets then use the bound");
    }
  }
  map.order_ = type.minor_to_major();
  std::ranges::reverse(map.order_);
  if (type.layout) map.tiles_ = type.layout->tiles;

  std::vector<Index> bounds;
  for (const Index d : map.order_) bounds.push_back(map.dims_[static_cast<std::size_t>(d)]);
  for (const std::vector<Index>& tile : map.tiles_) {
    Step step;
    step.extended = tile.size() > bounds.size() ? tile.size() - bounds.size() : 0;
    bounds.insert(bounds.begin(), step.extended, 1);
    step.prefix = bounds.size() - tile.size();
    step.bounds = bounds;
    std::size_t run = 0;
    for (std::size_t i = 0; i < tile.size(); ++i) {
      ++run;
      if (tile[i] == kCombine) continue;
      Cut cut{.first = step.prefix + i + 1 - run, .count = run, .tile = tile[i]};
      const auto bound = detail::element_count(std::span(bounds).subspan(cut.first, run));
      if (!bound) return too_large("combined indices");
      cut.bound = *bound;
      step.cuts.push_back(cut);
      run = 0;
    }
    bounds.resize(step.prefix);
    for (const Cut& cut : step.cuts) bounds.push_back(ceil_div(cut.bound, cut.tile));
    for (const Cut& cut : step.cuts) bounds.push_back(cut.tile);
    map.steps_.push_back(std::move(step));
  }
  map.expanded_ = std::move(bounds);

  const auto elements = detail::element_count(map.dims_);
  const auto tiled = detail::element_count(map.expanded_);
  if (!elements || !tiled) return too_large("elements");
  map.elements_ = *elements;
  map.tiled_elements_ = *tiled;
  const Index align = type.layout ? type.layout->tail_align : 1;
  const auto buffer = checked_mul(ceil_div(*tiled, align), align);
  if (!buffer) return too_large("elements with the tail");
  map.buffer_elements_ = *buffer;
  return map;
}

std::optional<std::vector<Index>> TiledMap::padded_shape() const {
  std::vector<Index> padded = dims_;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    for (const Cut& cut : steps_[k].cuts) {
      if (cut.count > 1 || (k > 0 && cut.bound % cut.tile != 0)) return std::nullopt;
    }
  }
  if (steps_.empty()) return padded;
  const Step& first = steps_.front();
  for (const Cut& cut : first.cuts) {
    if (cut.first < first.extended) {
      // The padding of a leading unit coordinate belongs to no dimension.
      if (cut.tile != 1) return std::nullopt;
      continue;
    }
    Index& extent = padded[static_cast<std::size_t>(order_[cut.first - first.extended])];
    extent = ceil_div(extent, cut.tile) * cut.tile;
  }
  return padded;
}

template <class T, class Ops>
T TiledMap::linearized(std::vector<T> coordinates, const Ops&) const {
  for (const Step& step : steps_) {
    coordinates.insert(coordinates.begin(), step.extended, T());
    std::vector<T> cut_coordinates;
    for (const Cut& cut : step.cuts) {
      T combined = coordinates[cut.first];
      for (std::size_t i = 1; i < cut.count; ++i) {
        combined = Ops::scaled_sum(combined, step.bounds[cut.first + i], coordinates[cut.first + i]);
      }
      cut_coordinates.push_back(combined);
    }
    coordinates.resize(step.prefix);
    for (std::size_t i = 0; i < step.cuts.size(); ++i) {
      coordinates.push_back(Ops::quotient(cut_coordinates[i], step.cuts[i].tile));
    }
    for (std::size_t i = 0; i < step.cuts.size(); ++i) {
      coordinates.push_back(Ops::remainder(cut_coordinates[i], step.cuts[i].tile));
    }
  }
  T offset{};
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    offset = Ops::scaled_sum(offset, expanded_[i], coordinates[i]);
  }
  return offset;
}

Index TiledMap::offset_unchecked(std::span<const Index> index) const {
  std::vector<Index> coordinates;
  coordinates.reserve(order_.size());
  for (const Index d : order_) coordinates.push_back(index[static_cast<std::size_t>(d)]);
  return linearized(std::move(coordinates), NumberOps());
}

Result<Index> TiledMap::offset(std::span<const Index> index) const {
  if (const auto inside = detail::check_index(index, dims_); !inside) return fail(inside.error());
  return offset_unchecked(index);
}

Result<TiledCell> TiledMap::at(Index offset) const {
  if (offset < 0 || offset >= buffer_elements_) {
    return fail(Code::index_out_of_range,
                fmt::format("offset {} is outside [0, {}]", offset, buffer_elements_ - 1));
  }
  if (offset >= tiled_elements_) return TiledCell{.padding_of = TiledCell::kTail};
  std::vector<Index> coordinates = detail::index_with_number(expanded_, offset);
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const Step& step = steps_[k];
    std::vector<Index> before(step.bounds.size());
    std::copy_n(coordinates.begin(), step.prefix, before.begin());
    for (std::size_t i = 0; i < step.cuts.size(); ++i) {
      const Cut& cut = step.cuts[i];
      const Index combined =
          coordinates[step.prefix + i] * cut.tile + coordinates[step.prefix + step.cuts.size() + i];
      if (combined >= cut.bound) return TiledCell{.padding_of = static_cast<int>(k)};
      detail::set_index(std::span(before).subspan(cut.first, cut.count),
                        std::span(step.bounds).subspan(cut.first, cut.count), combined);
    }
    coordinates.assign(before.begin() + static_cast<std::ptrdiff_t>(step.extended), before.end());
  }
  TiledCell cell;
  cell.index.resize(dims_.size());
  for (std::size_t p = 0; p < order_.size(); ++p)
    cell.index[static_cast<std::size_t>(order_[p])] = coordinates[p];
  return cell;
}

IndexMap TiledMap::to_index_map() const {
  std::vector<Expr> coordinates;
  for (const Index d : order_) coordinates.push_back(Expr::variable(d));
  return IndexMap::make_unchecked(Domain::box(dims_), {linearized(std::move(coordinates), ExprOps())});
}

namespace {

std::optional<Index> bytes_of(Index elements, Index element_bits, DType type) {
  if (element_bits == 0) return checked_mul(elements, ceil_div(bit_width(type), 8));
  const auto bits = checked_mul(elements, element_bits);
  return bits ? std::optional<Index>(ceil_div(*bits, 8)) : std::nullopt;
}

// The largest piece of each split dimension. Splits count physical dimensions from the most major one.
std::vector<Index> largest_pieces(const TensorType& type) {
  std::vector<Index> dims = type.dims;
  const std::vector<Index> order = type.minor_to_major();
  for (const TiledLayout::Split& split : type.layout->splits) {
    const Index logical = order[order.size() - 1 - static_cast<std::size_t>(split.dim)];
    Index& extent = dims[static_cast<std::size_t>(logical)];
    Index largest = 0;
    Index begin = 0;
    for (const Index point : split.points) {
      largest = std::max(largest, point - begin);
      begin = point;
    }
    extent = std::max(largest, extent - begin);
  }
  return dims;
}

}  // namespace

Result<TiledSizes> sizes(const TensorType& type) {
  const auto map = TiledMap::make(type);
  if (!map) return fail(map.error());
  const Index element_bits = type.layout ? type.layout->element_bits : 0;
  const auto data = bytes_of(map->buffer_elements(), element_bits, type.dtype);
  const auto dense = bytes_of(map->elements(), element_bits, type.dtype);
  const auto allocation =
      data ? checked_add(*data, type.layout ? type.layout->metadata_prefix_bytes : 0) : data;
  if (!data || !dense || !allocation) return too_large("bytes");
  TiledSizes result{.data_bytes = *data, .dense_bytes = *dense, .allocation_bytes = *allocation};
  if (type.layout && !type.layout->splits.empty()) {
    TensorType piece = type;
    piece.dims = largest_pieces(type);
    TiledLayout unsplit = *type.layout;
    unsplit.splits.clear();
    piece.layout = std::make_shared<const TiledLayout>(std::move(unsplit));
    const auto piece_sizes = sizes(piece);
    if (!piece_sizes) return fail(piece_sizes.error());
    result.split_dims = piece.dims;
    result.split_data_bytes = piece_sizes->data_bytes;
  }
  return result;
}

}  // namespace tessera
