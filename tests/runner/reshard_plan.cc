// SPDX-License-Identifier: Apache-2.0
// The files plan and bugs of the folder reshard. Every plan is proved, and its messages are executed on
// element numbers.
#include "tessera/reshard/reshard_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/index_walk.h"
#include "runner/check.h"
#include "runner/reshard.h"
#include "tessera/base/dtype.h"

namespace tessera::vectors {
namespace {

using Indices = std::vector<Index>;

std::optional<VectorResult> plan_differs(const Json& row, const char* key, const Json& got) {
  if (!row.contains(key) || row[key] == got) return {};
  return VectorResult::fail(fmt::format("{} {}", key, row[key].dump()), got.dump());
}

Result<ReshardPlan> plan_of(const Json& row) {
  auto from = bound(text_of(row, "from"), row, "shape");
  if (!from) return fail(from.error());
  auto to = bound(text_of(row, "to"), row, row.contains("view") ? "view" : "shape");
  if (!to) return fail(to.error());
  return make_reshard_plan(
      {{"", bit_width(*parse_dtype(text_of(row, "type"))), std::move(*from), std::move(*to)}},
      {.per_node = row.value("per_node", Index{0})});
}

Json local_shapes(const BoundDistribution& side) {
  Json out = Json::array();
  for (Index place = 0; place < side.places(); ++place) {
    const auto shape = side.local_shape(place);
    out.push_back(shape ? Json(*shape) : Json());
  }
  return out;
}

// Calls visit(number of an element in row-major order, holder) for every holder of every element.
template <class Visit>
void for_each_holder(const BoundDistribution& side, Visit&& visit) {
  const auto shape = side.shape();
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  for (Index flat = 0; flat < count; ++flat) {
    const auto found = holders(side, detail::index_with_number(shape, flat));
    for (const ShardHolder& holder : *found) visit(flat, holder);
  }
}

// The local arrays by row-major local index, filled with the numbers of their elements.
std::vector<Indices> filled(const BoundDistribution& side) {
  std::vector<Indices> out(static_cast<std::size_t>(side.places()));
  for (Index place = 0; place < side.places(); ++place) {
    if (const auto shard = side.shard_of(place)) {
      out[static_cast<std::size_t>(place)].assign(static_cast<std::size_t>(side.elements(*shard)), -1);
    }
  }
  for_each_holder(side, [&](Index element, const ShardHolder& holder) {
    const auto local_shape = *side.local_shape(holder.place);
    Index local = 0;
    for (std::size_t d = 0; d < local_shape.size(); ++d) local = local * local_shape[d] + holder.local[d];
    out[static_cast<std::size_t>(holder.place)][static_cast<std::size_t>(local)] = element;
  });
  return out;
}

// Calls visit(local index at the sender, local index at the receiver), in the plan's dimensions.
template <class Visit>
void for_each_element(const MessageBox& box, Visit&& visit) {
  Indices from(box.size());
  Indices to(box.size());
  const auto loop = [&](auto&& self, std::size_t d) -> void {
    if (d == box.size()) return visit(from, to);
    for (Index k = 0; k < box[d].count; ++k) {
      for (Index i = 0; i < box[d].length; ++i) {
        from[d] = box[d].from_local + k * box[d].from_step + i;
        to[d] = box[d].to_local + k * box[d].to_step + i;
        self(self, d + 1);
      }
    }
  };
  loop(loop, 0);
}

// The row-major number in the local array. Dimensions that a view joins are flattened in row-major order too.
Index flattened(const Indices& index, const Indices& extents) {
  Index flat = 0;
  for (std::size_t d = 0; d < index.size(); ++d) flat = flat * extents[d] + index[d];
  return flat;
}

// The local extents of a place in the dimensions of a box. Empty if a view joined dimensions.
std::optional<Indices> extents_of(const BoundDistribution& side, Index place, std::size_t rank) {
  const auto shape = side.local_shape(place);
  if (shape->size() == rank) return *shape;
  if (rank == 1) return Indices{std::accumulate(shape->begin(), shape->end(), Index{1}, std::multiplies<>())};
  return {};
}

std::optional<VectorResult> simulate(const ReshardPlan& plan) {
  const ReshardArray& array = plan.arrays()[0];
  const std::vector<Indices> before = filled(array.from);
  const std::vector<Indices> wanted = filled(array.to);
  std::vector<Indices> after(wanted.size());
  for (std::size_t place = 0; place < after.size(); ++place) {
    for (const Index element : wanted[place]) {
      const bool has = std::ranges::find(before[place], element) != before[place].end();
      after[place].push_back(has ? element : -1);
    }
  }
  const auto all = messages(plan);
  if (!all) return VectorResult::fail("messages", to_string(all.error()));
  for (const ReshardMessage& message : *all) {
    for (const MessageBox& box : message.boxes) {
      const auto from = extents_of(array.from, message.from, box.size());
      const auto to = extents_of(array.to, message.to, box.size());
      if (!from || !to) return VectorResult::fail("a view of one group", "several");
      std::optional<VectorResult> wrong;
      for_each_element(box, [&](const Indices& source, const Indices& target) {
        Index& cell =
            after[static_cast<std::size_t>(message.to)][static_cast<std::size_t>(flattened(target, *to))];
        const Index value = before[static_cast<std::size_t>(message.from)]
                                  [static_cast<std::size_t>(flattened(source, *from))];
        if (cell != -1)
          wrong = VectorResult::fail("each element once", fmt::format("element {} again", value));
        cell = value;
      });
      if (wrong) return wrong;
    }
  }
  if (after != wanted) return VectorResult::fail("the target", Json(after).dump());
  return {};
}

VectorResult check_plan(const Json& row) {
  const auto plan = plan_of(row);
  if (!plan) return VectorResult::fail("a plan", to_string(plan.error()));
  const ReshardArray& array = plan->arrays()[0];
  if (const auto wrong = plan_differs(row, "from_local", local_shapes(array.from))) return *wrong;
  if (const auto wrong = plan_differs(row, "to_local", local_shapes(array.to))) return *wrong;
  if (const auto wrong =
          plan_differs(row, "receive", Indices(plan->receive().begin(), plan->receive().end())))
    return *wrong;
  if (const auto wrong = plan_differs(row, "total", plan->total())) return *wrong;
  if (const auto wrong = plan_differs(row, "full_gather", plan->full_gather())) return *wrong;
  if (const auto wrong = plan_differs(row, "max_send", plan->max_send())) return *wrong;
  if (const auto wrong = plan_differs(row, "send", Indices(plan->send().begin(), plan->send().end())))
    return *wrong;
  if (const auto wrong = plan_differs(row, "messages", plan->pairs().size())) return *wrong;
  Json pairs = Json::array();
  for (const PairBytes& pair : plan->pairs()) pairs.push_back({pair.from, pair.to, pair.bytes});
  if (const auto wrong = plan_differs(row, "pairs", pairs)) return *wrong;
  const ReshardRounds in_rounds = rounds(*plan);
  if (const auto wrong = plan_differs(row, "rounds", in_rounds.rounds)) return *wrong;
  std::vector<std::pair<Index, Index>> busy;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    busy.emplace_back(in_rounds.of_pair[k], plan->pairs()[k].from);
    busy.emplace_back(in_rounds.of_pair[k], plan->places() + plan->pairs()[k].to);
    if (in_rounds.of_pair[k] >= in_rounds.rounds) return VectorResult::fail("a round", "a later one");
  }
  std::ranges::sort(busy);
  if (std::ranges::adjacent_find(busy) != busy.end()) return VectorResult::fail("one message a round", "two");
  const auto relabeled = relabel_bytes(*plan);
  if (const auto wrong = plan_differs(row, "relabel_within", relabeled->within)) return *wrong;
  if (const auto wrong = plan_differs(row, "relabel_total", relabeled->any)) return *wrong;
  if (plan->nodes()) {
    if (const auto wrong = plan_differs(row, "inter_node", plan->nodes()->least)) return *wrong;
    if (const auto wrong = plan_differs(row, "inter_node_direct", plan->nodes()->direct)) return *wrong;
  }
  if (const auto proved = verify(*plan); !proved)
    return VectorResult::fail("a proof", to_string(proved.error()));
  Index elements = 1;
  for (const Index extent : array.from.shape()) elements *= extent;
  if (elements <= Index{1} << 14) {
    if (const auto wrong = simulate(*plan)) return *wrong;
  }
  return VectorResult::pass();
}

// The memory of each place if the array contains 0, 1, 2, .... Padding is -1.
Json place_memory(const BoundDistribution& side) {
  std::vector<Json> out(static_cast<std::size_t>(side.places()));
  for (Index place = 0; place < side.places(); ++place) {
    if (side.shard_of(place)) {
      out[static_cast<std::size_t>(place)] =
          Indices(static_cast<std::size_t>(side.local_buffer(place).size()), -1);
    }
  }
  for_each_holder(side, [&](Index element, const ShardHolder& holder) {
    out[static_cast<std::size_t>(holder.place)][static_cast<std::size_t>(holder.offset)] = element;
  });
  return out;
}

VectorResult check_bug(const Json& row) {
  const std::string kind = text_of(row, "kind");
  if (kind == "values" || kind == "view" || kind == "plan") {
    const VectorResult planned = check_plan(row);
    if (!planned.passed) return planned;
    const auto plan = plan_of(row);
    if (const auto wrong = plan_differs(row, "from_values", place_memory(plan->arrays()[0].from)))
      return *wrong;
    if (const auto wrong = plan_differs(row, "to_values", place_memory(plan->arrays()[0].to))) return *wrong;
    return VectorResult::pass();
  }
  if (kind == "pieces" || kind == "rows") return pieces_bug(row);
  return VectorResult::fail("a known kind", kind);
}

const Register kReshardPlan = row_check("reshard", "plan.jsonl", check_plan);
const Register kReshardBugs = row_check("reshard", "bugs.jsonl", check_bug);

}  // namespace
}  // namespace tessera::vectors
