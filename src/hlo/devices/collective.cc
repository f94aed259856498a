// SPDX-License-Identifier: Apache-2.0
#include "hlo/devices/collective.h"

#include <numeric>

#include "hlo/check/started.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {

Opcode collective_of(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::all_gather:
    case Opcode::all_gather_start:
      return Opcode::all_gather;
    case Opcode::all_reduce:
    case Opcode::all_reduce_start:
      return Opcode::all_reduce;
    case Opcode::collective_permute:
    case Opcode::collective_permute_start:
      return Opcode::collective_permute;
    case Opcode::all_to_all:
    case Opcode::collective_broadcast:
    case Opcode::ragged_all_to_all:
    case Opcode::reduce_scatter:
      return op.opcode;
    case Opcode::async_start: {
      const auto inner = started_operation(op);
      return inner && inner->opcode != Opcode::async_start ? collective_of(*inner) : Opcode::unknown;
    }
    default:
      return Opcode::unknown;
  }
}

std::optional<std::vector<std::vector<Index>>> partition_groups(const Instruction& collective) {
  const auto groups = CollectiveGroups::of(collective);
  if (!groups || !groups->exist() || collective.parent == nullptr) return std::nullopt;
  const Index partitions = collective.parent->devices.partitions;
  std::vector<std::vector<Index>> out = groups->groups().groups;
  std::vector<Index> all(static_cast<std::size_t>(partitions));
  std::iota(all.begin(), all.end(), Index{0});
  using Kind = CollectiveGroups::Members;
  switch (groups->members()) {
    case Kind::replicas:  // each partition on its own
    case Kind::whole_replicas:
      // Numbers of other replicas: the header does not say how many there are.
      for (const std::vector<Index>& group : out)
        if (group != std::vector<Index>{0}) return std::nullopt;
      if (groups->members() == Kind::whole_replicas) {
        out.assign(1, all);
        return out;
      }
      out.clear();
      for (const Index partition : all) out.push_back({partition});
      return out;
    case Kind::partitions:
    case Kind::devices:
      break;
  }
  if (groups->groups().all) out = {all};
  return out;
}

std::optional<std::vector<Index>> permute_sources(const Instruction& permute, std::size_t partitions) {
  const auto pairs = source_target_pairs_of(permute);
  if (!pairs || permute.attribute("channel_id") == nullptr) return std::nullopt;
  std::vector<Index> out(partitions, -1);
  for (const SourceTarget& pair : *pairs) {
    const bool known = pair.source >= 0 && pair.source < static_cast<Index>(partitions) && pair.target >= 0 &&
                       pair.target < static_cast<Index>(partitions);
    if (!known) return std::nullopt;
    out[static_cast<std::size_t>(pair.target)] = pair.source;
  }
  return out;
}

}  // namespace tessera::detail
