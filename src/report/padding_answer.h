// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost of padding in a program, as text and as JSON.
#pragma once

#include <string>

#include "hlo/analysis/padding.h"
#include "report/indexing_json.h"

namespace tessera {

/// A line for each type that another layout makes smaller, the totals, and the bitcasts that would become
/// copies.
std::string to_text(const PaddingReport& report);

/// One object per type with the key `padding`, and one with `padding_totals`. Each is on its own line.
/// `schema` is `tessera.hlo/1`.
std::string to_json(const InstructionPlace& place, const PaddingReport& report);

}  // namespace tessera
