// SPDX-License-Identifier: Apache-2.0
// Questions for all sizes: yes, yes iff a condition, no with the smallest sizes, or undecided with a reason.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "size/assumption.h"
#include "size/explore.h"
#include "tessera/size/size.h"

namespace tessera::symbolic {

/// What the integer algorithms say for some sizes. `outside`: the question is not about these; `skipped`: it
/// is or may be, and has no answer, as where a number is too large.
struct Trial {
  enum class Kind : std::uint8_t { holds, fails, outside, skipped };
  Kind kind = Kind::holds;
  std::vector<Integer> index = {};
  std::vector<std::string> values = {};
  bool shapes_differ = false;
  std::int64_t evaluations = 1;
};
using TryAt = std::function<Trial(const Sizes&)>;

/// The question whether `program`, whose values are `true` and `false`, is true for all sizes. `names` has
/// every parameter, in the order of the sizes.
struct SizeQuestion {
  AssumptionList where = {};
  std::vector<std::string> names = {};
  SizedProgram program = {};
  TryAt try_at = {};
  /// Further numbers of the program, which range over `domain` for each of the sizes: the question is about
  /// all of them. `try_at` gets the sizes alone.
  std::vector<std::string> indices = {};
  AssumptionList domain = {};
  /// A condition that only repeats a question of degree 2 says nothing: the answer is no.
  bool repeats = false;
  /// Another proof that the answer is yes, tried before a counterexample is searched for.
  std::function<bool()> proved = {};
  /// The error where the question is about no sizes at all.
  Code outside = Code::bad_extent;
};

/// Errors: empty_range, limit (parameters), and the code of the question for those about no sizes.
Result<SizeAnswer> answer(const SizeQuestion& question);

/// Calls `visit` for the sizes of a list of assumptions, by their largest value and then in the order of the
/// names, until it returns false: false if it did. `complete`: whether there are no other sizes.
bool visit_sizes(const AssumptionList& where, const std::vector<std::string>& names,
                 const std::function<bool(const Sizes&)>& visit, bool& complete);

/// Whether visit_sizes visits all sizes that come before these.
bool visits_all_before(const AssumptionList& where, const std::vector<std::string>& names, const Sizes& at);

/// The conditions of the cases as a text: `A and B or C`.
std::string disjunction(std::vector<std::vector<SizeCondition>> groups, const Space& space);

/// An assumption that leaves the sizes of an undecided case out; empty if the case has all sizes.
std::string deciding_assumption(const Case& open);
/// The numbers of a question as those of its answer.
SizeMap size_map(const Sizes& sizes);
/// No sizes satisfy the assumptions. The error is about the first one that contradicts those before it, or
/// the last one if none is proved to.
Diagnostic no_sizes(const AssumptionList& where);
/// More names than kSizeLimits.parameters.
Diagnostic too_many_parameters();

}  // namespace tessera::symbolic
