// SPDX-License-Identifier: Apache-2.0
/// \file
/// The simplifier: the same function on the same domain, in the shortest form that it finds.
#pragma once

#include <optional>

#include "tessera/map/index_map.h"

namespace tessera {

/// What happens in results to dimensions with a single value. `replace`: the value replaces them. `preserve`:
/// they stay. In constraints they are always replaced.
enum class Points : std::uint8_t { replace, preserve };

/// An equivalent map: the same points of the same variables, the same values on them, in the shortest text
/// found (fewest divisions, then fewest operators), with tightened intervals and without redundant
/// constraints. Idempotent; depends only on the map's content. Known empty if the domain is proved empty
/// (always decided for boxes of at most 2^16 points whose constraints have a value everywhere). Exact. Time
/// linear in distinct nodes of the input. Thread-safe: each thread has its own workspace.
IndexMap simplify(const IndexMap& map, Points points = Points::replace);

/// Simplifies one expression over a domain, using the variables' intervals and the domain's constraints.
Expr simplify(Expr expr, const Domain& domain);

/// A sound range of an expression over a domain; `use_constraints` also intersects with constraints on it.
Interval range(Expr expr, const Domain& domain, bool use_constraints = true);

/// Whether the maps have the same normal form: domains with the same text, and equal sums as results. `true`:
/// the same function on the same domain. `false`: different variables or numbers of results. Empty: not
/// decided here; see judge.h. Cheaper than simplifying both and comparing the texts, because normal forms are
/// compared in one workspace without being turned into text.
std::optional<bool> equal_forms(const IndexMap& a, const IndexMap& b);

}  // namespace tessera
