// SPDX-License-Identifier: Apache-2.0
// What HLO instructions move, as Python objects: bitcasts, free layouts, and results with the same bytes.
#pragma once

#include <optional>

#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/free_layout.h"
#include "hlo/analysis/same_bytes.h"
#include "python/src/hlo_objects.h"
#include "python/src/python.h"

namespace tessera::python {

/// tessera.hlo.BitcastAnswer.
struct ProgramBitcast {
  ProgramModule program;
  const Instruction* instruction = nullptr;
  BitcastAnswer answer;
  FreeLayouts free;
};

/// tessera.hlo.SameBytes.
struct ProgramSameBytes {
  ProgramModule program;
  HloValue a;
  HloValue b;
  SameBytes answer;
};

/// Registers the two classes.
void add_hlo_movement(nb::module_& m);

/// Whether the instruction could be a bitcast; empty if it does not only move data.
std::optional<ProgramBitcast> bitcast_of(const ProgramInstruction& self);

/// Whether two results hold the same bytes. Each is an Instruction, its name, or NAME#K for an array of a
/// tuple. Raises unknown_name, index_out_of_range, bad_option.
ProgramSameBytes same_bytes_of(const ProgramModule& self, nb::handle a, nb::handle b);

}  // namespace tessera::python
