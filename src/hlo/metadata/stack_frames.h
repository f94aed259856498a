// SPDX-License-Identifier: Apache-2.0
/// \file
/// The tables of stack frames that newer dumps have before their computations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::detail {

/// A line of code that ran, and the frame that called it.
struct StackFrame {
  const std::string* file = nullptr;      ///< null: unknown
  const std::string* function = nullptr;  ///< null: unknown
  Index line = 0;                         ///< 0: unknown
  Index parent = 0;                       ///< number of the calling frame; 0: none
};

/// FileNames, FunctionNames, FileLocations and StackFrames. Frames are numbered from 1. A written
/// `parent_frame_id` is the number of the parent plus one, so 1 means no parent.
class StackFrames {
 public:
  StackFrames() = default;
  /// The tables as written. Entries that cannot be read are left out. O(text).
  explicit StackFrames(std::string_view tables);
  StackFrames(const StackFrames&) = delete;
  StackFrames& operator=(const StackFrames&) = delete;

  /// The frame of this number, or null.
  const StackFrame* find(Index number) const;
  std::size_t size() const { return frames_.size(); }

 private:
  std::vector<std::string> files_;
  std::vector<std::string> functions_;
  std::vector<StackFrame> frames_;  ///< by number - 1
};

}  // namespace tessera::detail
