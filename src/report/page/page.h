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

extern const char* const kPageStyle;        ///< the style sheet
extern const char* const kPageBody;         ///< the body, without data
extern const char* const kPageLogic;        ///< script: maps, tables, commands; works without a page
extern const char* const kPagePictures;     ///< script: arrays, layouts, the graph
extern const char* const kPageInstruction;  ///< script: the view of one instruction
extern const char* const kPageViews;        ///< script: the page itself, which calls the others

}  // namespace tessera::detail
