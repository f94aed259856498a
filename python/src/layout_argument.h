// SPDX-License-Identifier: Apache-2.0
// Arguments that are layouts, coordinates or numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "python/src/python.h"
#include "tessera/base/index.h"
#include "tessera/notation/layout.h"

namespace tessera::python {

/// Reads a text like parse_layout. If a notation is given, the text must be in that notation. Raises
/// ParseError.
Layout read_layout(std::string_view text, const std::optional<std::string>& notation = {});

/// A tessera.Layout, a tessera.cute.Layout, or a text. Raises ParseError, TypeError.
Layout layout_argument(nb::handle value);

/// A notation by name. Raises Error (unknown_name).
Notation notation_argument(std::string_view name);

/// The integer value of an object with `__index__`. Raises TypeError, OverflowError.
Index index_argument(nb::handle value);

/// Indices stored inline: up to 16 without an allocation.
class Indices {
 public:
  /// The arguments of a call: one integer per dimension, or one tuple.
  explicit Indices(const nb::args& arguments);
  /// One integer, or a sequence of integers.
  explicit Indices(nb::handle value);

  std::span<const Index> span() const { return {size_ <= kInline ? inline_ : heap_.data(), size_}; }

 private:
  static constexpr std::size_t kInline = 16;
  void push(nb::handle value);
  void push_all(nb::handle sequence);

  Index inline_[kInline];
  std::vector<Index> heap_;
  std::size_t size_ = 0;
};

nb::tuple tuple_of(std::span<const Index> values);

/// Raises ShapeError unless `index` is inside the box of the layout.
void check_index(const Layout& layout, std::span<const Index> index);

/// A Python string literal.
std::string literal(std::string_view text);

}  // namespace tessera::python
