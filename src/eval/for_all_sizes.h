// SPDX-License-Identifier: Apache-2.0
// Calculator texts whose layouts have sizes with names: every answer holds for all sizes, in cases.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/eval/evaluator.h"
#include "tessera/size/size.h"

namespace tessera::eval {

/// One case of an answer: a value, an error, or undecided.
struct SizedCase {
  enum class Kind : std::uint8_t { value, error, undecided };
  Kind kind = Kind::value;
  std::string condition = {};   ///< can be written after `where`; empty for all sizes
  std::string text = {};        ///< the value
  Code code = Code::undecided;  ///< of an error
  std::string reason = {};      ///< qualifies the code, or why the case is undecided
  SizeMap sizes = {};           ///< of an error: sizes at which the calculator has it
  std::string witness = {};     ///< what it says there
};

struct SizedAnswer {
  std::string name;  ///< the assigned variable; empty for an expression alone
  std::vector<SizedCase> cases = {};
};

struct SizedParameter {
  std::string name;
  std::string lower;
  std::string upper;  ///< empty: without end
};

struct SizedEvaluation {
  std::vector<SizedAnswer> answers = {};
  std::vector<SizedParameter> parameters = {};
  std::string where = {};
  std::vector<std::string> notes = {};
  std::optional<Diagnostic> error = {};  ///< its span is in the text
};

/// The answers, if the text has names in its layouts other than variables, or assumptions after `where`: of
/// the text and in `where`, which add up. Nothing for other texts, which are for the Evaluator. Variables are
/// those of the text. Exact: a case holds for all sizes that satisfy its condition; the conditions exclude
/// each other and cover all sizes at which the operands are layouts. Errors: syntax, empty_range,
/// reserved_name.
std::optional<SizedEvaluation> for_all_sizes(std::string_view text, std::string_view where,
                                             const std::map<std::string, Value, std::less<>>& variables);

}  // namespace tessera::eval
