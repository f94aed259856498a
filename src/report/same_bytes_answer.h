// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether two results hold the same bytes, as text and as JSON.
#pragma once

#include <string>

#include "hlo/analysis/same_bytes.h"
#include "report/indexing_json.h"

namespace tessera {

/// One line with a line break: `yes: main/a and main/b hold the same 128 bytes in the same order, elements of
/// main/x`, `no: at byte 4, main/a holds element (0, 1) of main/x, but main/b holds element (1, 0)`,
/// `undecided: REASON`. Unless `yes`, a second line for the places.
std::string to_text(const HloValue& a, const HloValue& b, const SameBytes& answer);

/// One object with the key `same_bytes` on one line. `schema` is `tessera.hlo/1`.
std::string to_json(const InstructionPlace& place, const HloValue& a, const HloValue& b,
                    const SameBytes& answer);

}  // namespace tessera
