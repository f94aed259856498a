// SPDX-License-Identifier: Apache-2.0
/// \file
/// A file that appears whole or not at all.
#pragma once

#include <memory>
#include <string>

#include "cli/output.h"
#include "tessera/base/result.h"

namespace tessera::cli {

/// Written under a temporary name in the same folder; `commit` gives it its name. Without a commit, or when
/// the program is interrupted, nothing is left behind. Something that is no regular file (`/dev/null`, a
/// named pipe) is written directly.
class OutputFile {
 public:
  /// Errors: file_exists (unless `force`), file_write.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, bool force);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  Output& output() { return *output_; }

  /// Errors: file_write, and file_exists when the file has appeared in the meantime.
  Result<void> commit();

 private:
  OutputFile() = default;

  std::string path_;       // the file meant, links resolved
  std::string temporary_;  // empty when written directly
  bool force_ = false;
  int descriptor_ = -1;
  std::unique_ptr<Output> output_;
};

/// Unfinished files are removed when SIGINT, SIGTERM or SIGHUP end the program.
void install_signal_handlers();

/// The same for an end that the program itself decides on. Async-signal-safe.
void remove_unfinished_files();

}  // namespace tessera::cli
