// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layout: what any of the notations says, as one function from indices to offsets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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

/// A function f, total on the indices 0 <= x[i] < shape()[i], with offsets in elements, as one notation
/// writes it. Immutable and shared: copying costs a reference count. Every offset lies strictly between -2^62
/// and 2^62, so that differences of offsets fit 64 bits. Shapes: a CuTe layout has one dimension per
/// top-level mode, and a crop makes them smaller than the modes.
class Layout {
 public:
  /// \name Making one. What the notation itself cannot check is checked here.
  /// @{

  /// An array with its layout; a bounded dimension counts with its bound. Errors: those of `validate`,
  /// unbounded, overflow, layout_on_nonarray (no array).
  static Result<Layout> make(TensorType type);
  /// `crop`: the extents of the box, one per top-level mode, or none for the whole layout. Errors:
  /// rank_mismatch, bad_extent (a size below 1 or above the mode's), unsupported_codomain (strides that count
  /// coordinates).
  static Result<Layout> make(const StridedLayout& layout, std::vector<Index> crop = {});
  /// A chain of swizzles and layouts. Errors also: not_representable with reason `not_a_layout` (it ends in a
  /// swizzle), unsupported_codomain (a negative value into a swizzle), overflow, undecided (that could not be
  /// excluded).
  static Result<Layout> make(const ComposedLayout& chain, std::vector<Index> crop = {});
  /// Errors: rank_mismatch (no dimension), those of `expand`.
  static Result<Layout> make(ShapedPackedLayout packed);
  /// Extents may be 0. Errors: rank_mismatch, bad_extent, overflow.
  static Result<Layout> make(Strides strides);
  /// Errors: rank_mismatch (no dimension).
  static Result<Layout> make(LinearLayout linear);
  /// One result over a box of dimensions that start at 0. `empty_shape`: the extents of a known empty map,
  /// which does not say them itself. Errors: not_representable with reason `not_a_layout`, undecided (whether
  /// there is a value everywhere), overflow.
  static Result<Layout> make(IndexMap map, std::span<const Index> empty_shape = {});
  /// @}

  Notation notation() const;
  /// The box of indices.
  std::span<const Index> shape() const;
  std::size_t rank() const { return shape().size(); }
  /// Number of indices.
  Index size() const;

  /// The offset of an index inside the box. O(digits), or what one evaluation costs; no allocation where
  /// digits are known.
  Index offset(std::span<const Index> index) const;

  /// Elements of memory the layout needs: what the notation says (XLA, Morello), else 1 + the largest offset;
  /// 0 for an empty box. Errors: not_applicable (a negative offset), overflow, undecided.
  Result<Index> buffer_size() const;

  /// The element type, which XLA's notation alone has.
  std::optional<DType> dtype() const;
  /// Bits of one element in memory, where the type is known: E(...), else the type's whole bytes.
  std::optional<Index> element_bits() const;

  /// \name What was written; null for the other notations.
  /// @{
  const TensorType* tensor_type() const;
  /// The steps of the tiles, ready to use, of a tensor_type().
  const TiledMap* tiled_map() const;
  /// A CuTe layout without a chain; the box may be smaller, see is_cropped().
  const StridedLayout* strided() const;
  /// A CuTe chain of more than one part.
  const ComposedLayout* composed() const;
  const ShapedPackedLayout* packed() const;
  const Strides* strides() const;
  const LinearLayout* linear() const;
  const IndexMap* index_map() const;
  /// @}
  /// A CuTe layout whose box is smaller than its modes.
  bool is_cropped() const;

  /// The digits that the notation's structure gives at once. Null: to_digits decides from values.
  const Digits* known_digits() const;

  /// Same notation, field by field the same.
  friend bool operator==(const Layout& a, const Layout& b);

  struct State;  // private to the implementation

 private:
  explicit Layout(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// The normal form, exact. Errors: not_representable (`entangled`, `irregular`), undecided.
Result<Digits> to_digits(const Layout& layout);

/// `(d0, d1) -> (offset)` over the box, always. Swizzles and linear layouts as sums modulo 2. Not simplified.
IndexMap lower(const Layout& layout);

/// Sets of dimensions that may interact in the offset; the others certainly add up.
std::vector<std::vector<std::size_t>> interacting_dims(const Layout& layout);

/// The bases over F2 where the layout is XOR of its index bits by construction: linear layouts, and swizzle
/// chains in front of layouts whose sums do not carry. Over the smallest powers of two that hold the box.
std::optional<LinearLayout> linear_form(const Layout& layout);

}  // namespace tessera
