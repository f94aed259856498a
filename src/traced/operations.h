// SPDX-License-Identifier: Apache-2.0
// The functions of the layout algebra on traced integers: the library's own headers, compiled a second time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traced/number.h"

namespace tessera_tracing {

/// A value of the algebra without its types. `nesting` is a tree in preorder: the rank of a tuple, or kLeaf.
struct TracedOperand {
  enum class Kind : std::uint8_t { tuple, layout, tiler, truth, slice, thread_value };
  static constexpr int kLeaf = -1;

  Kind kind = Kind::tuple;
  std::vector<int> nesting = {kLeaf};
  std::vector<Number> leaf = {};         ///< numbers of a tuple, extents of a layout
  std::vector<Number> stride = {};       ///< of a layout
  std::vector<std::uint64_t> path = {};  ///< of the strides that are scaled bases, else 0
  std::vector<bool> hole = {};           ///< leaves of a tuple that are `_`
  std::vector<TracedOperand> parts =
      {};            ///< terminals of a tiler: tuples (an integer or `_`) or layouts; layout
                     ///< and offset of a slice; layout and tile of a thread-value layout
  bool yes = false;  ///< a truth

  static TracedOperand integer(Number n) { return {.leaf = {n}}; }
  bool is_integer() const {
    return kind == Kind::tuple && nesting.size() == 1 && !leaf.empty() && (hole.empty() || !hole[0]);
  }
};

/// A value, or an error of the algebra by its words. `misfit`: the arguments do not fit the function.
struct TracedReply {
  TracedOperand value = {};
  std::string code = {};
  std::string reason = {};
  bool misfit = false;
  bool ok() const { return code.empty() && !misfit; }
};

/// Whether there is a function with this name.
bool has_operation(std::string_view name);
/// The function of this name. Records in the recording of the thread.
TracedReply call(std::string_view name, std::span<const TracedOperand> arguments);
/// The layout of a shape and strides; without strides the compact one.
TracedReply layout_of(const TracedOperand& shape, const TracedOperand* stride);

}  // namespace tessera_tracing
