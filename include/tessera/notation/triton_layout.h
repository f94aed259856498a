// SPDX-License-Identifier: Apache-2.0
/// \file
/// TritonLayout: a layout of Triton's GPU dialect or of Gluon: its attribute, its texts, and its map over F2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// What an attribute is called: `#ttg.blocked`, `#ttng.tensor_memory_encoding`, ...
enum class TritonKind : std::uint8_t {
  blocked,
  linear,
  generic_linear,
  slice,
  dot_op,
  nvidia_mma,
  amd_mfma,
  amd_wmma,
  swizzled_shared,
  amd_rotating_shared,
  nvmma_shared,
  padded_shared,
  shared_linear,
  partitioned_shared,
  tensor_memory,
  tensor_memory_scales,
  auto_encoding,
  coalesced_encoding,
};

/// Where a layout puts elements: in registers of threads, in shared memory, in tensor memory, or nowhere yet.
enum class TritonSpace : std::uint8_t { registers, shared, tensor_memory, none };

/// The attribute's name without its dialect: `blocked`, `tensor_memory_encoding`.
std::string_view to_string(TritonKind kind);
TritonSpace space_of(TritonKind kind);

/// A tensor coordinate for each bit of an input, the lowest bit first.
using TritonBasisList = std::vector<std::vector<Index>>;

/// The parameters of an attribute. Those that the kind does not have are empty or 0. A value that was read or
/// made by a function of this header obeys the rules of its kind.
struct TritonAttribute {
  TritonKind kind = TritonKind::blocked;
  Index rank = 0;
  std::vector<Index> size_per_thread = {};   ///< blocked
  std::vector<Index> threads_per_warp = {};  ///< blocked
  std::vector<Index> warps_per_cta = {};     ///< blocked, nvidia_mma, amd_mfma
  std::vector<Index> order = {};             ///< fastest first; padded_shared: only if it has no bases
  std::vector<Index> instr_shape = {};       ///< nvidia_mma, amd_mfma, amd_wmma
  std::vector<Index> tiles_per_warp = {};    ///< amd_mfma
  TritonBasisList registers = {};            ///< linear, generic_linear; amd_wmma: of ctaLayout
  TritonBasisList lanes = {};
  TritonBasisList warps = {};    ///< also of amd_wmma's ctaLayout
  TritonBasisList blocks = {};   ///< linear, shared_linear, padded_shared: bases; others: CGALayout
  TritonBasisList offsets = {};  ///< shared_linear, padded_shared
  std::vector<std::pair<Index, Index>> pads = {};      ///< padded_shared: interval, padding
  std::shared_ptr<const TritonAttribute> parent = {};  ///< slice, dot_op; partitioned_shared: of a piece
  Index dim = 0;            ///< slice; partitioned_shared: the dimension that is cut
  Index operand = 0;        ///< dot_op
  Index k_width = 0;        ///< dot_op
  Index version = 0;        ///< amd_mfma, amd_wmma; nvidia_mma: major
  Index version_minor = 0;  ///< nvidia_mma
  Index vec = 0;            ///< swizzled_shared, amd_rotating_shared
  Index per_phase = 0;
  Index max_phase = 0;
  Index swizzle_bytes = 0;  ///< nvmma_shared
  Index element_bits = 0;   ///< nvmma_shared, amd_mfma
  Index alignment = 0;      ///< shared_linear
  Index partitions = 0;     ///< partitioned_shared
  Index groups = 0;
  Index block_m = 0;  ///< tensor_memory
  Index block_n = 0;
  Index col_stride = 0;  ///< tensor_memory; 0 in the older form that has `unpacked`
  bool transposed = false;
  bool fp4_padded = false;
  bool two_ctas = false;
  bool unpacked = false;
  bool k_then_mn = false;  ///< tensor_memory_scales

  friend bool operator==(const TritonAttribute& a, const TritonAttribute& b);
};

/// The attribute as Triton 3.9 prints it, with nested layouts written out and defaults left out.
std::string to_string(const TritonAttribute& attribute);
/// The attribute as Gluon prints it in Python; nothing if Gluon has no class for it.
std::optional<std::string> to_gluon(const TritonAttribute& attribute);

/// What surrounds an attribute in a text.
enum class TritonForm : std::uint8_t {
  attribute,  ///< `#ttg.blocked<{...}>`
  shape,      ///< `128x64:#ttg...` or `f16[128,64]:#ttg...`
  tensor,     ///< `tensor<128x64xf16, #ttg...>`
  memdesc,    ///< `!ttg.memdesc<128x64xf16, #ttg..., #ttg.shared_memory, mutable>`
};

/// An attribute with the shape and the type of its text, if that has them.
struct TritonLayout {
  TritonAttribute attribute;
  TritonForm form = TritonForm::attribute;
  std::optional<std::vector<Index>> shape = {};
  std::string element = {};  ///< `f16`; `ptr` for a pointer; empty if the text has none
  bool is_mutable = false;
  std::optional<std::vector<Index>> allocated =
      {};  ///< memdesc: the allocation, if it differs from the shape

  friend bool operator==(const TritonLayout&, const TritonLayout&) = default;
};

/// Whether a text begins like a layout of Triton or Gluon.
bool is_triton_text(std::string_view text);

/// Reads an attribute, a type, a shape with an attribute, or Gluon's text, after aliases:
/// `#ttg.blocked<{...}>`, `tensor<64x64xf16, #ttg...>`, `16x16:BlockedLayout([1,2],[4,8],[2,1],[1,0])`. The
/// prefix `triton:` is optional. The spellings of Triton 3.0 to 3.9 are read. Errors, each with its span:
/// syntax, number_range, unknown_name, duplicate_name, unknown_attribute, missing_attribute, argument_count,
/// bad_attribute, bad_permutation, rank_mismatch, dim_out_of_range, bad_extent, shape_mismatch, unknown_type,
/// missing_layout, not_representable (`not_power_of_two`, `transposed_rank`), limit.
Result<TritonLayout> parse_triton_layout(std::string_view text);
/// The canonical text; parse_triton_layout gives the same layout back.
std::string to_string(const TritonLayout& layout);

/// The bits of an element of this type, such as `bf16`; 64 for `ptr`; 0 for an unknown name.
Index triton_element_bits(std::string_view element);

/// One input of a map, such as `lane`, and its bases.
struct TritonInput {
  std::string_view name;
  TritonBasisList bases;
  friend bool operator==(const TritonInput&, const TritonInput&) = default;
};

/// The map of a layout on a shape. The coordinates of an input are the XOR of the bases of its set bits.
/// Register layouts have the inputs register, lane, warp, block; shared memory has offset, block and, if it
/// has several, partition; tensor memory has row, col, block.
struct TritonBases {
  std::vector<Index> shape;
  std::vector<TritonInput> inputs;
  std::vector<std::pair<Index, Index>> pads = {};  ///< offset o lies at o + sum of o / interval * padding

  /// The bases of this input; empty if there is no such input.
  const TritonBasisList& of(std::string_view input) const;
  /// The offset in memory, with padding, of an offset of the bases.
  Index padded(Index offset) const;
  /// Elements of one partition of one block, without padding at the end. 0 for layouts of registers.
  Index allocated() const;

  friend bool operator==(const TritonBases&, const TritonBases&) = default;
};

/// The map of a layout on a shape. Extents beyond the layout repeat in registers or offsets; smaller ones
/// make copies. `element` is needed only for the older form of tensor memory. Exact, O(bits). Errors:
/// rank_mismatch, bad_extent, shape_mismatch, not_representable (`not_power_of_two`, `transposed_rank`),
/// no_static_map, limit.
Result<TritonBases> triton_bases(const TritonAttribute& attribute, std::span<const Index> shape,
                                 std::string_view element = {});
/// The map of a text with a shape: that of the allocation, cropped to the last dimensions of the shape.
/// Errors: also missing_layout (no shape).
Result<TritonBases> triton_bases(const TritonLayout& layout);

/// The first layout with exactly these bases, in the order of docs/lookup/triton.md: the simplest name.
/// `element_bits` allows `nvmma_shared`. Errors: not_representable (`no_encoding`).
Result<TritonAttribute> triton_name(const TritonBases& bases, Index element_bits = 0);

/// A register of a thread.
struct TritonPlace {
  Index reg = 0;
  Index lane = 0;
  Index warp = 0;
  Index block = 0;
  friend bool operator==(const TritonPlace&, const TritonPlace&) = default;
};

/// Who holds an element.
struct TritonHolders {
  Index count = 0;                       ///< how many places hold it
  std::vector<TritonPlace> places = {};  ///< the first, by block, warp, lane, register
};

/// All places of registers that hold an element, up to `most`. Exact, O(bits² + places). Errors:
/// index_out_of_range, not_applicable (a layout of memory).
Result<TritonHolders> triton_holders(const TritonBases& bases, std::span<const Index> index,
                                     std::size_t most = 64);

/// Where an element lies in memory.
struct TritonOffset {
  Index offset = 0;  ///< in elements, with padding; in tensor memory row * columns + column
  Index partition = 0;
  std::vector<Index> blocks = {};  ///< the blocks that hold it, the first 4096
};
/// Errors: index_out_of_range, not_applicable (a layout of registers).
Result<TritonOffset> triton_offset(const TritonBases& bases, std::span<const Index> index);

/// The same in the shape of the layout: a part of an allocation has only its own indices, and the first
/// number of a memdesc with stages is that of the buffer. Errors: those of triton_bases and triton_offset;
/// limit (the buffers before it have more than 2^40 elements).
Result<TritonOffset> triton_offset(const TritonLayout& layout, std::span<const Index> index);

/// The element in a place: the XOR of the bases of the set bits of the values, one for each input. Errors:
/// value_count, index_out_of_range.
Result<std::vector<Index>> triton_element(const TritonBases& bases, std::span<const Index> values);

/// The pictures that Triton's `triton-tensor-layout` and Gluon's `get_layout_view` print.
enum class TritonView : std::uint8_t {
  tensor,    ///< a cell for each element: who holds it, `T13:2`
  hardware,  ///< a table for each warp: rows are registers, columns are lanes
};
/// The picture of a layout of registers, without a line break at the end. Errors: not_applicable (a layout of
/// memory), limit (more than 2^16 registers in all threads).
Result<std::string> triton_view(const TritonBases& bases, TritonView view);

class Placement;  // placement.h
/// The layout as a placement: for each element the places that hold it, on the axes of its inputs: register,
/// lane, warp, block; or offset, block, partition; or row, col, block. Exact. Errors: not_applicable (padded
/// offsets, which are sums).
Result<Placement> triton_placement(const TritonBases& bases);

/// The same on the axes of Axe layouts: register is `m`, lane `laneid`, warp `warpid`, block `cbx`, row
/// `TLane`, col `TCol`. An input without bits has no axis, but `register`, `row` and `col`. With
/// `as_threads`, lanes and warps are the one axis `tx`. An offset in shared memory is on `m`. Errors:
/// those of triton_placement.
Result<Placement> triton_axe_placement(const TritonBases& bases, bool as_threads);

/// Why two layouts, both of registers or both of memory, cannot be equal whatever their functions: tensors of
/// different shapes, or different numbers of lanes, warps or blocks. Empty if there is no such
/// reason.
std::string different_places(const TritonBases& a, const TritonBases& b);

class Layout;  // layout.h
/// For Layout::make. A register layout is the function from (thread, register) to the index of the element,
/// the first dimension fastest; a thread is lane + lanes * (warp + warps * block). A layout of memory is the
/// function from an element to offset + allocated * (partition + partitions * block). Errors: missing_layout
/// (no shape), and those of triton_bases.
Result<Layout> to_layout(const TritonLayout& layout);

}  // namespace tessera
