// SPDX-License-Identifier: Apache-2.0
// The rules of layouts of shared memory and of tensor memory, kind by kind.
#include "notation/triton/make_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "notation/limits.h"
#include "notation/triton/attribute_fields.h"

namespace tessera::triton {
namespace {

using Kind = RawValue::Kind;

class MemoryMaker : public AttributeFields {
 public:
  using AttributeFields::AttributeFields;

  Result<TritonAttribute> make() {
    out_.kind = raw_.info->kind;
    switch (out_.kind) {
      case TritonKind::swizzled_shared:
      case TritonKind::amd_rotating_shared:
        TESSERA_NEED(make_swizzled());
        break;
      case TritonKind::nvmma_shared:
        TESSERA_NEED(make_nvmma());
        break;
      case TritonKind::padded_shared:
        TESSERA_NEED(make_padded());
        break;
      case TritonKind::shared_linear:
        TESSERA_NEED(make_shared_linear());
        break;
      case TritonKind::partitioned_shared:
        TESSERA_NEED(make_partitioned());
        break;
      case TritonKind::tensor_memory:
        TESSERA_NEED(make_tensor_memory());
        break;
      case TritonKind::tensor_memory_scales:
        TESSERA_NEED(make_scales());
        break;
      default:
        break;
    }
    return std::move(out_);
  }

 private:
  Result<void> make_swizzled() {
    out_.vec = integer("vec");
    out_.per_phase = integer("perPhase");
    out_.max_phase = integer("maxPhase");
    out_.order = list("order");
    out_.rank = std::ssize(out_.order);
    TESSERA_NEED(set_cga());
    if (raw_.old_name != "shared" || !flag("hasLeadingOffset")) return {};
    // The older form of nvmma_shared.
    const auto phase = std::pair(out_.per_phase, out_.max_phase);
    const Index width = phase == std::pair<Index, Index>(4, 2)   ? 32
                        : phase == std::pair<Index, Index>(2, 4) ? 64
                        : phase == std::pair<Index, Index>(1, 8) ? 128
                                                                 : 0;
    if (width == 0)
      return bad("hasLeadingOffset",
                 "perPhase and maxPhase are 4, 2, or 2, 4, or 1, 8 with hasLeadingOffset");
    if (out_.vec < 2 || out_.vec > 16)
      return bad("vec", "vec is 2 to 16 with hasLeadingOffset: 128 bits of elements");
    TritonAttribute made{.kind = TritonKind::nvmma_shared, .rank = out_.rank, .blocks = out_.blocks};
    made.swizzle_bytes = width;
    made.element_bits = 128 / out_.vec;
    made.transposed = out_.order.front() == 0;
    out_ = std::move(made);

    return nvmma_rank("order");
  }

  Result<void> nvmma_rank(std::string_view name) const {
    if (out_.swizzle_bytes > 0 && out_.rank < 2) return bad(name, "a swizzle needs rank 2");
    return {};
  }

  Result<void> make_nvmma() {
    out_.swizzle_bytes = integer("swizzlingByteWidth");
    out_.element_bits = integer("elementBitWidth");
    out_.transposed = flag("transposed");
    out_.fp4_padded = flag("fp4Padded");
    out_.rank = integer("rank", 2);
    if (!has("rank")) {
      if (has("CTAsPerCGA")) out_.rank = std::ssize(list("CTAsPerCGA"));
    } else if (out_.rank < 1) {
      return bad("rank", "the rank is at least 1");
    } else if (out_.rank > 32) {
      return bad("rank", "the rank is at most 32");
    }
    const Index width = out_.swizzle_bytes;
    if (width != 0 && width != 32 && width != 64 && width != 128)
      return bad("swizzlingByteWidth", fmt::format("a swizzle has 0, 32, 64 or 128 bytes, not {}", width));
    const Index bits = out_.element_bits;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return bad("elementBitWidth", fmt::format("an element has 8, 16, 32 or 64 bits, not {}", bits));
    if (out_.fp4_padded && (width != 128 || bits != 8))
      return bad("fp4Padded", "padded pairs of 4 bits need 128 bytes and 8 bits");
    TESSERA_NEED(nvmma_rank("rank"));
    return set_cga();
  }

  // A padding of at most 4096 intervals keeps every offset, and its byte, below 2^62: a tensor has at most
  // 2^40 elements, and there are at most 31 intervals.
  Result<void> set_pads(const RawValue& pair) {
    const Index interval = pair.list[0].integer;
    const Index own = pair.list[1].integer;
    if (own / interval > detail::kNotationLimits.triton.padding_intervals)
      return fail(Code::limit,
                  fmt::format("a padding of {} is more than {} times its interval of {}", own,
                              detail::kNotationLimits.triton.padding_intervals, interval),
                  pair.span);
    for (const auto& [known, padding] : out_.pads) {
      if (known == interval)
        return fail(Code::duplicate_name, fmt::format("the interval {} occurs twice", interval), pair.span);
    }
    out_.pads.emplace_back(interval, own);
    return {};
  }

  Result<void> make_padded() {
    for (const RawEntry& pad : raw_.pads) TESSERA_NEED(set_pads(pad.value));
    if (raw_.is_gluon) {
      const RawValue& all = find("interval_padding_pairs")->entry->value;
      for (const RawValue& pair : all.list) TESSERA_NEED(set_pads(pair));
      if (out_.pads.empty()) return bad("interval_padding_pairs", "a padded layout needs an interval");
    }
    if (has("order")) {
      std::vector<Index> order = list("order");
      out_.rank = std::ssize(order);
      if (!has("shape")) {
        out_.order = std::move(order);
        return {};
      }
      const std::vector<Index> shape = list("shape");
      TESSERA_NEED(same_rank("shape", shape));
      if (log2_sum(shape) > 40)
        return fail(Code::limit, "the shape has more than 2^40 elements", span_of("shape"));
      return make_identity(order, shape);
    }
    out_.offsets = bases("offset");
    const bool python = raw_.is_gluon;
    out_.blocks = bases(python ? "cga_layout" : "block");
    const std::vector<Index> shape = list("shape");
    for (const TritonBasisList* one : {&out_.offsets, &out_.blocks}) {
      if (!one->empty() && out_.rank == 0) out_.rank = std::ssize(one->front());
    }
    if (out_.rank == 0) out_.rank = std::ssize(shape);
    if (out_.rank == 0) return bad("offset", "a padded layout needs a basis");
    TESSERA_NEED(same_rank("offset", out_.offsets));
    TESSERA_NEED(same_rank(python ? "cga_layout" : "block", out_.blocks));
    if (python) {  // counts tiles of one block
      const TritonBasisList* const own[] = {&out_.offsets};
      const std::vector<Index> tile = extents_of(own, out_.rank);
      for (std::vector<Index>& basis : out_.blocks) {
        for (std::size_t d = 0; d < basis.size(); ++d) basis[d] *= tile[d];
      }
    }
    for (const std::vector<Index>& basis : out_.offsets) {
      if (std::ranges::all_of(basis, [](Index n) { return n == 0; }))
        return bad("offset", "an offset has the basis 0", "two offsets would hold one element");
    }
    const TritonBasisList* const all[] = {&out_.offsets, &out_.blocks};
    if (const std::string flaw = flaw_of_bases(all, out_.rank); !flaw.empty()) return bad("offset", flaw);
    if (python) {
      TESSERA_NEED(same_rank("shape", shape));
      const std::vector<Index> extents = extents_of(all, out_.rank);
      if (shape != extents)
        return fail(Code::shape_mismatch,
                    fmt::format("the bases reach [{}], but the shape is [{}]", fmt::join(extents, ", "),
                                fmt::join(shape, ", ")),
                    span_of("shape"));
    }
    return {};
  }

  // with_identity_for: each block has the offsets of its part of the shape, in this order.
  Result<void> make_identity(const std::vector<Index>& order, const std::vector<Index>& shape) {
    out_.blocks = bases("cga_layout");
    TESSERA_NEED(same_rank("cga_layout", out_.blocks));
    const TritonBasisList* const own[] = {&out_.blocks};
    if (const std::string flaw = flaw_of_bases(own, out_.rank); !flaw.empty()) return bad("cga_layout", flaw);
    const std::vector<Index> counts = extents_of(own, out_.rank);
    std::vector<Index> tile = shape;
    for (std::size_t d = 0; d < tile.size(); ++d) {
      if (counts[d] > shape[d])
        return bad("cga_layout", fmt::format("{} blocks along dimension {} have no part of its extent {}",
                                             counts[d], d, shape[d]));
      tile[d] /= counts[d];
    }
    for (std::vector<Index>& basis : out_.blocks) {
      for (std::size_t d = 0; d < basis.size(); ++d) basis[d] *= tile[d];
    }
    out_.offsets = identity_bases(order, tile);
    return {};
  }

  static int log2_sum(const std::vector<Index>& shape) {
    int bits = 0;
    for (const Index n : shape) bits += log2_of(n);
    return bits;
  }

  Result<void> make_shared_linear() {
    out_.offsets = bases("offset");
    out_.blocks = bases("block");
    out_.alignment = integer("alignment", 16);
    for (const TritonBasisList* one : {&out_.offsets, &out_.blocks}) {
      if (!one->empty() && out_.rank == 0) out_.rank = std::ssize(one->front());
    }
    if (out_.rank == 0) return bad("offset", "a linear layout needs a basis");
    TESSERA_NEED(same_rank("offset", out_.offsets));
    TESSERA_NEED(same_rank("block", out_.blocks));
    const TritonBasisList* const all[] = {&out_.offsets, &out_.blocks};
    const std::vector<Index> extents = extents_of(all, out_.rank);
    if (log2_sum(extents) > 62)
      return fail(Code::limit, "the bases have more than 62 bits", span_of("offset"));
    // A zero basis is a gap between offsets, as of packed values of 4 bits, or a block that repeats another.
    std::ptrdiff_t used = 0;
    for (const TritonBasisList* list : {&out_.offsets, &out_.blocks}) {
      for (const std::vector<Index>& basis : *list)
        used += std::ranges::all_of(basis, [](Index n) { return n == 0; }) ? 0 : 1;
    }
    if (used != log2_sum(extents) || !spans_all(all, extents))
      return bad("offset", "the bases do not give each element one offset");
    return {};
  }

  Result<void> make_partitioned() {
    out_.partitions = integer("numPartitions");
    out_.groups = integer("numGroups");
    out_.dim = integer("partitionDim");
    if (out_.partitions < 2) return bad("numPartitions", "there are at least 2 partitions");
    TESSERA_TRY(parent, nested("partitionLayout"));
    out_.parent = std::move(parent);
    if (space_of(out_.parent->kind) != TritonSpace::shared ||
        out_.parent->kind == TritonKind::partitioned_shared)
      return bad("partitionLayout", "the layout of a piece is one of shared memory");
    out_.rank = out_.parent->rank;
    if (out_.dim >= out_.rank)
      return fail(Code::dim_out_of_range,
                  fmt::format("the pieces have no dimension {}, only 0 to {}", out_.dim, out_.rank - 1),
                  span_of("partitionDim"));
    return {};
  }

  Result<void> split_cga() {
    for (const auto& [name, d] : {std::pair("CTASplitM", 0), std::pair("CTASplitN", 1)}) {
      for (Index power = 1; power < integer(name, 1); power *= 2)
        out_.blocks.emplace_back(2, 0)[static_cast<std::size_t>(d)] = power;
    }
    return set_cga();
  }

  Result<void> make_tensor_memory() {
    out_.rank = 2;
    if (raw_.is_gluon) {
      const std::vector<Index> block = list("block");
      if (block.size() != 2) return bad("block", "a block has two extents, such as [128, 64]");
      out_.block_m = block[0];
      out_.block_n = block[1];
    } else {
      out_.block_m = integer("blockM");
      out_.block_n = integer("blockN");
    }
    const std::string_view m = raw_.is_gluon ? "block" : "blockM";
    const std::string_view n = raw_.is_gluon ? "block" : "blockN";
    if (out_.block_m != 64 && out_.block_m != 128)
      return bad(m, fmt::format("a block has 64 or 128 rows, not {}", out_.block_m));
    if (!is_power_of_two(out_.block_n) || out_.block_n > 512)
      return bad(n, fmt::format("a block has a power of two of at most 512 columns, not {}", out_.block_n));
    out_.col_stride = integer("colStride");
    out_.unpacked = flag("unpacked");
    if (has("colStride") && out_.col_stride != 1 && out_.col_stride != 2 && out_.col_stride != 4)
      return bad("colStride", fmt::format("colStride is 1, 2 or 4, not {}", out_.col_stride));
    out_.two_ctas = flag("twoCTAs");
    out_.fp4_padded = flag("fp4Padded");
    TESSERA_NEED(split_cga());
    if (out_.two_ctas && (out_.blocks.empty() || out_.blocks.front() != std::vector<Index>{1, 0}))
      return bad("twoCTAs", "with twoCTAs the first basis of CGALayout is [1, 0]");
    return {};
  }

  Result<void> make_scales() {
    out_.rank = 2;
    if (const GivenField* order = find("blockRepOrder")) {
      const std::string_view word = order->entry->value.word;
      if (word != "mnThenK" && word != "kThenMn")
        return bad("blockRepOrder", "the order is mnThenK or kThenMn");
      out_.k_then_mn = word == "kThenMn";
    }
    return split_cga();
  }
};

}  // namespace

Result<TritonAttribute> make_memory(const RawAttribute& raw, std::vector<GivenField> fields) {
  MemoryMaker maker(raw, std::move(fields));
  TESSERA_NEED(maker.values());
  return maker.make();
}

}  // namespace tessera::triton
