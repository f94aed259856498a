// SPDX-License-Identifier: Apache-2.0
/// \file
/// The movements of a program, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/analysis/copies.h"
#include "report/indexing_json.h"

namespace tessera {

/// The memory bandwidth, used to convert bytes to time.
struct Bandwidth {
  double bytes_per_second = 0;
  bool measured = false;  ///< true: measured on this machine; false: given by the user
};

/// Their names, such as `dynamic-slice`.
std::vector<std::string_view> opcode_names(std::span<const Opcode> opcodes);

/// A line for each movement, for each chain, and the totals.
std::string to_text(const CopiesReport& report, const Bandwidth& bandwidth);

/// One object per movement with the key `movement`, one per chain with `chain`, and one with `copies_totals`.
/// Each is on its own line. `schema` is `tessera.hlo/1`.
std::string to_json(const InstructionPlace& place, const CopiesReport& report, const Bandwidth& bandwidth);

}  // namespace tessera
