// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indexing of an instruction as JSON.
#pragma once

#include <string>
#include <string_view>

#include "hlo/metadata/metadata.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/indexing.h"

namespace tessera {

/// `{"map": text, "runtime": [{"var", "source", "map"}], "replica": [text], "exact": bool, "reason": text}`,
/// with `element` for an element of a tuple operand. `source` names the instruction that holds the value,
/// with `tuple_path` for an element of its tuple, `calls` for the calls between the indexing and the
/// instruction, outermost first, `hops` and `clamp`. If no instruction holds the value, `source` describes
/// the value. An unknown `map` is `UNDEFINED`; `reason` is empty only if `exact`.
std::string to_json(const Indexing& indexing);

/// The file and the module of an instruction.
struct InstructionPlace {
  std::string_view file;
  std::string_view module;
};

/// JSON for one instruction, on one line; `schema` is `tessera.hlo/1`. The key `bitcast` is present if
/// `bitcast_answer` has an answer for the instruction, and `metadata` if `code` (which may be null) knows
/// where it comes from.
std::string to_json(const InstructionPlace& place, const InstructionIndexing& maps,
                    IndexingDirection direction, detail::ModuleCode* code = nullptr);

}  // namespace tessera
