// SPDX-License-Identifier: Apache-2.0
/// \file
/// SharedBuffers: which values of a file are views of one buffer of shared memory.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/ttgir/ttgir.h"
#include "ttgir/lines.h"

namespace tessera::ttgir {

/// For each dimension of a view the dimension of its buffer; dimensions that lead and stay are left out, so
/// an empty list says that all stay. Dimensions are counted from the last, because a stage may come first.
using DimensionOrder = std::vector<std::size_t>;

/// A swizzled_shared of a buffer as a view has it whose dimension d is dimension order[d] of the buffer.
/// Nothing if the view moves more dimensions than the layout has.
std::optional<TritonAttribute> seen_through(const TritonAttribute& buffer, const DimensionOrder& order);
/// The other way.
DimensionOrder inverse(const DimensionOrder& order);

/// A value of shared memory: a number of its buffer, and how its dimensions are named.
struct BufferView {
  std::size_t buffer = 0;
  DimensionOrder order = {};
};

/// What is known of a buffer.
struct Buffer {
  std::set<Index> lines = {};  ///< of its allocations: loops and branches may choose between several
  std::optional<TtgirUse> used_by = {};    ///< the first operation that may need its layout as it is
  std::optional<TtgirUse> filled_by = {};  ///< the first copy to it that the report does not count
};

/// Views (memdesc_index, memdesc_subslice, memdesc_trans, ...) belong to the buffer of their operand. What
/// loops and branches carry, with scf or to the arguments of blocks with cf, has one type, so one layout:
/// values that meet there belong to one buffer, too.
class SharedBuffers {
 public:
  /// The next line of the file.
  void read(const TtgirLine& line);
  /// The number of the value that a name has after the lines that were read; nothing if it is not a buffer.
  std::optional<std::size_t> value(std::string_view name) const;
  /// Notes a line that may need the layout of the value's buffer as it is, or whose cost is not known.
  void note_use(std::size_t value, const TtgirLine& line);

  /// After all lines: the buffer of a value.
  BufferView view(std::size_t value);
  const Buffer& buffer(std::size_t number) const { return buffers_[number]; }

 private:
  struct Region {
    std::string op;
    std::vector<std::string_view> results;
    std::vector<std::size_t> carried;   // values of iter_args, by their numbers; kNone: another type
    std::vector<std::size_t> outcomes;  // values of the results
    // The arguments of blocks (`^bb1`), to which branches may come before or after the block itself.
    std::map<std::string, std::vector<std::size_t>, std::less<>> blocks = {};
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t new_value(Buffer buffer);
  std::size_t value_or_none(std::string_view name) const;
  void set(std::string_view name, std::size_t value);
  void set_results(const TtgirLine& line, std::span<const std::size_t> values);
  void join(std::size_t a, std::size_t b, const TtgirLine& line);
  void header(const TtgirLine& line);
  void block_arguments(const TtgirLine& line);
  std::vector<std::size_t>& arguments_of(std::string_view block, const std::vector<bool>& are_buffers);
  void block(const TtgirLine& line);
  void branch(const TtgirLine& line);
  void yield(const TtgirLine& line, std::span<const std::string_view> values, bool leaves);
  void operation(const TtgirLine& line);
  std::size_t result_of(const TtgirLine& line, std::span<const std::string_view> operands);

  // A forest of values: the root of a tree is the buffer.
  std::vector<Buffer> buffers_;
  std::vector<std::size_t> parents_;
  std::vector<DimensionOrder> orders_;  // dimension d of a value is dimension order[d] of its parent
  std::map<std::string, std::size_t, std::less<>> names_;
  std::vector<std::size_t> captured_;  // by ttg.warp_specialize, for its regions
  std::vector<Region> regions_;
};

}  // namespace tessera::ttgir
