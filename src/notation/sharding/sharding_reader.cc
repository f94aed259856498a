// SPDX-License-Identifier: Apache-2.0
#include "notation/sharding/sharding_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace tessera::detail {

Failure ShardingReader::unknown(std::string_view word, std::string_view what) {
  pos_ -= word.size();
  if (word.empty()) return expected(what);
  newer_ = std::string(word);
  return fail(Code::syntax, fmt::format("expected {}, found '{}'", what, word),
              span(pos_, pos_ + word.size()));
}

Result<Sharding> ShardingReader::one() {
  const std::size_t begin = next();
  if (!accept("{")) return expected("'{' and a sharding");
  Parts parts;
  do {
    TESSERA_NEED(part(parts));
    accept(",");
  } while (next() < text_.size() && here() != '}');
  if (!accept("}")) return expected("'}'");
  Result<Sharding> out = Sharding();
  if (parts.sharding) {
    out = *std::move(parts.sharding);
  } else if (parts.iota) {
    out = Sharding::tiled(std::move(parts.assignment), *std::move(parts.iota), std::move(parts.subgroups));
  } else if (!parts.assignment.empty()) {
    out = Sharding::tiled(std::move(parts.assignment), std::move(parts.list), std::move(parts.subgroups));
  } else {
    pos_ = begin + 1;
    return expected("devices=[...], replicated, maximal, manual, unknown, unreduced or mesh[...]");
  }
  if (!out) {
    if (out.error().span == Span{}) out.error().span = span(begin, pos_);
    return out;
  }
  out->extra = std::move(parts.extra);
  return out;
}

Result<std::vector<Sharding>> ShardingReader::several() {
  std::vector<Sharding> all;
  const std::size_t begin = next();
  if (!accept("{")) return expected("'{' and a sharding");
  next();
  tuple_ = here() == '{' || here() == '}';
  if (accept("}")) return all;
  if (!tuple_) pos_ = begin;
  do {
    const std::size_t first = next();
    TESSERA_TRY(sharding, one());
    spans_.push_back(span(first, pos_));
    all.push_back(std::move(sharding));
  } while (tuple_ && accept(","));
  if (tuple_ && !accept("}")) return expected("',' or '}'");
  return all;
}

// The words come in any order, as XLA reads them.
Result<void> ShardingReader::part(Parts& parts) {
  const std::size_t begin = next();
  const std::string_view read = word();
  if (read == "replicated") return kind(parts, Sharding(Sharding::Kind::replicated), begin);
  if (read == "manual") return kind(parts, Sharding(Sharding::Kind::manual), begin);
  if (read == "unknown") return kind(parts, Sharding(Sharding::Kind::unknown), begin);
  if (read == "unreduced") return kind(parts, Sharding(Sharding::Kind::unreduced), begin);
  if (read == "maximal") {
    if (!accept("device=")) return expected("'device=' and a number");
    TESSERA_TRY(device, integer());
    return kind(parts, Sharding::maximal(device), begin);
  }
  if (read == "maximal_mesh") {
    if (!accept("[device_id=")) return expected("'[device_id=' and a number");
    TESSERA_TRY(device, integer());
    if (!accept("]")) return expected("']'");
    return kind(parts, Sharding::maximal(device), begin);
  }
  if (read == "devices" && accept("=")) {
    if (parts.sharding || !parts.assignment.empty()) return kind(parts, Sharding(), begin);
    return tiles(parts);
  }
  if (read == "mesh") {
    auto sharding = over_mesh(parts.extra);
    if (sharding) return kind(parts, *std::move(sharding), begin);
    Span& at = sharding.error().span;
    if (sharding.error().code == Code::syntax && at.begin < text_.size() && !newer_) {
      while (at.end < text_.size() && is_word(text_[at.begin]) && is_word(text_[at.end])) ++at.end;
      newer_ = std::string(text_.substr(at.begin, at.end - at.begin));
    }
    return fail(std::move(sharding).error());
  }
  if (read == "last_tile_dim_replicate") {
    parts.subgroups = {SubgroupKind::replicated};
    return {};
  }
  if (read == "last_tile_dims") {
    TESSERA_TRY(subgroups, subgroup_kinds());
    parts.subgroups = std::move(subgroups);
    return {};
  }
  if (read == "shard_as" || read == "shard_like" || read == "metadata") return keep(parts.extra, read);
  const bool first = !parts.sharding && parts.assignment.empty();
  return unknown(read, first ? "devices=[...], replicated, maximal, manual, unknown, unreduced or mesh[...]"
                             : "'}', last_tile_dims=, shard_as, shard_like or metadata=");
}

Result<void> ShardingReader::kind(Parts& parts, Sharding sharding, std::size_t begin) {
  if (parts.sharding || !parts.assignment.empty())
    return fail(Code::syntax, "a sharding has one kind, but this is its second", span(begin, pos_));
  parts.sharding = std::move(sharding);
  return {};
}

// [2,1] and 0,1 or <=[2] or <=[4,2]T(1,0)
Result<void> ShardingReader::tiles(Parts& parts) {
  TESSERA_TRY(assignment, bracketed("[", "]"));
  parts.assignment = std::move(assignment);
  if (!accept("<=")) {
    TESSERA_TRY(list, integers());
    parts.list = std::move(list);
    return {};
  }
  TESSERA_TRY(reshape, bracketed("[", "]"));
  IotaDevices devices{.reshape = std::move(reshape), .transpose = {0}};
  const std::size_t begin = next();
  if (devices.reshape.size() > 1 || accept("T(")) {
    pos_ = begin;
    TESSERA_TRY(transpose, bracketed("T(", ")"));
    if (devices.reshape.size() == 1 && transpose.size() == 1) {
      pos_ = begin;
      return expected("'}' or a word: one dimension has no T(...)");
    }
    devices.transpose = std::move(transpose);
  }
  parts.iota = std::move(devices);
  return {};
}

Result<std::vector<SubgroupKind>> ShardingReader::subgroup_kinds() {
  if (!accept("={")) return expected("'={' and the kinds of the last dimensions");
  std::vector<SubgroupKind> kinds;
  while (!accept("}")) {
    next();
    const std::string_view read = word();
    const auto* const name = std::ranges::find(kSubgroupNames, read);
    if (name == std::end(kSubgroupNames)) return unknown(read, "replicated, manual, maximal or unreduced");
    kinds.push_back(static_cast<SubgroupKind>(name - std::begin(kSubgroupNames)));
    TESSERA_NEED(separator('}'));
  }
  return kinds;
}

// ['x'=2,'y'=4], device_ids=(...), and then the axes of each dimension and those of each kind, or one kind
// for all axes. If nothing is cut, XLA leaves the dimensions out.
Result<Sharding> ShardingReader::over_mesh(std::string& extra) {
  const std::size_t begin = next();
  TESSERA_TRY(mesh, MeshScanner::mesh());
  accept(",");
  std::vector<SubAxis> used;
  std::vector<std::vector<SubAxis>> dims;
  std::vector<MeshSubgroup> listed;
  bool more = true;
  if (next(); here() == '[') {
    TESSERA_TRY(read, dimensions(mesh, used));
    dims = std::move(read);
    more = accept(",");
  }
  for (; more; more = accept(",")) {
    next();
    const std::string_view read = word();
    if (read == "metadata") {
      TESSERA_NEED(keep(extra, read));
      continue;
    }
    pos_ -= read.size();
    TESSERA_TRY(subgroup, mesh_subgroup(mesh, used));
    listed.push_back(std::move(subgroup));
  }
  auto sharding = mesh_sharding(mesh, dims, listed);
  if (!sharding && sharding.error().span == Span{}) sharding.error().span = span(begin, pos_);
  over_ = std::move(mesh);
  return sharding;
}

// [{'x'}, {'y':(2)2, ?}, {}]
Result<std::vector<std::vector<SubAxis>>> ShardingReader::dimensions(const NamedMesh& mesh,
                                                                     std::vector<SubAxis>& used) {
  std::vector<std::vector<SubAxis>> dims;
  if (!accept("[")) return expected("'[' and the axes of each dimension");
  while (!accept("]")) {
    if (!accept("{")) return expected("'{' and the axes of a dimension");
    std::vector<SubAxis>& dim = dims.emplace_back();
    while (!accept("}")) {
      if (!accept("?")) {  // the dimension may be cut further, which changes nothing here
        TESSERA_TRY(part, axis(mesh, used));
        dim.push_back(part);
      }
      TESSERA_NEED(separator('}'));
    }
    TESSERA_NEED(separator(']'));
  }
  return dims;
}

// replicated={'y'}, manual={...}, unreduced={...}, unreduced=max{...}, or one kind of all axes.
Result<MeshSubgroup> ShardingReader::mesh_subgroup(const NamedMesh& mesh, std::vector<SubAxis>& used) {
  next();
  const std::string_view read = word();
  const auto* const name = std::ranges::find(kSubgroupNames, read);
  const auto kind = static_cast<SubgroupKind>(name - std::begin(kSubgroupNames));
  if (name == std::end(kSubgroupNames) || kind == SubgroupKind::maximal)
    return unknown(read, "replicated, unreduced, manual or metadata=");
  MeshSubgroup out{.kind = kind};
  bool all = !accept("=");
  if (!all && kind == SubgroupKind::unreduced) {
    // How the partial values are reduced does not matter to who holds them.
    next();
    const std::string_view reduction = word();
    if (!reduction.empty() && reduction != "sum" && reduction != "max" && reduction != "min")
      return unknown(reduction, "sum, max, min or '{'");
    all = !reduction.empty() && !accept("=") && (next(), here() != '{');
  }
  if (!all) {
    TESSERA_TRY(listed, axes(mesh, used));
    out.axes = std::move(listed);
    return out;
  }
  if (!used.empty()) return expected("'={' and axes");
  for (std::size_t a = 0; a < mesh.axes.size(); ++a)
    used.push_back({.axis = a, .pre = 1, .size = mesh.sizes[a]});
  out.axes = used;
  return out;
}

// shard_as 3, metadata={op_name="..."}: kept as written.
Result<void> ShardingReader::keep(std::string& extra, std::string_view word) {
  const std::size_t begin = pos_ - word.size();
  if (word == "metadata") {
    if (!accept("=")) return expected("'={'");
    TESSERA_NEED(skip_braces());
  } else {
    TESSERA_NEED(integer());
  }
  if (!extra.empty()) extra += ' ';
  extra += text_.substr(begin, pos_ - begin);
  return {};
}

}  // namespace tessera::detail
