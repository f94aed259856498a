// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names in the text of plans.
#pragma once

#include <array>
#include <string_view>

namespace tessera::moving {

/// The words of a plan's text, indexed by the values of Kind, Cut and Padding.
inline constexpr std::array<std::string_view, 9> kKindWords = {
    "copy", "transpose", "interleave", "deinterleave", "block", "gather", "scatter", "table", "fill"};
inline constexpr std::array<std::string_view, 4> kCutWords = {"none", "loop", "rows", "cols"};
inline constexpr std::array<std::string_view, 4> kPaddingWords = {"keep", "zero", "value", "any"};

}  // namespace tessera::moving
