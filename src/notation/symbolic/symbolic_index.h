// SPDX-License-Identifier: Apache-2.0
// Indices of layouts with names for sizes: read from text, and found at an offset.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "notation/symbolic/symbolic_digits.h"

namespace tessera::symbolic {

/// An index of terms. `inside`: numbers of nested coordinates, each with the extent that it must be below.
struct IndexTerms {
  std::vector<SizeTerm> terms = {};
  std::vector<std::pair<SizeTerm, SizeTerm>> inside = {};
};

/// The terms of `2,M - 1` or `(2,M - 1)`; in CuTe's notation, a mode accepts a coordinate of its own shape,
/// `(0,(1,N/2)),5`. Errors: syntax, rank_mismatch (brackets that the mode does not have).
Result<IndexTerms> index_terms(const std::string& text, const SymbolicLayout& layout);

/// The index at an offset, by the digits in their normal form; no index: padding. With a reason instead if
/// digits overlap, so that two indices may share an offset.
struct FoundIndex {
  std::optional<std::vector<tessera_tracing::Traced>> index = {};
  std::string undecided = {};
};
FoundIndex find_index(const TracedDigits& digits, tessera_tracing::Traced offset);

}  // namespace tessera::symbolic
