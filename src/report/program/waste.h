// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program could do without, and the time that this takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/time/roofline.h"
#include "tessera/hlo/module.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// Bytes that move, or time, for something that the results do not need as it is.
struct Waste {
  /// `copies`, `broadcasts`, `casts`, `padding`, `rereads`, `scattered`, `collectives`, `recomputed`,
  /// `fusions`, `layouts`.
  std::string_view kind;
  const Instruction* instruction = nullptr;  ///< the step that would change
  std::string text = {};                     ///< a sentence about it, without its name
  /// Bytes saved in all runs, in this step and in those that read its result. A lower bound of 0: whether
  /// anything can be saved depends on the code around it.
  Count bytes = {0, 0};
  Seconds seconds = {};  ///< saved on the chip; 0 without one
  bool on_top = false;   ///< the time of the program has none of these seconds: they come on top
  std::vector<std::uint32_t> maps = {};  ///< that prove it, as numbers in ProgramReport::maps
  bool exact() const { return bytes.exact() && seconds.exact(); }
};

}  // namespace tessera::detail
