// SPDX-License-Identifier: Apache-2.0
// Layouts whose sizes have names: `f32[M,N]{1,0:T(8,128)}`, `(M,(4,N)):(1,(M,4*M))`, `np:(M,N):(K,1)`,
// `MxN:[1, 0]`, `NxCxHxW:aBcd16b`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "size/assumption.h"

namespace tessera::symbolic {

/// A tree of terms in preorder: a leaf, or the rank of a tuple.
struct TermTree {
  std::vector<int> nesting = {};  ///< kLeaf or a rank
  std::vector<SizeTerm> leaves = {};
  static constexpr int kLeaf = -1;

  /// The leaves [first, last) of each top-level mode; a leaf alone is one mode.
  struct Mode {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::vector<Mode> modes() const;
};

/// The place of the word `where`, or the end.
std::size_t assumptions_at(std::string_view text);
/// Whether the word `where` and assumptions follow a layout.
bool has_assumptions(std::string_view text);

/// Whether the text is a layout with names for sizes, or with assumptions.
bool is_about_sizes(std::string_view text);

/// A layout as written, with terms in place of numbers where its notation has sizes. Immutable.
class SymbolicLayout {
 public:
  enum class Kind : std::uint8_t { cute, strides, xla, morello, format_tag };
  /// An entry of a Morello layout: a dimension, and the size of a pack or nothing.
  struct Entry {
    int dim = 0;
    std::optional<Integer> pack = {};
  };

  /// Errors: syntax, unknown_type, not_congruent, bad_permutation, dim_out_of_range, reserved_name,
  /// number_range, limit, undefined_value (a divisor that is the number 0); those of PackedLayout::make and
  /// of the assumptions after `where`.
  static Result<SymbolicLayout> parse(std::string_view text);

  Kind kind() const { return kind_; }
  /// `f32`, empty for none.
  const std::string& type() const { return type_; }
  /// The text without assumptions.
  const std::string& text() const { return text_; }
  const TermTree& shape() const { return shape_; }
  /// Of CuTe's notation and of strides. Empty: the compact layout.
  const TermTree& stride() const { return stride_; }
  const std::vector<SizeTerm>& crop() const { return crop_; }
  const SizeTerm& offset() const { return offset_; }
  const std::vector<int>& minor_to_major() const { return minor_to_major_; }
  const std::vector<std::vector<SizeTerm>>& tiles() const { return tiles_; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// The dimensions of a format tag, slowest first, and its blocks.
  const std::vector<int>& outer() const { return minor_to_major_; }
  /// The assumptions after `where`.
  const AssumptionList& where() const { return where_; }
  /// Says which field of a request has the text, for errors about its assumptions. Requires a literal.
  void come_from(std::string_view field) { where_.come_from(field); }

  /// The names of its terms, in the order of the text.
  std::vector<std::string> names() const;
  /// The text with numbers for the names: nothing if a number does not exist or is below 0 where the notation
  /// has none.
  std::optional<std::string> text_at(const Sizes& sizes) const;
  /// The text, without assumptions, with numbers for some of the names.
  std::string text_with(const Sizes& sizes) const;
  /// Whether a divisor of its terms is below 1 for these sizes.
  bool divides_below_one(const Sizes& sizes) const;

 private:
  friend class SymbolicParser;
  Kind kind_ = Kind::cute;
  std::string text_ = {};  // without the assumptions
  std::string type_ = {};
  TermTree shape_ = {};
  TermTree stride_ = {};
  std::vector<SizeTerm> crop_ = {};
  SizeTerm offset_ = {};
  std::vector<int> minor_to_major_ = {};
  std::vector<std::vector<SizeTerm>> tiles_ = {};
  std::vector<Entry> entries_ = {};
  AssumptionList where_ = {};
  std::vector<SizeTerm> terms_ = {};  // all, by their places in the text
};

}  // namespace tessera::symbolic
