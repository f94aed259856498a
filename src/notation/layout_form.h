// SPDX-License-Identifier: Apache-2.0
/// \file
/// LayoutForm: what a notation knows about one of its layouts. Each notation derives a class from it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "notation/dim_groups.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace detail {

/// A layout as written. Immutable. Functions with a Layout parameter get the layout that holds this form.
class LayoutForm {
 public:
  virtual ~LayoutForm() = default;

  /// The value as T, for Layout::as; null if it is of another type.
  virtual const void* value(const char* type_tag) const = 0;
  /// Whether `other` has the same type and equal fields.
  virtual bool equals(const LayoutForm& other) const = 0;
  /// The text without the prefix that selects the notation. `shape` is the layout's shape.
  virtual std::string text(std::span<const Index> shape) const = 0;
  /// How the notation orders dimensions: `CuTe: leftmost mode fastest`.
  virtual std::string order() const = 0;

  /// \name Memory and elements, if the notation describes them.
  /// @{
  virtual std::optional<Index> allocated_elements() const { return std::nullopt; }
  virtual std::optional<DType> dtype() const { return std::nullopt; }
  virtual std::optional<Index> element_bits() const { return std::nullopt; }
  /// Properties that no other notation can express, such as `memory space S(1)`.
  virtual std::vector<std::string> properties() const { return {}; }
  /// Errors: not_representable, if no layout of the other notation has such elements.
  virtual Result<void> may_convert(Notation) const { return {}; }
  /// @}

  /// \name For layouts whose structure does not give digits; never called for others.
  /// @{
  virtual Index offset(std::span<const Index> index) const;
  virtual IndexMap to_index_map(std::span<const Index> shape) const;
  virtual DimGroups interacting_dims(const Layout& self) const;
  virtual std::optional<LinearLayout> linear_form(std::span<const Index>) const { return std::nullopt; }
  virtual Result<Digits> to_digits(const Layout& self) const;
  /// The smallest and the largest offset, if they are known exactly.
  virtual std::optional<Interval> offset_bounds() const { return std::nullopt; }
  /// @}

  /// The transposed layout: its dimension i is dimension axes[i] of this layout. The last parameter is the
  /// inverse permutation. Empty: this notation cannot transpose the layout, so the map is transposed instead.
  virtual std::optional<Result<Layout>> transposed(const Layout&, std::span<const Index>,
                                                   std::span<const Index>) const {
    return std::nullopt;
  }
};

/// A form that holds one value.
template <class T>
class FormOf : public LayoutForm {
 public:
  explicit FormOf(T value) : value_(std::move(value)) {}
  const T& get() const { return value_; }
  const void* value(const char* type_tag) const override {
    return type_tag == &kTypeTag<T> ? &value_ : nullptr;
  }
  bool equals(const LayoutForm& other) const override {
    const void* theirs = other.value(&kTypeTag<T>);
    return theirs != nullptr && value_ == *static_cast<const T*>(theirs);
  }

 private:
  T value_;
};

/// Errors: overflow, for offsets beyond kNotationLimits.offset.
Result<void> check_bounds(Interval bounds);
/// The number of indices. Errors: overflow.
Result<Index> checked_size(std::span<const Index> extents);
/// Errors: rank_mismatch for rank 0; the message names `notation`, such as `Morello's notation`.
Result<void> check_rank(std::size_t rank, std::string_view notation);
/// Errors: index_out_of_range, for an index outside the shape or of another length.
Result<void> check_index(std::span<const Index> index, std::span<const Index> shape);

/// `values` in the order of `axes`.
template <class T>
std::vector<T> permuted(std::span<const T> values, std::span<const Index> axes) {
  std::vector<T> result;
  for (const Index axis : axes) result.push_back(values[static_cast<std::size_t>(axis)]);
  return result;
}

}  // namespace detail

struct Layout::State {
  Notation notation;
  std::vector<Index> shape;
  Index size = 0;
  std::optional<Digits> digits;  // if the structure gives them
  std::unique_ptr<const detail::LayoutForm> form;
};

namespace detail {

inline Layout new_layout(Notation notation, std::vector<Index> shape, Index size,
                         std::optional<Digits> digits, std::unique_ptr<const LayoutForm> form) {
  return Layout(std::make_shared<const Layout::State>(
      Layout::State{notation, std::move(shape), size, std::move(digits), std::move(form)}));
}

}  // namespace detail
}  // namespace tessera
