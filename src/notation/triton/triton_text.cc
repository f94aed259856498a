// SPDX-License-Identifier: Apache-2.0
// Prints attributes and types, and reads types.
#include "notation/triton/triton_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "notation/triton/make_attribute.h"

namespace tessera::triton {
namespace {

std::string int_list(std::span<const Index> values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string basis_lists(const TritonBasisList& list) {
  std::string text = "[";
  for (const std::vector<Index>& basis : list) text += (text.size() > 1 ? ", " : "") + int_list(basis);
  return text + "]";
}

// Puts commas between parts.
class Parts {
 public:
  void add(std::string_view name, const std::string& value) {
    if (!text_.empty()) text_ += ", ";
    text_ += name;
    text_ += equal_;
    text_ += value;
  }
  void add(std::string_view name, Index value) { add(name, std::to_string(value)); }
  void add(std::string_view name, std::span<const Index> values) { add(name, int_list(values)); }
  void add(std::string_view name, const TritonBasisList& list) { add(name, basis_lists(list)); }
  void flag(std::string_view name, bool value) {
    add(name, python_ ? std::string(value ? "True" : "False") : std::string(value ? "true" : "false"));
  }
  void cga(const TritonAttribute& a) {
    if (python_)
      add("cga_layout", a.blocks);
    else if (!a.blocks.empty())
      add("CGALayout", a.blocks);
  }
  static Parts python() {
    Parts parts;
    parts.equal_ = "=";
    parts.python_ = true;
    return parts;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string_view equal_ = " = ";
  bool python_ = false;
};

bool is_default_shape(const std::vector<Index>& shape) { return shape == std::vector<Index>{16, 16, 16}; }

// The shape of `{order, shape}`, if that says the same as the bases.
std::optional<std::pair<std::vector<Index>, std::vector<Index>>> identity_of(const TritonAttribute& a) {
  if (!a.blocks.empty()) return std::nullopt;
  const TritonBasisList* const lists[] = {&a.offsets};
  std::vector<Index> shape = extents_of(lists, a.rank);
  std::vector<Index> order = order_of_use(lists, a.rank);
  if (identity_bases(order, shape) != a.offsets) return std::nullopt;
  return std::pair(std::move(order), std::move(shape));
}

std::string padded_text(const TritonAttribute& a) {
  std::string pads;
  for (const auto& [interval, padding] : a.pads)
    pads += fmt::format("{}{}:+{}", pads.empty() ? "" : ", ", interval, padding);
  Parts parts;
  if (!a.order.empty()) {
    parts.add("order", a.order);
  } else if (const auto identity = identity_of(a)) {
    parts.add("order", identity->first);
    parts.add("shape", identity->second);
  } else {
    parts.add("offset", a.offsets);
    parts.add("block", a.blocks);
  }
  return fmt::format("<[{}] {{{}}}>", pads, parts.text());
}

std::string tensor_memory_text(const TritonAttribute& a) {
  Parts parts;
  parts.add("blockM", a.block_m);
  parts.add("blockN", a.block_n);
  if (a.col_stride != 0)
    parts.add("colStride", a.col_stride);
  else
    parts.flag("unpacked", a.unpacked);
  parts.cga(a);
  if (a.two_ctas) parts.flag("twoCTAs", true);
  if (a.fp4_padded) parts.flag("fp4Padded", true);
  return "<" + parts.text() + ">";
}

Parts key_text(const TritonAttribute& a) {
  Parts parts;
  switch (a.kind) {
    case TritonKind::blocked:
      parts.add("sizePerThread", a.size_per_thread);
      parts.add("threadsPerWarp", a.threads_per_warp);
      parts.add("warpsPerCTA", a.warps_per_cta);
      parts.add("order", a.order);
      parts.cga(a);
      break;
    case TritonKind::linear:
    case TritonKind::generic_linear:
      parts.add("register", a.registers);
      parts.add("lane", a.lanes);
      parts.add("warp", a.warps);
      parts.add("block", a.blocks);
      break;
    case TritonKind::slice:
      parts.add("dim", a.dim);
      parts.add("parent", tessera::to_string(*a.parent));
      break;
    case TritonKind::dot_op:
      parts.add("opIdx", a.operand);
      parts.add("parent", tessera::to_string(*a.parent));
      if (a.k_width != 0) parts.add("kWidth", a.k_width);
      break;
    case TritonKind::nvidia_mma:
      parts.add("versionMajor", a.version);
      parts.add("versionMinor", a.version_minor);
      parts.add("warpsPerCTA", a.warps_per_cta);
      parts.cga(a);
      parts.add("instrShape", a.instr_shape);
      break;
    case TritonKind::amd_mfma:
      parts.add("version", a.version);
      parts.add("warpsPerCTA", a.warps_per_cta);
      parts.add("instrShape", a.instr_shape);
      parts.flag("isTransposed", a.transposed);
      parts.cga(a);
      if (std::ranges::any_of(a.tiles_per_warp, [](Index n) { return n != 1; }))
        parts.add("tilesPerWarp", a.tiles_per_warp);
      if (a.element_bits != 32) parts.add("elementBitWidth", a.element_bits);
      break;
    case TritonKind::amd_wmma: {
      Parts cta;
      if (!a.registers.empty()) cta.add("register", a.registers);
      cta.add("warp", a.warps);
      parts.add("version", a.version);
      parts.flag("isTranspose", a.transposed);
      parts.add("ctaLayout", "{" + cta.text() + "}");
      parts.cga(a);
      if (!is_default_shape(a.instr_shape)) parts.add("instrShape", a.instr_shape);
      if (a.rank != 2) parts.add("rank", a.rank);
      break;
    }
    case TritonKind::swizzled_shared:
    case TritonKind::amd_rotating_shared:
      parts.add("vec", a.vec);
      parts.add("perPhase", a.per_phase);
      parts.add("maxPhase", a.max_phase);
      parts.add("order", a.order);
      parts.cga(a);
      break;
    case TritonKind::nvmma_shared:
      parts.add("swizzlingByteWidth", a.swizzle_bytes);
      parts.flag("transposed", a.transposed);
      parts.add("elementBitWidth", a.element_bits);
      if (a.fp4_padded) parts.flag("fp4Padded", true);
      if (a.rank != 2) parts.add("rank", a.rank);
      parts.cga(a);
      break;
    case TritonKind::shared_linear:
      parts.add("offset", a.offsets);
      if (!a.blocks.empty()) parts.add("block", a.blocks);
      break;
    case TritonKind::partitioned_shared:
      parts.add("numPartitions", a.partitions);
      parts.add("numGroups", a.groups);
      parts.add("partitionDim", a.dim);
      parts.add("partitionLayout", tessera::to_string(*a.parent));
      break;
    case TritonKind::padded_shared:
    case TritonKind::tensor_memory:
    case TritonKind::tensor_memory_scales:
    case TritonKind::auto_encoding:
    case TritonKind::coalesced_encoding:
      break;
  }
  return parts;
}

// The arguments of the class; nothing if it cannot say this.
std::optional<Parts> python_text(const TritonAttribute& a) {
  Parts parts = Parts::python();
  const auto nested = [&](std::string_view name) {
    const std::optional<std::string> parent = to_gluon(*a.parent);
    if (parent) parts.add(name, *parent);
    return parent.has_value();
  };
  switch (a.kind) {
    case TritonKind::blocked:
      parts.add("size_per_thread", a.size_per_thread);
      parts.add("threads_per_warp", a.threads_per_warp);
      parts.add("warps_per_cta", a.warps_per_cta);
      parts.add("order", a.order);
      parts.cga(a);
      break;
    case TritonKind::linear:
    case TritonKind::generic_linear: {
      const TritonBasisList* const all[] = {&a.registers, &a.lanes, &a.warps, &a.blocks};
      parts.add("reg_bases", a.registers);
      parts.add("lane_bases", a.lanes);
      parts.add("warp_bases", a.warps);
      parts.add("block_bases", a.blocks);
      parts.add("shape", extents_of(all, a.rank));
      break;
    }
    case TritonKind::slice:
      parts.add("dim", a.dim);
      if (!nested("parent")) return std::nullopt;
      break;
    case TritonKind::dot_op:
      parts.add("operand_index", a.operand);
      if (!nested("parent")) return std::nullopt;
      parts.add("k_width", a.k_width);
      break;
    case TritonKind::nvidia_mma:
      parts.add("version", std::vector<Index>{a.version, a.version_minor});
      parts.add("warps_per_cta", a.warps_per_cta);
      parts.add("instr_shape", a.instr_shape);
      parts.cga(a);
      break;
    case TritonKind::amd_mfma:
      parts.add("version", a.version);
      parts.add("instr_shape", a.instr_shape);
      parts.flag("transposed", a.transposed);
      parts.add("warps_per_cta", a.warps_per_cta);
      parts.add("element_bitwidth", a.element_bits);
      parts.add("tiles_per_warp", a.tiles_per_warp);
      parts.cga(a);
      break;
    case TritonKind::amd_wmma:
      parts.add("version", a.version);
      parts.flag("transposed", a.transposed);
      parts.add("warp_bases", a.warps);
      parts.add("reg_bases", a.registers);
      parts.add("instr_shape", a.instr_shape);
      parts.cga(a);
      parts.add("rank", a.rank);
      break;
    case TritonKind::swizzled_shared:
      parts.add("vec", a.vec);
      parts.add("per_phase", a.per_phase);
      parts.add("max_phase", a.max_phase);
      parts.add("order", a.order);
      parts.cga(a);
      break;
    case TritonKind::nvmma_shared:
      parts.add("swizzle_byte_width", a.swizzle_bytes);
      parts.add("element_bitwidth", a.element_bits);
      parts.add("rank", a.rank);
      parts.flag("transposed", a.transposed);
      parts.flag("fp4_padded", a.fp4_padded);
      parts.cga(a);
      break;
    case TritonKind::padded_shared: {
      if (!a.order.empty()) return std::nullopt;
      TritonBasisList pads;
      for (const auto& [interval, padding] : a.pads) pads.push_back({interval, padding});
      const TritonBasisList* const own[] = {&a.offsets};
      const TritonBasisList* const all[] = {&a.offsets, &a.blocks};
      const std::vector<Index> tile = extents_of(own, a.rank);
      TritonBasisList tiles = a.blocks;
      for (std::vector<Index>& basis : tiles) {
        for (std::size_t d = 0; d < basis.size(); ++d) {
          if (basis[d] % tile[d] != 0) return std::nullopt;
          basis[d] /= tile[d];
        }
      }
      parts.add("interval_padding_pairs", pads);
      parts.add("offset_bases", a.offsets);
      parts.add("cga_layout", tiles);
      parts.add("shape", extents_of(all, a.rank));
      break;
    }
    case TritonKind::shared_linear:
      parts.add("offset_bases", a.offsets);
      parts.add("block_bases", a.blocks);
      parts.add("alignment", a.alignment);
      break;
    case TritonKind::partitioned_shared:
      parts.add("num_partitions", a.partitions);
      parts.add("num_groups", a.groups);
      parts.add("partition_dim", a.dim);
      if (!nested("partition_layout")) return std::nullopt;
      break;
    case TritonKind::tensor_memory:
      if (a.col_stride == 0) return std::nullopt;
      parts.add("block", std::vector<Index>{a.block_m, a.block_n});
      parts.add("col_stride", a.col_stride);
      parts.cga(a);
      parts.flag("two_ctas", a.two_ctas);
      parts.flag("fp4_padded", a.fp4_padded);
      break;
    case TritonKind::tensor_memory_scales:
      parts.cga(a);
      if (a.k_then_mn) parts.add("block_rep_order", "'kThenMn'");
      break;
    case TritonKind::amd_rotating_shared:
      return std::nullopt;
    case TritonKind::auto_encoding:
    case TritonKind::coalesced_encoding:
      break;
  }
  return parts;
}

// The last `rank` extents are those of the layout; one before them counts stages.
Result<void> check_shape(const std::vector<Index>& shape, Span span, std::size_t rank) {
  int bits = 0;
  for (const Index extent : shape) {
    if (extent < 1) return fail(Code::bad_extent, fmt::format("the extent {} is below 1", extent), span);
    bits += log2_of(extent) + (is_power_of_two(extent) ? 0 : 1);
  }
  for (std::size_t i = shape.size() - std::min(rank, shape.size()); i < shape.size(); ++i) {
    if (!is_power_of_two(shape[i])) return not_a_power(shape[i], span);
  }
  if (bits > 40) return fail(Code::limit, "the tensor has more than 2^40 elements", span);
  return {};
}

}  // namespace

Failure not_a_power(Index extent, Span span) {
  return fail(
      Diagnostic{.code = Code::not_representable,
                 .message = fmt::format("the extent {} is not a power of two (not_power_of_two)", extent),
                 .span = span,
                 .reason = "not_power_of_two",
                 .help = "Triton has only tensors with extents 1, 2, 4, ...: pad the tensor"});
}

Result<TritonLayout> typed_layout(const RawText& raw, TritonAttribute attribute) {
  TritonLayout out{.attribute = std::move(attribute)};
  out.form = static_cast<TritonForm>(raw.form);
  out.shape = raw.shape;
  out.element = raw.element;
  out.is_mutable = raw.is_mutable;
  const TritonKind kind = out.attribute.kind;
  const TritonSpace space = space_of(kind);
  const bool memory = space == TritonSpace::shared || space == TritonSpace::tensor_memory;
  if (out.form == TritonForm::memdesc && !memory)
    return fail(Code::bad_attribute, "a memdesc has a layout of memory, not of registers",
                raw.attribute_span);
  if (out.form == TritonForm::tensor && memory)
    return fail(Code::bad_attribute, "a tensor has a layout of registers, not of memory", raw.attribute_span);
  if (!out.shape) return out;
  const auto rank = static_cast<std::size_t>(out.attribute.rank);
  const bool stages = out.form == TritonForm::memdesc;
  TESSERA_NEED(check_shape(*out.shape, raw.shape_span, stages ? rank : out.shape->size()));
  if (raw.allocated) {
    TESSERA_NEED(check_shape(*raw.allocated, raw.allocated_span, rank));
    if (raw.allocated->size() < static_cast<std::size_t>(out.attribute.rank))
      return fail(Code::rank_mismatch,
                  fmt::format("the allocation has rank {}, but the layout has rank {}", raw.allocated->size(),
                              out.attribute.rank),
                  raw.allocated_span);
    const std::size_t r = std::min(raw.allocated->size(), out.shape->size());
    for (std::size_t i = 1; i <= r; ++i) {
      if ((*raw.allocated)[raw.allocated->size() - i] < (*out.shape)[out.shape->size() - i])
        return fail(Code::shape_mismatch, "the allocation is smaller than the shape", raw.allocated_span);
    }
    if (*raw.allocated != *out.shape) out.allocated = raw.allocated;
  }
  if (space == TritonSpace::none) return out;
  const std::size_t found = out.shape->size();
  const bool fits = found == rank || (stages && found == rank + 1);
  if (!fits)
    return fail(Code::rank_mismatch,
                fmt::format("the shape has rank {}, but the layout has rank {}", found, rank),
                raw.shape_span);
  if (auto map = triton_bases(out); !map) {
    if (map.error().span.begin == map.error().span.end) map.error().span = raw.shape_span;
    return fail(map.error());
  }
  return out;
}

}  // namespace tessera::triton

namespace tessera {

std::string to_string(const TritonAttribute& a) {
  const triton::KindInfo& info = triton::info_of(a.kind);
  const std::string head = fmt::format("#{}.{}", info.dialect, info.mnemonic);
  switch (a.kind) {
    case TritonKind::padded_shared:
      return head + triton::padded_text(a);
    case TritonKind::tensor_memory:
      return head + triton::tensor_memory_text(a);
    case TritonKind::tensor_memory_scales: {
      triton::Parts parts;
      parts.cga(a);
      if (a.k_then_mn) parts.add("blockRepOrder", "kThenMn");
      return fmt::format("{}<{}>", head, parts.text());
    }
    case TritonKind::shared_linear:
      return fmt::format("{}<{{{}}}, alignment = {}>", head, triton::key_text(a).text(), a.alignment);
    case TritonKind::auto_encoding:
    case TritonKind::coalesced_encoding:
      return head;
    default:
      return fmt::format("{}<{{{}}}>", head, triton::key_text(a).text());
  }
}

std::optional<std::string> to_gluon(const TritonAttribute& attribute) {
  const auto parts = triton::python_text(attribute);
  if (!parts) return std::nullopt;
  return fmt::format("{}({})", triton::info_of(attribute.kind).gluon, parts->text());
}

std::string to_string(const TritonLayout& layout) {
  const std::string attribute = to_string(layout.attribute);
  if (!layout.shape) return attribute;
  const std::string element = layout.element == "ptr" ? "!tt.ptr<f32>" : layout.element;
  switch (layout.form) {
    case TritonForm::attribute:
      return attribute;
    case TritonForm::shape:
      if (!layout.element.empty())
        return fmt::format("{}[{}]:{}", layout.element, fmt::join(*layout.shape, ","), attribute);
      return fmt::format("{}:{}", fmt::join(*layout.shape, "x"), attribute);
    case TritonForm::tensor:
      return fmt::format("tensor<{}x{}, {}>", fmt::join(*layout.shape, "x"), element, attribute);
    case TritonForm::memdesc:
      break;
  }
  const bool tensor_memory = space_of(layout.attribute.kind) == TritonSpace::tensor_memory;
  std::string text = fmt::format("!ttg.memdesc<{}x{}, {}, {}{}", fmt::join(*layout.shape, "x"), element,
                                 attribute, tensor_memory ? "#ttng.tensor_memory" : "#ttg.shared_memory",
                                 layout.is_mutable ? ", mutable" : "");
  if (layout.allocated) text += fmt::format(", {}", fmt::join(*layout.allocated, "x"));
  return text + ">";
}

Result<TritonLayout> parse_triton_layout(std::string_view text) {
  TESSERA_TRY(raw, triton::read_raw_text(text));
  TESSERA_TRY(attribute, triton::make_attribute(*raw.attribute));
  return triton::typed_layout(raw, std::move(attribute));
}

}  // namespace tessera
