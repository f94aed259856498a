// SPDX-License-Identifier: Apache-2.0
// Lists of assumptions as written: `N % 8 == 0, 1 <= M <= N, K in [0, 64]`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "size/region.h"
#include "size/term.h"

namespace tessera::symbolic {

using Sizes = std::map<std::string, Integer, std::less<>>;

enum class Relation : std::uint8_t { equal, unequal, less, at_most, greater, at_least };
std::string_view spelled(Relation relation);
bool holds(Relation relation, Integer a, Integer b);

/// The low end of a range that has none: below every number of 63 bits that an interval may have.
inline constexpr Integer kUnboundedSize = -(Integer{1} << 63);

/// `N` alone, `N in [low, high]`, or `left relation right`.
struct Assumption {
  enum class Kind : std::uint8_t { name, interval, comparison };
  Kind kind = Kind::name;
  std::string name = {};
  SizeTerm left = {};   ///< of an interval, its lower end
  SizeTerm right = {};  ///< of an interval, its upper end
  Relation relation = Relation::equal;
  Span span = {};
  std::string_view field = {};  ///< of a request, which gives it; empty if unknown
  std::uint32_t item = 0;       ///< which of the field's values
};

/// What is known of the parameters of a question. A parameter without an interval ranges over 1, 2, 3, …
class AssumptionList {
 public:
  AssumptionList() = default;
  /// Errors, with spans that start at `begin`: syntax, reserved_name, number_range, limit, undefined_value (a
  /// remainder by a number below 1).
  static Result<AssumptionList> parse(std::string_view text, std::uint32_t begin = 0);
  void append(const AssumptionList& more);
  void append(const Assumption& one) { items_.push_back(one); }
  /// Says of every assumption which field of a request gives it, for errors. Requires a literal.
  void come_from(std::string_view field);
  /// The same of one of the field's values, whose whole text is meant.
  void come_from(std::string_view field, std::uint32_t item, Span whole);

  bool empty() const { return items_.empty(); }
  const std::vector<Assumption>& items() const { return items_; }
  /// The parameters, in the order of the text; then the given names that are not among them, sorted.
  std::vector<std::string> names(std::vector<std::string> others = {}) const;
  /// Whether sizes, which name every parameter of the list, satisfy it. Never where a divisor is below 1.
  bool holds(const Sizes& sizes) const;
  /// The same without that sizes are at least 1 if they have no interval.
  bool satisfied(const Sizes& sizes) const;
  /// Numbers between which the parameter is by its intervals; no last number is `nothing`. An end that is a
  /// term counts by the least number that it may be.
  SizeRegion::Range range(std::string_view name) const;
  /// The same by comparisons with a number, too: `S == 1024`. Empty if its end is before its begin.
  SizeRegion::Range tight_range(std::string_view name) const;
  /// The assumptions about this parameter alone.
  AssumptionList about_only(std::string_view name) const;
  /// The text, which parses back.
  std::string text() const;

 private:
  /// Numbers between which a term is for all sizes, where they are known.
  struct Ends {
    std::optional<Integer> low = {};
    std::optional<Integer> high = {};
  };
  Ends ends(const SizeTerm& term, int depth) const;
  SizeRegion::Range range(std::string_view name, int depth) const;

  std::vector<Assumption> items_ = {};
};

/// The sizes of a question before its assumptions are added: a region of intervals, and the conditions to
/// add.
struct Premises {
  SizeRegion region;
  std::vector<SizeCondition> conditions = {};
  bool empty = false;  ///< an interval has no element
};
Premises premises(const AssumptionList& list, const std::vector<std::string>& names,
                  std::shared_ptr<Space> space);

/// The conditions that `left relation right` is: the first list is joined by `and`. Divisors that must be at
/// least 1 are added to `divisors`.
std::vector<SizeCondition> conditions_of(const Assumption& a, Space& space,
                                         std::vector<Polynomial>& divisors);

}  // namespace tessera::symbolic
