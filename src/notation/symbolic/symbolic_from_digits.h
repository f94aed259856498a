// SPDX-License-Identifier: Apache-2.0
// Digits in one run of an exploration, written in a notation: the simplest layout with this function.
#pragma once

#include <optional>
#include <string>

#include "notation/symbolic/symbolic_digits.h"
#include "size/explore.h"
#include "tessera/notation/layout.h"

namespace tessera::symbolic {

/// Notations that have terms in place of numbers, and linear layouts, whose reasons do not need them.
bool has_terms(Notation notation);

/// The digits in a notation, as `convert` of layouts of numbers writes them: their text, or the first reason
/// why there is none. XLA gets at most one tile: the search for lists of tiles has numbers only. `layout` is
/// what has these digits: it keeps its type and, in XLA's notation, its tiles.
Leaf written(const TracedDigits& digits, Notation notation, const SymbolicLayout& layout,
             Recording& recording);

/// `0,1,4,1 1,1,8,4`: dimension, div, extent, stride of each digit, after the constant.
Leaf digits_text(const TracedDigits& digits, Recording& recording);

/// Whether no two indices share an offset; nothing if that is not decided.
std::optional<bool> is_injective(const TracedDigits& digits);

}  // namespace tessera::symbolic
