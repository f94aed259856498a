// SPDX-License-Identifier: Apache-2.0
// The rules of register layouts, kind by kind.
#include "notation/triton/make_registers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "notation/triton/attribute_fields.h"

namespace tessera::triton {
namespace {

using Kind = RawValue::Kind;

class RegisterMaker : public AttributeFields {
 public:
  using AttributeFields::AttributeFields;

  Result<TritonAttribute> make() {
    out_.kind = raw_.info->kind;
    switch (out_.kind) {
      case TritonKind::blocked:
        TESSERA_NEED(make_blocked());
        break;
      case TritonKind::linear:
      case TritonKind::generic_linear:
        TESSERA_NEED(make_linear());
        break;
      case TritonKind::slice:
        TESSERA_NEED(make_slice());
        break;
      case TritonKind::dot_op:
        TESSERA_NEED(make_dot_op());
        break;
      case TritonKind::nvidia_mma:
        TESSERA_NEED(make_nvidia_mma());
        break;
      case TritonKind::amd_mfma:
        TESSERA_NEED(make_mfma());
        break;
      case TritonKind::amd_wmma:
        TESSERA_NEED(make_wmma());
        break;
      default:
        break;
    }
    return std::move(out_);
  }

 private:
  Result<void> make_blocked() {
    out_.size_per_thread = list("sizePerThread");
    out_.threads_per_warp = list("threadsPerWarp");
    out_.warps_per_cta = list("warpsPerCTA");
    out_.rank = std::ssize(out_.size_per_thread);
    TESSERA_NEED(same_rank("threadsPerWarp", out_.threads_per_warp));
    TESSERA_NEED(same_rank("warpsPerCTA", out_.warps_per_cta));
    TESSERA_NEED(set_order());
    return set_cga();
  }

  Result<void> make_linear() {
    out_.registers = bases("register");
    out_.lanes = bases("lane");
    out_.warps = bases("warp");
    out_.blocks = bases("block");
    const TritonBasisList* const all[] = {&out_.registers, &out_.lanes, &out_.warps, &out_.blocks};
    for (const TritonBasisList* one : all) {
      if (!one->empty() && out_.rank == 0) out_.rank = std::ssize(one->front());
    }
    const std::vector<Index> shape = list("shape");
    if (raw_.is_gluon && out_.rank == 0) out_.rank = std::ssize(shape);
    if (out_.rank == 0)
      return fail(Code::bad_attribute, "a linear layout needs a basis", raw_.span,
                  "all of register, lane, warp and block are empty");
    for (const auto& [name, values] : {std::pair("register", all[0]), std::pair("lane", all[1]),
                                       std::pair("warp", all[2]), std::pair("block", all[3])})
      TESSERA_NEED(same_rank(name, *values));
    const std::vector<Index> extents = extents_of(all, out_.rank);
    if (raw_.is_gluon) {
      bool any = false;
      for (const TritonBasisList* one : all) any = any || !one->empty();
      if (!any) return fail(Code::bad_attribute, "a linear layout needs a basis", raw_.span);
      if (std::ssize(shape) != out_.rank) return same_rank("shape", shape);
      if (shape != extents)
        return fail(Code::shape_mismatch,
                    fmt::format("the bases reach [{}], but the shape is [{}]", fmt::join(extents, ", "),
                                fmt::join(shape, ", ")),
                    span_of("shape"));
    }
    const std::string flaw = flaw_of_bases(all, out_.rank);
    if (flaw.empty() && (raw_.is_gluon || out_.kind == TritonKind::linear)) {
      out_.kind = TritonKind::linear;
      return {};
    }
    if (!raw_.is_gluon && out_.kind == TritonKind::linear)
      return fail(Code::bad_attribute, flaw, raw_.span, "generic_linear has fewer rules for warps");
    out_.kind = TritonKind::generic_linear;
    for (const TritonBasisList* one : {all[0], all[1], all[3]}) {
      for (const std::vector<Index>& basis : *one) {
        const auto moves = std::ranges::count_if(basis, [](Index n) { return n != 0; });
        if (moves > 1 || !std::ranges::all_of(basis, [](Index n) { return n == 0 || is_power_of_two(n); }))
          return fail(
              Code::bad_attribute,
              fmt::format("the basis [{}] is not a power of two in one dimension", fmt::join(basis, ", ")),
              raw_.span, "only bases of warps may move in several dimensions");
      }
    }
    int bits = 0;
    for (const Index extent : extents) bits += log2_of(extent);
    if (bits > 62) return fail(Code::limit, "the bases have more than 62 bits", raw_.span);
    if (!spans_all(all, extents))
      return fail(Code::bad_attribute, "the bases do not reach every element of their extents", raw_.span);
    return {};
  }

  Result<void> make_slice() {
    out_.dim = integer("dim");
    TESSERA_TRY(parent, nested("parent"));
    out_.parent = std::move(parent);
    if (space_of(out_.parent->kind) != TritonSpace::registers)
      return bad("parent", "the parent of a slice is a layout of registers");
    if (out_.parent->rank < 2)
      return fail(Code::rank_mismatch, "the parent of a slice has at least 2 dimensions", span_of("parent"));
    if (out_.dim >= out_.parent->rank)
      return fail(
          Code::dim_out_of_range,
          fmt::format("the parent has no dimension {}, only 0 to {}", out_.dim, out_.parent->rank - 1),
          span_of("dim"));
    out_.rank = out_.parent->rank - 1;
    return {};
  }

  Result<void> make_dot_op() {
    out_.operand = integer("opIdx");
    out_.k_width = integer("kWidth");
    if (out_.operand > 1)
      return bad("opIdx", fmt::format("a product has operands 0 and 1, not {}", out_.operand));
    TESSERA_TRY(parent, nested("parent"));
    out_.parent = std::move(parent);
    const TritonAttribute& of = *out_.parent;
    out_.rank = of.rank;
    switch (of.kind) {
      case TritonKind::blocked:
        if (out_.k_width != 0) return bad("kWidth", "an operand of a blocked layout has no kWidth");
        if (of.rank < 2)
          return fail(Code::rank_mismatch, "an operand has at least 2 dimensions", span_of("parent"));
        return {};
      case TritonKind::nvidia_mma:
        if (of.version == 3 && out_.operand == 1)
          return bad("opIdx", "operand 1 of version 3 is read from shared memory");
        break;
      case TritonKind::amd_mfma:
        break;
      case TritonKind::amd_wmma:
        if (of.version == 1 && out_.k_width != 8 && out_.k_width != 16)
          return bad("kWidth", "kWidth of version 1 is 8 or 16");
        if (of.version == 2 && out_.k_width != 4 && out_.k_width != 8 && out_.k_width != 16)
          return bad("kWidth", "kWidth of version 2 is 4, 8 or 16");
        break;
      default:
        return bad("parent", "the parent of an operand is blocked, nvidia_mma, amd_mfma or amd_wmma");
    }
    if (!is_power_of_two(out_.k_width))
      return bad("kWidth", fmt::format("kWidth is {}, no power of two", out_.k_width));
    return {};
  }

  Result<void> make_nvidia_mma() {
    if (raw_.is_gluon) {
      const std::vector<Index> version = list("version");
      if (version.size() != 2) return bad("version", "the version has two entries, such as [3, 0]");
      out_.version = version[0];
      out_.version_minor = version[1];
    } else {
      out_.version = integer("versionMajor");
      out_.version_minor = integer("versionMinor");
    }
    if (out_.version != 2 && out_.version != 3)
      return bad(raw_.is_gluon ? "version" : "versionMajor",
                 fmt::format("version {} is not 2 or 3", out_.version));
    out_.warps_per_cta = list("warpsPerCTA");
    out_.instr_shape = list("instrShape");
    out_.rank = std::ssize(out_.warps_per_cta);
    if (out_.rank != 2 && out_.rank != 3)
      return fail(Code::rank_mismatch, fmt::format("the layout has rank {}, not 2 or 3", out_.rank),
                  span_of("warpsPerCTA"));
    const std::vector<Index>& shape = out_.instr_shape;
    if (out_.version == 2) {
      TESSERA_NEED(same_rank("instrShape", shape));
      const std::size_t r = shape.size();
      if (shape[r - 2] % 8 != 0 || shape[r - 1] % 8 != 0 || (r == 3 && shape[0] != 1))
        return bad("instrShape", "an instruction of version 2 is M, N with multiples of 8, such as [16, 8]");
    } else {
      if (out_.rank != 2) return fail(Code::rank_mismatch, "version 3 has rank 2", span_of("warpsPerCTA"));
      if (shape.size() != 3)
        return fail(Code::rank_mismatch, "an instruction of version 3 is 16, N, K", span_of("instrShape"));
      if (shape[0] != 16 || shape[1] < 8)
        return bad("instrShape", "an instruction of version 3 is 16, N, K, such as [16, 128, 16]");
    }
    return set_cga();
  }

  Result<void> make_mfma() {
    const bool old = has("versionMajor");
    out_.version = integer(old ? "versionMajor" : "version");
    if (out_.version < 1 || out_.version > 4)
      return bad(old ? "versionMajor" : "version", fmt::format("version {} is not 1 to 4", out_.version));
    out_.warps_per_cta = list("warpsPerCTA");
    out_.rank = std::ssize(out_.warps_per_cta);
    if (out_.rank != 2 && out_.rank != 3)
      return fail(Code::rank_mismatch, fmt::format("the layout has rank {}, not 2 or 3", out_.rank),
                  span_of("warpsPerCTA"));
    out_.instr_shape = list("instrShape");
    out_.transposed = flag("isTransposed");
    const std::vector<Index>& shape = out_.instr_shape;
    if (shape.size() != 2 && shape.size() != 3)
      return fail(Code::rank_mismatch, "an instruction is M, N or M, N, K", span_of("instrShape"));
    const bool known = (shape[0] == 32 && shape[1] == 32) || (shape[0] == 16 && shape[1] == 16) ||
                       (shape[0] == 64 && shape[1] == 4 && out_.transposed) ||
                       (shape[0] == 4 && shape[1] == 64);
    if (!known) return bad("instrShape", "M, N is 32, 32; 16, 16; 4, 64; or 64, 4 if transposed");
    out_.element_bits = integer("elementBitWidth", 32);
    if (const GivenField* type = find("elementType")) {
      const std::string_view name = type->entry->value.word;
      if (name != "f64" && name != "f32" && name != "i32")
        return bad("elementType", "the type is f64, f32 or i32");
      out_.element_bits = name == "f64" ? 64 : 32;
    }
    if (out_.element_bits != 32 && out_.element_bits != 64)
      return bad("elementBitWidth", "the width is 32 or 64");
    out_.tiles_per_warp = list("tilesPerWarp");
    if (std::ranges::all_of(out_.tiles_per_warp, [](Index n) { return n == 1; }))
      out_.tiles_per_warp.assign(static_cast<std::size_t>(out_.rank), 1);
    TESSERA_NEED(same_rank("tilesPerWarp", out_.tiles_per_warp));
    return set_cga();
  }

  Result<void> make_wmma() {
    out_.version = integer("version", 1);
    if (out_.version < 1 || out_.version > 3)
      return bad("version", fmt::format("version {} is not 1 to 3", out_.version));
    out_.transposed = flag("isTranspose");
    out_.instr_shape = list("instrShape");
    if (!has("instrShape")) out_.instr_shape = {16, 16, 16};
    out_.rank = integer("rank", 2);
    if (has("rank") && out_.rank != 2 && out_.rank != 3) return bad("rank", "the rank is 2 or 3");
    if (const GivenField* cta = find("ctaLayout")) {
      for (const auto& [name, value] : cta->entry->value.keys) {
        TritonBasisList& to = name == "warp" ? out_.warps : out_.registers;
        for (const RawValue& basis : value.list) to.push_back(list_of(basis));
      }
    } else if (raw_.is_gluon) {
      out_.warps = bases("warp_bases");
      out_.registers = bases("reg_bases");
    } else {
      const std::vector<Index> warps = list("warpsPerCTA");
      if (!has("rank")) out_.rank = std::ssize(warps);
      TESSERA_NEED(same_rank("warpsPerCTA", warps));
      std::vector<Index> tiles = list("tilesPerWarp");
      if (tiles.empty()) tiles.assign(warps.size(), 1);
      TESSERA_NEED(same_rank("tilesPerWarp", tiles));
      for (std::size_t d = warps.size(); d-- > 0;) {
        Index power = 1;
        for (; power < tiles[d]; power *= 2) out_.registers.emplace_back(warps.size(), 0)[d] = power;
        for (Index w = 1; w < warps[d]; w *= 2, power *= 2)
          out_.warps.emplace_back(warps.size(), 0)[d] = power;
      }
    }
    for (const TritonBasisList* one : {&out_.registers, &out_.warps})
      TESSERA_NEED(same_rank(raw_.is_gluon ? "warp_bases" : "ctaLayout", *one));
    const std::vector<Index>& shape = out_.instr_shape;
    if (shape.size() != 3)
      return fail(Code::rank_mismatch, "an instruction is M, N, K", span_of("instrShape"));
    const Index m = shape[0];
    const Index k = shape[2];
    const bool square = m == 16 && shape[1] == 16;
    const bool known = out_.version == 1   ? square && k == 16
                       : out_.version == 2 ? square && (k == 16 || k == 32)
                                           : (square && (k == 4 || k == 32 || k == 64 || k == 128)) ||
                                                 (m == 32 && shape[1] == 16 && (k == 64 || k == 128)) ||
                                                 (square && k == 16 && !has("instrShape"));
    if (!known)
      return bad("instrShape",
                 fmt::format("version {} has no instruction {}x{}x{}", out_.version, m, shape[1], k));
    return set_cga();
  }
};

}  // namespace

Result<TritonAttribute> make_registers(const RawAttribute& raw, std::vector<GivenField> fields) {
  RegisterMaker maker(raw, std::move(fields));
  TESSERA_NEED(maker.values());
  return maker.make();
}

}  // namespace tessera::triton
