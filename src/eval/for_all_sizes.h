// SPDX-License-Identifier: Apache-2.0
// Calculator texts whose layouts have sizes with names: every answer holds for all sizes, in cases.
#pragma once

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

/// The answers, if the text has names in its layouts other than variables, or assumptions after `where`: of
/// the text and in `where`, which add up. Nothing for other texts, which are for the Evaluator. Variables are
/// those of the text. Exact: a case holds for all sizes that satisfy its condition; the conditions exclude
/// each other and cover all sizes at which the operands are layouts. Errors: syntax, empty_range,
/// reserved_name.
std::optional<SizedEvaluation> for_all_sizes(std::string_view text, std::string_view where,
                                             const std::map<std::string, Value, std::less<>>& variables);

}  // namespace tessera::eval
