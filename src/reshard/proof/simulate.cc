// SPDX-License-Identifier: Apache-2.0
#include "reshard/proof/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/try.h"
#include "reshard/limits.h"
#include "reshard/plan/each_element.h"
#include "reshard/plan/place_memory.h"

namespace tessera {
namespace {

using detail::PlaceMemory;
using detail::Side;

constexpr Index kNothing = -1;

// The buffer of a place, with the row-major number of each element, and kNothing in the other cells.
std::vector<Index> element_numbers(const BoundDistribution& side, Index place) {
  const auto shard = side.shard_of(place);
  if (!shard) return {};
  const LocalBuffer local = side.local_buffer(place);
  std::vector<Index> out(static_cast<std::size_t>(local.size()), kNothing);
  detail::for_each_element(side, *shard, [&](std::span<const Index> index, Index number) {
    out[static_cast<std::size_t>(local.offset(index))] = number;
  });
  return out;
}

Failure wrong(const ReshardArray& array, Index place, Index offset, std::string_view what) {
  return fail(Code::verify_failed,
              fmt::format("array '{}': {} at offset {} of place {}", array.name, what, offset, place));
}

Result<std::vector<ReshardMessage>> everything(const ReshardPlan& plan) {
  auto all = messages(plan);
  if (!all) return all;
  for (Index place = 0; place < plan.places(); ++place) {
    TESSERA_TRY(kept, kept_boxes(plan, place));
    all->insert(all->end(), kept.begin(), kept.end());
  }
  return all;
}

Result<Index> simulate_array(const ReshardPlan& plan, std::size_t k, const std::vector<ReshardMessage>& all) {
  const ReshardArray& array = plan.arrays()[k];
  std::vector<std::vector<Index>> sources;
  std::vector<std::vector<Index>> targets;
  for (Index place = 0; place < plan.places(); ++place) {
    sources.push_back(element_numbers(array.from, place));
    const auto shard = array.to.shard_of(place);
    targets.emplace_back(shard ? static_cast<std::size_t>(array.to.local_buffer(place).size()) : 0, kNothing);
  }
  for (const ReshardMessage& message : all) {
    if (message.array != k) continue;
    const PlaceMemory from(plan, k, Side::from, message.from);
    const PlaceMemory to(plan, k, Side::to, message.to);
    const std::vector<Index>& source = sources[static_cast<std::size_t>(message.from)];
    std::vector<Index>& target = targets[static_cast<std::size_t>(message.to)];
    std::optional<Index> twice;
    for (const MessageBox& box : message.boxes) {
      detail::for_each_element(box, [&](std::span<const Index> a, std::span<const Index> b) {
        Index& cell = target[static_cast<std::size_t>(to.offset(b))];
        if (cell != kNothing) twice = to.offset(b);
        cell = source[static_cast<std::size_t>(from.offset(a))];
        return true;
      });
    }
    if (twice) return wrong(array, message.to, *twice, "two elements arrive");
  }
  Index elements = 0;
  for (Index place = 0; place < plan.places(); ++place) {
    const std::vector<Index> expected = element_numbers(array.to, place);
    const std::vector<Index>& found = targets[static_cast<std::size_t>(place)];
    const auto differs = std::ranges::mismatch(found, expected);
    if (differs.in1 != found.end()) {
      const auto name = [](Index number) {
        return number == kNothing ? std::string("nothing") : fmt::format("element {}", number);
      };
      return wrong(array, place, differs.in1 - found.begin(),
                   fmt::format("{} instead of {}", name(*differs.in1), name(*differs.in2)));
    }
    if (const auto shard = array.to.shard_of(place)) elements += array.to.elements(*shard);
  }
  return elements;
}

// The local indices that a run gives to an index, if the run contains it.
std::optional<std::pair<Index, Index>> local_in(const BoxRun& run, Index index) {
  const Index distance = index - run.lower;
  if (distance < 0) return {};
  const Index k = run.count > 1 ? std::min(run.count - 1, distance / run.step) : 0;
  const Index within = distance - k * run.step;
  if (within >= run.length) return {};
  return std::pair(run.from_local + k * run.from_step + within, run.to_local + k * run.to_step + within);
}

// Checks random elements of an array whose dimensions no view joins.
Result<Index> sample_array(const ReshardPlan& plan, std::size_t k, const std::vector<ReshardMessage>& all) {
  const ReshardArray& array = plan.arrays()[k];
  if (!std::ranges::equal(array.from.shape(), array.to.shape())) return 0;
  std::map<Index, std::vector<std::pair<Index, const MessageBox*>>> received;  // sender and box
  std::size_t most = 1;
  for (const ReshardMessage& message : all) {
    if (message.array != k) continue;
    auto& boxes = received[message.to];
    for (const MessageBox& box : message.boxes) boxes.emplace_back(message.from, &box);
    most = std::max(most, boxes.size());
  }
  const Index count = std::clamp<Index>(detail::kReshardLimits.box_tests / static_cast<Index>(most), 1,
                                        detail::kReshardLimits.simulated_at_random);
  std::mt19937_64 random(20261);
  Index checked = 0;
  for (Index n = 0; n < count; ++n) {
    std::vector<Index> index;
    for (const Index extent : array.from.shape()) {
      if (extent == 0) return 0;
      index.push_back(static_cast<Index>(random() % static_cast<std::uint64_t>(extent)));
    }
    TESSERA_TRY(source, holders(array.from, index));
    TESSERA_TRY(target, holders(array.to, index));
    for (const ShardHolder& holder : target) {
      Index arrivals = 0;
      for (const auto& [from, box] : received[holder.place]) {
        std::vector<Index> a;
        std::vector<Index> b;
        for (std::size_t d = 0; d < index.size(); ++d) {
          const auto local = local_in((*box)[d], index[d]);
          if (!local) break;
          a.push_back(local->first);
          b.push_back(local->second);
        }
        if (b.size() < index.size()) continue;
        const auto held = [&](const ShardHolder& one) { return one.place == from && one.local == a; };
        if (b != holder.local || std::ranges::none_of(source, held)) {
          return wrong(array, holder.place, holder.offset,
                       fmt::format("a wrong element instead of {}", fmt::join(index, ",")));
        }
        ++arrivals;
      }
      if (arrivals != 1) {
        return wrong(array, holder.place, holder.offset,
                     fmt::format("element {} arrives {} times", fmt::join(index, ","), arrivals));
      }
      ++checked;
    }
  }
  return checked;
}

// The number of cells of the local arrays of both sides.
Index cells_of(const ReshardPlan& plan, const ReshardArray& array) {
  Index cells = 0;
  for (Index place = 0; place < plan.places(); ++place) {
    for (const BoundDistribution* side : {&array.from, &array.to}) {
      if (side->shard_of(place) && add_overflows(cells, side->local_buffer(place).size(), cells)) {
        return detail::kReshardLimits.simulated + 1;
      }
    }
  }
  return cells;
}

}  // namespace

Result<SimulationReport> simulate(const ReshardPlan& plan) {
  TESSERA_TRY(all, everything(plan));
  SimulationReport report;
  for (std::size_t k = 0; k < plan.arrays().size(); ++k) {
    const bool small = cells_of(plan, plan.arrays()[k]) <= detail::kReshardLimits.simulated;
    TESSERA_TRY(elements, small ? simulate_array(plan, k, all) : sample_array(plan, k, all));
    report.elements += elements;
    report.all = report.all && small;
  }
  return report;
}

}  // namespace tessera
