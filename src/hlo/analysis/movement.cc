// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/movement.h"

#include <algorithm>

#include "base/saturating.h"

namespace tessera {

Index Movement::traffic() const {
  return detail::saturating_mul(once, std::max<Index>(runs.upper.value_or(runs.lower), 1));
}

bool Movement::may_vanish() const {
  if (answer.verdict != Verdict::undecided) return false;
  switch (instruction->opcode) {
    case Opcode::bitcast_convert:
    case Opcode::reshape:
    case Opcode::transpose:
      return true;
    default:
      return false;
  }
}

}  // namespace tessera
