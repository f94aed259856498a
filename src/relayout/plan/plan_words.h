// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names in the text of plans.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "relayout/sweep.h"

namespace tessera::moving {

/// The words of a plan's text, indexed by the alternatives of Mover and the values of CutAxis and Padding.
inline constexpr std::array<std::string_view, 9> kMoverWords = {
    "copy", "transpose", "interleave", "deinterleave", "block", "gather", "scatter", "table", "fill"};
inline constexpr std::array<std::string_view, 4> kCutWords = {"none", "loop", "rows", "cols"};
inline constexpr std::array<std::string_view, 4> kPaddingWords = {"keep", "zero", "value", "any"};

/// One mover for each word, without slack or pattern.
inline constexpr std::array<Mover, 9> kMovers = {
    mover::Copy{},   mover::Transpose{}, mover::Interleave{}, mover::Deinterleave{}, mover::Block{},
    mover::Gather{}, mover::Scatter{},   mover::Table{},      mover::Fill{}};
static_assert(kMoverWords.size() == std::variant_size_v<Mover>);

inline std::string_view name_of(const Mover& mover) { return kMoverWords[mover.index()]; }

}  // namespace tessera::moving
