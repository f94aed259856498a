// SPDX-License-Identifier: Apache-2.0
/// \file
/// The variables of an indexing: maps over fewer of them, or over more.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tessera/hlo/operand_maps.h"

namespace tessera::detail {

/// The expressions with variable i replaced by `numbering[i]`.
std::vector<Expr> renumbered(std::span<const Expr> exprs, std::span<const Expr> numbering);

/// Sets the flags of the variables that occur.
void mark_used(std::span<const Expr> exprs, std::vector<bool>& used);
/// A result needs a range or runtime variable.
bool uses_symbols(const IndexMap& map);

/// The map over the variables that are kept; constraints over others are dropped. Results must not use
/// dropped variables.
IndexMap keep_variables(const IndexMap& map, const std::vector<bool>& keep);
IndexMap keep_dimensions(const IndexMap& map);

/// `map` over its dimensions and all symbols of `domain`. Its own range variables are those from number
/// `range_start` there, its own runtime variables those from number `runtime_start`.
IndexMap spread(const IndexMap& map, const Domain& domain, std::size_t range_start,
                std::size_t runtime_start);

/// The hop depends on the element and has the variables of the map; others depend on the replica only.
inline bool over_elements(const ReplicaHop& hop) { return hop.from == ReplicaHop::From::element; }

}  // namespace tessera::detail
