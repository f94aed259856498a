// SPDX-License-Identifier: Apache-2.0
// Index maps whose bounds, constraints and results have names for sizes: `(d0, d1) -> (d0 * N + d1), domain:
// d0 in [0, M - 1], d1 in [0, N - 1] where M, N`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "size/assumption.h"

namespace tessera::symbolic {

/// A value between two others, as written.
struct SizedInterval {
  SizeTerm value;
  SizeTerm low;
  SizeTerm high;
};

class SymbolicMap {
 public:
  /// Names that are not variables must be declared: in the assumptions of the text, or in `declared`. A
  /// runtime variable that is declared so is a size, and its interval an assumption. Errors: syntax,
  /// unknown_name, duplicate_name, reserved_name, number_range, limit; not_applicable (range variables, other
  /// runtime variables, an interval that depends on a variable); those of the assumptions.
  static Result<SymbolicMap> parse(std::string_view text, const std::vector<std::string>& declared);

  /// A map of these parts: an interval for each variable, then constraints.
  static SymbolicMap make(std::vector<std::string> dims, std::vector<SizedInterval> domain,
                          std::vector<SizeTerm> results, AssumptionList where);

  const std::vector<std::string>& dims() const { return dims_; }
  /// The interval of each variable, then constraints.
  const std::vector<SizedInterval>& domain() const { return domain_; }
  /// The intervals of runtime variables that are sizes, which the assumptions have, too.
  const std::vector<SizedInterval>& given() const { return given_; }
  const std::vector<SizeTerm>& results() const { return results_; }
  const AssumptionList& where() const { return where_; }
  /// Says which field of a request has the text, for errors about its assumptions. Requires a literal.
  void come_from(std::string_view field) { where_.come_from(field); }
  /// The names that are not variables.
  std::vector<std::string> sizes() const;
  /// The domain as assumptions about the variables.
  const AssumptionList& in_domain() const { return in_domain_; }
  /// The map with numbers for the names of sizes, without assumptions; nothing if a bound has no number.
  std::optional<std::string> text_at(const Sizes& sizes) const;

 private:
  std::vector<std::string> dims_ = {};
  std::vector<SizedInterval> domain_ = {};
  std::vector<SizedInterval> given_ = {};
  std::vector<SizeTerm> results_ = {};
  AssumptionList where_ = {};
  AssumptionList in_domain_ = {};
};

/// The names that the assumptions after `where` declare; none if there are no such assumptions.
std::vector<std::string> declared_names(std::string_view text);

/// Whether the text is a map with names other than its variables, which may be declared as sizes.
bool has_sizes(std::string_view text);

/// The intervals `[0, M*N - 1], [0, N]`, one for each result, whose names are declared as for a map. Errors:
/// syntax, unknown_name, value_count.
Result<std::vector<SizedInterval>> parse_box(std::string_view text, const SymbolicMap& map,
                                             const std::vector<std::string>& declared);

}  // namespace tessera::symbolic
