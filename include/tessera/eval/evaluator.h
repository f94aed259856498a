// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluator: the layout algebra as a calculator.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/diagnostic.h"
#include "tessera/eval/value.h"

namespace tessera {

/// The value of a statement; `name` is the variable it was given to, empty for an expression alone.
struct Answer {
  std::string name;
  Value value;
};

/// One call as it was made, its steps, and what came out; `result` is empty if there was no answer.
struct Explanation {
  std::string call;
  std::vector<std::string> steps;
  std::string result;
};

/// The result of a text: the answers up to the first error, and that error.
struct Evaluation {
  std::vector<Answer> answers = {};
  std::vector<Explanation> explanations = {};  ///< innermost call first; only when asked for
  std::vector<std::string> notes = {};         ///< what an answer does not show: an overhang, a rounding
  std::optional<Diagnostic> error = {};        ///< its span is in the text
  bool incomplete = false;  ///< the error is that the text ends inside of a bracket: more may follow
};

/// Variables, and the texts evaluated with them. `;` separates statements: `L = (4,8):(8,1); L(2,3)`.
/// docs/lookup/eval.md has the grammar and every function. `_` and `ans` are the last answer. Errors: syntax,
/// unknown_name, reserved_name, unknown_function, argument_count, argument_type, limit (nesting), overflow
/// and undefined_value (arithmetic), those of the notation and of the algebra. A text that fails keeps the
/// variables of the statements before the error. Exact; an operation that would need more than
/// evaluation_limit() evaluations fails with `undecided`.
class Evaluator {
 public:
  Evaluation evaluate(std::string_view text, bool explain = false);
  const std::map<std::string, Value, std::less<>>& variables() const { return variables_; }

 private:
  std::map<std::string, Value, std::less<>> variables_;
  std::optional<Value> last_;
};

}  // namespace tessera
