// SPDX-License-Identifier: Apache-2.0
// What `convert`, `at` and `show` answer about a layout with names for sizes, for all sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "notation/symbolic/symbolic_layout.h"
#include "size/sized_cases.h"
#include "tessera/notation/layout.h"
#include "text/sized_text.h"

namespace tessera::symbolic {

/// `M == 4, N >= 1, N <= 300`: what values of names assume of them.
AssumptionList assumptions_of(const std::vector<SizeRange>& sizes);

/// The layout in another notation, or as digits, in cases: at given sizes, the answer is that of `convert`
/// for numbers, but for XLA, where the list of tiles may be longer. Errors: empty_range, bad_extent.
Result<SizedAnswers> convert(const SymbolicLayout& layout, std::optional<Notation> to,
                             const AssumptionList& where);

/// The offset of an index of terms, one for each dimension, or one for all modes of CuTe's notation, leftmost
/// fastest; a nested mode also accepts a coordinate of its shape. An index outside is an error case. Errors:
/// also syntax and value_count, of the index.
Result<SizedAnswers> offset_at(const SymbolicLayout& layout, const std::string& index,
                               const AssumptionList& where);

/// That names are within the shape, from 0 on: `i in [0, M - 1]` for the index `i,0`. The names that are a
/// whole term, once in an index and with one extent in all of them, and occur neither in the layout nor in
/// `where`. Indices that cannot be read are left out.
AssumptionList index_ranges(const SymbolicLayout& layout, const std::vector<std::string>& indices,
                            const AssumptionList& where);

/// The index at an offset, or `padding`, where the digits do not overlap. An offset outside the buffer is an
/// error case. Errors: also syntax, of the offset.
Result<SizedAnswers> index_at(const SymbolicLayout& layout, const std::string& offset,
                              const AssumptionList& where);

/// Shape, elements, memory, offsets, whether it is injective, digits and map: an answer for each, with its
/// name. Errors: as above.
Result<SizedAnswers> facts(const SymbolicLayout& layout, const AssumptionList& where);

/// The first sizes at which every extent is at least 2, or the first at which the text is a layout; nothing
/// if none is found among the sizes that are tried.
std::optional<SizeMap> drawn_sizes(const SymbolicLayout& layout, const AssumptionList& where);

}  // namespace tessera::symbolic
