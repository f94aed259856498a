// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/free_layout.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/analysis/bitcast.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

using Tiles = std::vector<std::vector<Index>>;

Tiles tiles_of(const TensorType& type) { return type.layout == nullptr ? Tiles() : type.layout->tiles; }

// How the offset in `fixed`, without its tiles, changes along each dimension of the other side; `maps` lead
// from the other side to `fixed`. Empty if that is unknown.
std::vector<Index> steps_along(const IndexingSet& maps, const TensorType& fixed,
                               std::span<const Index> dims) {
  const auto plain =
      TensorType::make(fixed.dtype, fixed.dims, TiledLayout{.minor_to_major = fixed.minor_to_major()});
  if (!plain) return {};
  const auto layout = Layout::make(*plain);
  if (!layout || maps.size() != 1 || maps[0].exactness != Exactness::exact) return {};
  const auto offset = compose(maps[0].map, lower(*layout));
  if (!offset || offset->known_empty() || offset->variables().size() != dims.size()) return {};
  std::vector<Index> point(dims.size(), 0);
  const auto first = offset->evaluate(point);
  if (!first) return {};
  std::vector<Index> out;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    point[d] = dims[d] > 1 ? 1 : 0;
    const auto next = offset->evaluate(point);
    point[d] = 0;
    if (!next) return {};
    out.push_back((*next)[0] - (*first)[0]);
  }
  return out;
}

// The dimensions by step, smallest first; those of extent 1 come last.
std::vector<Index> minor_to_major(const std::vector<Index>& steps, std::span<const Index> dims) {
  std::vector<Index> out = descending_order(dims.size());
  std::ranges::stable_sort(out, {}, [&](Index d) {
    const auto i = static_cast<std::size_t>(d);
    return dims[i] == 1 ? kIndexMax : steps[i];
  });
  return out;
}

template <class Proves>
std::optional<TensorType> first_free(const TensorType& written, const TensorType& fixed,
                                     const std::vector<Index>& order, const Proves& proves) {
  std::vector<Tiles> tried;
  for (const Tiles& tiles : {tiles_of(fixed), Tiles(), tiles_of(written)}) {
    if (std::ranges::find(tried, tiles) != tried.end()) continue;
    tried.push_back(tiles);
    TiledLayout layout{.minor_to_major = order, .tiles = tiles};
    if (fixed.layout != nullptr) {
      layout.element_bits = fixed.layout->element_bits;
      layout.memory_space = fixed.layout->memory_space;
    }
    auto type = TensorType::make(written.dtype, written.dims, std::move(layout));
    if (type && proves(*type)) return *std::move(type);
  }
  return std::nullopt;
}

bool has_layout(const TensorType& type) { return type.rank() == 0 || type.layout != nullptr; }

}  // namespace

FreeLayouts free_layouts(const Instruction& op) {
  const bool moves =
      op.opcode == Opcode::copy || op.opcode == Opcode::transpose || op.opcode == Opcode::reshape;
  if (!moves || !op.sound || op.operands.size() != 1) return {};
  if (!op.type.is_array() || !op.operand_type(0).is_array()) return {};
  return detail::free_layouts_between(op, op.operand_type(0).array(), op.type.array());
}

FreeLayouts detail::free_layouts_between(const Instruction& op, const TensorType& operand,
                                         const TensorType& result) {
  FreeLayouts out;
  if (!operand.is_static() || !result.is_static() || result.element_count().value_or(0) == 0) return out;
  const auto yes = [&](const TensorType& from, const TensorType& to) {
    return detail::bitcast_answer_with(op, from, to).verdict == Verdict::yes;
  };
  if (const auto maps = output_to_input(op, {}); maps && has_layout(operand)) {
    const std::vector<Index> steps = steps_along(*maps, operand, result.dims);
    if (steps.size() == result.rank())
      out.result = first_free(result, operand, minor_to_major(steps, result.dims),
                              [&](const TensorType& type) { return yes(operand, type); });
  }
  if (const auto maps = input_to_output(op, OutputOperand{}); maps && has_layout(result)) {
    const std::vector<Index> steps = steps_along(*maps, result, operand.dims);
    if (steps.size() == operand.rank())
      out.operand = first_free(operand, result, minor_to_major(steps, operand.dims),
                               [&](const TensorType& type) { return yes(type, result); });
  }
  return out;
}

}  // namespace tessera
