// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indexing of an instruction as text.
#pragma once

#include <string>
#include <string_view>

#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/free_layout.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/indexing.h"

namespace tessera {

struct IndexingTextOptions {
  bool legacy = false;  ///< maps in the older form
};

/// `exact`, `superset` or `unknown`.
std::string_view to_string(Exactness exactness);

/// Where a runtime variable's value is read: `parameter(N)`; `constant(V)` for a scalar constant; `constant`
/// for any other constant; otherwise the instruction's name, with `#i` for element i of its tuple and `in
/// CALL` for each enclosing call, innermost first. For a position: `position of this replica in its group of
/// GROUPS`. After a replica hop: `... on the replica after hop N`.
std::string source_text(const RuntimeValue& value);

/// What a runtime variable holds, after its name: `parameter(1) clamped to [0, 12]; (d0) -> (), domain: ...`:
/// the source, the clamp if the instruction clamps the value, and the element that is read for each index.
std::string runtime_text(const RuntimeValue& value);

/// The printed map of replica hop `hop`. A hop to every member of a group gets a range variable, numbered
/// after those of the map and of the earlier hops, so that no two variables share a name.
IndexMap printed_hop(const Indexing& indexing, std::size_t hop);

/// One indexing: the map, then `runtime variables:` with a line for each, then `replica id:` with each
/// replica map, followed by `replica groups: GROUPS` if the map gives a position in a group. `unknown
/// indexing` replaces an unknown map. The last line is `superset: REASON` or `unknown: REASON` unless the
/// indexing is exact. No line break at the end.
std::string to_text(const Indexing& indexing, const IndexingTextOptions& options = {});

/// `main/dot.1`: computation and name.
std::string place_name(const Instruction& instruction);

/// `main/dot.1 = f32[8,8]{1,0} dot`: computation, name, type, and opcode as in the source.
std::string header_text(const Instruction& instruction);

/// The lines below the header: `operand id = K MAP` for each operand, after a line `output K:` if there are
/// several outputs. An operand that is not read prints as `KNOWN EMPTY`, or, with several outputs or
/// elements, has no line. Braces name an element of a tuple operand, `operand id = 0 {2} MAP`, unless the
/// instruction is a get-tuple-element. The maps of a set share a line, sorted by text; a map that is not
/// exact, or that follows a map of several lines, starts a new line. Each line ends with a line break.
std::string to_text(const InstructionIndexing& maps, const IndexingTextOptions& options = {});

/// One line for an instruction, with a line break: `yes      HEADER: 32 bytes stay`, `no       HEADER: 24 of
/// 32 bytes move, first (0, 1) from byte 16 to byte 4`, `unknown  HEADER: REASON`. Unless it is `yes`, with
/// the layouts that would make it a bitcast: `; a bitcast if the result were f32[8,4]{0,1}`.
std::string to_text(const Instruction& instruction, const BitcastAnswer& answer,
                    const FreeLayouts& free = {});

/// The totals of a list of bitcast answers.
struct BitcastTotals {
  std::uint64_t yes = 0;
  std::uint64_t no = 0;
  std::uint64_t unknown = 0;
  Index bytes = 0;        ///< total size of the results, saturating
  Index moved_bytes = 0;  ///< bytes that move, saturating
  bool all_counted = true;

  void add(const BitcastAnswer& answer);
};

/// `yes 3, no 1, unknown 0; 24 of 128 bytes move`.
std::string to_text(const BitcastTotals& totals);

}  // namespace tessera
