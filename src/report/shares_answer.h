// SPDX-License-Identifier: Apache-2.0
/// \file
/// The shares of lines, scopes or opcodes in a program, as text and as JSON.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hlo/shares/code_shares.h"
#include "report/indexing_json.h"

namespace tessera::detail {

/// The text of a line of code, if it is at hand.
using CodeText = std::function<std::optional<std::string>(const CodeLine& line)>;

/// A table with a line for each share: bytes read and written, bytes that must be, operations, steps, and the
/// share, with the step that moves most for it. Scopes are indented. The totals come last.
std::string to_text(const CodeShares& shares, const CodeText& code);

/// One object per share with the key `share`, and one with `share_totals`. Each is on its own line.
std::string to_json(const InstructionPlace& place, const CodeShares& shares, const CodeText& code);

/// `source`, `scope`, `opcode`.
std::string_view to_string(ShareKey key);

}  // namespace tessera::detail
