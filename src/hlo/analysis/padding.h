// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much memory a tiling rule wastes on padding, and the layouts that waste least.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/hlo/module.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// How a machine tiles its arrays. tpu: the T(8,128) family of XLA, by element width: T(8,128), T(4,128),
/// T(2,128) and T(1,128) of 32 bits, T(8,128)(2,1) of 16, T(8,128)(4,1) of 8, and so on; T(1024) of one
/// dimension. square: T(32,32). onednn: one dimension in blocks of 16, 8 or 4. written: the tiles that the
/// array has as written.
enum class TilingRule : std::uint8_t { tpu, square, onednn, written };

/// `tpu`, `32x32`, `onednn`, `written`.
std::string_view to_string(TilingRule rule);
/// Errors: bad_option.
Result<TilingRule> parse_tiling_rule(std::string_view text);

/// The rule that the layouts of a module follow: tpu or square if all their tiles are of that family, else
/// written. O(arrays).
TilingRule tiling_rule_of(const HloModule& module);

/// A layout of an array, and the bytes of its buffer.
struct PaddedLayout {
  std::string text;  ///< `f32[3,200]{0,1:T(8,128)}`, `f32[2,30,7]:aBc16b`
  Index bytes = 0;
  std::optional<TensorType> type = {};  ///< empty for oneDNN
};

/// All arrays of one type. Bytes are those of one array.
struct PaddedArray {
  TensorType type;
  const Instruction* first = nullptr;  ///< the first instruction with such an array
  Index count = 1;
  Index elements = 0;  ///< bytes of the elements, without padding
  Index now = 0;       ///< bytes with the layout as written
  PaddedLayout ruled;  ///< the rule's first tile, dimensions in the order as written
  /// The first layout with the fewest bytes over all orders and tiles of the rule; of an array with tiles,
  /// that as written if none takes fewer.
  PaddedLayout best;
  /// The layout with neighboring dimensions joined, if it takes fewer bytes than `best`.
  std::optional<PaddedLayout> joined = {};

  /// Whether the layout as written has tiles. Otherwise `ruled` and `best` are what the rule would take.
  bool is_tiled() const { return type.layout != nullptr && !type.layout->tiles.empty(); }
  /// now - best, at least 0, summed over all these arrays.
  Index saving() const;
};

/// An instruction that moves nothing with the layouts as written, and moves data with the best ones.
struct LostBitcast {
  const Instruction* instruction = nullptr;
  Index bytes = 0;  ///< of the result's elements
};

struct PaddingReport {
  TilingRule rule = TilingRule::tpu;
  bool own = false;                 ///< the rule is that of the program's own layouts
  std::vector<PaddedArray> arrays;  ///< largest saving first, then in the order of the module
  Index elements = 0;               ///< sums over all arrays, saturating
  Index now = 0;
  Index ruled = 0;
  Index best = 0;
  std::size_t unknown = 0;        ///< arrays whose size is unknown
  std::vector<LostBitcast> lost;  ///< if every array took its best layout; not for onednn
};

/// The bytes of one type under a rule. Errors: those of validate; undefined_value (an extent is unbounded),
/// overflow.
Result<PaddedArray> padded_array(const TensorType& type, TilingRule rule);

/// The arrays that a run of `start` (null: the entry) computes or receives as arguments, without scalars and
/// without instructions that only rename other arrays (tuples, bitcasts). Without a rule: that of
/// tiling_rule_of. Exact. O(types * rank^2 + bitcasts).
PaddingReport padding_report(const HloModule& module, std::optional<TilingRule> rule,
                             const Computation* start = nullptr);

}  // namespace tessera
