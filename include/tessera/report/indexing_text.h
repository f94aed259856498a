// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indexing of an instruction as text.
#pragma once

#include <string>

#include "tessera/hlo/analyze.h"
#include "tessera/hlo/operand_maps.h"

namespace tessera {

struct IndexingTextOptions {
  bool legacy = false;   ///< maps in the older form
  bool reasons = false;  ///< a line under each superset and unknown answer says why
};

/// Where a runtime variable's value is read: `parameter(N)`, `constant(V)` for a scalar constant, `constant`
/// for another one, else the instruction's name, with `#i` for an element of its tuple and `in CALL` for each
/// call around it, innermost first; or `position of this replica in its group of GROUPS`. Behind a replica
/// hop: `... the replica behind hop N`.
std::string source_text(const RuntimeValue& value);

/// The map of replica hop `hop` as it is printed. One through a whole group has a range variable of its own,
/// numbered behind those of the map and of the hops before: variables of one name are one variable.
IndexMap printed_hop(const OperandIndexing& indexing, std::size_t hop);

/// One indexing: the map, then `runtime variables:` with a line for each, then `replica id:` with each of the
/// replica maps, and below it `replica groups: GROUPS` where it tells a position in them. `unknown indexing`
/// where nothing is known. No line break at the end.
std::string to_text(const OperandIndexing& indexing, const IndexingTextOptions& options = {});

/// `main/dot.1 = f32[8,8]{1,0} dot`: computation, name, type, opcode as written.
std::string header_text(const Instruction& instruction);

/// The lines below the header: `operand id = K MAP` for each operand, with `output K:` before them if there
/// are several outputs. An operand that is not read is `KNOWN EMPTY`; with several outputs or elements it has
/// no line. An element of a tuple operand stands in braces, `operand id = 0 {2} MAP`, unless the instruction
/// is a get-tuple-element. Maps of a set stand behind one another, in the order of their text. Each line ends
/// with a line break.
std::string to_text(const InstructionMaps& maps, const IndexingTextOptions& options = {});

}  // namespace tessera
