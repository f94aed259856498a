// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/movement.h"

#include <algorithm>

#include "base/saturating.h"

namespace tessera {

Index Movement::traffic() const {
  return detail::saturating_mul(once, std::max<Index>(runs.upper.value_or(runs.lower), 1));
}

bool Movement::may_vanish() const {
  return answer.verdict == Verdict::undecided && detail::may_become_bitcast(instruction->opcode);
}

}  // namespace tessera
