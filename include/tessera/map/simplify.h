// SPDX-License-Identifier: Apache-2.0
/// \file
/// The simplifier: the same function on the same domain, in the shortest form we know.
#pragma once

#include <optional>

#include "tessera/map/index_map.h"

namespace tessera {

/// What becomes of a result that has one value only. `replace`: that constant. `preserve`: point dimensions
/// stay visible in results (constraints are always simplified with `replace`).
enum class Points : std::uint8_t { replace, preserve };

/// An equivalent map: the same points of the same variables, the same values on them, in the shortest text
/// found (fewest divisions, then fewest operators), with tightened intervals and without redundant
/// constraints. Idempotent; depends on the map's content only. Known empty when emptiness is decided (always
/// for boxes of at most 2^16 points). Exact. Time linear in distinct nodes of the input. Thread-safe: each
/// thread has its own workspace.
IndexMap simplify(const IndexMap& map, Points points = Points::replace);

/// One expression over a domain; ranges use the variables' intervals and the domain's constraints.
Expr simplify(Expr expr, const Domain& domain);

/// A sound range of an expression over a domain; `use_constraints` also intersects with constraints on it.
Interval range(Expr expr, const Domain& domain, bool use_constraints = true);

/// Do the maps have one normal form: the same domain in the same text, and results that are the same sums
/// over it? `true`: certainly the same function on the same domain. `false`: certainly not (other variables
/// or another number of results). Nothing: not decided here; see judge.h. Cheaper than
/// simplifying both and comparing text, because nothing is spelled and results meet in one workspace.
std::optional<bool> equal_forms(const IndexMap& a, const IndexMap& b);

}  // namespace tessera
