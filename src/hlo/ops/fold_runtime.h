// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runtime variables whose values the program determines.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "hlo/ops/element_value.h"
#include "tessera/hlo/indexing.h"

namespace tessera {

/// The values of scalars, as expressions over the first dimension. For traces with the same options that know
/// of no other variable: many maps of a loop's body start at the same few scalars.
class ScalarValues {
 public:
  /// The clamped value, if it was added for the same interval of the first dimension.
  std::optional<Expr> find(const RuntimeValue& scalar) const;
  void add(const RuntimeValue& scalar, Expr clamped);
  /// Whether the value depends on nothing but the first dimension.
  static bool is_scalar(const RuntimeValue& value) {
    return value.source != nullptr && value.map.results().empty() && value.map.dim_count() > 0 &&
           value.map.constraints().empty() && !value.map.known_empty();
  }

 private:
  struct Known {
    RuntimeValue scalar;  // without a map
    Interval first;
    Expr value;
  };
  std::unordered_multimap<const Instruction*, Known> known_;
};

struct FoldOptions {
  detail::ElementOptions elements = {};  ///< `modular` must be false
  /// Replace a variable by the only value that its clamp allows. Off for the maps of a single instruction,
  /// which show all start indices.
  bool single_values = false;
  ScalarValues* scalars = nullptr;  ///< remembers values between calls
};

/// Traces every runtime value of `indexing` to its origin and replaces the variable if its value is known:
/// constants (splats at any index), iotas, and integer arithmetic on them that cannot overflow, clamped as
/// the instruction clamps it. Traces through broadcast, reshape, bitcast, transpose, slice, reverse, copy,
/// the inside of a pad, conversions that keep the value, tuples, calls, fusions and, with a resolver,
/// parameters. Other variables stay; their sources move as close to the origin as possible. A constraint
/// keeps the value of a replaced variable in the variable's interval, unless the value is always in it.
/// Runtime maps must have the dimensions of the map, alone or with all its range (and then all its runtime)
/// variables. Does not simplify the map. Returns whether anything changed. Exact.
bool fold_runtime(Indexing& indexing, const FoldOptions& options = {});

/// The maps of one instruction, simplified, with every start that the program determines replaced by its
/// value.
Indexing fold_starts(Indexing indexing);

}  // namespace tessera
