// SPDX-License-Identifier: Apache-2.0
#include "reshard/plan/plan_hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/state_of.h"
#include "base/xxh3.h"
#include "reshard/plan/plan_state.h"

namespace tessera {

std::string plan_hash(const ReshardPlan& plan) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{} {}\n", plan.places(), detail::state_of(plan).per_node);
  for (const ReshardArray& array : plan.arrays()) {
    fmt::format_to(out, "{} {} [{}] {} [{}] {}\n", array.name, array.element_bits,
                   fmt::join(array.from.shape(), ","), to_string(array.from.distribution()),
                   fmt::join(array.to.shape(), ","), to_string(array.to.distribution()));
  }
  for (const auto& [old_place, new_place] : plan.relabeled())
    fmt::format_to(out, "{}>{}\n", old_place, new_place);
  for (const PairBytes& pair : plan.pairs())
    fmt::format_to(out, "{} {} {}\n", pair.from, pair.to, pair.bytes);
  return xxh3_128({text.data(), text.size()});
}

}  // namespace tessera
