// SPDX-License-Identifier: Apache-2.0
/// \file
/// A text file that appears complete or not at all.
#pragma once

#include <memory>
#include <string>

#include "cli/output.h"
#include "files/file_writer.h"
#include "tessera/base/result.h"

namespace tessera::cli {

/// An Output that writes to a FileWriter. `commit` gives the file its name. Without `commit`, or if the
/// program is interrupted, no file is left.
class OutputFile {
 public:
  /// Errors: file_exists (unless `force`), file_write.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, bool force);

  Output& output() { return output_; }

  /// Errors: file_write, and file_exists if the file has appeared in the meantime.
  Result<void> commit();

 private:
  OutputFile(std::string path, std::unique_ptr<FileWriter> writer);

  std::string path_;
  std::unique_ptr<FileWriter> writer_;
  Output output_;
};

/// Removes unfinished files, and names what can be resumed, when SIGINT, SIGTERM or SIGHUP ends the program.
void install_signal_handlers();

}  // namespace tessera::cli
