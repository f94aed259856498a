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

/// Written from front to back into a file without a name (or, where the file system has no such files, under
/// a temporary name in the same folder); `commit` gives it its name. Without a commit nothing is left behind
/// and an older file stays as it was; only where there are no files without a name, or in the instant in
/// which an older file is replaced, can SIGKILL leave a file `NAME.part-...`. A link stays, and what it leads
/// to is replaced; one that leads nowhere is refused. Something that is no regular file (`/dev/null`, a named
/// pipe) is written directly. Nothing is forced to the disk: after a power failure the file system's own
/// promises hold.
class FileWriter {
 public:
  /// Errors: file_exists (unless `force`), file_write.
  static Result<std::unique_ptr<FileWriter>> create(const std::string& path, bool force);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  /// That the disk can take that many bytes, as far as it tells. Errors: file_write.
  Result<void> check_room(Index bytes) const;

  /// Appends. Errors: file_write, as when the disk is full.
  Result<void> write(std::span<const std::byte> bytes);

  /// What was written so far can be read through it, except for what is no regular file.
  int descriptor() const { return descriptor_; }
  /// The bytes go into a file that has no name yet.
  bool is_pending() const { return pending_; }

  /// Errors: file_write, and file_exists when the file has appeared in the meantime.
  Result<void> commit();

 private:
  FileWriter() = default;
  Result<void> name_unnamed();

  std::string path_;       // the file meant, links resolved
  std::string temporary_;  // empty while the file has no name
  bool force_ = false;
  bool pending_ = false;
  int descriptor_ = -1;
};

/// `file_write`: the file, the system's reason `error` (of errno), and a way out.
Failure cannot_write(const std::string& path, int error);

/// Removes the temporary files of all writers, for a program that ends before they do. Async-signal-safe.
void remove_unfinished_files();

}  // namespace tessera
