// SPDX-License-Identifier: Apache-2.0
/// \file
/// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// Written from front to back into an unnamed file (or, if the file system has none, under a temporary name
/// in the same folder); `commit` gives it its name. Without a commit an old file is kept and nothing else
/// remains. SIGKILL can leave a file `NAME.part-...` only where there are no unnamed files, or in the instant
/// in which an old file is replaced. If the name is a link, its target is replaced; a broken link is refused.
/// Anything but a regular file (`/dev/null`, a named pipe) is written directly. Nothing is flushed to the
/// disk: after a power failure the guarantees are those of the file system.
class FileWriter {
 public:
  /// Errors: file_exists (unless `force`), file_write.
  static Result<std::unique_ptr<FileWriter>> create(const std::string& path, bool force);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  /// Checks that the disk can take that many bytes, as far as it tells. Errors: file_write.
  Result<void> check_room(Index bytes) const;

  /// Appends. Errors: file_write, for example if the disk is full.
  Result<void> write(std::span<const std::byte> bytes);

  /// For reading what was written so far, except if it is not a regular file.
  int descriptor() const { return descriptor_; }
  /// The bytes go into a file without a name so far.
  bool is_pending() const { return pending_; }

  /// Errors: file_write, and file_exists if the file has appeared in the meantime.
  Result<void> commit();

 private:
  FileWriter() = default;
  Result<void> name_unnamed();

  std::string path_;       // the target, links resolved
  std::string temporary_;  // empty while the file has no name
  bool force_ = false;
  bool pending_ = false;
  int descriptor_ = -1;
};

/// `file_write` for an errno, with a remedy. `reason` is empty unless the path is wrong: `is_a_folder`,
/// `no_folder`, `not_a_folder`, `no_permission`, `name_too_long`, `broken_link`.
Failure cannot_write(const std::string& path, int error);

/// Removes the temporary files of all writers, for a program that exits before they do. Async-signal-safe.
void remove_unfinished_files();

}  // namespace tessera
