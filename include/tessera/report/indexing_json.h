// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indexing of an instruction, and what was counted, as JSON.
#pragma once

#include <string>
#include <string_view>

#include "tessera/hlo/analyze.h"
#include "tessera/hlo/operand_maps.h"

namespace tessera {

/// `{"map": text, "runtime": [{"var", "source", "map"}], "replica": [text], "exact": bool, "reason": text}`,
/// with `element` for an element of a tuple operand. `source` is the name of the instruction that holds the
/// value, with `tuple_path` for an element of its tuple, `calls` for the way to it, outermost first, `hops`
/// and `clamp`; or what the value is, where no instruction holds it. `map` is `UNDEFINED` where nothing is
/// known.
std::string to_json(const OperandIndexing& indexing);

/// One instruction in one line; `schema` is `tessera.hlo/1`.
std::string to_json(std::string_view module, const InstructionMaps& maps, IndexingDirection direction);

}  // namespace tessera
