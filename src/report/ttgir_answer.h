// SPDX-License-Identifier: Apache-2.0
/// \file
/// The report of a TTGIR file, and the plan of a conversion of registers, as text and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "tessera/relayout/register_plan.h"
#include "tessera/ttgir/ttgir.h"

namespace tessera {

/// The order of operations in a report.
enum class TtgirOrder : std::uint8_t { line, cost };

/// What the layouts of a file cost, with a way out for each bank conflict. Ends with a line break.
std::string to_text(std::string_view path, const TtgirReport& report, TtgirOrder order = TtgirOrder::line);
/// One JSON object of the schema tessera.ttgir/1.
std::string to_json(std::string_view path, const TtgirReport& report, TtgirOrder order = TtgirOrder::line);

/// The plan of a conversion of registers. Ends with a line break.
std::string to_text(const RegisterPlan& plan);
/// One JSON object: level, counts, triton, shuffles, exchange.
std::string to_json(const RegisterPlan& plan);

}  // namespace tessera
