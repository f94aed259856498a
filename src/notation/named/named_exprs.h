// SPDX-License-Identifier: Apache-2.0
/// \file
/// Named layouts as expressions.
#pragma once

#include "notation/named/named_state.h"
#include "tessera/expr/expr.h"
#include "tessera/map/index_map.h"

namespace tessera::detail {

/// The cell as an expression over the index; of a layout of kind cells with a nonempty box.
Expr cell_expr(const NamedLayout::State& state);
/// The bit offset over the index and the bit of the value, the last variable; any kind, nonempty box.
Expr bit_expr(const NamedLayout::State& state);
/// A region of a stream, for one bit of the value.
Expr stream_bit_expr(const NamedLayout::State& state, int bit);

}  // namespace tessera::detail
