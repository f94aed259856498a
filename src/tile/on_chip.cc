// SPDX-License-Identifier: Apache-2.0
#include "tile/on_chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/plural.h"
#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/array_origin.h"
#include "hlo/operations/work.h"
#include "map/image/image_union.h"
#include "tessera/hlo/walk.h"
#include "tile/limits.h"
#include "tile/product_bound.h"
#include "tile/tiling.h"

namespace tessera::detail {
namespace {

// What a search found for all steps with the same types and maps.
struct FoundTile {
  std::optional<Tiling> best = {};
  std::size_t leaf = 0;
  std::string reason = {};
};

class TileFinder {
 public:
  explicit TileFinder(Index on_chip) : on_chip_(on_chip) {}

  FoundTile find(const StepTraffic& step, const std::optional<Product>& product) {
    // Of an element of the result while it is computed.
    const Index sum_bits = product ? product->sum_bits : 0;
    std::string key = fmt::format("{} {} {}", sum_bits, product ? product->results : 0, signature(step));
    const auto known = found_.find(key);
    if (known != found_.end()) return known->second;
    return found_.emplace(std::move(key), search(step, sum_bits, product ? product->results : 0))
        .first->second;
  }

 private:
  // A text that is equal for steps with equal tiles.
  std::string signature(const StepTraffic& step) {
    const Instruction& op = *step.instruction;
    std::string out = fmt::format("{} {}", op.opcode_text, to_string(op.type));
    for (const char* key : {"dimensions", "lhs_contracting_dims", "rhs_contracting_dims"})
      if (const Attribute* a = op.attribute(key)) out += fmt::format(" {}={}", key, a->value);
    for (std::size_t i = 0; i < op.operands.size(); ++i) out += ", " + to_string(op.operand_type(i));
    for (const OperandReads& read : step.operands) {
      out += fmt::format("; {}:{}", read.operand, read.leaf);
      for (const OperandLeaf& other : read.also) out += fmt::format("={}:{}", other.operand, other.leaf);
    }
    for (std::size_t k = 0; k < op.type.leaf_count(); ++k)
      if (const auto maps = program_.reads_of_output(op, k))
        for (const OperandIndexing& operand : *maps)
          for (const Indexing& one : operand.maps)
            out += fmt::format("; {} {}:{} {}", k, operand.operand, operand.leaf, to_string(one.map));
    return out;
  }

  // The tile with its sums, which may be wider than its results.
  static Tiling with_sums(Tiling tile, const TensorType& type, Index sum_bits) {
    const Index more = std::max<Index>(sum_bits - element_bits(type), 0);
    Index elements = 1;
    for (std::size_t d = 0; d < type.rank(); ++d) elements = saturating_mul(elements, tile.sizes[d]);
    tile.bytes = saturating_add(tile.bytes, ceil_div(saturating_mul(elements, more), 8));
    return tile;
  }

  // The array of the result that has most elements, of which tiles are taken; the others follow it. Empty if
  // a part of the result is not an array of a known size.
  static std::optional<std::size_t> main_array(const HloType& type) {
    std::optional<std::size_t> out;
    Index most = -1;
    for (std::size_t k = 0; k < type.leaf_count(); ++k) {
      const HloType& leaf = leaf_type(type, k);
      const auto elements = leaf.is_array() ? leaf.array().element_count() : std::nullopt;
      if (!elements || !leaf.array().is_static()) return std::nullopt;
      if (*elements <= most) continue;
      most = *elements;
      out = k;
    }
    return out;
  }

  Result<TilingSearch> tilings(const Instruction& op, std::size_t leaf, const std::vector<Index>& sizes,
                               Index budget) {
    if (op.type.leaf_count() == 1) return valid_tilings(program_, op, leaf, sizes, budget);
    return valid_result_tilings(program_, op, leaf, sizes, budget);
  }

  // `sums`: of a product.
  FoundTile search(const StepTraffic& step, Index sum_bits, Index sums) {
    const Instruction& op = *step.instruction;
    const auto leaf = main_array(op.type);
    if (!leaf) return {.reason = "a part of the result is not an array of a known size"};
    const TensorType& type = leaf_type(op.type, *leaf).array();
    if (op.type.leaf_count() > 1 && sum_bits > 0 && type.element_count() != sums)
      return {.reason = "the largest result has another number of elements than the product"};
    std::vector<Index> sizes;
    // Within this, a tile fits whatever part of it are sums.
    Index budget = on_chip_;
    for (;;) {
      if (tried_ >= kTileLimits.program_tilings)
        return {.reason = fmt::format("the search stopped after {} tilings of the program", tried_)};
      auto found = tilings(op, *leaf, sizes, budget);
      if (found) {
        tried_ += found->tried;
        for (const Tiling& tile : found->best)
          if (Tiling own = with_sums(tile, type, sum_bits); own.bytes <= on_chip_)
            return {.best = std::move(own), .leaf = *leaf};
        if (!found->best.empty() && budget == on_chip_) {
          budget = on_chip_ / ceil_div(sum_bits, std::max<Index>(element_bits(type), 1));
          continue;
        }
        if (found->smallest)
          return {.reason = fmt::format("of the tiles tried, the smallest exact one takes {}",
                                        plural(with_sums(*found->smallest, type, sum_bits).bytes, "byte"))};
        return {.reason = "of the tiles tried, none reads exactly a tile of each operand"};
      }
      // Too many choices: the first dimensions are taken one index at a time.
      if (found.error().code != Code::limit || sizes.size() >= type.rank())
        return {.reason = found.error().message};
      sizes.push_back(1);
    }
  }

  Index on_chip_;
  ProgramIndexing program_;
  std::size_t tried_ = 0;
  std::unordered_map<std::string, FoundTile> found_;
};

TiledStep tiled_step(const StepTraffic& step, Index on_chip, TileFinder& finder, ArrayOrigins& origins) {
  TiledStep out{.step = &step, .bytes = step.minimum()};
  Count moved = step.moved();
  const Count least = step.minimum();
  if (step.exactness == Exactness::unknown) {
    out.bytes.upper = moved.upper;
    out.reason = step.reason;
    return out;
  }
  out.bytes.reason = step.reason;
  // Before the bound of a product, which is below this if everything fits.
  if (least.upper && *least.upper <= on_chip) {
    out.whole = true;
    return out;
  }
  const auto product = product_of_step(*step.instruction, origins);
  if (product) {
    const Index bound = least_product_bytes(*product, step.written.lower, on_chip);
    out.product = bound > out.bytes.lower;
    out.bytes.lower = std::max(out.bytes.lower, bound);
    // Its loops keep more than fits: a sum over a product in the same fusion.
    if (moved.upper && bound > *moved.upper) moved.upper.reset();
  }
  if (moved == least) return out;
  out.bytes.upper = moved.upper;
  if (step.in_place || !step.written.upper) {
    out.reason = step.in_place ? "it updates an array in place" : step.written.reason;
    return out;
  }
  FoundTile found = finder.find(step, product);
  out.reason = std::move(found.reason);
  if (!found.best) return out;
  const Index bytes = saturating_add(found.best->traffic, *step.written.upper);
  if (out.bytes.upper && bytes > *out.bytes.upper) {
    out.reason = "of the tiles tried, none that fits moves less than the loops of the step";
    return out;
  }
  out.bytes.upper = bytes;
  out.tile = std::move(found.best);
  out.leaf = found.leaf;
  return out;
}

}  // namespace

TiledProgram tiled_traffic(const HloModule& module, const ProgramTraffic& traffic, Index on_chip) {
  TiledProgram out;
  out.on_chip = on_chip;
  std::vector<const Computation*> computations;
  for (const auto& computation : module.computations) computations.push_back(computation.get());
  ArrayOrigins origins(computations);
  TileFinder finder(on_chip);
  out.steps.reserve(traffic.steps.size());
  for (const StepTraffic& step : traffic.steps) {
    const TiledStep& one = out.steps.emplace_back(tiled_step(step, on_chip, finder, origins));
    Count own = one.bytes;
    if (step.may_vanish) own.lower = 0;
    out.bytes = sum(out.bytes, product_of(own, step.runs));
  }
  return out;
}

}  // namespace tessera::detail
