// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fixed parts of the page that html_report.h writes.
#pragma once

namespace tessera::detail {

extern const char* const kPageHead;    ///< up to the title
extern const char* const kPageStyle;   ///< the rest of the head, up to the heading
extern const char* const kPageBody;    ///< the body, without data
extern const char* const kPageScript;  ///< the script and the end of the page

}  // namespace tessera::detail
