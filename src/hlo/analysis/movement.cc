// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/movement.h"

#include <algorithm>
#include <optional>

namespace tessera {

Index Movement::traffic() const {
  if (answer.verdict != Verdict::no) return 0;
  const std::optional<Index> once = checked_mul(answer.bytes, 2);
  if (!once) return kIndexMax;
  return checked_mul(*once, std::max<Index>(runs.upper.value_or(runs.lower), 1)).value_or(kIndexMax);
}

}  // namespace tessera
