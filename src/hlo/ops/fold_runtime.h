// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runtime variables whose values the program determines.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "hlo/ops/element_value.h"
#include "hlo/ops/rule.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

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
  /// Evaluate arrays as a whole (at most detail::kHloLimits.ops.table_elements), and narrow variables to the
  /// values that their sources can have. Off where many maps with the same sources are composed.
  bool arrays = true;
  bool keep_sources = false;  ///< leave variables whose values are not known as they are
};

/// Traces every runtime value of `indexing` to its origin and replaces the variable if its value is known:
/// constants, iotas, integer arithmetic on them that cannot overflow, and arrays that the program determines
/// and that one expression describes, clamped as the instruction clamps it. Traces through broadcast,
/// reshape, bitcast, transpose, slice, reverse, copy, opt-barrier, the parts of a concatenate, the inside of
/// a pad, dynamic-slice and gather at known starts, conversions that keep the value, tuples, calls, fusions
/// and, with a resolver, parameters. Other variables stay, narrowed to the values that their sources can have
/// (of u8 at most 255); their sources move as close to the origin as possible. A constraint keeps the value
/// of a replaced variable in the variable's interval, unless the value is always in it. Runtime maps must
/// have the dimensions of the map, alone or with all its range (and then all its runtime) variables. Does not
/// simplify the map. Returns whether anything changed. Exact.
bool fold_runtime(Indexing& indexing, const FoldOptions& options = {});

/// The map of one instruction, with every start that the program determines replaced by its value, unless the
/// query leaves starts alone; simplified.
Indexing known_starts(const detail::OpQuery& query, Indexing indexing);

/// Replaces each runtime variable whose values are a table that no single expression describes by maps for
/// the pieces of the table, which do not overlap: `gather(x, constant({3, 0, 5, 9}))` has the maps
/// (d0) -> (d0 * -3 + 3) for d0 in [0, 1] and (d0) -> (d0 * 4 - 3) for d0 in [2, 3]. A variable whose pieces
/// would make the set larger than detail::kHloLimits.ops.table_maps stays. Simplified; Points::replace also
/// drops unused variables. Exact.
IndexingSet split_tables(IndexingSet set, Points points);

}  // namespace tessera
