// SPDX-License-Identifier: Apache-2.0
#include "verbs/triton_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "algebra/xor_rows.h"
#include "base/plural.h"
#include "base/try.h"
#include "notation/limits.h"
#include "notation/not_representable.h"
#include "notation/triton/basis_lists.h"
#include "tessera/notation/conversion.h"

namespace tessera::verbs {
namespace {

Result<TritonBases> register_bases(const Layout& from, const std::vector<Index>& tile, Index lanes) {
  int bits = 0;
  for (const Index extent : tile) {
    if (!triton::is_power_of_two(extent))
      return detail::not_representable("not_power_of_two",
                                       fmt::format("the extent {} is not a power of two", extent));
    bits += triton::log2_of(extent);
  }
  if (bits > detail::kNotationLimits.triton.element_bits)
    return fail(Code::limit, "the tile has more than 2^40 elements");
  const Index size = Index{1} << bits;
  if (from.rank() > 2 || from.rank() < 1)
    return fail(Code::rank_mismatch, "a layout of registers maps (thread, value) to an index of the tile");
  const Index threads = from.shape()[0];
  if (!triton::is_power_of_two(threads) || threads % lanes != 0)
    return detail::not_representable(
        "lanes", fmt::format("{} threads are not a power of two of warps of {}", threads, lanes));
  TESSERA_TRY(linear, convert(from, Notation::linear));
  const auto bases = linear.layout.linear()->bases();
  const auto lane_bits = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(lanes)));
  TritonBases out;
  out.shape = tile;
  out.inputs = {{"register", {}}, {"lane", {}}, {"warp", {}}, {"block", {}}};
  detail::XorRows reached;
  Index count = 1;  // of the elements that some register holds
  for (std::size_t d = 0; d < bases.size(); ++d) {
    for (std::size_t k = 0; k < bases[d].size(); ++k) {
      if (bases[d][k] >= size)
        return fail(Code::index_out_of_range,
                    fmt::format("index {} is outside the tile of {} elements", bases[d][k], size));
      const std::size_t input = d == 1 ? 0 : k < lane_bits ? 1 : 2;
      out.inputs[input].bases.push_back(triton::unflat(bases[d][k], tile));
      if (reached.add(bases[d][k]).value != 0) count *= 2;
    }
  }
  if (count != size)
    return fail(
        Code::shape_mismatch,
        fmt::format("the layout holds {}, but the tile has {}", detail::plural(count, "element"), size), {},
        "give the shape of the tile that the threads hold together");
  return out;
}

// The attribute that consists of the bases.
TritonAttribute of_bases(const TritonBases& bases, TritonKind kind) {
  TritonAttribute a{.kind = kind, .rank = std::ssize(bases.shape)};
  a.registers = bases.of("register");
  a.lanes = bases.of("lane");
  a.warps = bases.of("warp");
  a.blocks = bases.of("block");
  a.offsets = bases.of("offset");
  a.alignment = kind == TritonKind::shared_linear ? 16 : 0;
  return a;
}

Result<TritonAttribute> named(const TritonBases& bases, const TritonTarget& target, Index bits) {
  if (!target.any) {
    const TritonKind kind = target.kind;
    if (kind == TritonKind::linear || kind == TritonKind::generic_linear ||
        kind == TritonKind::shared_linear) {
      // As text, so that the rules of the kind are checked.
      const TritonAttribute made = of_bases(bases, kind);
      const auto read = parse_triton_layout(to_string(made));
      const auto map =
          read ? triton_bases(read->attribute, bases.shape) : Result<TritonBases>(fail(read.error()));
      if (map && map->inputs == bases.inputs) return read->attribute;
      return detail::not_representable("no_encoding",
                                       fmt::format("no {} layout has these bases", to_string(kind)));
    }
  }
  TESSERA_TRY(name, triton_name(bases, bits));
  if (!target.any && name.kind != target.kind)
    return detail::not_representable("no_encoding",
                                     fmt::format("no {} layout is found with these bases; {} has them",
                                                 to_string(target.kind), to_string(name)));
  return std::move(name);
}

}  // namespace

std::optional<TritonTarget> parse_triton_target(std::string_view word) {
  if (word == "gluon") return TritonTarget{.gluon = true};
  if (word == "ttg" || word == "triton") return TritonTarget{};
  if (!word.starts_with("ttg.")) return std::nullopt;
  word.remove_prefix(4);
  for (auto kind = TritonKind::blocked; kind <= TritonKind::partitioned_shared;
       kind = static_cast<TritonKind>(static_cast<int>(kind) + 1)) {
    if (word == to_string(kind)) return TritonTarget{.any = false, .kind = kind};
  }
  return std::nullopt;
}

Result<TritonLayout> to_triton(const Layout& from, const TritonTarget& target, const std::vector<Index>& tile,
                               Index lanes) {
  const auto* own = from.as<TritonLayout>();
  TritonLayout out;
  Index bits = from.element_bits().value_or(0);
  if (own != nullptr) {
    if (target.any) return *own;
    TESSERA_TRY(bases, triton_bases(*own));
    TESSERA_TRY(name, named(bases, target, bits));
    out = *own;
    out.attribute = std::move(name);
    return out;
  }
  if (!tile.empty()) {
    TESSERA_TRY(bases, register_bases(from, tile, lanes));
    TESSERA_TRY(name, named(bases, target, bits));
    out.attribute = std::move(name);
    out.shape = tile;
  } else {
    TESSERA_TRY(made, convert(from, Notation::triton));
    out = *made.layout.as<TritonLayout>();
    if (!target.any) {
      TESSERA_TRY(bases, triton_bases(out));
      TESSERA_TRY(name, named(bases, target, bits));
      out.attribute = std::move(name);
    }
  }
  out.form = TritonForm::shape;
  return out;
}

}  // namespace tessera::verbs
