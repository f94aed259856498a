// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layout: a function from indices to offsets, in any of the notations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/algebra/composed_layout.h"
#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/notation/packed_layout.h"
#include "tessera/notation/strides.h"
#include "tessera/notation/tensor_type.h"
#include "tessera/notation/tiled_map.h"

namespace tessera {

enum class Notation : std::uint8_t { xla, cute, morello, strides, linear, map };

/// `xla`, `cute`, `morello`, `strides`, `linear`, `map`.
std::string_view to_string(Notation notation);
std::optional<Notation> parse_notation(std::string_view word);

/// A function from the indices 0 <= x[i] < shape()[i] to offsets in elements, as written in one notation.
/// Immutable and shared: a copy costs a reference count. Every offset is strictly between -2^62 and 2^62, so
/// that differences of offsets fit in 64 bits. A CuTe layout has one dimension per top-level mode; a crop
/// makes the extents smaller than the modes.
class Layout {
 public:
  /// \name Construction, with checks that go beyond the notation's own. @{

  /// An array with its layout; the extent of a bounded dimension is its bound. Errors: those of `validate`,
  /// unbounded, overflow, layout_on_nonarray (no array).
  static Result<Layout> make(TensorType type);
  /// `crop`: the extents of the box, one per top-level mode, or none for the whole layout. Errors:
  /// rank_mismatch, bad_extent (a size below 1 or above the mode's), unsupported_codomain (strides that count
  /// coordinates).
  static Result<Layout> make(const StridedLayout& layout, std::vector<Index> crop = {});
  /// A chain of swizzles and layouts. Errors also: not_representable with reason `not_a_layout` (it ends in a
  /// swizzle), unsupported_codomain (a swizzle of a negative value), overflow, undecided (whether it is
  /// negative).
  static Result<Layout> make(const ComposedLayout& chain, std::vector<Index> crop = {});
  /// Errors: rank_mismatch (no dimension), those of `expand`.
  static Result<Layout> make(ShapedPackedLayout packed);
  /// Extents may be 0. Errors: rank_mismatch, bad_extent, overflow.
  static Result<Layout> make(Strides strides);
  /// Errors: rank_mismatch (no dimension).
  static Result<Layout> make(LinearLayout linear);
  /// One result over a box of dimensions that start at 0. `empty_shape`: the extents of a known empty map,
  /// which does not have them. Errors: not_representable with reason `not_a_layout`, undecided (whether
  /// there is a value everywhere), overflow.
  static Result<Layout> make(IndexMap map, std::span<const Index> empty_shape = {});
  /// The map with this normal form. Errors: overflow.
  static Result<Layout> make(const Digits& digits);
  /// @}

  Notation notation() const;
  /// The box of indices.
  std::span<const Index> shape() const;
  std::size_t rank() const { return shape().size(); }
  /// Number of indices.
  Index size() const;

  /// The offset of an index inside the box. O(digits), or the cost of one evaluation; does not allocate if
  /// digits are known.
  Index offset(std::span<const Index> index) const;

  /// Elements of memory that the layout needs: as the notation says (XLA, Morello), else 1 + the largest
  /// offset; 0 for an empty box. Errors: not_applicable (a negative offset), overflow, undecided.
  Result<Index> buffer_size() const;

  /// The element type; only XLA's notation has one.
  std::optional<DType> dtype() const;
  /// Bits of one element in memory, if the type is known: E(...), else whole bytes.
  std::optional<Index> element_bits() const;

  /// \name The layout as written; null for the other notations.
  /// @{
  const TensorType* tensor_type() const;
  /// The precomputed tile steps of tensor_type().
  const TiledMap* tiled_map() const;
  /// A CuTe layout without a chain; the box may be smaller, see is_cropped().
  const StridedLayout* strided() const;
  /// A CuTe chain of more than one part.
  const ComposedLayout* composed() const;
  const ShapedPackedLayout* packed() const;
  const Strides* strides() const;
  const LinearLayout* linear() const;
  const IndexMap* index_map() const;
  /// @} Whether it is a CuTe layout whose box is smaller than its modes.
  bool is_cropped() const;

  /// The digits, if they follow from the structure; null if to_digits must enumerate.
  const Digits* known_digits() const;

  /// Whether both have the same notation and equal fields.
  friend bool operator==(const Layout& a, const Layout& b);

  struct State;  // private to the implementation

 private:
  explicit Layout(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// The normal form, exact. Errors: not_representable (`entangled`, `irregular`), undecided.
Result<Digits> to_digits(const Layout& layout);

/// `(d0, d1) -> (offset)` over the box; never fails. XOR becomes sums modulo 2. Not simplified.
IndexMap lower(const Layout& layout);

/// Sets of dimensions that may interact in the offset; the offset is the sum over the sets.
std::vector<std::vector<std::size_t>> interacting_dims(const Layout& layout);

/// The bases over F2, if the offset is the XOR of index bits by construction: linear layouts, and swizzle
/// chains before layouts whose sums do not carry. Extents are rounded up to powers of two.
std::optional<LinearLayout> linear_form(const Layout& layout);

/// Reads a layout of any notation: `f32[3,5]{1,0:T(2,2)}`, `((2,2),(2,3)):((2,12),(1,4)) crop (3,5)`,
/// `Sw<3,0,3> o _0 o (8,8):(8,1)`, `6x8:[1, 0, 1 p(4)]`, `np:(6,8):(1,6) + 7`, `d0:1,16 d1:2,4,8`, `(d0, d1)
/// -> (d0 * 8 + d1), domain: d0 in [0, 5], d1 in [0, 7]`. A prefix `xla: cute: mor: np: ll: map:` selects the
/// notation; without one the beginning of the text determines it, and a flat `(6,8):(1,6)` is CuTe (the same
/// function as strides). Errors: those of the notation and of Layout::make, with the span in `text`;
/// missing_layout for a layout without the shape it needs. O(text).
Result<Layout> parse_layout(std::string_view text);

/// The notation that a text names by its prefix.
std::optional<Notation> notation_prefix(std::string_view text);

/// `xla`, `cute`, `mor`, `np`, `ll`, `map`: the prefix before the colon.
std::string_view prefix(Notation notation);

/// The canonical text: parse_layout(to_string(x)) == x, for maps the same function (the operand of a minus is
/// read into canonical form). The map of an empty box has its extents: `domain: d0 in [0, -1]`. Strides have
/// their prefix.
std::string to_string(const Layout& layout);
/// The same with the prefix of every notation.
std::string to_prefixed_string(const Layout& layout);

/// How the notation orders dimensions: `CuTe: leftmost mode fastest`, `XLA: minor_to_major {1,0}`.
std::string order_text(const Layout& layout);

}  // namespace tessera
