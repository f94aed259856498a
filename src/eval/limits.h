// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of the calculator.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::eval {

/// Every limit of this folder, with its unit and its reason.
struct EvalLimits {
  int depth = 200;                      ///< of nested brackets and calls, because the reader recurses
  std::size_t elements = 4096;          ///< of one bracket: more than any function takes
  std::size_t shown = 160;              ///< bytes of an operand in a message
  Index reason_coordinates = 64;        ///< of a layout whose offsets are searched for a reason
  Index reason_steps = Index{1} << 16;  ///< of this search
  int bits = 62;                        ///< of an index or an offset of a layout over F2
  Index listed = Index{1} << 16;        ///< offsets of a layout
  Index table_cells = Index{1} << 16;   ///< of a table
  Index tiler_tries = 4096;             ///< integers that are tried as the extent of a tiler
  /// Bytes of a variable in place of its name: variables of variables may double it each time.
  std::size_t written = std::size_t{1} << 16;
  std::size_t sized_statements = 500;  ///< of a question for all sizes
};
inline constexpr EvalLimits kEvalLimits = {};

}  // namespace tessera::eval
