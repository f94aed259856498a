// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/movement_answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/cancellation.h"
#include "base/plural.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/read_counts.h"
#include "hlo/analysis/zero_count.h"
#include "hlo/limits.h"
#include "map/values/enumerate.h"
#include "tessera/hlo/traffic.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

// A map from a result to a source. Together, the pieces of a result say where its elements come from.
struct Piece {
  DataSource source;
  const Indexing* indexing;
};

// A run-time value that is clamped to one number is known, too.
bool reads_known_places(const Indexing& x) {
  return x.exactness == Exactness::exact && x.replica.empty() && x.runtime.size() == x.map.runtime_count() &&
         std::ranges::all_of(x.runtime, [](const RuntimeValue& value) { return value.clamp.is_point(); });
}

// Whether the map gives one element for each index of the result.
bool is_function(const Indexing& x, const TensorType& result) {
  if (!reads_known_places(x) || x.map.range_count() > 0 || !x.map.constraints().empty()) return false;
  return point_count(box_of(x.map.domain())) == result.element_count();
}

std::vector<Piece> pieces_of(const Instruction& op, const MovedOutput& output,
                             const InstructionIndexing& maps) {
  std::vector<Piece> out;
  for (const PairIndexing& pair : maps.pairs) {
    if (pair.output != output.output) continue;
    for (const DataSource& source : output.sources) {
      if (source.operand != pair.operand) continue;
      for (const Indexing& x : pair.maps) {
        const bool other = x.leaf >= 0 && x.leaf != static_cast<std::int32_t>(source.leaf);
        const bool empty = x.exactness != Exactness::unknown && x.map.known_empty();
        if (!other && !empty) out.push_back({source, &x});
      }
    }
  }
  // Every element of the result is one element of one source. If a map gives them all, then maps that may
  // contain too much, such as that of a padding value, give none.
  const TensorType& result = leaf_type(op.type, output.output).array();
  const auto all =
      std::ranges::find_if(out, [&](const Piece& x) { return is_function(*x.indexing, result); });
  if (all == out.end()) return out;
  const bool only = std::ranges::all_of(out, [&](const Piece& x) {
    return x.indexing == all->indexing ||
           (x.indexing->exactness == Exactness::superset && x.indexing->map.runtime_count() == 0);
  });
  return only ? std::vector<Piece>{*all} : out;
}

const TensorType& type_of(const Instruction& op, const DataSource& source) {
  return leaf_type(op.operand_type(source.operand), source.leaf).array();
}

std::optional<Index> buffer_bits(const TensorType& type) {
  const auto layout = Layout::make(type);
  const auto size = layout ? layout->buffer_size() : Result<Index>(fail(layout.error()));
  return size ? checked_mul(*size, element_bits(type)) : std::nullopt;
}

BitcastAnswer moves(Index bytes, std::string reason) {
  return {.verdict = Verdict::no, .reason = std::move(reason), .bytes = bytes};
}

// How many elements of the result a source gives, if that is known.
std::optional<Index> elements_from(const DataSource& source, const std::vector<Piece>& pieces) {
  Index out = 0;
  for (const Piece& piece : pieces) {
    if (piece.source != source) continue;
    const IndexMap& map = piece.indexing->map;
    if (!reads_known_places(*piece.indexing) || map.range_count() > 0) return std::nullopt;
    const Count count = count_points(map, detail::quick_limits());
    if (!count.exact()) return std::nullopt;
    out += count.lower;
  }
  return out;
}

// Why it is not known which elements are read.
std::string unknown_reason(const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces)
    if (!piece.indexing->reason.empty()) return piece.indexing->reason;
  return "which elements are read is known only at run time";
}

bool has_layout(const TensorType& type) { return type.rank() == 0 || type.layout != nullptr; }

// Compares the elements of several pieces of one array, one by one.
BitcastAnswer compare_pieces(const std::vector<Piece>& pieces, const TensorType& operand,
                             const TensorType& result, Index bytes) {
  const Index bits = element_bits(result);
  const auto from = Layout::make(operand);
  const auto to = Layout::make(result);
  if (!from || !to) return {.reason = (from ? to.error() : from.error()).message, .bytes = bytes};
  Index compared = 0;
  Index moved = 0;
  std::vector<Index> first;
  for (const Piece& piece : pieces) {
    const IndexMap& map = piece.indexing->map;
    const auto source = compose(map, lower(*from));
    if (!source || map.range_count() > 0)
      return {.reason = "the map to the operand is not a function", .bytes = bytes};
    const IndexMap distance =
        IndexMap::make_unchecked(source->domain(), {source->results()[0] - lower(*to).results()[0]});
    bool within = true;
    for_each_point(distance, box_of(distance.domain()), [&](const WalkedPoint& point) {
      within = ++compared <= kHloLimits.analysis.zero_steps;
      if (!within || !point.defined(0)) return false;
      if (point.value(0) == 0) return true;
      ++moved;
      if (first.empty() || point.coordinates() < first) first = point.coordinates();
      return true;
    });
    if (!within) break;
  }
  if (cancelled()) return {.reason = std::string(kCanceled), .bytes = bytes};
  BitcastAnswer out = moves(bytes, "");
  if (compared <= kHloLimits.analysis.zero_steps) {
    const Index elements = result.element_count().value_or(0);
    if (compared < elements) return moves(bytes, "elements of the result are constants");
    if (compared > elements) return {.reason = "the map to the operand is not a function", .bytes = bytes};
    out.moved_bytes = ceil_div(moved * bits, 8);
    if (moved == 0) out.verdict = Verdict::yes;
  } else if (moved == 0) {
    return {.reason = fmt::format("the first {} elements stay in place; the others were not compared",
                                  kHloLimits.analysis.zero_steps),
            .bytes = bytes};
  }
  if (moved > 0) {
    out.element = first;
    out.to_bit = evaluate(lower(*to).results()[0], first).value_or(0) * bits;
  }
  return out;
}

BitcastAnswer output_answer(const Instruction& op, const MovedOutput& output,
                            const InstructionIndexing& maps) {
  const TensorType& result = leaf_type(op.type, output.output).array();
  const Index bytes = array_bytes(leaf_type(op.type, output.output)).value_or(0);
  if (result.element_count() == Index{0}) return {.verdict = Verdict::yes, .bytes = 0, .moved_bytes = 0};
  std::vector<Piece> pieces = pieces_of(op, output, maps);
  if (pieces.empty()) return moves(bytes, "no element of an operand is left");
  std::set<DataSource> sources;
  for (const Piece& piece : pieces) sources.insert(piece.source);
  const auto unknown = std::ranges::find_if(
      pieces, [](const Piece& x) { return x.indexing->exactness == Exactness::unknown; });
  if (unknown != pieces.end()) return {.reason = unknown->indexing->reason, .bytes = bytes};
  bool known = std::ranges::all_of(pieces, [](const Piece& x) { return reads_known_places(*x.indexing); });
  for (auto source = sources.begin(); sources.size() > 1 && !known && source != sources.end(); ++source) {
    // Every element has one source, so what a known one leaves out comes from the others.
    const std::optional<Index> given = elements_from(*source, pieces);
    if (!given || given == Index{0}) continue;
    if (given != result.element_count()) return moves(bytes, "the elements come from several operands");
    std::erase_if(pieces, [&](const Piece& x) { return x.source != *source; });
    sources = {*source};
    known = true;
    break;
  }
  if (sources.size() > 1) {
    if (!known) return {.reason = unknown_reason(pieces), .bytes = bytes};
    std::set<std::uint32_t> operands;
    for (const DataSource& source : sources) operands.insert(source.operand);
    return moves(bytes, operands.size() > 1
                            ? fmt::format("the elements come from {} operands", operands.size())
                            : "the elements come from several arrays of the operand");
  }
  const TensorType& operand = type_of(op, pieces[0].source);
  if (element_bits(operand) != element_bits(result))
    return {.reason = "the widths of the elements differ", .bytes = bytes};
  if (pieces.size() == 1 && is_function(*pieces[0].indexing, result))
    return movement_answer({*pieces[0].indexing}, operand, result);
  if (!has_layout(operand) || !has_layout(result))
    return {.reason = fmt::format("the {} has no layout", has_layout(operand) ? "result" : "operand"),
            .bytes = bytes};
  const auto space = [](const TensorType& type) {
    return type.layout == nullptr ? 0 : type.layout->memory_space;
  };
  if (space(operand) != space(result))
    return moves(bytes, fmt::format("the operand is in memory space {}, but the result is in {}",
                                    space(operand), space(result)));
  const auto before = buffer_bits(operand);
  const auto after = buffer_bits(result);
  if (before && after && before != after)
    return moves(bytes, fmt::format("the operand takes {} in memory, but the result takes {}",
                                    plural(ceil_div(*before, 8), "byte"), ceil_div(*after, 8)));
  if (!known) return {.reason = unknown_reason(pieces), .bytes = bytes};
  return compare_pieces(pieces, operand, result, bytes);
}

}  // namespace

BitcastAnswer movement_answer(const Instruction& op, const DataMovement& movement,
                              const InstructionIndexing& maps) {
  if (only_moves(op.opcode)) {
    if (auto answer = bitcast_answer(op)) return *std::move(answer);
  }
  BitcastAnswer out = output_answer(op, movement.outputs[0], maps);
  for (std::size_t i = 1; i < movement.outputs.size(); ++i) {
    BitcastAnswer next = output_answer(op, movement.outputs[i], maps);
    // Elements that move outweigh those whose places are unknown.
    const auto weight = [](Verdict v) { return v == Verdict::no ? 2 : v == Verdict::undecided ? 1 : 0; };
    if (weight(next.verdict) > weight(out.verdict)) {
      out.verdict = next.verdict;
      out.reason = next.reason;
    }
    out.bytes = checked_add(out.bytes, next.bytes).value_or(kIndexMax);
    out.moved_bytes =
        out.moved_bytes && next.moved_bytes ? checked_add(*out.moved_bytes, *next.moved_bytes) : std::nullopt;
    out.element.clear();
    out.start_bit = {};
  }
  return out;
}

bool holds_operand(const Instruction& op, const DataMovement& movement, const InstructionIndexing& maps) {
  return std::ranges::any_of(movement.outputs,
                             [&](const MovedOutput& output) { return !pieces_of(op, output, maps).empty(); });
}

std::optional<OutputMap> output_map(const Instruction& op, const MovedOutput& output,
                                    const InstructionIndexing& maps) {
  const std::vector<Piece> pieces = pieces_of(op, output, maps);
  if (pieces.size() != 1 || !is_function(*pieces[0].indexing, leaf_type(op.type, output.output).array()))
    return std::nullopt;
  return OutputMap{pieces[0].source, pieces[0].indexing};
}

}  // namespace tessera::detail
