// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sizes with names: terms such as `ceil_div(N, 8)`, what is assumed of them, and questions about all sizes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

namespace symbolic {
class AssumptionList;
}  // namespace symbolic

/// A number for each parameter.
using SizeMap = std::map<std::string, Index, std::less<>>;

/// The answer about all sizes that satisfy the assumptions.
struct SizeAnswer {
  enum class Kind : std::uint8_t {
    yes,       ///< proved for all sizes
    iff,       ///< proved for the sizes that satisfy `condition`, and refuted for all others
    no,        ///< a counterexample, evaluated
    undecided  ///< `reason` says why
  };
  Kind kind = Kind::yes;
  std::string condition = {};  ///< can be written after `where`, unless it has an `or`
  SizeMap sizes = {};          ///< of the counterexample
  std::vector<Index> index = {};
  std::vector<std::string> values = {};  ///< both values there, or both shapes
  bool shapes_differ = false;
  /// Whether no smaller sizes, by their largest value and then in the order of the parameters, are a
  /// counterexample.
  bool smallest = true;
  std::string reason = {};
  std::string assume = {};  ///< of `undecided`: an assumption that leaves the open case out
  std::vector<std::string> notes = {};
};

/// `yes`, `yes iff N % 4 == 0`, `no: N = 12, at (3,1): 37 and 36`, `undecided: …`; an `iff` is followed by
/// a second line with the smallest counterexample.
std::string to_string(const SizeAnswer& answer);

/// What is assumed of parameters: `N % 8 == 0, 1 <= M <= N, K in [0, 64]`. A parameter without an interval
/// ranges over 1, 2, 3, …
class SizeAssumptions {
 public:
  /// No assumptions.
  SizeAssumptions() = default;
  /// Errors: syntax, reserved_name, number_range, undefined_value (a divisor that is the number 0),
  /// empty_range (no sizes satisfy them), limit.
  static Result<SizeAssumptions> parse(std::string_view text);
  /// Whether sizes, one for each name, satisfy the assumptions.
  bool holds(const SizeMap& sizes) const;
  /// The canonical text, which parses back; empty for none.
  const std::string& text() const { return text_; }
  /// The assumptions as the library stores them; null for none.
  const symbolic::AssumptionList* list() const { return list_.get(); }

 private:
  std::string text_ = {};
  std::shared_ptr<const symbolic::AssumptionList> list_ = {};
};

/// The canonical text of a size term: `4*M/2` is `2*M`. Errors: syntax, reserved_name, number_range, limit,
/// undefined_value (a division by a number below 1).
Result<std::string> canonical_size(std::string_view term);

/// Whether `LEFT RELATION RIGHT` holds for all sizes: `ceil_div(N,8)*8 >= N`. Relations: == != <= < >= >.
/// Exact but for `undecided`; bounded by counts, not by time. Errors: as above.
Result<SizeAnswer> compare_sizes(std::string_view comparison, const SizeAssumptions& where = {});

}  // namespace tessera
