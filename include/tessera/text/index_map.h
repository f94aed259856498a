// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index maps as text: parses the current and the older form, and prints the older one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// The map `UNDEFINED`, about which nothing is known. Different from a map without points.
struct UndefinedMap {
  friend bool operator==(UndefinedMap, UndefinedMap) = default;
};
/// `UNDEFINED`.
std::string to_string(UndefinedMap undefined);

/// A map, or `UNDEFINED`.
using MapOrUndefined = std::variant<IndexMap, UndefinedMap>;
/// The text of the map, or `UNDEFINED`.
std::string to_string(const MapOrUndefined& map);

/// `second` after `first`: `UNDEFINED` if either is. Errors: those of compose (map_algebra.h).
Result<MapOrUndefined> compose(const MapOrUndefined& first, const MapOrUndefined& second);

/// Whether a map with variables must have a domain. `optional`: without a domain, its variables are unbounded
/// (as in runtime maps of the older form).
enum class DomainPart : std::uint8_t { required, optional };

/// Reads `(d0, d1)[s0]{rt0} -> (d0 + s0, ...), domain: d0 in [0, 3], ..., expr in [0, 5]`. `KNOWN EMPTY` is a
/// known empty map without variables or results; an infeasible interval makes the map known empty and keeps
/// the numbers of its variables and results. Expressions are kept as written, except that constants are
/// folded and a subtrahend is negated canonically. Errors, each with its span: syntax, number_range,
/// unknown_name, duplicate_name, reserved_name, undefined_value (a division by the literal 0), limit (nesting
/// beyond kMaxExprDepth). `UNDEFINED` is an error. Also reads the attributes of MLIR,
/// `#xla.indexing_map<"...">` and `affine_map<...>`; the latter has unbounded variables unless a domain
/// follows it. Example: parse_index_map("(d0) -> (2 * d0), domain: d0 in [0, 9]").
Result<IndexMap> parse_index_map(std::string_view text, DomainPart domain = DomainPart::required);

/// Reads a map or `UNDEFINED`.
Result<MapOrUndefined> parse_map_or_undefined(std::string_view text,
                                              DomainPart domain = DomainPart::required);

/// A map over a box, and the extents of the box, because a known empty map does not keep them.
struct BoxMap {
  IndexMap map;
  std::vector<Index> extents;
};

/// Reads the map of a layout: `(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 5], d1 in [0, 7]`. An interval
/// without a point, such as [0, -1], is a dimension of extent 0. Errors: those of parse_index_map;
/// missing_layout (`KNOWN EMPTY`, which has no extents), not_representable with reason `not_a_layout` (an
/// empty map whose domain is not a box). `extents` is empty if the map has points, because its domain has
/// them.
Result<BoxMap> parse_box_map(std::string_view text);

/// The text that parse_box_map reads back. If an extent is 0: `(d0, d1) -> (0), domain: d0 in [0, -1], d1 in
/// [0, 2]`.
std::string to_string(const IndexMap& map, std::span<const Index> extents);

/// Reads an expression over v0, v1, ... A division by 0 is accepted and has no value. Errors: as for maps.
/// Example: parse_expr("(v0 mod 8) * 4 - v1").
Result<Expr> parse_expr(std::string_view text);

/// Reads an expression over the variables of a domain, by their printed names.
Result<Expr> parse_expr(std::string_view text, const Domain& domain);

/// The source of a runtime variable, as the older form writes it: the text of an instruction, and the map
/// from the same indices to the element that holds the value.
struct LegacyRuntime {
  std::string source;
  IndexMap map;
  friend bool operator==(const LegacyRuntime&, const LegacyRuntime&) = default;
};

/// A map of the older form; `runtime[i]` belongs to the i-th runtime variable.
struct LegacyMap {
  IndexMap map;
  std::vector<LegacyRuntime> runtime = {};
  friend bool operator==(const LegacyMap&, const LegacyMap&) = default;
};

/// True for a text in the older form, with `domain:` on its own line.
bool is_legacy_form(std::string_view text);

/// Reads the older form: `domain:` and each item on their own lines, no commas between items. A symbol that
/// is followed by two lines, `hlo: <instruction>` and `(d0, ...) -> (...)`, becomes a runtime variable (rt0,
/// ... unless it has a name of its own); the other symbols are renumbered. Errors: as for parse_index_map.
Result<LegacyMap> parse_legacy_map(std::string_view text);

/// The older form of a map. Runtime variables are symbols after the range variables, with the two lines of
/// `runtime[i]` below each. `runtime` has one entry for each runtime variable, or is empty: then the name of
/// the variable is the source, and its map has no results.
std::string to_legacy_string(const IndexMap& map, std::span<const LegacyRuntime> runtime = {});

}  // namespace tessera
