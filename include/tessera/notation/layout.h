// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layout: a function from indices to offsets, in any of the notations; its text, and the questions that one
/// asks about it: the indices at an offset, the range of offsets, indices that share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/algebra/composed_layout.h"
#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/expr/expr.h"
#include "tessera/map/index_map.h"
#include "tessera/map/judge.h"
#include "tessera/notation/blocked_layout.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/notation/packed_layout.h"
#include "tessera/notation/strides.h"
#include "tessera/notation/tensor_type.h"
#include "tessera/notation/tiled_map.h"

namespace tessera {

/// Every notation, X(name). This is the only list of notations. Each line names a folder of src/notation,
/// where `<name>_traits()` says how to read and print the notation and how to convert to it.
#define TESSERA_NOTATIONS(X)                               \
  X(xla)     /* f32[3,5]{1,0:T(2,2)} */                    \
  X(cute)    /* ((2,2),(2,3)):((2,12),(1,4)) crop (3,5) */ \
  X(morello) /* 6x8:[1, 0, 1 p(4)] */                      \
  X(strides) /* np:(6,8):(1,6) + 7 */                      \
  X(linear)  /* d0:1,16 d1:2,4,8 */                        \
  X(onednn)  /* 2x32x7x7:aBcd16b */                        \
  X(axe)     /* axe:8x16:S[(2,4,16):(64,1,4)] */           \
  X(named)   /* scale:128x4 u8[300,7] */                   \
  X(triton)  /* 64x32:#ttg.blocked<{...}> */               \
  X(map)     /* (d0) -> (d0 * 8), domain: d0 in [0, 3] */

/// How a layout is written.
enum class Notation : std::uint8_t {
#define TESSERA_NOTATION(name) name,
  TESSERA_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
};

/// All notations in the order of TESSERA_NOTATIONS.
std::span<const Notation> all_notations();

/// The name: `xla`, `cute`, `morello`, ...
std::string_view to_string(Notation notation);
/// The notation with this name, if there is one: its own, its prefix, or `numpy` for strides.
std::optional<Notation> parse_notation(std::string_view name);

/// The prefix that is printed to select a notation in a text, without its colon: `xla`, `cute`, `mor`, `np`,
/// `ll`, `dnn`, `map`. Every name that parse_notation takes is read as a prefix, too.
std::string_view prefix(Notation notation);
/// The notation that a text names by its prefix.
std::optional<Notation> notation_prefix(std::string_view text);

namespace detail {
struct StateAccess;

/// The address of this variable identifies the type T. Not const, because a linker may merge equal constants.
template <class T>
inline char kTypeTag = 0;
}  // namespace detail

/// A function from the indices 0 <= x[i] < shape()[i] to offsets in elements, as written in one notation.
/// Immutable and shared: a copy costs a reference count. Every offset is strictly between -2^62 and 2^62, so
/// that differences of offsets fit in 64 bits. A CuTe layout has one dimension per top-level mode; a crop
/// makes the extents smaller than the modes.
class Layout {
 public:
  /// The layout of a value of any notation: a TensorType, StridedLayout, ComposedLayout, ShapedPackedLayout,
  /// BlockedLayout, Strides, LinearLayout, IndexMap, ... Calls the `to_layout` that is declared next to the
  /// type, or below if the type belongs to a lower folder. It documents the errors.
  template <class T>
  static Result<Layout> make(T value) {
    return to_layout(std::move(value));
  }
  /// As above, on a box of these extents: the crop of a CuTe layout, or the extents of a known empty map,
  /// whose domain does not have them.
  template <class T>
  static Result<Layout> make(T value, std::vector<Index> box) {
    return to_layout(std::move(value), std::move(box));
  }

  Notation notation() const;
  /// The box of indices.
  std::span<const Index> shape() const;
  std::size_t rank() const { return shape().size(); }
  /// Number of indices.
  Index size() const;

  /// The offset of an index inside the box. O(digits), or the cost of one evaluation; does not allocate if
  /// digits are known.
  Index offset(std::span<const Index> index) const;
  Index offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }

  /// Elements of memory that the layout needs: allocated_elements(), else 1 + the largest offset; 0 for an
  /// empty box. Errors: not_applicable (a negative offset), overflow, undecided.
  Result<Index> buffer_size() const;
  /// Elements of memory, padding included, in a notation that describes a whole buffer (XLA, Morello,
  /// oneDNN); nothing in a notation of views.
  std::optional<Index> allocated_elements() const;

  /// The element type; only notations of arrays have one.
  std::optional<DType> dtype() const;
  /// Bits of one element in memory, if the type is known: E(...), else whole bytes.
  std::optional<Index> element_bits() const;

  /// The layout as written: the value of type T from which it was made, or null. For a TensorType, T may also
  /// be TiledMap, its precomputed steps.
  template <class T>
  const T* as() const {
    return static_cast<const T*>(value(&detail::kTypeTag<T>));
  }
  /// \name Shorthands for as<T>().
  /// @{
  const TensorType* tensor_type() const { return as<TensorType>(); }
  const TiledMap* tiled_map() const { return as<TiledMap>(); }
  /// A CuTe layout `Shape:Stride` without a chain; the box may be smaller, see is_cropped().
  const StridedLayout* shape_stride() const { return as<StridedLayout>(); }
  /// A CuTe chain of more than one part.
  const ComposedLayout* composed() const { return as<ComposedLayout>(); }
  const ShapedPackedLayout* packed() const { return as<ShapedPackedLayout>(); }
  /// NumPy's strides.
  const Strides* strides() const { return as<Strides>(); }
  const LinearLayout* linear() const { return as<LinearLayout>(); }
  const IndexMap* index_map() const { return as<IndexMap>(); }
  /// @}

  /// Whether this is a CuTe layout whose box is smaller than its modes.
  bool is_cropped() const;

  /// The digits, if they follow from the structure; null if to_digits must enumerate.
  const Digits* known_digits() const;

  /// Whether both have the same notation and equal fields.
  friend bool operator==(const Layout& a, const Layout& b);

  struct State;  // private to the implementation
  explicit Layout(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  friend struct detail::StateAccess;
  const void* value(const char* type_tag) const;

  std::shared_ptr<const State> state_;
};

/// \name For Layout::make: the types of lower folders. Those of the notations are next to their types. All
/// check what the type does not enforce by itself.
/// @{

/// `crop`: the extents of the box, one per top-level mode, or none for the whole layout. Errors:
/// rank_mismatch, bad_extent (a size below 1 or above the mode's), unsupported_codomain (scaled bases).
Result<Layout> to_layout(const StridedLayout& layout, std::vector<Index> crop = {});
/// A chain of swizzles and layouts. Errors: also not_representable with reason `not_a_layout` (the chain ends
/// in a swizzle), unsupported_codomain (a swizzle of a negative value), overflow, undecided (whether a
/// swizzled value is negative).
Result<Layout> to_layout(const ComposedLayout& chain, std::vector<Index> crop = {});
/// A map with one result over a box of dimensions that start at 0. `empty_shape`: the extents of a known
/// empty map, which does not store them. Errors: not_representable with reason `not_a_layout`, undecided
/// (whether the map has a value everywhere), overflow.
Result<Layout> to_layout(IndexMap map, const std::vector<Index>& empty_shape = {});
/// @}

/// The normal form. Exact. Errors: not_representable (`entangled`, `irregular`), undecided.
Result<Digits> to_digits(const Layout& layout);

/// The map `(d0, d1) -> (offset)` over the box; never fails. XOR becomes sums modulo 2. Not simplified.
IndexMap lower(const Layout& layout);

/// Sets of dimensions that may interact: the offset is a sum with one term per set.
std::vector<std::vector<std::size_t>> interacting_dims(const Layout& layout);

/// The bases over F2, if the offset is by construction the XOR of one basis per index bit: for linear
/// layouts, and for swizzles of layouts whose sums do not carry. Extents are rounded up to powers of two.
std::optional<LinearLayout> linear_form(const Layout& layout);

/// Reads a layout of any notation: `f32[3,5]{1,0:T(2,2)}`, `((2,2),(2,3)):((2,12),(1,4)) crop (3,5)`,
/// `Sw<3,0,3> o _0 o (8,8):(8,1)`, `6x8:[1, 0, 1 p(4)]`, `np:(6,8):(1,6) + 7`, `d0:1,16 d1:2,4,8`,
/// `2x32x7x7:aBcd16b`, `scale:128x4 u8[300,7]`,
/// `(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 5], d1 in [0, 7]`. A prefix such as
/// `xla:` selects the notation (see prefix()); otherwise the beginning of the text decides, and a flat
/// `(6,8):(1,6)` is read as CuTe, which is the same function as strides. `atom:ID` is the layout of an atom
/// (see atoms), in the atom's notation. Errors: those of the notation and of Layout::make, with the span in
/// `text`; missing_layout for a layout without the shape it needs; unknown_name for an atom that does not
/// exist. O(text).
Result<Layout> parse_layout(std::string_view text);

/// The canonical text: parse_layout(to_string(x)) == x. A map may be read back as another form of the same
/// function, because the parser canonicalizes the operand of a minus. The map of an empty box shows its
/// extents: `domain: d0 in [0, -1]`. Strides have their prefix.
std::string to_string(const Layout& layout);
/// to_string with the prefix that selects the notation: `xla:f32[3,5]`.
std::string to_prefixed_string(const Layout& layout);

/// How the notation orders dimensions: `CuTe: leftmost mode fastest`, `XLA: minor_to_major {1,0}`.
std::string order_text(const Layout& layout);

/// The indices at an offset; none means padding.
struct Preimage {
  std::vector<std::vector<Index>> indices = {};  ///< in row-major order
  bool complete = true;                          ///< false if PreimageLimits cut the list
  /// For padding in a tiled array: the number of the tile that pads, or TiledCell::kTail.
  int padding_of = TiledCell::kNone;
};

/// How many indices indices_at lists at most.
struct PreimageLimits {
  std::size_t indices = 64;
};

/// All indices with this offset, up to the limit. Exact. O(digits) if no two indices share an offset;
/// tiles, swizzles and bases over F2 are inverted; other maps are searched, up to kTableLimit indices.
/// Errors: index_out_of_range (no index has the offset, and it is outside the buffer), undecided.
Result<Preimage> indices_at(const Layout& layout, Index offset, PreimageLimits limits = {});

/// The smallest and the largest offset over the box; both occur. Exact. Digits, bases over F2 and swizzles
/// need no search; of other maps, only parts that depend on each other are enumerated together. Requires a
/// nonempty box. Errors: undecided (parts that depend on each other have more than kTableLimit indices in
/// total).
Result<Interval> offset_range(const Layout& layout);

/// Two indices of the box with the same offset, the smaller one (row-major) first; empty if the layout is
/// injective. Exact, and decided from the structure at any size: tiles are injective, a swizzle permutes the
/// offsets of the layout after it, bases over F2 are checked for independence, and digits are searched. Any
/// other map is split into independent parts, and it is injective if the steps of each part exceed the range
/// of the smaller parts. Otherwise, up to 2^20 indices are enumerated; of more, a part that begins at index
/// 0, which can only show two indices. Errors: undecided (by to_digits or collision(Digits)).
Result<std::optional<std::pair<std::vector<Index>, std::vector<Index>>>> collision(const Layout& layout);

/// Composes `map`, from output indices (and range and runtime variables) to operand indices, with the layout
/// of the operand: the result is an offset in the operand's memory. The domain is that of `map`. Simplified.
/// Errors: rank_mismatch (the map does not end in the operand's dimensions). Exact. Example: the transpose
/// `(d0, d1) -> (d1, d0)` of `f32[4,8]{1,0:T(2,4)(2,1)}` is `(d1 / 2) * 14 + d0 * 2 + d1`.
Result<IndexMap> access_map(const IndexMap& map, const Layout& operand);

/// The operand offset as a function of the output offset, defined where the output has an element. Further
/// errors: shape_mismatch (the domain of the map is not the output's box), not_invertible (two output indices
/// share an offset).
Result<IndexMap> access_map(const IndexMap& map, const Layout& operand, const Layout& output);

/// Whether the operation moves no data: each output element is read from the offset at which it is stored
/// (f_in . map = f_out). Errors: rank_mismatch, shape_mismatch.
Result<Equality> is_bitcast(const IndexMap& map, const Layout& operand, const Layout& output);

}  // namespace tessera
