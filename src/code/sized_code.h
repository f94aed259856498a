// SPDX-License-Identifier: Apache-2.0
/// \file
/// Source code of layouts with names for sizes: the sizes are arguments.
#pragma once

#include "notation/symbolic/symbolic_layout.h"
#include "tessera/code/code.h"

namespace tessera::coding {

/// A function from an index and the sizes to the offset: the sizes follow the index, in the order of the
/// assumptions and then of their names. It computes with 32 bits if every intermediate value is known to fit,
/// else with 64. Exact at all sizes of the assumptions at which the text is a layout and every intermediate
/// value fits. Divisors that are numbers become shifts and masks, as in offset_code. The test compares
/// offsets of layouts of numbers at sizes that satisfy the assumptions. Errors: those of offset_code;
/// empty_range, bad_extent (no sizes); not_applicable (the sign of a dividend is open in a language whose
/// division truncates; MLIR, whose affine maps have no products of variables).
Result<SourceCode> sized_code(const symbolic::SymbolicLayout& layout, const symbolic::AssumptionList& where,
                              const CodeOptions& options);

}  // namespace tessera::coding
