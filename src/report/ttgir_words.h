// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the report of a TTGIR file says of an operation, in words; its text and its page share them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/ttgir/ttgir.h"

namespace tessera::detail {

/// Wavefronts above the ideal.
Index excess_of(const TtgirLocal& op);
/// What is worth a look comes first: conflicts, then what an exchange costs, then sectors above the fewest.
std::pair<Index, Index> cost_of(const TtgirOperation& op);
/// Sectors of 32 bytes that would hold the bytes.
Index fewest_sectors(const RegisterGlobalAccess& access);

/// Shape, layouts and numbers in one line; empty for an operation with an error.
std::string sentence_of(const TtgirOperation& op);
/// `bank conflicts: 4096 wavefronts for 256 (16-way)`; empty if there are none.
std::string conflict_of(const TtgirOperation& op);
/// How to get rid of them, or why not; empty if the buffer is not known.
std::string cure_of(const TtgirOperation& op);
/// The command that counts the conversion or the access, and looks for more layouts of its buffer; empty if
/// there is none.
std::string command_of(const TtgirReport& report, const TtgirOperation& op);
/// All three, one line each; empty without conflicts.
std::vector<std::string> remedy_of(const TtgirReport& report, const TtgirOperation& op);

}  // namespace tessera::detail
