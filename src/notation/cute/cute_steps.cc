// SPDX-License-Identifier: Apache-2.0
#include "notation/cute/cute_steps.h"

#include <fmt/core.h>

#include "base/plural.h"

namespace tessera {

std::string to_string(const TraceStep& step) {
  const Index* n = step.number;
  switch (step.kind) {
    case StepKind::drop_unit:
      return fmt::format("drop {}:{}, an extent of 1", n[0], n[1]);
    case StepKind::merge:
      return fmt::format("merge {}:{} and {}:{}, because {} * {} = {}", n[0], n[1], n[2], n[3], n[0], n[1],
                         n[3]);
    case StepKind::keep:
      return fmt::format("keep {}:{}", n[0], n[1]);
    case StepKind::filter_zero:
      return fmt::format("drop {}:0, which repeats offsets", n[0]);
    case StepKind::leaf:
      return fmt::format("leaf {} of the right operand: {}:{}", n[0], n[1], n[2]);
    case StepKind::unit_leaf:
      return fmt::format("extent 1: stride {} becomes {}", n[0], n[1]);
    case StepKind::zero_leaf:
      return fmt::format("stride 0: {}:0", n[0]);
    case StepKind::skip_mode:
      return fmt::format("mode {} (extent {}): divides stride {}, skip it, stride {} left", n[0], n[1], n[2],
                         n[3]);
    case StepKind::fits:
      return fmt::format("mode {} (extent {}): {} steps of {} fit, emit {}:{}", n[0], n[1], n[2], n[3], n[2],
                         n[4]);
    case StepKind::split:
      return fmt::format("mode {} (extent {}): stride {} divides it, emit {}:{}, {} left", n[0], n[1], n[2],
                         n[3], n[4], n[5]);
    case StepKind::last_mode:
      return fmt::format("last mode: emit {}:{}", n[0], n[2]);
    case StepKind::general:
      return fmt::format("{}:{} is the general case: derive its layout from its values", n[0], n[1]);
    case StepKind::no_carry:
      return fmt::format("mode {} (extent {}): the digits add up to {} at most, no carry", n[0], n[1], n[2]);
    case StepKind::compare_all:
      return fmt::format("compare {}",
                         n[0] == 1 ? "the only coordinate" : fmt::format("all {} coordinates", n[0]));
    case StepKind::sorted:
      return fmt::format("next by stride: {}:{}", n[0], n[1]);
    case StepKind::hole:
      return fmt::format("below stride {}, covered up to {}: emit {}:{}", n[0], n[1], n[2], n[3]);
    case StepKind::not_tiling:
      return fmt::format("stride {} is not a multiple of {}: some offsets stay unused", n[0], n[1]);
    case StepKind::rest:
      return fmt::format("the rest of the codomain: emit {}:{}", n[0], n[1]);
    case StepKind::chain:
      return fmt::format("{}:{} goes on the chain, emit {}:{}", n[0], n[1], n[0], n[2]);
    case StepKind::off_chain:
      return fmt::format("{}:{} is off the chain at {}, skip it", n[0], n[1], n[2]);
    case StepKind::gap:
      return fmt::format("emit {}:{}", n[0], n[1]);
    case StepKind::divide_tiler:
      return fmt::format("the tile has size {}, its complement size {}", n[0], n[1]);
  }
  return "";
}

}  // namespace tessera
