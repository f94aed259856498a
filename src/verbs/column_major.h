// SPDX-License-Identifier: Apache-2.0
/// \file
/// A hint for readers of NumPy and C: a CuTe shape without strides is column-major.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::verbs {

/// For a CuTe shape without strides, such as `(300,200)`: a note with its strides and the text of the
/// row-major layout. Empty for any other text, and if both orders give the same layout.
std::string column_major_note(std::string_view text);
/// The notes of several texts, without the empty ones.
std::vector<std::string> column_major_notes(const std::vector<std::string>& texts);

}  // namespace tessera::verbs
