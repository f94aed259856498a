// SPDX-License-Identifier: Apache-2.0
/// \file
/// TensorType: an element type, dimensions and a tiled layout, what XLA calls a shape; and HloType: an array,
/// a tuple or a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
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

namespace tessera {

/// A tile entry, written `*`, that merges its dimension with the next more minor one. No size parses to this
/// value.
inline constexpr Index kCombine = kIndexMin;

/// `{1,0:T(8,128)(2,1)}`. minor_to_major is a permutation that lists the dimensions, fastest first. Tile
/// entries are >= 1 or kCombine, but the most minor entry is never kCombine. Each tile is applied to the
/// physical dimensions that result from the previous tile, numbered from the most major, 0.
struct TiledLayout {
  std::vector<Index> minor_to_major;
  std::vector<std::vector<Index>> tiles = {};
  Index tail_align = 1;    ///< L(...): elements
  Index element_bits = 0;  ///< E(...): 0 means the type's own
  Index memory_space = 0;  ///< S(...): no effect on offsets or sizes
  /// One split of `SC(dim:points)`: cuts a physical dimension before each point.
  struct Split {
    Index dim = 0;
    std::vector<Index> points;
    friend bool operator==(const Split&, const Split&) = default;
  };
  std::vector<Split> splits = {};   ///< SC(...)
  Index metadata_prefix_bytes = 0;  ///< M(...)

  /// Whether the layout is only an order of the dimensions.
  bool is_plain() const;

  friend bool operator==(const TiledLayout&, const TiledLayout&) = default;
};

/// The order n-1, ..., 1, 0: the last dimension is the fastest.
std::vector<Index> descending_order(std::size_t rank);

/// Whether an extent is known exactly, as an upper bound (`<=4`), or not at all (`?`).
enum class DimKind : std::uint8_t { fixed, bounded, unbounded };

/// An element type with dimensions and, if one was written, a layout. Extents are >= 0 (-1 if unbounded); a
/// layout has the same number of dimensions. `make` and the parsers return only types that pass
/// `validate`.
struct TensorType {
  DType dtype = DType::f32;
  std::vector<Index> dims = {};
  std::vector<DimKind> dim_kinds = {};                  ///< empty: all fixed
  std::shared_ptr<const TiledLayout> layout = nullptr;  ///< null: none written (the default order)

  /// The type, or what is wrong with it: negative_dim, rank_mismatch, nonarray_dims and
  /// layout_on_nonarray (token, opaque), and the codes of `validate`.
  static Result<TensorType> make(DType dtype, std::vector<Index> dims,
                                 std::optional<TiledLayout> layout = {});

  std::size_t rank() const { return dims.size(); }
  DimKind dim_kind(std::size_t i) const { return dim_kinds.empty() ? DimKind::fixed : dim_kinds[i]; }
  /// Whether every extent is known exactly.
  bool is_static() const { return dim_kinds.empty(); }
  /// Number of elements, where a bounded dimension counts as its bound; empty if it exceeds 64 bits or a
  /// dimension is unbounded. Multiplies left to right, so an overflow before a 0 is still an overflow.
  std::optional<Index> element_count() const;
  /// Physical order, fastest dimension first: the order of the layout, or descending if there is none.
  std::vector<Index> minor_to_major() const;

  friend bool operator==(const TensorType& a, const TensorType& b);
};

/// The first error of the type, or nothing: overflow (elements, or their bytes, exceed 64 bits), m2m_range,
/// m2m_duplicate, tail_align, tile_empty, tile_entry, tile_trailing_star, element_bits, memory_space,
/// metadata_prefix, split_dim_range, split_dim_duplicate, split_order, split_range. These are checked in this
/// order. The diagnostic has no span.
std::optional<Diagnostic> validate(const TensorType& type);

/// An array type (token and opaque are array types without dimensions), or a tuple of types, or a buffer
/// `b(...)` of an array, or the placeholder for a type with an error.
class HloType {
 public:
  enum class Kind : std::uint8_t {
    array,
    tuple,
    buffer,
    unreadable,  ///< a placeholder for a type with an error
  };

  HloType() = default;
  explicit HloType(TensorType array) : array_(std::move(array)) {}
  static HloType tuple(std::vector<HloType> elements);
  static HloType buffer(HloType element);
  static HloType unreadable();

  Kind kind() const { return kind_; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  /// Whether the type is an array with elements, not a tuple, token or opaque.
  bool is_array() const { return kind_ == Kind::array && is_array_type(array_.dtype); }
  bool is_token() const { return kind_ == Kind::array && array_.dtype == DType::token; }

  /// The array. Only for arrays, tokens and opaques.
  const TensorType& array() const { return array_; }
  std::span<const Index> dims() const { return array_.dims; }
  std::size_t rank() const { return array_.dims.size(); }
  /// The elements of a tuple, or the only element of a buffer. Copies of a type share them.
  std::span<const HloType> elements() const {
    return parts_ ? std::span<const HloType>(parts_->elements) : std::span<const HloType>();
  }

  /// The number of arrays, tokens, opaques and buffers, also in nested tuples; saturating. O(1).
  std::uint64_t leaf_count() const { return is_tuple() && parts_ ? parts_->leaf_count : 1; }
  /// Nesting depth of tuples and buffers: 0 for an array, 1 for a tuple of arrays. O(1).
  std::uint32_t depth() const { return parts_ ? parts_->depth : 0; }
  /// Whether a part is unreadable. O(1).
  bool has_unreadable() const { return kind_ == Kind::unreadable || (parts_ && parts_->has_unreadable); }
  /// Whether a dimension of a part has an unknown extent, `?`. O(rank).
  bool has_unbounded() const;

  friend bool operator==(const HloType& a, const HloType& b);

 private:
  struct Parts {
    std::vector<HloType> elements;
    std::uint64_t leaf_count = 0;
    std::uint32_t depth = 1;
    bool has_unreadable = false;
    bool has_unbounded = false;
  };
  static std::shared_ptr<const Parts> parts_of(std::vector<HloType> elements);

  Kind kind_ = Kind::array;
  TensorType array_;
  std::shared_ptr<const Parts> parts_;  // of tuples and buffers
};

/// The output types of a value: the elements of a tuple, else the type itself.
std::span<const HloType> outputs(const HloType& type);

/// The first error of a type or its parts, in order; codes as for `validate(const TensorType&)`.
std::optional<Diagnostic> validate(const HloType& type);

/// strict: the notation as XLA writes it. lenient: also the form in older documentation (type names in any
/// letter case, U+2217 for `*`, the parts of a layout in any order). Lenient reads every strict text in the
/// same way.
enum class ShapeMode : std::uint8_t { strict, lenient };

/// Reads a type and checks it: `f32[3,5]{1,0:T(2,2)}`. Only blanks and comments may follow. Errors: those of
/// `read_hlo_type` (with a position), then those of `validate`. Exact; O(text). Example:
/// to_string(*parse_hlo_type("f32 [ 3, 5 ]{1,0:}")) == "f32[3,5]{1,0}".
Result<HloType> parse_hlo_type(std::string_view text, ShapeMode mode = ShapeMode::strict);

/// Reads a type without the check, so its layout may not match its dimensions. Errors: syntax, unknown_type,
/// number_range, negative_dim, rank_mismatch, nonarray_dims, layout_on_nonarray, buffer_element, index_type,
/// sparse_only, depth.
Result<HloType> read_hlo_type(std::string_view text, ShapeMode mode = ShapeMode::strict);

/// Reads the type that begins at byte `begin` of a longer text into `out` and returns the position after it.
/// A `{` belongs to the type only if a number or `:` follows. Spans refer to `text`. Errors: as
/// read_hlo_type.
Result<std::size_t> read_hlo_type_at(std::string_view text, std::size_t begin, HloType& out);

/// The canonical text: lower-case types, blanks only after the commas of tuples, `/*index=5*/` before every
/// fifth tuple element, no default parts of a layout, and no empty layout for rank 0.
/// parse_hlo_type(to_string(t)) == t for every valid type.
std::string to_string(const HloType& type);
std::string to_string(const TensorType& type);
/// `{1,0:T(8,128)}`.
std::string to_string(const TiledLayout& layout);

std::ostream& operator<<(std::ostream& out, const HloType& type);
std::ostream& operator<<(std::ostream& out, const TensorType& type);

/// Appends the canonical text, without layouts (`f32[3,5]`) if `layouts` is false.
void append(std::string& out, const HloType& type, bool layouts = true);

class Layout;  // layout.h
/// For Layout::make: an array with its layout; the extent of a bounded dimension is its bound. Errors: those
/// of `validate`, unbounded, overflow, layout_on_nonarray (the type is not an array).
Result<Layout> to_layout(TensorType type);

}  // namespace tessera
