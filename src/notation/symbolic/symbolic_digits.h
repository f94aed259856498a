// SPDX-License-Identifier: Apache-2.0
// The digits of a layout with names for sizes, in one run of an exploration.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "notation/symbolic/symbolic_layout.h"
#include "traced/recording.h"

namespace tessera::symbolic {

/// floor(x / div) mod extent, times stride.
struct TracedDigit {
  tessera_tracing::Traced div;
  tessera_tracing::Traced extent;
  tessera_tracing::Traced stride;
};

/// constant + the sum of all digits of all dimensions. `outside`: these sizes make it no layout; `refused`:
/// it has no digits.
struct TracedDigits {
  std::vector<tessera_tracing::Traced> extent = {};
  tessera_tracing::Traced constant = 0;
  std::vector<std::vector<TracedDigit>> dims = {};
  /// Elements of memory, if the notation says it.
  std::optional<tessera_tracing::Traced> allocated = {};
  std::string outside = {};
  std::string refused = {};
};

/// The digits, each dimension from its smallest divisor on, in their normal form: without digits of extent 1
/// or beyond the extent of the dimension, neighbors joined, and the last one cut to the dimension. Two
/// layouts are the same function iff these are equal. Records decisions in the recording of the thread.
TracedDigits traced_digits(const SymbolicLayout& layout, Recording& recording);
/// The same digits before they are in their normal form: the same function, with fewer decisions.
TracedDigits digits_as_written(const SymbolicLayout& layout, Recording& recording);

/// Why these sizes make it no layout, empty if they do: the decisions that come first, so that other cases
/// are about the sizes at which every operand is a layout.
std::string not_a_layout(const SymbolicLayout& layout, Recording& recording);

/// The number of a term, with the decisions that its divisors are at least 1; `outside` says if one is not.
tessera_tracing::Traced term_value(const SizeTerm& term, Recording& recording, std::string& outside);

/// A quotient rounded down, and the rest.
struct TracedQuotient {
  tessera_tracing::Traced whole = 0;
  tessera_tracing::Traced rest = 0;
};
using TracedDivision = std::function<TracedQuotient(tessera_tracing::Traced, tessera_tracing::Traced)>;
TracedQuotient divided(tessera_tracing::Traced a, tessera_tracing::Traced b);

/// The offset of an index inside the box: constant + the sum of its digits.
tessera_tracing::Traced offset_of(const TracedDigits& digits, const std::vector<tessera_tracing::Traced>& at,
                                  const TracedDivision& divide = divided);

/// Whether two normal forms on one box are the same function. False for different boxes.
bool same_digits(const TracedDigits& a, const TracedDigits& b);

}  // namespace tessera::symbolic
