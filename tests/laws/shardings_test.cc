// SPDX-License-Identifier: Apache-2.0
// Random shardings, printed in every form and read back by programs and by distributions, against the devices
// that the definition of the form gives. TESSERA_LAW_CASES is the number of shardings (default 3,000).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "laws/random_seed.h"
#include "tessera/hlo/module.h"
#include "tessera/notation/sharding.h"
#include "tessera/reshard/distribution.h"

namespace tessera::laws::shardings {
namespace {

using Indices = std::vector<Index>;

// A digit of a device's position: a part of an axis of the mesh.
struct Part {
  std::size_t axis = 0;
  Index pre = 1;
  Index size = 1;
};

enum class Use { replicated, manual, unreduced };

// A mesh, the parts that cut each dimension, and what the others are for.
struct MeshCase {
  Indices sizes;
  Indices devices;       // at each position, row-major
  Indices reshape = {};  // if this and `order` give the devices, as [4,2]T(1,0)
  Indices order = {};
  std::vector<std::vector<Part>> dims;
  std::vector<std::pair<Part, Use>> rest;
};

Index pick(std::mt19937_64& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}

Index product(const Indices& factors) {
  return std::accumulate(factors.begin(), factors.end(), Index{1}, std::multiplies<>());
}

MeshCase random_mesh(std::mt19937_64& random) {
  MeshCase out;
  std::vector<Part> parts;
  for (Index axes = pick(random, 1, 3); axes > 0; --axes) {
    const std::size_t axis = out.sizes.size();
    Index size = 1;
    for (Index factors = pick(random, 1, 2); factors > 0; --factors) {
      const Index factor = pick(random, 1, 3);
      if (factor > 1) parts.push_back({axis, size, factor});
      size *= factor;
    }
    out.sizes.push_back(size);
  }
  out.devices.resize(static_cast<std::size_t>(product(out.sizes)));
  std::iota(out.devices.begin(), out.devices.end(), Index{0});
  if (pick(random, 0, 2) == 0) {
    std::ranges::shuffle(out.devices, random);
  } else if (pick(random, 0, 2) == 0) {
    // Two digits of the numbers change places.
    const Index count = product(out.sizes);
    Index outer = pick(random, 1, count);
    while (count % outer != 0) --outer;
    out.reshape = {outer, count / outer};
    out.order = {1, 0};
    for (Index i = 0; i < count; ++i)
      out.devices[static_cast<std::size_t>(i)] = i % outer * (count / outer) + i / outer;
  }
  out.dims.resize(static_cast<std::size_t>(pick(random, 0, 3)));
  std::ranges::shuffle(parts, random);
  for (const Part& part : parts) {
    const Index d = pick(random, -1, static_cast<Index>(out.dims.size()) - 1);
    if (d >= 0) {
      out.dims[static_cast<std::size_t>(d)].push_back(part);
    } else {
      const Index use = pick(random, 0, 7);
      out.rest.emplace_back(part, use == 0 ? Use::manual : use == 1 ? Use::unreduced : Use::replicated);
    }
  }
  return out;
}

std::string space(std::mt19937_64& random) { return pick(random, 0, 3) == 0 ? " " : ""; }

// The form over a mesh, in one of its spellings.
std::string mesh_text(const MeshCase& mesh, std::mt19937_64& random) {
  const std::string quote = pick(random, 0, 3) == 0 ? "" : pick(random, 0, 4) == 0 ? "\"" : "'";
  const auto name = [&](std::size_t axis) { return fmt::format("{0}a.{1}{0}", quote, axis); };
  const auto reference = [&](const Part& part) {
    const bool whole = part.pre == 1 && part.size == mesh.sizes[part.axis] && pick(random, 0, 4) > 0;
    return whole ? name(part.axis) : fmt::format("{}:({}){}", name(part.axis), part.pre, part.size);
  };
  std::vector<std::string> axes;
  for (std::size_t a = 0; a < mesh.sizes.size(); ++a)
    axes.push_back(fmt::format("{}={}", name(a), mesh.sizes[a]));
  std::string out = "{mesh[" + fmt::format("{}", fmt::join(axes, "," + space(random)));
  Indices usual(mesh.devices.size());
  std::iota(usual.begin(), usual.end(), Index{0});
  std::string ids;
  if (!mesh.order.empty()) {
    ids = fmt::format("device_ids=([{}]T({}))", fmt::join(mesh.reshape, ","), fmt::join(mesh.order, ","));
  } else if (mesh.devices != usual || pick(random, 0, 5) == 0) {
    ids = fmt::format("device_ids=({})", fmt::join(mesh.devices, ","));
  }
  const bool inside = !ids.empty() && pick(random, 0, 3) == 0;
  out += (inside ? "," + ids : "") + "]" + (ids.empty() || inside ? "" : ", " + ids);
  std::map<Use, std::vector<std::string>> lists;
  for (const auto& [part, use] : mesh.rest) {
    if (use != Use::replicated || pick(random, 0, 3) == 0) lists[use].push_back(reference(part));
  }
  std::vector<std::string> pieces;
  if (!mesh.dims.empty() || lists.empty() || pick(random, 0, 1) == 0) {
    std::vector<std::string> dims;
    for (const auto& dim : mesh.dims) {
      std::vector<std::string> refs;
      for (const Part& part : dim) refs.push_back(reference(part));
      if (pick(random, 0, 4) == 0) refs.emplace_back("?");
      dims.push_back("{" + fmt::format("{}", fmt::join(refs, ", ")) + "}");
    }
    pieces.push_back("[" + fmt::format("{}", fmt::join(dims, ", ")) + "]");
  }
  if (mesh.dims.empty() && lists.empty() && pick(random, 0, 1) == 0) pieces = {"replicated"};
  for (const auto& [use, refs] : lists) {
    const std::string reductions[] = {"", "sum", "max", "min"};
    const std::string word = use == Use::replicated ? "replicated="
                             : use == Use::manual   ? "manual="
                                                    : "unreduced=" + reductions[pick(random, 0, 3)];
    pieces.push_back(word + "{" + fmt::format("{}", fmt::join(refs, ", ")) + "}");
  }
  if (pick(random, 0, 5) == 0) pieces.emplace_back(R"(metadata={{op_name="a}\"b"}, {op_name="c"}})");
  const bool comma = pick(random, 0, 3) > 0;
  return out + (comma ? ", " : " ") + fmt::format("{}", fmt::join(pieces, ", ")) + "}";
}

// Device k of the definition: the parts of its position, and so the shard of each dimension.
struct Place {
  Index device = 0;
  Indices shard;
};

std::vector<Place> places_of(const MeshCase& mesh) {
  std::vector<Place> out;
  for (std::size_t position = 0; position < mesh.devices.size(); ++position) {
    Indices coordinates(mesh.sizes.size());
    auto rest = static_cast<Index>(position);
    for (std::size_t a = mesh.sizes.size(); a-- > 0; rest /= mesh.sizes[a])
      coordinates[a] = rest % mesh.sizes[a];
    Place place{.device = mesh.devices[position], .shard = {}};
    for (const auto& dim : mesh.dims) {
      Index shard = 0;
      for (const Part& part : dim) {
        const Index inner = mesh.sizes[part.axis] / (part.pre * part.size);
        shard = shard * part.size + coordinates[part.axis] / inner % part.size;
      }
      place.shard.push_back(shard);
    }
    out.push_back(std::move(place));
  }
  return out;
}

// The shards of a sharding that was read, by device.
std::vector<Place> places_of(const Sharding& sharding) {
  std::vector<Place> out;
  const Indices devices = sharding.devices();
  for (std::size_t flat = 0; flat < devices.size(); ++flat) {
    Indices digits(sharding.tile_assignment().size());
    auto rest = static_cast<Index>(flat);
    for (std::size_t i = digits.size(); i-- > 0; rest /= sharding.tile_assignment()[i])
      digits[i] = rest % sharding.tile_assignment()[i];
    digits.resize(sharding.rank());
    out.push_back({.device = devices[flat], .shard = std::move(digits)});
  }
  return out;
}

std::set<std::pair<Index, Indices>> as_set(const std::vector<Place>& places) {
  std::set<std::pair<Index, Indices>> out;
  for (const Place& place : places) out.emplace(place.device, place.shard);
  return out;
}

// Forms with the same devices: lists and properties in any order.
std::string other_spelling(const Sharding& sharding, std::mt19937_64& random) {
  if (sharding.kind() != Sharding::Kind::tiled) return to_string(sharding);
  constexpr std::string_view kWords[] = {"replicated", "manual", "maximal", "unreduced"};
  std::vector<std::string> pieces;
  const Indices devices = sharding.devices();
  if (devices.size() < 2) return to_string(sharding);
  pieces.push_back(fmt::format("devices=[{}]{}", fmt::join(sharding.tile_assignment(), ","),
                               fmt::join(devices, space(random) + ",")));
  std::vector<std::string> kinds;
  for (const SubgroupKind kind : sharding.subgroups())
    kinds.emplace_back(kWords[static_cast<std::size_t>(kind)]);
  if (!kinds.empty()) pieces.push_back("last_tile_dims={" + fmt::format("{}", fmt::join(kinds, ", ")) + "}");
  if (!sharding.extra.empty()) pieces.push_back(sharding.extra);
  if (sharding.extra.empty()) std::ranges::shuffle(pieces, random);
  return "{" + fmt::format("{}", fmt::join(pieces, " ")) + "}";
}

// The parameter of a program with this sharding is read without a word.
std::string in_program(const std::string& text, const Indices& dims) {
  const std::string source = fmt::format("ENTRY e {{\n  ROOT p = f32[{}] parameter(0), sharding={}\n}}\n",
                                         fmt::join(dims, ","), text);
  const ParsedModules parsed = parse_hlo(source);
  return parsed.diagnostics.empty() ? "" : to_string(parsed.diagnostics.front());
}

// An array with one index for each shard: the devices that hold an index are those of its shard. An array of
// any rank is whole on every device of a mesh that cuts nothing.
void check_holders(const MeshCase& mesh, const Distribution& distribution) {
  Indices shape;
  for (const auto& dim : mesh.dims) {
    shape.push_back(1);
    for (const Part& part : dim) shape.back() *= part.size;
  }
  const auto bound = bind_distribution(distribution, shape);
  ASSERT_TRUE(bound) << to_string(bound.error());
  std::map<Indices, std::set<Index>> wanted;
  for (const Place& place : places_of(mesh)) wanted[place.shard].insert(place.device);
  for (const auto& [index, devices] : wanted) {
    const auto found = holders(*bound, index);
    ASSERT_TRUE(found);
    std::set<Index> places;
    for (const ShardHolder& holder : *found) places.insert(holder.place);
    ASSERT_EQ(places, devices) << fmt::format("at {}", fmt::join(index, ","));
  }
}

void check(const MeshCase& mesh, const std::string& text, std::mt19937_64& random) {
  const auto read = parse_sharding(text);
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(parse_sharding(to_string(*read)), *read) << to_string(*read);
  const std::string other = other_spelling(*read, random);
  const auto listed = parse_sharding(other);
  ASSERT_TRUE(listed) << other << ": " << to_string(listed.error());
  ASSERT_EQ(listed->kind(), read->kind()) << other;
  ASSERT_EQ(listed->devices(), read->devices()) << other;
  ASSERT_TRUE(std::ranges::equal(listed->tile_assignment(), read->tile_assignment())) << other;
  ASSERT_TRUE(std::ranges::equal(listed->subgroups(), read->subgroups())) << other;
  ASSERT_EQ(listed->extra, read->extra) << other;
  if (read->kind() == Sharding::Kind::tiled) {
    ASSERT_EQ(read->rank(), mesh.dims.size());
    ASSERT_EQ(as_set(places_of(*read)), as_set(places_of(mesh)));
  } else {
    ASSERT_TRUE(mesh.dims.empty() || read->kind() == Sharding::Kind::maximal);
  }
  // A program takes it for an array of its rank and, if it cuts a dimension, for no other.
  const Indices dims(mesh.dims.size(), 12);
  ASSERT_EQ(in_program(text, dims), "");
  ASSERT_EQ(in_program(to_string(*read), dims), "");
  if (read->kind() == Sharding::Kind::tiled && read->rank() > 0) {
    Indices longer = dims;
    longer.push_back(12);
    ASSERT_NE(in_program(text, longer), "");
  }
  // A distribution takes it unless it does not say who holds an element.
  const bool partial =
      std::ranges::any_of(mesh.rest, [](const auto& one) { return one.second != Use::replicated; });
  const auto distribution = parse_distribution(text);
  if (partial) {
    ASSERT_FALSE(distribution);
    ASSERT_EQ(distribution.error().code, Code::no_static_map);
    return;
  }
  ASSERT_TRUE(distribution) << to_string(distribution.error());
  check_holders(mesh, *distribution);
  const auto canonical = parse_distribution(to_string(*distribution));
  ASSERT_TRUE(canonical) << to_string(*distribution);
  check_holders(mesh, *canonical);
  if (read->kind() != Sharding::Kind::tiled) return;  // {replicated} does not say which devices there are
  const auto again = parse_distribution(to_string(*read));
  ASSERT_TRUE(again) << to_string(again.error());
  ASSERT_EQ(to_string(*distribution), to_string(*again));
}

TEST(Shardings, EveryFormIsReadAlikeByProgramsAndDistributions) {
  const std::uint64_t first = seed(70000);
  const std::uint64_t count = environment("TESSERA_LAW_CASES", 3000);
  for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
    std::mt19937_64 random(first + i);
    const MeshCase mesh = random_mesh(random);
    const std::string text = mesh_text(mesh, random);
    SCOPED_TRACE(fmt::format("TESSERA_SEED={}: {}", first + i, text));
    check(mesh, text, random);
  }
}

// A text with one changed character is right for both, or wrong for both.
TEST(Shardings, ProgramsAndDistributionsFindTheSameMistakes) {
  constexpr std::string_view kChars = "0123{}[]()=,:'<T? abmrx*/\"";
  const std::uint64_t first = seed(72000);
  const std::uint64_t count = environment("TESSERA_LAW_CASES", 3000);
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
    std::mt19937_64 random(first + i);
    std::string text = mesh_text(random_mesh(random), random);
    if (const auto read = parse_sharding(text); read && pick(random, 0, 1) == 0)
      text = other_spelling(*read, random);
    if (text.find("metadata") != std::string::npos) continue;  // kept as written, not read
    const auto at = static_cast<std::size_t>(pick(random, 1, std::ssize(text) - 2));
    const char other = kChars[random() % kChars.size()];
    const Index change = pick(random, 0, 2);
    text.replace(at, change < 2 ? 1 : 0, change > 0 ? 1 : 0, other);
    SCOPED_TRACE(fmt::format("TESSERA_SEED={}: {}", first + i, text));
    const auto read = parse_sharding(text);
    // An array of any rank takes a sharding that cuts nothing.
    const std::size_t rank = read && read->kind() == Sharding::Kind::tiled ? read->rank() : 1;
    const bool in_programs = in_program(text, Indices(rank, 12)).empty();
    const auto distribution = parse_distribution(text);
    const Code code = distribution ? Code::no_static_map : distribution.error().code;
    EXPECT_EQ(in_programs, read.has_value());
    EXPECT_TRUE(in_programs || !distribution) << to_string(*distribution);
    EXPECT_TRUE(!in_programs || code == Code::no_static_map || code == Code::limit);
    ++(in_programs ? right : wrong);
  }
  EXPECT_GT(right * 20, count);
  EXPECT_GT(wrong * 20, count);
}

// A device that occurs twice is refused by both, whatever the form.
TEST(Shardings, ADeviceTwiceIsRefused) {
  std::mt19937_64 random(seed(71000));
  for (int i = 0; i < 500; ++i) {
    Indices devices(static_cast<std::size_t>(pick(random, 2, 6)));
    std::iota(devices.begin(), devices.end(), Index{0});
    devices[0] = devices[static_cast<std::size_t>(pick(random, 1, std::ssize(devices) - 1))];
    std::ranges::shuffle(devices, random);
    const std::string list = fmt::format("{}", fmt::join(devices, ","));
    for (const std::string& text :
         {fmt::format("{{devices=[{}]{}}}", devices.size(), list),
          fmt::format("{{mesh['x'={}], device_ids=({}), [{{'x'}}]}}", devices.size(), list)}) {
      SCOPED_TRACE(text);
      EXPECT_EQ(parse_sharding(text).error().code, Code::device_count);
      EXPECT_EQ(parse_distribution(text).error().code, Code::device_count);
      EXPECT_NE(in_program(text, {12}), "");
    }
  }
}

}  // namespace
}  // namespace tessera::laws::shardings
