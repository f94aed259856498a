// SPDX-License-Identifier: Apache-2.0
// Operations between replicas.
#include <fmt/format.h>

#include <numeric>

#include "laws/hlo_cases.h"

namespace tessera::laws {

std::string HloCases::collective(Index members) {
  Dims small = dims(pick(1, 3), 1, 3);
  const std::size_t dim = at(pick(0, static_cast<Index>(small.size()) - 1));
  Dims large = small;
  large[dim] *= members;
  Dims group(at(members));
  std::iota(group.begin(), group.end(), 0);
  const std::string groups = fmt::format("replica_groups={{{}}}", braces(group));
  const std::string along = fmt::format("{}, dimensions={{{}}}", groups, dim);
  const auto pair = [](const std::string& type) { return fmt::format("({0}, {0})", type); };
  switch (pick(0, 12)) {
    case 0:
      return program({f32(small)}, f32(small), "all-reduce", groups + ", to_apply=f", kAdd);
    case 1:
      return program({f32(small), f32(small)}, pair(f32(small)), "all-reduce", groups + ", to_apply=f", kAdd);
    case 2:
      return program({f32(small)}, f32(large), "all-gather", along);
    case 3:
      return program({f32(small), f32(small)}, pair(f32(large)), "all-gather", along);
    case 4:
      return program({f32(small)}, fmt::format("({}, {})", f32(small), f32(large)), "all-gather-start",
                     along);
    case 5:
      return program({f32(large)}, f32(small), "reduce-scatter", along + ", to_apply=f", kAdd);
    case 6:
      return program({f32(large), f32(large)}, pair(f32(small)), "reduce-scatter", along + ", to_apply=f",
                     kAdd);
    case 7:
      return program({f32(large)}, f32(large), "all-to-all", along);
    case 8: {
      if (members == 1) return collective(members);
      const std::vector<std::string> types(at(members), f32(small));
      return program(types, fmt::format("({})", fmt::join(types, ", ")), "all-to-all", groups);
    }
    case 9:
      return program({f32(small)}, f32(small), "collective-broadcast", groups);
    case 10:
      return program({f32(small)}, pair(f32(small)), "collective-permute-start", pairs(members));
    default:
      return program({f32(small)}, f32(small), "collective-permute", pairs(members));
  }
}

std::string HloCases::pairs(Index members) {
  const Dims targets = permutation(members);
  const Index turn = pick(1, members);
  const Index kind = pick(0, 3);
  std::vector<std::string> texts;
  for (Index source = 0; source < members; ++source) {
    // A rotation, part of a rotation, a permutation, or part of a permutation.
    const Index target = kind < 2 ? (source + turn) % members : targets[at(source)];
    if (kind % 2 == 0 || coin()) texts.push_back(fmt::format("{{{},{}}}", source, target));
  }
  return fmt::format("source_target_pairs={{{}}}", fmt::join(texts, ","));
}

}  // namespace tessera::laws
