// SPDX-License-Identifier: Apache-2.0
/// \file
/// The index maps of every instruction of a module.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera {

/// The direction of the maps: from an output to the operand elements that it reads, or from an operand to the
/// output elements that read it.
enum class IndexingDirection : std::uint8_t { output_to_input, input_to_output };

/// How one output depends on one operand. If the operand is a tuple, each map names its leaf.
struct PairIndexing {
  std::uint32_t output = 0;  ///< leaf of the result
  std::uint32_t operand = 0;
  IndexingSet maps;
};

/// The maps of an instruction, one entry for each output that depends on an operand, sorted by output, then
/// by operand. Independent pairs are not listed, so a tuple of a thousand arrays has only a thousand entries.
struct InstructionIndexing {
  const Instruction* instruction = nullptr;
  std::vector<PairIndexing> pairs;
  Exactness exactness = Exactness::exact;  ///< the weakest exactness of the pairs
};

struct AnalyzeOptions {
  IndexingDirection direction = IndexingDirection::output_to_input;
  std::string op = {};           ///< only instructions of this name or opcode
  std::string computation = {};  ///< only this computation
  bool fused =
      false;  ///< skip the computations that fusions and calls run, because the maps of the caller cover them
  std::size_t threads = 1;  ///< 0: all cores. The results and their order do not depend on it
  WalkOptions walk = {};
};

/// Counts of instructions and maps, and why answers are not exact.
struct AnalyzeStats {
  std::uint64_t instructions = 0;  ///< with or without operands
  std::uint64_t analyzed = 0;      ///< with operands: exact + superset + unknown
  std::uint64_t exact = 0;
  std::uint64_t superset = 0;
  std::uint64_t unknown = 0;
  std::uint64_t maps = 0;  ///< maps in all sets that are known
  double seconds = 0;      ///< wall time; with one thread, without the time of the consumer

  /// How many instructions of one opcode are supersets or unknown for one reason. Sorted.
  struct Shortfall {
    std::string opcode;
    Exactness exactness = Exactness::superset;
    std::string reason;
    std::uint64_t count = 0;
    friend auto operator<=>(const Shortfall&, const Shortfall&) = default;
  };
  std::vector<Shortfall> shortfalls;

  AnalyzeStats& operator+=(const AnalyzeStats& other);
};

/// Receives the instructions one by one, in the order of the module. Any thread of the analysis may call it,
/// but never two at once.
using InstructionConsumer = std::function<void(InstructionIndexing&&)>;

/// Computes the maps of every instruction that the options select and passes them to `consume` (which may be
/// empty) one by one, so memory does not grow with the module. Threads take blocks of a thousand
/// instructions. Instructions without operands have no pairs. Time: linear in the instructions; each thread
/// walks a called computation once.
AnalyzeStats analyze(const HloModule& module, const AnalyzeOptions& options,
                     const InstructionConsumer& consume);

}  // namespace tessera
