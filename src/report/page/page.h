// SPDX-License-Identifier: Apache-2.0
/// \file
/// The page that shows a program report.
#pragma once

#include <string>
#include <string_view>

namespace tessera::detail {

/// One HTML page that contains the report (JSON of program_json.h) and all code that displays it. It loads no
/// other files. Only visible rows are laid out, so that 10^5 instructions scroll smoothly. The title is
/// escaped.
std::string report_page(std::string_view title, std::string_view report_json);

}  // namespace tessera::detail
