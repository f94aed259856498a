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

/// Which way the maps go: from an output to what it reads, or from an operand to what reads it.
enum class IndexingDirection : std::uint8_t { output_to_input, input_to_output };

/// One output against one operand. Maps of a tuple operand name their element.
struct OperandMaps {
  std::uint32_t output = 0;  ///< array of the result, nested tuples flattened
  std::uint32_t operand = 0;
  IndexingSet maps;
};

/// An instruction with the outputs and operands that depend on each other, by output, then by operand. Pairs
/// that are not listed do not depend on each other (so a tuple of a thousand arrays has a thousand pairs).
struct InstructionMaps {
  const Instruction* instruction = nullptr;
  std::vector<OperandMaps> pairs;
  Exactness exactness = Exactness::exact;  ///< the weakest of the pairs
};

struct AnalyzeOptions {
  IndexingDirection direction = IndexingDirection::output_to_input;
  std::string op = {};           ///< only instructions of this name or opcode
  std::string computation = {};  ///< only this computation
  bool fused =
      false;  ///< the results of fusions and calls cover the computations they call, which are left out
  std::size_t threads = 1;  ///< 0: all cores. The results and their order do not depend on it
  WalkOptions walk = {};
};

/// How many there were, and why an answer is not exact.
struct AnalyzeStats {
  std::uint64_t instructions = 0;  ///< with or without operands
  std::uint64_t analysed = 0;      ///< with operands: exact + superset + unknown
  std::uint64_t exact = 0;
  std::uint64_t superset = 0;
  std::uint64_t unknown = 0;
  std::uint64_t maps = 0;  ///< members of all sets that are known
  double seconds = 0;      ///< wall time; the consumer's is left out where only one thread works

  /// Instructions by opcode and reason, for each reason that made one a superset or unknown. Sorted.
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

/// Called with one instruction after another, in the order of the module and never concurrently; with several
/// threads, by any of them.
using InstructionConsumer = std::function<void(InstructionMaps&&)>;

/// Passes the maps of every instruction that the options choose to `consume` (which may be empty) one by one:
/// memory does not grow with the module. Threads share the module in blocks of a thousand instructions.
/// Instructions without operands have no pairs. Time: proportional to the instructions; called computations
/// are walked once for each thread.
AnalyzeStats analyze(const HloModule& module, const AnalyzeOptions& options,
                     const InstructionConsumer& consume);

}  // namespace tessera
