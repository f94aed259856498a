// SPDX-License-Identifier: Apache-2.0
// Calculator texts whose layouts have sizes with names: every answer holds for all sizes, in cases.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "size/sized_cases.h"
#include "tessera/eval/evaluator.h"
#include "tessera/size/size.h"

namespace tessera::eval {

using symbolic::SizedAnswer;
using symbolic::SizedCase;
using symbolic::SizedParameter;

/// The answer of each statement.
struct SizedEvaluation : symbolic::SizedAnswers {
  std::optional<Diagnostic> error = {};  ///< its span is in the text
  std::vector<std::string> names = {};   ///< the sizes that the text names
};

/// Variables of earlier texts whose values depend on sizes, with what these texts assume; `ans` is the last
/// answer.
class SizedVariables {
 public:
  /// A text that has been answered. Its definitions are views of it.
  struct Text;
  struct Variable {
    std::shared_ptr<const Text> text;
    std::size_t statement = 0;
  };

  /// The variable of a name, or null.
  const Variable* find(std::string_view name) const;
  void keep(const std::string& name, Variable variable) { variables_[name] = std::move(variable); }
  /// These variables, and the last answer, are numbers now.
  void replaced_by(const Evaluation& numbers);
  /// The last answer without names, which `ans` is unless it is a variable here; nothing before the first.
  const std::optional<Value>& last_number() const { return last_number_; }

 private:
  std::optional<Value> last_number_ = {};
  std::map<std::string, Variable, std::less<>> variables_ = {};
};

/// The answers, if the text has names in its layouts other than variables, reads a variable of `kept`, or has
/// assumptions after `where`: of the text and in `where`, which add up. Nothing for other texts, which are
/// for the Evaluator. An answer keeps its variables in `kept`. Exact: a case holds for all sizes that satisfy
/// its condition; the conditions exclude each other and cover all sizes at which the operands are layouts.
/// Errors: syntax, empty_range, reserved_name.
std::optional<SizedEvaluation> for_all_sizes(std::string_view text, std::string_view where,
                                             const std::map<std::string, Value, std::less<>>& variables,
                                             SizedVariables& kept);

}  // namespace tessera::eval
