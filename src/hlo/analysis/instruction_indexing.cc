// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/instruction_indexing.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

/// The limit on pairs of an output and an operand's array that are computed one by one. No real program has
/// more; a short hostile text could request more answers than memory holds.
constexpr std::uint64_t kMaxPairs = std::uint64_t{1} << 18;

std::string too_many() {
  return fmt::format("more than {} pairs of an output and an operand's array", kMaxPairs);
}

bool too_many_pairs(const Instruction& instruction) {
  // Forwarding opcodes pass each array on to one place, so they have few pairs.
  if (only_forwards(instruction.opcode)) return false;
  // For calls and fusions, only pairs that depend on each other are listed, and analyze_one limits their
  // number.
  if (&rule_of(instruction.opcode) == &kThroughComputationsRule) return false;
  Leaves leaves;
  const OpFacts facts(instruction, leaves);
  if (facts.is_leafwise() || facts.pairing() != Pairing::all) return false;
  std::uint64_t arrays = 0;
  for (std::size_t j = 0; j < instruction.operands.size(); ++j) arrays += facts.leaves_of(j);
  return arrays * facts.outputs() > kMaxPairs;
}

/// The maps of one pair, in parts. Unknown parts with the same reason become one member.
struct Parts {
  IndexingSet maps = {};
  /// The position in `maps` of each reason; filled when a second part is added.
  std::unordered_map<std::string, std::size_t> unknown = {};

  void append(IndexingSet&& from) {
    if (maps.empty() && from.size() == 1) {
      maps = std::move(from);
      return;
    }
    if (unknown.empty()) {
      for (std::size_t i = 0; i < maps.size(); ++i) {
        if (maps[i].exactness == Exactness::unknown) unknown.emplace(maps[i].reason, i);
      }
    }
    for (Indexing& x : from) {
      if (x.exactness == Exactness::unknown) {
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
};

/// The arrays of a tuple operand that the instruction reads: all of them or, for get-tuple-element, those of
/// its element.
std::vector<std::uint32_t> read_leaves(ProgramIndexing& program, const Instruction& instruction,
                                       const HloType& type) {
  std::vector<std::uint32_t> out;
  if (instruction.opcode != Opcode::get_tuple_element) {
    out.resize(type.leaf_count());
    std::iota(out.begin(), out.end(), 0U);
    return out;
  }
  const auto outputs = static_cast<std::uint32_t>(instruction.type.leaf_count());
  for (std::uint32_t output = 0; output < outputs; ++output) {
    const auto read = program.output_to_input(instruction, output);
    if (read && !read->empty()) out.push_back(read->front().leaf);
  }
  return out;
}

/// One unknown answer per operand: for every output or, if there are too many pairs, for the first output.
InstructionIndexing unknown_pairs(const Instruction& instruction, std::size_t operands,
                                  const std::string& reason) {
  InstructionIndexing out{.instruction = &instruction, .pairs = {}, .exactness = Exactness::unknown};
  std::size_t outputs = instruction.type.leaf_count();
  if (outputs * operands > kMaxPairs) outputs = 1;
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
  const bool needs_some = &rule_of(instruction.opcode) != &kNoElementsRule;
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
  const bool limited = &rule_of(instruction.opcode) == &kThroughComputationsRule;
  std::uint64_t answers = 0;
  if (direction == IndexingDirection::output_to_input) {
    const auto outputs = static_cast<std::uint32_t>(instruction.type.leaf_count());
    for (std::uint32_t output = 0; output < outputs; ++output) {
      auto read = program.output_to_input(instruction, output);
      if (!read) continue;  // not expected: the output exists
      answers += read->size();
      if (limited && answers > kMaxPairs)
        return unknown_pairs(instruction, instruction.operands.size(), too_many());
      for (auto x = read->begin(); x != read->end();) {
        const std::uint32_t operand = x->operand;
        Parts parts;
        for (; x != read->end() && x->operand == operand; ++x) parts.append(std::move(x->maps));
        out.pairs.push_back({.output = output, .operand = operand, .maps = std::move(parts.maps)});
      }
    }
  } else {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Parts> by_output;
    for (std::uint32_t operand = 0; operand < instruction.operands.size(); ++operand) {
      const HloType& type = instruction.operand_type(operand);
      for (const std::uint32_t leaf : read_leaves(program, instruction, type)) {
        auto readers = program.input_to_output(instruction, {.operand = operand, .leaf = leaf});
        if (!readers) continue;
        answers += readers->size();
        if (limited && answers > kMaxPairs)
          return unknown_pairs(instruction, instruction.operands.size(), too_many());
        for (OutputIndexing& x : *readers) {
          if (type.is_tuple()) {
            for (Indexing& y : x.maps) y.leaf = static_cast<std::int32_t>(leaf);
          }
          by_output[{x.leaf, operand}].append(std::move(x.maps));
        }
      }
    }
    for (auto& [pair, parts] : by_output) {
      out.pairs.push_back({.output = pair.first, .operand = pair.second, .maps = std::move(parts.maps)});
    }
  }
  for (const PairIndexing& pair : out.pairs) out.exactness = std::max(out.exactness, exactness(pair.maps));
  return out;
}

}  // namespace tessera::detail
