// SPDX-License-Identifier: Apache-2.0
/// \file
/// RelayoutPlan: how the elements of one logical array get from one layout to another.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/options.h"

namespace tessera {

/// Bytes [begin, end) of a buffer, counted from where offset 0 of the layout lies.
struct ByteRange {
  Index begin = 0;
  Index end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A copy that was thought through: loop nests with a kernel each, chunks for threads. Immutable and shared:
/// copying costs a reference count, and any number of threads may run one plan at once. It holds for any two
/// buffers; alignment is not needed.
class RelayoutPlan {
 public:
  Index element_bytes() const;
  /// Bytes that are copied: number of elements * element_bytes.
  Index payload_bytes() const;
  /// The smallest ranges that hold every byte read, and every byte written (with padding, where that is set).
  ByteRange src_range() const;
  ByteRange dst_range() const;

  /// The bytes of an element that padding becomes, the first element_bytes() of them; nothing where the plan
  /// sets no padding.
  std::optional<std::array<std::byte, 16>> fill() const;
  /// Whether padding may become anything: lines that elements end in are written whole. Of plans with
  /// Padding::any alone.
  bool spoils_padding() const;

  /// Independent pieces of the work; at least 1. Chunks of one plan write disjoint bytes.
  Index chunks() const;
  /// Bounding ranges of what one chunk reads and writes.
  ByteRange chunk_src_range(Index chunk) const;
  ByteRange chunk_dst_range(Index chunk) const;

  /// The loop nests, their kernels, store policy and chunks, as text that parse_plan reads back.
  std::string describe() const;

  struct State;  // private to the implementation
  explicit RelayoutPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

/// The plan for copying every element x of the common box from src.offset(x) to dst.offset(x). No data is
/// touched; the same input gives the same plan. Errors: different_shape; broadcast when two indices share a
/// destination offset (the witness names both); unsupported_width for element_bytes < 1, and for
/// Padding::value above 16; overflow when byte offsets leave 64 bits; undecided when neither
/// enumeration nor proof shows whether the destination is injective, or where a map's offsets end. For
/// digits, tiles, swizzles and bases over F2 the time does not depend on the sizes, but for the tables of
/// what they mix; of other maps up to 2^26 elements may be looked at.
Result<RelayoutPlan> make_plan(const Layout& src, const Layout& dst, Index element_bytes,
                               const PlanOptions& options = {});

/// The same from normal forms. dst_elements is the size of the destination buffer in elements, for padding;
/// with 0 it ends behind the last element. O(digits^2).
Result<RelayoutPlan> make_plan(const Digits& src, const Digits& dst, Index dst_elements, Index element_bytes,
                               const PlanOptions& options = {});

inline std::string to_string(const RelayoutPlan& plan) { return plan.describe(); }

/// A plan from its text. Kernels are chosen anew, for `isa` of this machine. Errors: syntax, number_range,
/// unknown_name, limit; broadcast is not looked for: see verify.
Result<RelayoutPlan> parse_plan(std::string_view text, Isa isa = Isa::automatic);

}  // namespace tessera
