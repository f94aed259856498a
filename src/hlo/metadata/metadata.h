// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which code of the user an instruction comes from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/metadata/stack_frames.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The parts of `metadata={op_name="..." source_file="..." source_line=N stack_frame_id=N}` that name code.
struct OpMetadata {
  std::string op_name = {};
  std::string source_file = {};
  Index source_line = 0;
  Index stack_frame = 0;  ///< 0: none
};

/// Reads the metadata of an instruction; empty if it has none, or none that can be read. O(its text).
OpMetadata read_metadata(const Instruction& instruction);

/// A line of code.
struct CodeLine {
  std::string file = {};
  Index line = 0;
  std::string function = {};  ///< empty: unknown

  /// `model.py:12`; empty if the file is unknown. Only the last part of the path.
  std::string short_text() const;
  /// `/home/me/model.py:12`; empty if the file is unknown.
  std::string text() const;
  bool known() const { return !file.empty(); }
};

/// The parts of a scope, `jit(step)/layer/dot` outermost first. A slash inside parentheses does not
/// separate parts.
std::vector<std::string_view> scope_parts(std::string_view op_name);

/// The code of the instructions of a module. Reads the metadata of an instruction when it is asked for.
class ModuleCode {
 public:
  /// Whether a file is the user's own.
  using IsOwn = std::function<bool(const std::string& file)>;

  /// The module must outlive the object. With `is_own`, the line of an instruction is that of the innermost
  /// frame whose file is the user's own, and the innermost one only if there is none.
  explicit ModuleCode(const HloModule& module, IsOwn is_own = {});

  /// The line of an instruction; unknown if the dump does not say. From `stack_frame_id`, else from
  /// `source_file` and `source_line`.
  const CodeLine& line(const Instruction& instruction);
  /// `op_name`, or an empty text.
  const std::string& scope(const Instruction& instruction);
  /// The lines that led to the instruction, innermost first, at most 100.
  std::vector<CodeLine> stack(const Instruction& instruction);

 private:
  struct Known {
    OpMetadata metadata;
    CodeLine line;
  };
  const Known& of(const Instruction& instruction);
  bool is_own(const std::string& file);

  StackFrames frames_;
  IsOwn is_own_;
  std::unordered_map<std::string, bool> own_;
  std::unordered_map<const Instruction*, Known> known_;
};

}  // namespace tessera::detail
