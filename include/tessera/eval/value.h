// SPDX-License-Identifier: Apache-2.0
/// \file
/// Value: what an expression of the calculator is: a tuple, a layout, a tiler, a swizzle, an answer.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tessera/algebra/construct.h"
#include "tessera/algebra/linear.h"
#include "tessera/algebra/thread_value.h"
#include "tessera/algebra/tracked_layout.h"

namespace tessera {

/// Yes, or no and the reason: `false, coordinates 0 and 2 both have the offset 0`.
struct Truth {
  bool yes = true;
  std::string reason = {};
};

/// Several lines for people: a table, a report.
struct TextBlock {
  std::string text;
};

/// An immutable value, shared by its copies. Tuples are TrackedCoord: shapes, coordinates and integers are
/// one kind, and what takes them decides. A layout is TrackedLayout, a chain of several parts
/// TrackedComposed.
class Value {
 public:
  using Data = std::variant<TrackedCoord, TrackedLayout, TrackedComposed, Swizzle, TrackedTiler, Slice,
                            ThreadValue, LinearBases, std::vector<Index>, Truth, Order, TextBlock>;

  /// The integer 0.
  Value() : Value(IntTuple(0)) {}
  explicit Value(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}
  /// An integer or a tuple, a layout, a chain (a layout where it has one part), a tiler without marks.
  explicit Value(const IntTuple& tuple) : Value(Data(TrackedCoord{Coord(tuple), 0})) {}
  explicit Value(const StridedLayout& layout) : Value(Data(TrackedLayout{layout, {}})) {}
  explicit Value(const ComposedLayout& chain);
  explicit Value(const Tiler& tiler) : Value(Data(TrackedTiler{tiler, {}})) {}

  const Data& data() const { return *data_; }
  /// The alternative T, or null.
  template <class T>
  const T* as() const {
    return std::get_if<T>(data_.get());
  }
  /// The integer, or null for every other value.
  const Index* integer() const;

 private:
  std::shared_ptr<const Data> data_;
};

/// The text that is read back as the value, where the notation has one: `(4,8):(8,1)`, `<3:4,8:2>`, `true`.
/// A slice is `LAYOUT at OFFSET`, a thread-value layout `LAYOUT over TILE`, bases and lists are in
/// brackets.
std::string to_string(const Value& value);

/// What kind of value it is, as messages and JSON say: `integer`, `tuple`, `coordinate` (with holes),
/// `layout`, `composed_layout`, `swizzle`, `tiler`, `slice`, `thread_value`, `bases`, `list`, `boolean`,
/// `order`, `text`.
std::string kind_of(const Value& value);

}  // namespace tessera
