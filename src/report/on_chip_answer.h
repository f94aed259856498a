// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program moves in tiles, as text and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "report/indexing_json.h"
#include "report/traffic_answer.h"
#include "tile/on_chip.h"

namespace tessera::detail {

/// A table with a line for each step: bytes moved at least, in tiles, and by its loops; runs, and the tile.
/// The sums come last. `source`: whose number of bytes on the chip it is; may be empty.
std::string to_text(const ProgramTraffic& traffic, const TiledProgram& tiled, std::string_view source,
                    const ShowStep& shown);

/// One object per step with the key `tiled`, and one with `tiled_totals`. Each is on its own line.
std::string to_json(const InstructionPlace& place, const ProgramTraffic& traffic, const TiledProgram& tiled,
                    std::string_view source, const ShowStep& shown);

}  // namespace tessera::detail
