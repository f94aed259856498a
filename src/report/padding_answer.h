// SPDX-License-Identifier: Apache-2.0
/// \file
/// What padding costs a program, as text and as JSON.
#pragma once

#include <string>

#include "hlo/analysis/padding.h"
#include "report/indexing_json.h"

namespace tessera {

/// A line for each type that another layout makes smaller, the totals, and the bitcasts that would become
/// copies.
std::string to_text(const PaddingReport& report);

/// One object with the key `padding` for each type, one with `padding_totals`; a line each. `schema` is
/// `tessera.hlo/1`.
std::string to_json(const InstructionPlace& place, const PaddingReport& report);

}  // namespace tessera
