// SPDX-License-Identifier: Apache-2.0
/// \file
/// The files of this folder that the page contains. The build defines them (cmake/TesseraEmbed.cmake).
#pragma once

namespace tessera::detail {

extern const char* const kPageStyle;        ///< page.css
extern const char* const kPageBody;         ///< body.html: the body, without data
extern const char* const kPageLogic;        ///< logic.js: maps, tables, commands; works without a page
extern const char* const kPagePictures;     ///< pictures.js: arrays, layouts, the graph
extern const char* const kPageTable;        ///< table.js: tables, the controls, where a reader is
extern const char* const kPageCosts;        ///< costs.js: times, lines of code, charts
extern const char* const kPageInstruction;  ///< instruction.js: the view of one instruction
extern const char* const kPageViews;        ///< views.js: the page of a program, which calls the others
extern const char* const kPageKernel;       ///< kernel.js: the page of a kernel of Triton

}  // namespace tessera::detail
