// SPDX-License-Identifier: Apache-2.0
#include "access/thread_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera::detail {
namespace {

constexpr Index kMatrixRows = 8;
constexpr Index kRowBits = 128;

Result<void> check_box(const TextPart& name, std::span<const Index> box) {
  if (box.size() == 2 && box[0] > 0 && box[1] > 0) return {};
  if (box.size() == 2)
    return bad_part(name, fmt::format("the layout has no elements for {} to access", name.text),
                    "give a layout with at least one element");
  return bad_part(name, fmt::format("{} needs a layout of two dimensions, not {}", name.text, box.size()),
                  "write a layout from (thread, value) to the index, such as (32,4):(4,1)");
}

Result<void> check_vectors(const TextPart& name, Index along, Index vector) {
  if (vector <= along && along % vector == 0) return {};
  return bad_part(name,
                  fmt::format("{} of {} elements do not divide into vectors of {}", name.text, along, vector),
                  "choose a vector width that divides them");
}

}  // namespace

Result<Layout> row_pattern(const TextPart& name, std::span<const Index> box, WarpVectors warp) {
  if (Result<void> good = check_box(name, box); !good) return fail(good.error());
  if (Result<void> good = check_vectors(name, box[1], warp.vector); !good) return fail(good.error());
  const Index inner = std::min(warp.lanes, box[1] / warp.vector);
  const Index outer = std::min(std::max<Index>(1, warp.lanes / inner), box[0]);
  return parse_layout(
      fmt::format("(({},{}),{}):(({},1),{})", inner, outer, warp.vector, box[0] * warp.vector, box[0]));
}

Result<Layout> column_pattern(const TextPart& name, std::span<const Index> box, WarpVectors warp) {
  if (Result<void> good = check_box(name, box); !good) return fail(good.error());
  if (Result<void> good = check_vectors(name, box[0], warp.vector); !good) return fail(good.error());
  const Index inner = std::min(warp.lanes, box[0] / warp.vector);
  const Index outer = std::min(std::max<Index>(1, warp.lanes / inner), box[1]);
  return parse_layout(
      fmt::format("(({},{}),{}):(({},{}),1)", inner, outer, warp.vector, warp.vector, box[0]));
}

Result<Index> matrix_row_elements(const TextPart& name, Index element_bits) {
  if (element_bits >= 1 && kRowBits % element_bits == 0) return kRowBits / element_bits;
  return fail(
      Code::unsupported_width,
      fmt::format("elements of {} bits do not divide the 16 bytes of a row of a matrix", element_bits),
      span_of(name), "recast the elements to a power of two bytes first");
}

Result<MatrixTile> matrix_tile(const TextPart& name, const MatrixForm& form, std::span<const Index> box,
                               Index vector, bool along_first) {
  if (Result<void> good = check_box(name, box); !good) return fail(good.error());
  const Index matrices = form.matrices;
  for (const Index below : {std::min<Index>(matrices, 2), matrices, Index{1}}) {
    const MatrixTile tile{
        .below = below, .beside = matrices / below, .vector = vector, .along_first = along_first};
    if (tile.shape()[0] <= box[0] && tile.shape()[1] <= box[1]) return tile;
  }
  return bad_part(
      name,
      fmt::format("a box of {} x {} does not hold the {} of {} x {} elements of {}", box[0], box[1],
                  matrices == 1 ? "matrix" : fmt::format("{} matrices", matrices),
                  along_first ? vector : kMatrixRows, along_first ? kMatrixRows : vector, form.name()),
      "take fewer matrices, or write a layout from (thread, value) to the index");
}

Result<Layout> matrix_pattern(const MatrixTile& tile, Index rows) {
  if (tile.along_first)
    return parse_layout(fmt::format("(({},{},{}),{}):(({},{},{}),1)", kMatrixRows, tile.below, tile.beside,
                                    tile.vector, rows, tile.vector, kMatrixRows * rows));
  return parse_layout(fmt::format("(({},{},{}),{}):((1,{},{}),{})", kMatrixRows, tile.below, tile.beside,
                                  tile.vector, kMatrixRows, rows * tile.vector, rows));
}

}  // namespace tessera::detail
