// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the collectives of a program move, as text and as JSON.
#pragma once

#include <string>

#include "hlo/devices/exchanges.h"
#include "report/indexing_json.h"

namespace tessera::detail {

/// A table with a line for each collective: bytes that each device must receive, bytes that it sends around a
/// ring and directly, devices of a group, runs. The totals come last.
std::string to_text(const DeviceExchanges& exchanges);

/// One object per collective with the key `exchange`, and one with `exchange_totals`. Each is on its own
/// line.
std::string to_json(const InstructionPlace& place, const DeviceExchanges& exchanges);

}  // namespace tessera::detail
