// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "notation/sharding/iota.h"
#include "tessera/notation/sharding.h"
#include "text/scanner.h"

namespace tessera {
namespace {

constexpr std::string_view kSubgroupNames[] = {"replicated", "manual", "maximal", "unreduced"};

// A part of a mesh axis: `pre` positions outside it, `size` positions in it.
struct SubAxis {
  std::string name;
  Index pre = 1;
  Index size = 1;
};

// The axes of a mesh that are listed for one kind of subgroup.
struct MeshSubgroup {
  SubgroupKind kind = SubgroupKind::replicated;
  std::vector<SubAxis> axes;
};

class ShardingReader : public detail::Scanner {
 public:
  using Scanner::Scanner;

  Result<Sharding> one() {
    const std::size_t begin = next();
    if (!accept("{")) return expected("'{' and a sharding");
    auto sharding = body();
    if (sharding) {
      if (const auto known = check_extra(); !known) return fail(known.error());
      sharding->extra = rest_of_braces();
      if (!accept("}")) return expected("'}'");
    } else if (sharding.error().span == Span{}) {
      sharding.error().span = span(begin, pos_);
    }
    return sharding;
  }

  Result<std::vector<Sharding>> several() {
    std::vector<Sharding> all;
    const std::size_t begin = next();
    if (!accept("{")) return expected("'{' and a sharding");
    if (accept("}")) return all;
    if (next() < text_.size() && text_[pos_] == '{') {
      do {
        auto sharding = one();
        if (!sharding) return fail(sharding.error());
        all.push_back(std::move(*sharding));
      } while (accept(","));
      if (!accept("}")) return expected("',' or '}'");
      return all;
    }
    pos_ = begin;
    auto sharding = one();
    if (!sharding) return fail(sharding.error());
    all.push_back(std::move(*sharding));
    return all;
  }

 private:
  Result<std::vector<Index>> integers() {
    std::vector<Index> values;
    do {
      const auto value = integer();
      if (!value) return fail(value.error());
      values.push_back(*value);
    } while (accept(","));
    return values;
  }

  Result<std::vector<Index>> bracketed(std::string_view open, std::string_view close) {
    if (!accept(open)) return expected(fmt::format("'{}'", open));
    auto values = integers();
    if (values && !accept(close)) return expected(fmt::format("',' or '{}'", close));
    return values;
  }

  Result<Sharding> body() {
    if (accept("replicated")) return Sharding(Sharding::Kind::replicated);
    if (accept("manual")) return Sharding(Sharding::Kind::manual);
    if (accept("unknown")) return Sharding(Sharding::Kind::unknown);
    if (accept("unreduced")) return Sharding(Sharding::Kind::unreduced);
    if (accept("maximal_mesh[")) {
      if (!accept("device_id=")) return expected("'device_id=' and a number");
      const auto device = integer();
      if (!device) return fail(device.error());
      if (!accept("]")) return expected("']'");
      return Sharding::maximal(*device);
    }
    if (accept("maximal")) {
      if (!accept("device=")) return expected("'device=' and a number");
      const auto device = integer();
      if (!device) return fail(device.error());
      return Sharding::maximal(*device);
    }
    if (accept("devices=")) return tiled();
    if (accept("mesh[")) return mesh();
    return expected(
        "replicated, maximal, manual, unknown, unreduced, devices=[...], mesh[...] or maximal_mesh[...]");
  }

  Result<Sharding> tiled() {
    auto assignment = bracketed("[", "]");
    if (!assignment) return fail(assignment.error());
    if (accept("<=")) {
      IotaDevices devices;
      auto reshape = bracketed("[", "]");
      if (!reshape) return fail(reshape.error());
      devices.reshape = std::move(*reshape);
      devices.transpose = {0};
      if (devices.reshape.size() > 1) {
        auto transpose = bracketed("T(", ")");
        if (!transpose) return fail(transpose.error());
        devices.transpose = std::move(*transpose);
      }
      const auto subgroups = subgroup_kinds();
      if (!subgroups) return fail(subgroups.error());
      return Sharding::tiled(std::move(*assignment), std::move(devices), *subgroups);
    }
    auto devices = integers();
    if (!devices) return fail(devices.error());
    const auto subgroups = subgroup_kinds();
    if (!subgroups) return fail(subgroups.error());
    return Sharding::tiled(std::move(*assignment), std::move(*devices), *subgroups);
  }

  Result<std::vector<SubgroupKind>> subgroup_kinds() {
    if (accept("last_tile_dim_replicate")) return std::vector{SubgroupKind::replicated};
    std::vector<SubgroupKind> kinds;
    if (!accept("last_tile_dims={")) return kinds;
    do {
      std::size_t k = 0;
      while (k < std::size(kSubgroupNames) && !accept(kSubgroupNames[k])) ++k;
      if (k == std::size(kSubgroupNames)) return expected("replicated, manual, maximal or unreduced");
      kinds.push_back(static_cast<SubgroupKind>(k));
    } while (accept(","));
    if (!accept("}")) return expected("',' or '}'");
    return kinds;
  }

  Result<std::string> axis_name() {
    const std::size_t begin = next();
    const char quote = begin < text_.size() ? text_[begin] : ' ';
    if (quote != '\'' && quote != '"') return expected("a quoted axis name");
    const std::size_t close = text_.find(quote, begin + 1);
    if (close == std::string_view::npos) return expected("a closing quote");
    pos_ = close + 1;
    return std::string(text_.substr(begin + 1, close - begin - 1));
  }

  // Accepts a comma, or stops before the end of the list.
  Result<void> separator(char close) {
    if (accept(",") || (next() < text_.size() && text_[pos_] == close)) return {};
    return expected(fmt::format("',' or '{}'", close));
  }

  // Reads `'x'` or `'x':(pre)size`.
  Result<SubAxis> axis_reference(const std::map<std::string, std::size_t>& places,
                                 std::span<const Index> sizes) {
    const std::size_t begin = next();
    auto name = axis_name();
    if (!name) return fail(name.error());
    const auto place = places.find(*name);
    if (place == places.end()) {
      return fail(Code::unknown_name, fmt::format("the mesh has no axis '{}'", *name), span(begin, pos_));
    }
    SubAxis axis{std::move(*name), 1, sizes[place->second]};
    if (accept(":(")) {
      const auto pre = integer();
      if (!pre) return fail(pre.error());
      if (!accept(")")) return expected("')'");
      const auto size = integer();
      if (!size) return fail(size.error());
      axis.pre = *pre;
      axis.size = *size;
      const auto used = checked_mul(axis.pre, axis.size);
      if (axis.pre < 1 || axis.size < 1 || !used || sizes[place->second] % *used != 0) {
        return fail(
            Code::number_range,
            fmt::format("({}){} does not divide the size of the axis, {}", *pre, *size, sizes[place->second]),
            span(begin, pos_));
      }
    }
    return axis;
  }

  // Reads the form over a mesh. Cuts each mesh axis where the references cut it. Axes in use come first, in
  // the order of the dimensions; the rest replicate.
  Result<Sharding> mesh() {
    std::map<std::string, std::size_t> places;
    std::vector<Index> sizes;
    while (!accept("]")) {
      const std::size_t begin = next();
      auto name = axis_name();
      if (!name) return fail(name.error());
      if (!accept("=")) return expected("'=' and the size of the axis");
      const auto size = integer();
      if (!size) return fail(size.error());
      if (!places.emplace(*name, sizes.size()).second) {
        return fail(Code::duplicate_name, fmt::format("axis '{}' is already defined", *name),
                    span(begin, pos_), "rename one of the two");
      }
      sizes.push_back(*size);
      if (const auto more = separator(']'); !more) return fail(more.error());
    }
    std::vector<Index> device_ids;
    if (!accept(",")) return expected("',' and the axes of each dimension");
    if (accept("device_ids=")) {
      auto ids = mesh_devices(sizes);
      if (!ids) return fail(ids.error());
      device_ids = std::move(*ids);
      if (!accept(",")) return expected("',' and the axes of each dimension");
    }
    if (accept("replicated")) return Sharding(Sharding::Kind::replicated);
    if (accept("unreduced")) return Sharding(Sharding::Kind::unreduced);
    if (!accept("[")) return expected("'[' and the axes of each dimension");
    std::vector<std::vector<SubAxis>> dims;
    while (!accept("]")) {
      if (!accept("{")) return expected("'{' and the axes of a dimension");
      dims.emplace_back();
      while (!accept("}")) {
        if (accept("?")) {  // the dimension may be cut further, which changes nothing here
          if (const auto more = separator('}'); !more) return fail(more.error());
          continue;
        }
        const std::size_t begin = next();
        auto axis = axis_reference(places, sizes);
        if (!axis) return fail(axis.error());
        for (const auto& other : dims) {
          for (const SubAxis& used : other) {
            if (used.name == axis->name && used.pre < axis->pre * axis->size &&
                axis->pre < used.pre * used.size) {
              return fail(Code::duplicate_name, fmt::format("axis '{}' is used twice", axis->name),
                          span(begin, pos_));
            }
          }
        }
        dims.back().push_back(std::move(*axis));
        if (const auto more = separator('}'); !more) return fail(more.error());
      }
      if (const auto more = separator(']'); !more) return fail(more.error());
    }
    std::vector<MeshSubgroup> subgroups;
    while (accept(",")) {
      auto subgroup = mesh_subgroup(places, sizes);
      if (!subgroup) return fail(subgroup.error());
      subgroups.push_back(std::move(*subgroup));
    }
    auto sharding = from_mesh(places, sizes, dims, subgroups);
    if (!sharding || device_ids.empty() || sharding->kind() != Sharding::Kind::tiled) return sharding;
    return on_devices(*sharding, device_ids);
  }

  // The device of each position of the mesh: an iota or a list.
  Result<std::vector<Index>> mesh_devices(std::span<const Index> sizes) {
    const std::size_t begin = next();
    if (!accept("(")) return expected("'('");
    Index total = 1;
    for (const Index size : sizes) {
      if (size < 1 || mul_overflows(total, size, total) || total > kMostOwners) {
        return fail(Code::limit, fmt::format("device_ids lists more than {} devices", kMostOwners),
                    span(begin, pos_));
      }
    }
    std::vector<Index> ids;
    if (accept("[")) {
      IotaDevices devices;
      do {
        const auto extent = integer();
        if (!extent) return fail(extent.error());
        devices.transpose.push_back(static_cast<Index>(devices.reshape.size()));
        devices.reshape.push_back(*extent);
      } while (accept(","));
      if (!accept("]")) return expected("',' or ']'");
      if (accept("T(")) {
        auto transpose = integers();
        if (!transpose) return fail(transpose.error());
        devices.transpose = std::move(*transpose);
        if (!accept(")")) return expected("',' or ')'");
      }
      const auto order = Sharding::tiled({total}, std::move(devices), {});
      if (!order) {
        Diagnostic error = order.error();
        error.span = span(begin, pos_);
        return fail(std::move(error));
      }
      ids = order->devices();
    } else {
      auto list = integers();
      if (!list) return fail(list.error());
      ids = std::move(*list);
    }
    if (!accept(")")) return expected("',' or ')'");
    if (static_cast<Index>(ids.size()) != total) {
      return fail(Code::device_count,
                  fmt::format("device_ids lists {}, but the mesh has {}", ids.size(), total),
                  span(begin, pos_));
    }
    std::vector<Index> sorted = ids;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      return fail(Code::device_count, fmt::format("device {} occurs twice", *twice), span(begin, pos_));
    return ids;
  }

  // `replicated={'y'}`, `manual={...}`, `unreduced={...}`, `unreduced=sum={...}`.
  Result<MeshSubgroup> mesh_subgroup(const std::map<std::string, std::size_t>& places,
                                     std::span<const Index> sizes) {
    MeshSubgroup subgroup;
    if (accept("unreduced")) {
      subgroup.kind = SubgroupKind::unreduced;
      for (const std::string_view sum : {"=sum", "=max", "=min"}) {
        if (accept(sum)) break;
      }
    } else if (accept("manual")) {
      subgroup.kind = SubgroupKind::manual;
    } else if (!accept("replicated")) {
      return expected("replicated, unreduced or manual");
    }
    if (!accept("={")) return expected("'={' and axes");
    while (!accept("}")) {
      auto axis = axis_reference(places, sizes);
      if (!axis) return fail(axis.error());
      subgroup.axes.push_back(std::move(*axis));
      if (const auto more = separator('}'); !more) return fail(more.error());
    }
    return subgroup;
  }

  // The same assignment for a mesh whose position i is device ids[i].
  static Result<Sharding> on_devices(const Sharding& sharding, std::span<const Index> ids) {
    std::vector<Index> devices;
    for (const Index position : sharding.devices())
      devices.push_back(ids[static_cast<std::size_t>(position)]);
    std::vector<Index> assignment(sharding.tile_assignment().begin(), sharding.tile_assignment().end());
    std::vector<SubgroupKind> subgroups(sharding.subgroups().begin(), sharding.subgroups().end());
    if (auto iota = detail::iota_of(devices))
      return Sharding::tiled(std::move(assignment), std::move(*iota), std::move(subgroups));
    return Sharding::tiled(std::move(assignment), std::move(devices), std::move(subgroups));
  }

  static Result<Sharding> from_mesh(const std::map<std::string, std::size_t>& places,
                                    std::span<const Index> sizes,
                                    const std::vector<std::vector<SubAxis>>& dims,
                                    const std::vector<MeshSubgroup>& listed) {
    Index total = 1;
    for (const Index size : sizes) {
      if (size < 1 || mul_overflows(total, size, total)) {
        return fail(Code::overflow, "the number of devices must be positive and fit in 64 bits");
      }
    }
    // The factors of each axis between its cut points, most major first.
    IotaDevices devices;
    std::map<std::pair<std::string, Index>, std::size_t>
        factor;  // (axis, positions outside) -> position in reshape
    std::vector<std::string> by_place(sizes.size());
    for (const auto& [name, place] : places) by_place[place] = name;
    for (std::size_t a = 0; a < sizes.size(); ++a) {
      std::vector<Index> cuts = {1, sizes[a]};
      for (const auto& dim : dims) {
        for (const SubAxis& axis : dim) {
          if (axis.name == by_place[a]) cuts.insert(cuts.end(), {axis.pre, axis.pre * axis.size});
        }
      }
      for (const MeshSubgroup& subgroup : listed) {
        for (const SubAxis& axis : subgroup.axes) {
          if (subgroup.kind != SubgroupKind::replicated && axis.name == by_place[a])
            cuts.insert(cuts.end(), {axis.pre, axis.pre * axis.size});
        }
      }
      std::ranges::sort(cuts);
      cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        if (cuts[i + 1] % cuts[i] != 0) {
          return fail(Code::number_range,
                      fmt::format("the sub-axes of axis '{}' do not fit into one factorization of the axis",
                                  by_place[a]));
        }
        factor[{by_place[a], cuts[i]}] = devices.reshape.size();
        devices.reshape.push_back(cuts[i + 1] / cuts[i]);
      }
    }
    std::vector<Index> assignment;
    std::vector<bool> used(devices.reshape.size(), false);
    for (const auto& dim : dims) {
      Index shards = 1;
      for (const SubAxis& axis : dim) {
        for (Index outside = axis.pre; outside < axis.pre * axis.size;) {
          const std::size_t place = factor.at({axis.name, outside});
          devices.transpose.push_back(static_cast<Index>(place));
          used[place] = true;
          outside *= devices.reshape[place];
        }
        shards *= axis.size;
      }
      assignment.push_back(shards);
    }
    // Axes that no dimension uses replicate, unless they are listed otherwise.
    std::vector<SubgroupKind> kinds(used.size(), SubgroupKind::replicated);
    for (const MeshSubgroup& subgroup : listed) {
      for (const SubAxis& axis : subgroup.axes) {
        for (Index outside = axis.pre; outside < axis.pre * axis.size;) {
          const auto place = factor.find({axis.name, outside});
          if (place == factor.end()) break;
          kinds[place->second] = subgroup.kind;
          outside *= devices.reshape[place->second];
        }
      }
    }
    std::vector<SubgroupKind> subgroups;
    for (const SubgroupKind kind :
         {SubgroupKind::replicated, SubgroupKind::manual, SubgroupKind::unreduced}) {
      Index rest = 1;
      for (std::size_t place = 0; place < used.size(); ++place) {
        if (used[place] || kinds[place] != kind) continue;
        devices.transpose.push_back(static_cast<Index>(place));
        rest *= devices.reshape[place];
      }
      if (rest == 1) continue;
      assignment.push_back(rest);
      subgroups.push_back(kind);
    }
    if (devices.reshape.empty()) return Sharding(Sharding::Kind::replicated);
    return Sharding::tiled(std::move(assignment), std::move(devices), std::move(subgroups));
  }

  // Rejects anything else: a misspelled last_tile_dim_replicate would change the sharding.
  Result<void> check_extra() {
    const std::string_view rest = text_.substr(next());
    for (const std::string_view word : {"}", "shard_as ", "shard_like ", "metadata="}) {
      if (rest.starts_with(word)) return {};
    }
    return expected("'}', shard_as, shard_like or metadata=");
  }

  // The text up to the closing brace, verbatim; braces inside it must balance, and braces in strings do not
  // count.
  std::string rest_of_braces() {
    const std::size_t begin = next();
    int depth = 0;
    char quote = 0;
    for (; pos_ < text_.size(); ++pos_) {
      const char c = text_[pos_];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && depth-- == 0) {
        break;
      }
    }
    std::string_view extra = text_.substr(begin, pos_ - begin);
    while (!extra.empty() && extra.back() == ' ') extra.remove_suffix(1);
    return std::string(extra);
  }
};

}  // namespace

Result<Sharding> parse_sharding(std::string_view text) {
  ShardingReader reader(text);
  auto sharding = reader.one();
  if (!sharding) return sharding;
  if (const auto end = reader.end("the end of the sharding"); !end) return fail(end.error());
  return sharding;
}

Result<std::vector<Sharding>> parse_shardings(std::string_view text) {
  ShardingReader reader(text);
  auto all = reader.several();
  if (!all) return all;
  if (const auto end = reader.end("the end of the sharding"); !end) return fail(end.error());
  return all;
}

std::string to_string(const Sharding& sharding) {
  const std::string extra = sharding.extra.empty() ? "" : " " + sharding.extra;
  switch (sharding.kind()) {
    case Sharding::Kind::replicated:
      return "{replicated" + extra + "}";
    case Sharding::Kind::manual:
      return "{manual" + extra + "}";
    case Sharding::Kind::unknown:
      return "{unknown" + extra + "}";
    case Sharding::Kind::unreduced:
      return "{unreduced" + extra + "}";
    case Sharding::Kind::maximal:
      return fmt::format("{{maximal device={}{}}}", sharding.device(), extra);
    case Sharding::Kind::tiled:
      break;
  }
  std::string text = fmt::format("{{devices=[{}]", fmt::join(sharding.tile_assignment(), ","));
  if (const auto& iota = sharding.iota()) {
    text += fmt::format("<=[{}]", fmt::join(iota->reshape, ","));
    if (iota->reshape.size() > 1) text += fmt::format("T({})", fmt::join(iota->transpose, ","));
  } else {
    text += fmt::format("{}", fmt::join(sharding.devices(), ","));
  }
  const auto subgroups = sharding.subgroups();
  if (subgroups.size() == 1 && subgroups[0] == SubgroupKind::replicated) {
    text += " last_tile_dim_replicate";
  } else if (!subgroups.empty()) {
    text += " last_tile_dims={";
    for (std::size_t i = 0; i < subgroups.size(); ++i) {
      text += (i > 0 ? "," : "") + std::string(kSubgroupNames[static_cast<std::size_t>(subgroups[i])]);
    }
    text += "}";
  }
  return text + extra + "}";
}

}  // namespace tessera
