// SPDX-License-Identifier: Apache-2.0
/// \file
/// Splits a layout into a sum of functions, each of a part of the index.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/notation/layout.h"

namespace tessera::detail {

/// How a function depends on one dimension: on floor(x / from) mod (to / from), and each whole step of `to`
/// adds `slope`. `from` divides `to`; `to` is kEndless if the function depends on all of floor(x / from).
struct Window {
  std::size_t dim = 0;
  Index from = 1;
  Index to = 1;
  Index slope = 0;
};
inline constexpr Index kEndless = 0;

/// One function of the sum. If `stride` is set, the function is linear in its only window: each step of
/// `from` adds `stride`.
struct Summand {
  std::vector<Window> windows = {};
  std::optional<Index> stride = std::nullopt;
};

/// Functions whose sum is the layout's offset, up to a constant, at the indices of its box. Found from the
/// structure alone: digits, swizzles of digits, bases over F2, the normal form of a map. Requires a nonempty
/// box. O(digits^2), or O(distinct nodes * dimensions).
std::vector<Summand> summands(const Layout& layout);
std::vector<Summand> summands(const Digits& digits);
/// The summands of the first result of a map whose dimensions are the index.
std::vector<Summand> summands(const IndexMap& map);

}  // namespace tessera::detail
