// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/instruction_indexing.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/small_vector.h"
#include "hlo/limits.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

std::string too_many() {
  return fmt::format("more than {} pairs of an output and an operand's array",
                     kHloLimits.analysis.indexing_pairs);
}

bool too_many_pairs(const Instruction& instruction) {
  // Forwarding opcodes pass each array on to one place, so they have few pairs.
  if (only_forwards(instruction.opcode)) return false;
  // For calls and fusions, only pairs that depend on each other are listed, and analyze_one limits their
  // number.
  if (calls_computations(instruction.opcode)) return false;
  Leaves leaves;
  const OpFacts facts(instruction, leaves);
  if (facts.is_leafwise() || facts.pairing() != Pairing::all) return false;
  std::uint64_t arrays = 0;
  for (std::size_t j = 0; j < instruction.operands.size(); ++j) arrays += facts.leaves_of(j);
  return arrays * facts.outputs() > kHloLimits.analysis.indexing_pairs;
}

/// The maps of one pair, which are in one or more parts. Unknown maps with the same reason become one member.
template <class Part>
IndexingSet joined(Part part, Part end) {
  const auto is_unknown = [](const Indexing& x) { return x.exactness == Exactness::unknown; };
  if (std::next(part) == end && std::ranges::count_if(part->maps, is_unknown) < 2)
    return std::move(part->maps);
  IndexingSet maps;
  std::unordered_map<std::string, std::size_t> unknown;  // the position in `maps` of each reason
  for (; part != end; ++part) {
    for (Indexing& x : part->maps) {
      if (is_unknown(x)) {
        const auto [found, is_new] = unknown.emplace(x.reason, maps.size());
        if (!is_new) {
          Indexing& first = maps[found->second];
          if (first.leaf != x.leaf) first.leaf = -1;
          continue;
        }
      }
      maps.push_back(std::move(x));
    }
  }
  return maps;
}

/// Adds the arrays of a tuple operand that the instruction reads: all of them or, for get-tuple-element,
/// those of its element.
void read_leaves(ProgramIndexing& program, const Instruction& instruction, const HloType& type,
                 SmallVector<std::uint32_t>& out) {
  if (instruction.opcode != Opcode::get_tuple_element) {
    const auto count = static_cast<std::uint32_t>(type.leaf_count());
    for (std::uint32_t leaf = 0; leaf < count; ++leaf) out.push_back(leaf);
    return;
  }
  const auto outputs = static_cast<std::uint32_t>(instruction.type.leaf_count());
  for (std::uint32_t output = 0; output < outputs; ++output) {
    const auto read = program.reads_of_output(instruction, output);
    if (read && !read->empty()) out.push_back(read->front().leaf);
  }
}

/// One unknown answer per operand: for every output or, if there are too many pairs, for the first output.
InstructionIndexing unknown_pairs(const Instruction& instruction, std::size_t operands,
                                  const std::string& reason) {
  InstructionIndexing out{.instruction = &instruction, .pairs = {}, .exactness = Exactness::unknown};
  std::size_t outputs = instruction.type.leaf_count();
  if (outputs * operands > kHloLimits.analysis.indexing_pairs) outputs = 1;
  for (std::uint32_t output = 0; output < outputs; ++output) {
    for (std::uint32_t operand = 0; operand < operands; ++operand) {
      out.pairs.push_back({.output = output, .operand = operand, .maps = {Indexing::unknown(reason)}});
    }
  }
  return out;
}

/// The number of operands as written, if some have unknown names: the maps of every operand are then unknown.
/// 0 if the instruction is sound or all names are known.
std::size_t with_lost_operands(const Instruction& instruction) {
  if (instruction.sound) return 0;
  const auto& all = instruction.parent->lost_operands;
  if (const auto lost = all.find(&instruction); lost != all.end())
    return instruction.operands.size() + lost->second.size();
  // If not even a name is known, the line was incomplete: it counts as one unknown operand.
  const bool needs_some = rule_of(instruction.opcode).kind != RuleKind::no_elements;
  return instruction.operands.empty() && needs_some ? 1 : 0;
}

}  // namespace

InstructionIndexing analyze_one(ProgramIndexing& program, const Instruction& instruction,
                                IndexingDirection direction) {
  InstructionIndexing out{.instruction = &instruction, .pairs = {}, .exactness = Exactness::exact};
  if (const std::size_t operands = with_lost_operands(instruction); operands > 0)
    return unknown_pairs(instruction, operands, "the instruction has an error");
  if (instruction.operands.empty()) return out;
  if (too_many_pairs(instruction)) {
    return unknown_pairs(instruction, instruction.operands.size(), too_many());
  }
  // too_many_pairs does not limit these instructions, so their answers are counted here.
  const bool limited = calls_computations(instruction.opcode);
  std::uint64_t answers = 0;
  if (direction == IndexingDirection::output_to_input) {
    const auto outputs = static_cast<std::uint32_t>(instruction.type.leaf_count());
    for (std::uint32_t output = 0; output < outputs; ++output) {
      auto read = program.reads_of_output(instruction, output);
      if (!read) continue;  // not expected: the output exists
      answers += read->size();
      if (limited && answers > kHloLimits.analysis.indexing_pairs)
        return unknown_pairs(instruction, instruction.operands.size(), too_many());
      for (auto x = read->begin(); x != read->end();) {
        const auto next =
            std::find_if(x, read->end(), [&](const auto& y) { return y.operand != x->operand; });
        out.pairs.push_back({.output = output, .operand = x->operand, .maps = joined(x, next)});
        x = next;
      }
    }
  } else {
    std::vector<PairIndexing> found;
    found.reserve(instruction.operands.size());
    for (std::uint32_t operand = 0; operand < instruction.operands.size(); ++operand) {
      const HloType& type = instruction.operand_type(operand);
      SmallVector<std::uint32_t> read;
      read_leaves(program, instruction, type, read);
      for (const std::uint32_t leaf : read) {
        auto readers = program.readers_of_operand(instruction, {.operand = operand, .leaf = leaf});
        if (!readers) continue;
        answers += readers->size();
        if (limited && answers > kHloLimits.analysis.indexing_pairs)
          return unknown_pairs(instruction, instruction.operands.size(), too_many());
        for (OutputIndexing& x : *readers) {
          if (type.is_tuple()) {
            for (Indexing& y : x.maps) y.leaf = static_cast<std::int32_t>(leaf);
          }
          found.push_back({.output = x.leaf, .operand = operand, .maps = std::move(x.maps)});
        }
      }
    }
    const auto place = [](const PairIndexing& x) { return std::pair(x.output, x.operand); };
    if (!std::ranges::is_sorted(found, {}, place)) std::ranges::stable_sort(found, {}, place);
    auto end = found.begin();
    for (auto x = found.begin(); x != found.end();) {
      const auto next = std::find_if(x, found.end(), [&](const auto& y) { return place(y) != place(*x); });
      *end++ = {.output = x->output, .operand = x->operand, .maps = joined(x, next)};
      x = next;
    }
    found.erase(end, found.end());
    out.pairs = std::move(found);
  }
  for (const PairIndexing& pair : out.pairs) out.exactness = std::max(out.exactness, exactness(pair.maps));
  return out;
}

}  // namespace tessera::detail
