// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many operations a step computes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tessera/base/dtype.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// product: the multiplications and additions of dot and convolution, which matrix units compute.
/// transcendental: exponential, logarithm, root, power and the like. arithmetic: all other operations.
enum class OperationKind : std::uint8_t { product, arithmetic, transcendental };

/// `product`, `arithmetic`, `transcendental`.
std::string_view to_string(OperationKind kind);

/// Whether the elements are floating-point or complex numbers.
bool is_floating(DType type);

/// a * b, of counts.
Count product_of(const Count& a, const Count& b);
/// Between two counts.
Count either_of(const Count& a, const Count& b);

/// Numbers of operations, by kind and type of element.
class Work {
 public:
  using Key = std::pair<OperationKind, DType>;

  void add(OperationKind kind, DType type, Count count);
  void add(const Work& other);
  /// Some operations are not known: no total has an upper bound.
  void add_unknown(std::string reason);
  /// The work of so many runs.
  Work times(const Count& runs) const;
  /// The work of one of two; each number is a bound if they differ.
  static Work either(const Work& a, const Work& b);

  const std::map<Key, Count>& counts() const { return counts_; }
  /// Why some operations are not known; empty if all are.
  const std::string& unknown() const { return unknown_; }
  bool none() const { return counts_.empty() && unknown_.empty(); }

  /// Operations on floating-point and complex numbers, products and arithmetic.
  Count flops() const;
  /// Operations on integers and truth values, products and arithmetic.
  Count integer_operations() const;
  Count transcendentals() const;
  /// Flops and integer operations.
  Count operations() const;
  /// Whether every number is exact.
  bool exact() const;
  /// Why a number is a bound; empty if all are exact.
  std::string reason() const;

 private:
  template <class Takes>
  Count total(Takes takes) const;

  std::map<Key, Count> counts_;  // without zeros
  std::string unknown_;
};

}  // namespace tessera::detail
