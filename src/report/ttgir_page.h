// SPDX-License-Identifier: Apache-2.0
/// \file
/// The page of a TTGIR report.
#pragma once

#include <string>
#include <string_view>

#include "tessera/ttgir/ttgir.h"

namespace tessera::detail {

/// The JSON in the page: that of `to_json` with more for each operation: what kind it is, its sentence,
/// conflict, cure and command, and its line of the text.
std::string ttgir_page_json(std::string_view path, const TtgirReport& report, std::string_view text);

/// One HTML page, like that of a program.
std::string ttgir_page(std::string_view path, const TtgirReport& report, std::string_view text);

}  // namespace tessera::detail
