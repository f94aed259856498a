// SPDX-License-Identifier: Apache-2.0
/// \file
/// RelayoutPlan: how to move the elements of one logical array from one layout to another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/layout.h"

namespace tessera {

namespace detail {
struct StateAccess;
}

/// An instruction set of the copy kernels. `automatic` is the best one of this machine; `scalar` is plain
/// C++.
enum class Isa : std::uint8_t { automatic, scalar, sse4, avx2, avx512, avx512_dl, neon };

/// `auto`, `scalar`, `sse4`, `avx2`, `avx512`, `avx512_dl`, `neon`.
std::string_view to_string(Isa isa);

/// The instruction set with this name. Errors: bad_option for an unknown name, or one that this machine or
/// build does not support; the help lists the supported ones.
Result<Isa> parse_isa(std::string_view name);

/// The instruction sets that this build has kernels for and this machine can run, simplest first. Never
/// empty.
std::vector<Isa> available_isas();

/// What `automatic` means: the environment variable TESSERA_ISA if it names an available one, else the best.
Isa default_isa();

/// What a copy does with the bytes of the destination buffer that belong to no element.
enum class Padding : std::uint8_t {
  keep,   ///< unchanged
  zero,   ///< set to 0
  value,  ///< every padding element is set to PlanOptions::fill
  any,    ///< may be overwritten with anything: the fastest
};

/// Who reads the destination next. `near`: this core, soon, so the data should stay in the cache. `far`:
/// anyone else.
enum class Consumer : std::uint8_t { far, near };

/// What a plan is made for. Plans with different options move the same elements.
struct PlanOptions {
  Padding padding = Padding::keep;
  /// For Padding::value: one element, in the first element_bytes bytes.
  std::array<std::byte, 16> fill = {};
  Consumer consumer = Consumer::far;
  Isa isa = Isa::automatic;
  /// The number of threads to plan for, which is also the maximum number of chunks.
  int threads = 1;
  /// The smallest payload of a chunk. Below this size, handing work to a thread costs more than it saves.
  Index min_chunk_bytes = Index{512} << 10;
  /// The size of one core's L2 cache, which decides whether to use streaming stores; 0 asks the system.
  Index l2_bytes = 0;

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// Bytes [begin, end) of a buffer, counted from offset 0 of the layout.
struct ByteRange {
  Index begin = 0;
  Index end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A loop of `extent` iterations, with the step of one iteration on each side.
struct StridedLoop {
  Index extent = 1;
  Index from = 0;
  Index to = 0;
  friend bool operator==(const StridedLoop&, const StridedLoop&) = default;
};

/// Elements that move from one buffer to another: those at `from + sum of i_k * loops[k].from`, for all i_k
/// below the extents, go to `to + sum of i_k * loops[k].to`. The last loop is the fastest. Offsets count
/// elements, or whatever unit the owner says. Extents are at least 1.
struct StridedMove {
  Index from = 0;
  Index to = 0;
  std::vector<StridedLoop> loops = {};

  Index elements() const;
  /// The smallest and the largest offset on each side.
  Interval from_bounds() const;
  Interval to_bounds() const;
  /// True if the elements are consecutive on both sides, in the same order.
  bool is_run() const;
  friend bool operator==(const StridedMove&, const StridedMove&) = default;
};

/// Reverses loops that step back in the target, orders loops by their step in the target, the longest first,
/// drops loops of one iteration, and joins loops that continue each other on both sides. Moves the same
/// elements.
void order_by_target(StridedMove& move);

/// Appends moves of the elements whose target offset is in [begin, end). At most two moves per loop. Requires
/// a move in the order of order_by_target whose target steps exceed the reach of the loops inside them.
void restrict_target(const StridedMove& move, Index begin, Index end, std::vector<StridedMove>& out);

/// Appends moves of at most `most` elements each, which together are `move`: in the order of its loops.
void cut_elements(const StridedMove& move, Index most, std::vector<StridedMove>& out);

/// Calls visit with moves that together are `move` and that cost at most `most`, or are single elements.
/// Halves the loop that reaches farthest in the source.
void for_each_fitting(const StridedMove& move, const std::function<Index(const StridedMove&)>& cost,
                      Index most, const std::function<void(const StridedMove&)>& visit);

/// `5 -> 7, 3 by 100 -> 40, 2 by 1 -> 16`: where the elements begin, then each loop.
std::string to_string(const StridedMove& move);

/// A planned copy: loop nests with a kernel each, and chunks for threads. Immutable and shared: copying costs
/// a reference count, and any number of threads may run one plan at once. A plan works for any two buffers of
/// any alignment.
class RelayoutPlan {
 public:
  Index element_bytes() const;
  /// The bytes that are copied: number of elements * element_bytes.
  Index payload_bytes() const;
  /// The smallest ranges that contain every byte read and every byte written (including padding that is set).
  ByteRange src_range() const;
  ByteRange dst_range() const;

  /// The value that padding is set to, in the first element_bytes() bytes; empty if the plan sets no padding.
  std::optional<std::array<std::byte, 16>> fill() const;
  /// True if the plan overwrites some padding with arbitrary bytes, in order to write whole cache lines. Only
  /// with Padding::any.
  bool spoils_padding() const;

  /// The loop nests as moves of bytes, the run of bytes last. Empty if a nest has a table or fills padding,
  /// or if the plan evaluates a map.
  std::optional<std::vector<StridedMove>> moves() const;

  /// The number of chunks, at least 1. Chunks are independent and write disjoint bytes.
  Index chunks() const;
  /// Bounding ranges of the bytes that one chunk reads and writes.
  ByteRange chunk_src_range(Index chunk) const;
  ByteRange chunk_dst_range(Index chunk) const;

  /// The loop nests, their kernels, store policy and chunks, as text that parse_plan parses back.
  std::string describe() const;

  struct State;  // private to the implementation
  explicit RelayoutPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  friend struct detail::StateAccess;
  std::shared_ptr<const State> state_;
};

/// The plan for copying every element x of the common shape from src.offset(x) to dst.offset(x). Touches no
/// data; the same input gives the same plan. Errors: different_shape; broadcast if two indices share a
/// destination offset (the witness names both); unsupported_width for element_bytes < 1, or > 16 with
/// Padding::value; overflow if byte offsets do not fit in 64 bits; undecided if neither proof nor enumeration
/// shows whether the destination is injective, or how far a map's offsets reach. For digits, tiles, swizzles
/// and bases over F2 the time does not depend on the extents, except for filling tables of at most 2^15
/// entries; for other maps up to 2^26 elements are enumerated.
Result<RelayoutPlan> make_plan(const Layout& src, const Layout& dst, Index element_bytes,
                               const PlanOptions& options = {});

/// The digits of a destination, and the size of its buffer in elements, which determines the padding; 0: the
/// buffer ends after the last element.
struct DigitsBuffer {
  const Digits& digits;
  Index elements = 0;
};

/// The plan from digits instead of layouts. Errors: as above. O(digits^2).
Result<RelayoutPlan> make_plan(const Digits& src, DigitsBuffer dst, Index element_bytes,
                               const PlanOptions& options = {});

/// The plan of a move, counted from its first element: `from` and `to` of the move do not matter, so that
/// moves of the same loops have the same plan. Errors: those of make_plan.
Result<RelayoutPlan> make_plan(const StridedMove& move, Index element_bytes, const PlanOptions& options = {});

/// The text of RelayoutPlan::describe.
inline std::string to_string(const RelayoutPlan& plan) { return plan.describe(); }

/// Parses the text of a plan and chooses its kernels for `isa`. Errors: syntax, number_range, unknown_name,
/// limit, bad_option, index_out_of_range. Does not check that the plan is a correct copy: see verify.
Result<RelayoutPlan> parse_plan(std::string_view text, Isa isa = Isa::automatic);

/// The most elements that verify enumerates if no proof is found.
inline constexpr Index kVerifyLimit = Index{1} << 22;

/// Proves, without data, that the plan writes every element of the destination exactly once, from the source
/// offset of the same index, and writes no other byte; a plan that sets padding must set all of it, in whole
/// elements, to RelayoutPlan::fill. The proof uses the structure of both layouts, in time independent of the
/// extents; if it does not apply, every element is checked. Exact. Errors: different_shape, verify_failed
/// (the witness names a byte that is written wrongly), undecided beyond kVerifyLimit elements.
Result<void> verify(const RelayoutPlan& plan, const Layout& src, const Layout& dst);

}  // namespace tessera
