// SPDX-License-Identifier: Apache-2.0
#include "eval/for_all_sizes.h"
#include "notation/symbolic/public_cases.h"
#include "tessera/eval/evaluator.h"

namespace tessera {

Result<SizeCases> evaluate_for_all_sizes(std::string_view expression, const SizeAssumptions& where) {
  eval::SizedVariables none;
  auto all = eval::for_all_sizes(expression, where.text(), {}, none);
  if (!all)
    return fail(Code::unknown_name, "the expression has no size with a name", {},
                "the Evaluator computes with numbers");
  if (all->error) return fail(*std::move(all->error));
  return symbolic::public_cases(all->answers.back(), std::move(all->notes));
}

}  // namespace tessera
