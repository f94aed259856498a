// SPDX-License-Identifier: Apache-2.0
#include "hlo/devices/collective.h"

#include <numeric>

#include "hlo/check/started.h"
#include "hlo/ops/collective.h"
#include "hlo/ops/values.h"

namespace tessera::detail {

std::optional<Collective> collective_of(const Instruction& op) {
  const auto inner = op.opcode == Opcode::async_start ? started_operation(op) : std::nullopt;
  return tessera::collective_of(inner ? inner->opcode : op.opcode);
}

std::optional<std::vector<std::vector<Index>>> partition_groups(const Instruction& collective) {
  if (collective.parent == nullptr) return std::nullopt;
  const CollectiveGroups groups = collective_groups(collective);
  if (!groups.exist()) return std::nullopt;
  const Index partitions = collective.parent->devices.partitions;
  std::vector<std::vector<Index>> out = groups.groups().groups;
  std::vector<Index> all(static_cast<std::size_t>(partitions));
  std::iota(all.begin(), all.end(), Index{0});
  using Kind = CollectiveGroups::Members;
  switch (groups.members()) {
    case Kind::replicas:  // each partition on its own
    case Kind::whole_replicas:
      // Numbers of other replicas: the header does not say how many there are.
      for (const std::vector<Index>& group : out)
        if (group != std::vector<Index>{0}) return std::nullopt;
      if (groups.members() == Kind::whole_replicas) {
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
  if (groups.groups().all) out = {all};
  return out;
}

std::optional<std::vector<Index>> permute_sources(const Instruction& permute, std::size_t partitions) {
  const auto op = value_of<PermuteOp>(permute);
  if (op == nullptr || !op->partitions) return std::nullopt;
  std::vector<Index> out(partitions, -1);
  for (const SourceTarget& pair : op->pairs) {
    const bool known = pair.source >= 0 && pair.source < static_cast<Index>(partitions) && pair.target >= 0 &&
                       pair.target < static_cast<Index>(partitions);
    if (!known) return std::nullopt;
    out[static_cast<std::size_t>(pair.target)] = pair.source;
  }
  return out;
}

}  // namespace tessera::detail
