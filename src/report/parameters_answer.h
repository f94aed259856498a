// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an instruction reads of the parameters, as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hlo/analysis/parameter_elements.h"
#include "report/indexing_json.h"

namespace tessera {

/// The answer of `tessera hlo --parameters` for one instruction.
struct ParametersAnswer {
  ParameterReads reads = {};
  /// If set: the element of output `output` whose reads are in `elements`.
  std::optional<std::vector<Index>> at = {};
  std::uint32_t output = 0;
  std::vector<ParameterElements> elements = {};
};

/// Several lines, each with its line break.
std::string to_text(const ParametersAnswer& answer);
/// `{"schema": "tessera.parameters/1", ...}` on one line; docs/lookup/json.md lists the keys.
std::string to_json(const InstructionPlace& place, const ParametersAnswer& answer);

}  // namespace tessera
