// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost of padding in a program, as text and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "hlo/analysis/padding.h"
#include "report/indexing_json.h"

namespace tessera {

/// A line for each type that another layout makes smaller, the totals, and the bitcasts that would become
/// copies.
std::string to_text(const PaddingReport& report);

/// Adds how many arrays there are, and the bytes of one in each layout.
void add_padding(Json& json, const PaddedArray& array);

/// One object per type with the key `padding`, and one with `padding_totals`. Each is on its own line.
/// `schema` is `tessera.hlo/1`.
std::string to_json(const InstructionPlace& place, const PaddingReport& report);

}  // namespace tessera
