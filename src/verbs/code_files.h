// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lines of the user's code, if its files are at hand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::verbs {

/// Files of a folder, by the paths that a program names. `/build/me/models/gpt.py` is `models/gpt.py` or
/// `gpt.py` in the folder, whichever has more parts and exists. Reads a file when it is asked for, once.
class CodeFiles {
 public:
  explicit CodeFiles(std::string folder) : folder_(std::move(folder)) {}

  bool has(const std::string& path) { return found(path) != nullptr; }
  /// The line of this number, counted from 1, without blanks around it, shortened to 200 bytes. None beyond
  /// the last line, and for a line of blanks.
  std::optional<std::string> line(const std::string& path, Index number);

 private:
  const Source* found(const std::string& path);

  std::string folder_;
  std::unordered_map<std::string, std::shared_ptr<const Source>> files_;
};

}  // namespace tessera::verbs
