// SPDX-License-Identifier: Apache-2.0
/// \file
/// NamedLayout: orders of block scales, packings of narrow elements, and blocks of GGUF, each by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The type of an element of 1 to 64 bits: an XLA type, or an integer of 3, 5, 6 or 7 bits, which only
/// named layouts have.
struct CellType {
  std::optional<DType> dtype = DType::u8;  ///< empty for integers of 3, 5, 6 and 7 bits
  int bits = 8;
  bool is_signed = false;  ///< of an integer without a DType

  friend bool operator==(const CellType&, const CellType&) = default;
};

/// `u3`, `s4`, `f8e8m0fnu`.
std::string to_string(const CellType& type);
/// The type of a name: an XLA type with elements, u1 to u8, or s1 to s8.
std::optional<CellType> parse_cell_type(std::string_view name);
/// The unsigned integer of 1 to 8, 16, 32 or 64 bits.
CellType unsigned_type(int bits);

/// How elements lie in the buffer. cells: each is `width` bits at a multiple of `width` bits. stream:
/// elements of 3, 5, 6 or 7 bits one after another, or some to a word. planes: ranges of the bits of an
/// element lie in different places; each range is of kind cells.
enum class NamedKind : std::uint8_t { cells, stream, planes };

/// `cells`, or `bits` for streams and planes.
std::string_view to_string(NamedKind kind);

/// The row-major array by which a file holds the buffer.
struct Container {
  CellType type = {};
  std::vector<Index> shape = {};
  friend bool operator==(const Container&, const Container&) = default;
};

/// `key=5`, or for groups `groups=100+0+28`.
struct NamedParameter {
  std::string key;
  std::vector<Index> values;
  friend bool operator==(const NamedParameter&, const NamedParameter&) = default;
};

/// `prefix:family.field(parameters) type[shape]`, as written; what is left out has its default.
struct NamedFields {
  std::string prefix;  ///< `scale`, `pack`, `gguf`
  std::string family;
  std::string field = {};  ///< of a GGUF block; empty for the codes of the elements
  std::vector<NamedParameter> parameters = {};
  std::optional<CellType> type = {};
  std::vector<Index> shape = {};
};

/// An array in an order that has a name. Immutable and shared: a copy costs a reference count.
class NamedLayout {
 public:
  /// Checks the fields in this order: family, field, parameters, type, rank, divisibility, size. Errors:
  /// unknown_name, not_representable (`data_dependent`, `codebook`, `base3`), duplicate_name, bad_option,
  /// number_range, argument_type, rank_mismatch, shape_divisibility, shape_mismatch (groups that do not add
  /// up), bad_extent, overflow (a buffer of 2^62 bits or more).
  static Result<NamedLayout> make(const NamedFields& fields);

  const std::string& prefix() const;
  const std::string& family() const;
  /// The field of a GGUF block; empty for the codes of the elements, and for other families.
  const std::string& field() const;
  /// The parameters that differ from their default, in the order of the family.
  std::span<const NamedParameter> parameters() const;
  const CellType& type() const;
  std::span<const Index> shape() const;

  NamedKind kind() const;
  /// Bits of the buffer, padding included.
  Index buffer_bits() const;
  /// Bytes of the buffer, rounded up.
  Index buffer_bytes() const;
  const Container& container() const;

  /// Bit `bit` of the element at `index`, in bits from the start of the buffer: byte o / 8, bit o % 8, the
  /// lowest bit first. Requires an index inside the shape and 0 <= bit < type().bits. O(digits).
  Index bit_offset(std::span<const Index> index, int bit) const;

  friend bool operator==(const NamedLayout& a, const NamedLayout& b);

  struct State;  // private to the implementation
  explicit NamedLayout(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  friend struct detail::StateAccess;
  std::shared_ptr<const State> state_;
};

/// Reads `scale:128x4(cols=8) u8[300,7]`, `pack:awq u4[4096,11008]`, `gguf:q4_k.sc u6[2,8]`. Errors: syntax,
/// unknown_type, number_range, and those of NamedLayout::make, with spans. O(text).
Result<NamedLayout> parse_named_layout(std::string_view text);
/// Whether a text begins with one of the prefixes `scale:`, `pack:`, `gguf:`, or with `named:`.
bool is_named_text(std::string_view text);
/// The canonical text: parameters that differ from their default, the type, the extents.
std::string to_string(const NamedLayout& layout);
/// The text without type and extents: `scale:128x4(cols=8)`.
std::string name_of(const NamedLayout& layout);

/// For Layout::make: a layout of kind cells. Errors: not_representable with reason `no_cells` or `planes`.
Result<Layout> to_layout(const NamedLayout& layout);

/// Bits [first, first + width) of each element, in cells of `width` bits.
struct BitPlane {
  int first = 0;
  int width = 8;
  Layout layout;
};
/// The planes of a layout, from the lowest bits up: one of kind cells; those of the family; for a stream, one
/// for each bit. Errors: undecided, overflow (a map whose size the library cannot prove).
Result<std::vector<BitPlane>> planes(const NamedLayout& layout);

/// The layout of bits: the bit of the value is the last dimension, offsets are in bits. Errors: as above.
Result<Layout> bit_layout(const NamedLayout& layout);
/// As above, of any layout with elements of `bits` bits.
Result<Layout> bit_layout(const Layout& layout, Index bits);

/// `count` bits of an element from its bit `first` on, which lie at `offset` and after it.
struct BitRun {
  int first = 0;
  int count = 0;
  Index offset = 0;
  friend bool operator==(const BitRun&, const BitRun&) = default;
};
/// The runs of an element, as long as possible, from the lowest bit up. O(bits * digits).
std::vector<BitRun> runs_at(const NamedLayout& layout, std::span<const Index> index);
/// `bits 0-1: byte 15, bits 6-7; bit 2: byte 44, bit 0`; `byte 27, bits 0-3` for a whole cell in a byte.
std::string runs_text(std::span<const BitRun> runs, int bits);

/// An element, and one of its bits.
struct BitOwner {
  std::vector<Index> index;
  int bit = 0;
  friend bool operator==(const BitOwner&, const BitOwner&) = default;
};
/// The element to which a bit of the buffer belongs; empty for padding. Errors: index_out_of_range, and those
/// of planes and indices_at.
Result<std::optional<BitOwner>> owner_of(const NamedLayout& layout, Index bit_offset);

/// Bytes of a code in an array of codes: 1, 2, 4 or 8.
int code_bytes(const NamedLayout& layout);
/// The codes of all elements, row-major: each is the unsigned number in its bits, little-endian in
/// code_bytes. Errors: shape_mismatch (a buffer of another size), and those of planes. O(elements * digits).
Result<std::vector<std::byte>> unpack(const NamedLayout& layout, std::span<const std::byte> buffer);
/// The buffer with these codes; padding is 0. Errors: shape_mismatch, number_range (a code that does not fit
/// in the bits), and those of planes.
Result<std::vector<std::byte>> pack(const NamedLayout& layout, std::span<const std::byte> codes);

/// The names of a layout with elements of `bits` bits: families with the usual values of their parameters,
/// then fields of GGUF blocks, in the order of the documentation; the same function on the same shape. Each
/// is proved; one that could not be decided is left out.
std::vector<NamedLayout> names_of(const Layout& layout, int bits);

/// A family, or a type of GGUF, as the documentation shows it.
struct NamedFamilyInfo {
  struct Parameter {
    std::string key;
    Index fallback = 0;  ///< 0 for groups
    std::string meaning;
  };

  std::string name;  ///< `scale:128x4`, `gguf:q4_k`
  std::vector<Parameter> parameters = {};
  std::vector<std::string> fields = {};  ///< of a block, after the codes
  std::string indices = {};              ///< the names of the last dimensions in the formula: `m, k`
  std::string formula = {};  ///< of the cell, or of the bit; `/` rounds down, `%` is the remainder
  std::string meaning = {};
  std::string source = {};   ///< the programs that use it
  std::string example = {};  ///< a small layout
};

/// All families, then the types of GGUF.
const std::vector<NamedFamilyInfo>& named_families();

/// A layout of any notation, or a named layout of any kind.
struct NamedOrLayout {
  std::optional<NamedLayout> named = {};
  std::optional<Layout> layout = {};  ///< empty for named layouts of kind bits

  std::span<const Index> shape() const { return named ? named->shape() : layout->shape(); }
  /// Bits of an element, if the type is known.
  std::optional<Index> element_bits() const;
};
/// parse_layout, which also takes named layouts of kind bits.
Result<NamedOrLayout> parse_named_or_layout(std::string_view text);

/// Whether both are the same function: cells are compared if both are of kind cells, whatever their widths;
/// otherwise bits, and the index has the bit of the value as its last entry. `storage` also compares buffers
/// and widths. Errors: those of planes. Exact; a `no` has the smallest index.
Result<LayoutEquality> equal(const NamedOrLayout& a, const NamedOrLayout& b, EqualityNotion notion,
                             const LayoutEqualityOptions& options = {});

}  // namespace tessera
