// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pages that show reports.
#pragma once

#include <string>
#include <string_view>

namespace tessera::detail {

/// One HTML page that contains the report (JSON of program_json.h) and all code that displays it. It loads no
/// other files. Only visible rows are laid out, so that 10^5 instructions scroll smoothly. The title is
/// escaped.
std::string report_page(std::string_view title, std::string_view report_json);

/// The same for a kernel of Triton (JSON of ttgir_page.h).
std::string kernel_page(std::string_view title, std::string_view json);

}  // namespace tessera::detail
