// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is known of the integers, pointers and masks of a function: sums of a part that all elements share
/// and of steps along dimensions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "ttgir/lines.h"

namespace tessera::ttgir {

/// One dimension of a value: value = ... + step * i, or an unknown multiple of `multiple` for each i.
struct KnownStep {
  bool exact = true;
  Index step = 0;      ///< if exact
  Index multiple = 0;  ///< if not
  friend bool operator==(const KnownStep&, const KnownStep&) = default;
};

/// A value, of which everything or this is known. Pointers are in bytes.
struct KnownValue {
  Index divisor = 1;                   ///< the shared part is a multiple of it; 0: the shared part is 0
  std::optional<Index> constant = {};  ///< the shared part, if it is known
  std::vector<KnownStep> steps = {};   ///< for each dimension
  /// For a mask: along each dimension it is constant on aligned runs of this length; 0: everywhere.
  std::optional<std::vector<Index>> runs = {};
  friend bool operator==(const KnownValue&, const KnownValue&) = default;
};

/// The values of one function, found by going through its lines until what loops carry does not change.
class KnownValues {
 public:
  explicit KnownValues(std::span<const TtgirLine> lines);
  /// Calls `each` with the number of every line, when the values that it uses are known.
  void visit(const std::function<void(std::size_t)>& each);
  /// Null if nothing is known. Names may be used again in other regions, so ask during a visit.
  const KnownValue* find(std::string_view name) const;

 private:
  struct Loop;
  void argument_list(std::string_view text);
  void pass(const std::function<void(std::size_t)>& each);
  void loop_header(const TtgirLine& line, std::vector<Loop>& loops);
  void yield(const TtgirLine& line, const Loop& loop);
  std::optional<KnownValue> result_of(const TtgirLine& line) const;
  std::optional<KnownValue> arithmetic(const TtgirLine& line,
                                       std::span<const std::string_view> operands) const;
  std::optional<KnownValue> constant(const TtgirLine& line) const;
  void set(std::string_view name, std::optional<KnownValue> value);
  void forget(std::string_view name);

  std::span<const TtgirLine> lines_;
  std::map<std::string, KnownValue, std::less<>> values_;
  // The meets of what a loop yields, by its line and the number of the value; nothing if they are not known.
  std::map<std::pair<Index, std::size_t>, std::optional<KnownValue>> carried_;
  bool changed_ = false;
  bool gave_up_ = false;
};

}  // namespace tessera::ttgir
