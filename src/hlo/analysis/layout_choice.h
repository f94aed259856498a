// SPDX-License-Identifier: Apache-2.0
/// \file
/// The layouts of several arrays, chosen together so that the fewest bytes move between them.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// An array that the step which makes it can write in any order.
struct ChoosableArray {
  const Instruction* maker = nullptr;
  /// Bytes that move, at most, if the array has another layout than as written: what copies for those who
  /// want it as it is read and write.
  Index lost = 0;
  std::vector<TensorType> layouts = {};  ///< that were considered; the first is the one as written
  std::size_t chosen = 0;                ///< one of them
};

/// A copy, transpose or reshape of a choosable array.
struct ChoosableMove {
  const Instruction* step = nullptr;   ///< whose result may be a choosable array, too
  const Instruction* inner = nullptr;  ///< the copy, transpose or reshape: the step, or alone in its fusion
  std::size_t source = 0;              ///< the array that it reads
  Index traffic = 0;                   ///< bytes that it moves, unless it is a bitcast
  bool freed = false;                  ///< it is a bitcast under the layouts that are chosen
};

/// Arrays that moves connect, of which at least one gets another layout.
struct LayoutGroup {
  std::vector<std::size_t> arrays = {};  ///< those that get another layout
  std::vector<std::size_t> moves = {};   ///< those that become bitcasts
  Index saved = 0;                       ///< bytes that these move
  Index lost = 0;                        ///< of the arrays that change
  bool all_tried = true;  ///< no other choice among the layouts considered saves more, less what is lost
};

/// Chooses the layouts. Considers for each array the layout as written, and those that make one of its moves,
/// or the move that makes it, a bitcast while the other side has a layout that is considered for it. Tries
/// all choices for the arrays of a group, and leaves out those that cannot save more than the best so far.
/// Deterministic. Fills `layouts`, `chosen` and `freed`.
std::vector<LayoutGroup> choose_layouts(std::vector<ChoosableArray>& arrays,
                                        std::vector<ChoosableMove>& moves);

}  // namespace tessera::detail
