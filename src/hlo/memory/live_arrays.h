// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many bytes of arrays are live at each step of a program.
#pragma once

#include <string>
#include <vector>

#include "hlo/analysis/array_origin.h"
#include "tessera/hlo/module.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// An array that is live at some moment.
struct LiveArray {
  const Instruction* instruction = nullptr;  ///< that makes it
  std::uint32_t leaf = 0;                    ///< of its result
  Index bytes = 0;                           ///< with the padding of its layout
  Index elements = 0;                        ///< bytes without padding
  const Instruction* last = nullptr;         ///< the last instruction that needs it; null: the caller does
  bool parameter = false;                    ///< an argument of the program
};

/// The bytes that are live while an instruction runs, in its computation and those that run it.
struct LiveStep {
  const Instruction* instruction = nullptr;
  Count bytes = {};
};

/// The memory that a program needs. An array is live from the instruction that makes it to the last one that
/// needs it, both included; arguments and results of the program all the time, from where they exist. One
/// buffer holds an array and its names (tuples, bitcasts), a result that is proved to be updated in place or
/// that takes the place of a donated argument which is needed no longer, and the state of a loop. Constants
/// are counted apart.
struct ProgramMemory {
  bool scheduled = false;  ///< the order is that of the program; false: the text has one of many orders
  Count peak = {};         ///< a bound if the order, or whether an update is in place, is not known
  const Instruction* at = nullptr;  ///< where the most bytes are live, in the order of the text
  std::vector<LiveArray> held;      ///< the arrays that are live there, largest first
  std::vector<LiveStep> steps;      ///< of the computation where the program starts, in order
  Index parameters = 0;             ///< bytes of the arguments
  Index results = 0;                ///< bytes of the results that are not in the memory of an argument
  Index constants = 0;              ///< bytes of constants of more than one element
  Index elsewhere = 0;              ///< bytes of arrays in other memory spaces, which are not counted
  std::size_t unknown = 0;          ///< arrays whose size is not known
};

/// Counts the memory of a program that starts at `start`, or at the entry if that is null. Arrays inside
/// fusions take no memory. O(instructions + arrays).
ProgramMemory program_memory(const HloModule& module, const Computation* start = nullptr);

}  // namespace tessera::detail
