// SPDX-License-Identifier: Apache-2.0
#include "laws/random_distributions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace tessera::laws {
namespace {

Index pick(std::mt19937_64& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}

std::vector<Index> random_mesh(std::mt19937_64& random, Index most_places) {
  std::vector<Index> sizes;
  Index size = 1;
  for (Index axes = pick(random, 1, 3); axes > 0; --axes) {
    const Index most = most_places / size;
    if (most < 2 && !sizes.empty()) break;
    sizes.push_back(pick(random, 1, std::min<Index>(most, 5)));
    size *= sizes.back();
  }
  return sizes;
}

std::string device_ids(std::mt19937_64& random, Index count) {
  std::vector<Index> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), Index{0});
  std::ranges::shuffle(ids, random);
  return fmt::format("{}", fmt::join(ids, ","));
}

std::string random_rule(std::mt19937_64& random, Index extent, Index parts, bool first) {
  switch (pick(random, 0, 7)) {
    case 0:
      return fmt::format("(cyclic {})", pick(random, 1, extent + 1));
    case 1:
      return fmt::format("(cyclic {} from {})", pick(random, 1, 3), pick(random, 0, parts - 1));
    case 2:
      return fmt::format("(strided {})", pick(random, 1, 4));
    case 3:
      return fmt::format("(strided {} padded)", pick(random, 1, 4));
    case 4: {
      if (!first) return "";
      std::vector<Index> sizes(static_cast<std::size_t>(parts), 0);
      for (Index i = 0; i < extent; ++i) ++sizes[static_cast<std::size_t>(pick(random, 0, parts - 1))];
      return fmt::format("(sizes {})", fmt::join(sizes, ","));
    }
    default:
      return "";
  }
}

std::string random_in_mesh(std::mt19937_64& random, const std::vector<Index>& shape, Index most_places) {
  const std::vector<Index> mesh = random_mesh(random, most_places);
  const Index count = std::accumulate(mesh.begin(), mesh.end(), Index{1}, std::multiplies<>());
  std::vector<std::string> axes;
  std::vector<std::vector<std::size_t>> of_dim(shape.size());
  std::vector<std::size_t> order(mesh.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  for (std::size_t a = 0; a < mesh.size(); ++a) axes.push_back(fmt::format("a{}={}", a, mesh[a]));
  for (const std::size_t a : order) {
    const Index d = pick(random, -1, static_cast<Index>(shape.size()) - 1);
    if (d >= 0) of_dim[static_cast<std::size_t>(d)].push_back(a);
  }
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::string text;
    for (std::size_t k = 0; k < of_dim[d].size();) {
      const bool first = text.empty();
      text += (first ? "" : "/") + fmt::format("a{}", of_dim[d][k]);
      Index parts = mesh[of_dim[d][k++]];
      if (k < of_dim[d].size() && pick(random, 0, 1) == 0) {
        text += fmt::format("*a{}", of_dim[d][k]);
        parts *= mesh[of_dim[d][k++]];
      }
      text += random_rule(random, shape[d], parts, first);
    }
    dims.push_back(text.empty() ? "-" : text);
  }
  return fmt::format(
      "mesh[{}]{} [{}]", fmt::join(axes, ","),
      pick(random, 0, 2) == 0 ? fmt::format(" device_ids=({})", device_ids(random, count)) : "",
      fmt::join(dims, ", "));
}

std::string random_in_torch(std::mt19937_64& random, const std::vector<Index>& shape, Index most_places) {
  const std::vector<Index> mesh = random_mesh(random, most_places);
  std::vector<std::string> placements;
  for (std::size_t a = 0; a < mesh.size(); ++a) {
    const Index d = shape.empty() ? -1 : pick(random, -1, static_cast<Index>(shape.size()) - 1);
    placements.push_back(d < 0 ? "Replicate()"
                         : pick(random, 0, 2) == 0
                             ? fmt::format("_StridedShard({}, sf={})", d, pick(random, 1, 4))
                             : fmt::format("Shard({})", d));
  }
  return fmt::format("DeviceMesh(({})) [{}]", fmt::join(mesh, ", "), fmt::join(placements, ", "));
}

std::string random_in_xla(std::mt19937_64& random, const std::vector<Index>& shape, Index most_places) {
  std::vector<Index> tiles(shape.size(), 1);
  Index count = 1;
  for (Index& tile : tiles) {
    if (pick(random, 0, 1) == 0) continue;
    tile = pick(random, 1, std::min<Index>(4, most_places / count));
    count *= tile;
  }
  const Index copies = pick(random, 1, std::min<Index>(3, most_places / count));
  if (count * copies < 2) return fmt::format("{{maximal device={}}}", pick(random, 0, most_places - 1));
  if (copies > 1) tiles.push_back(copies);
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), device_ids(random, count * copies),
                     copies > 1 ? " last_tile_dim_replicate" : "");
}

struct Split {
  Index part = 0;
  Index local = 0;
  Index extent = 0;  // number of indices of the part
};

// The part that holds index x if a dimension of n indices is cut into `parts`, by the definition of the rule.
Split split(const DimCut& cut, Index parts, Index n, Index x) {
  Split out;
  const auto count_same = [&](auto&& part_of) {
    Index extent = 0;
    for (Index i = 0; i < n; ++i) extent += part_of(i) == out.part ? 1 : 0;
    return extent;
  };
  switch (cut.rule) {
    case CutRule::ceil: {
      const Index chunk = (n + parts - 1) / parts;
      out.part = x / chunk;
      out.local = x % chunk;
      out.extent = count_same([&](Index i) { return i / chunk; });
      return out;
    }
    case CutRule::cyclic: {
      const auto part_of = [&](Index i) { return (i / cut.size + cut.start) % parts; };
      out.part = part_of(x);
      out.local = x / (cut.size * parts) * cut.size + x % cut.size;
      out.extent = count_same(part_of);
      return out;
    }
    case CutRule::sizes: {
      Index prefix = 0;
      while (x >= prefix + cut.sizes[static_cast<std::size_t>(out.part)]) {
        prefix += cut.sizes[static_cast<std::size_t>(out.part++)];
      }
      out.local = x - prefix;
      out.extent = cut.sizes[static_cast<std::size_t>(out.part)];
      return out;
    }
    case CutRule::strided:
    case CutRule::strided_padded:
      break;
  }
  const Index piece = (n + cut.size - 1) / cut.size;
  const auto part_of = [&](Index i) {
    const Index j = i / piece;
    const Index own = std::min(piece, n - j * piece);
    const Index chunk = ((cut.rule == CutRule::strided ? own : piece) + parts - 1) / parts;
    return (i - j * piece) / chunk;
  };
  out.part = part_of(x);
  for (Index i = 0; i < x; ++i) out.local += part_of(i) == out.part ? 1 : 0;
  out.extent = count_same(part_of);
  return out;
}

}  // namespace

std::string random_distribution(std::mt19937_64& random, const std::vector<Index>& shape, Index most_places) {
  switch (pick(random, 0, 6)) {
    case 0:
      return random_in_torch(random, shape, most_places);
    case 1:
      return random_in_xla(random, shape, most_places);
    case 2:
      if (shape.size() == 2) {
        const Index rows = pick(random, 1, std::min<Index>(4, most_places));
        const Index columns = pick(random, 1, most_places / rows);
        return fmt::format("block_cyclic(mb={}, nb={}, grid={}x{}, order={}, rsrc={}, csrc={})",
                           pick(random, 1, 4), pick(random, 1, 4), rows, columns,
                           pick(random, 0, 1) == 0 ? "row" : "col", pick(random, 0, rows - 1),
                           pick(random, 0, columns - 1));
      }
      return "{replicated}";
    default:
      return random_in_mesh(random, shape, most_places);
  }
}

std::vector<OneHolder> holders_by_element(const Distribution& distribution, const std::vector<Index>& shape,
                                          const std::vector<Index>& index, Index places) {
  std::vector<OneHolder> out;
  if (distribution.everywhere) {
    for (Index place = 0; place < places; ++place) out.emplace_back(place, index);
    return out;
  }
  std::vector<Index> local = index;
  std::vector<Index> extents = shape;
  std::map<std::size_t, Index> wanted;  // required coordinates of mesh axes
  for (const DimCut& cut : distribution.cuts) {
    const auto d = static_cast<std::size_t>(cut.dim);
    Index parts = 1;
    for (const std::size_t axis : cut.axes) parts *= distribution.mesh.axes[axis].size;
    const Split found = split(cut, parts, extents[d], local[d]);
    local[d] = found.local;
    extents[d] = found.extent;
    Index rest = found.part;
    for (std::size_t k = cut.axes.size(); k-- > 0;) {
      const Index size = distribution.mesh.axes[cut.axes[k]].size;
      wanted[cut.axes[k]] = rest % size;
      rest /= size;
    }
  }
  for (std::size_t i = 0; i < distribution.mesh.places.size(); ++i) {
    std::size_t rest = i;
    bool holds = true;
    for (std::size_t a = distribution.mesh.axes.size(); a-- > 0;) {
      const auto size = static_cast<std::size_t>(distribution.mesh.axes[a].size);
      const auto at = wanted.find(a);
      holds = holds && (at == wanted.end() || at->second == static_cast<Index>(rest % size));
      rest /= size;
    }
    if (!holds) continue;
    const auto place = static_cast<std::size_t>(distribution.mesh.places[i]);
    out.emplace_back(distribution.on.empty() ? distribution.mesh.places[i] : distribution.on[place], local);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace tessera::laws
