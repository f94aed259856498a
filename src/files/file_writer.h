// SPDX-License-Identifier: Apache-2.0
/// \file
/// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// A path that may be written, with links followed: a link stays, and its target is replaced.
struct WritablePath {
  std::string path;
  bool exists = false;
  bool is_regular = true;    ///< false for a device or a pipe
  unsigned permissions = 0;  ///< of the file that is replaced, or of any new file
};

/// Errors: file_exists (unless `force`); file_write for a folder or a broken link.
Result<WritablePath> writable_path(const std::string& path, bool force);

/// Fails if the file system of an open file reports less free space than `bytes`. Errors: file_write, which
/// calls the file `path`.
Result<void> check_room(int descriptor, const std::string& path, Index bytes);

/// Writes a new file that appears whole or not at all. Bytes go to an unnamed file, or, if the file system
/// does not support those, to a temporary name in the same folder; `commit` gives the file its name. Without
/// a commit, the old file is kept and nothing else remains. Only SIGKILL can leave a file `NAME.part-...`: on
/// a file system without unnamed files, or at the instant when an old file is replaced. If the name is a
/// link, its target is replaced; a broken link is refused. Anything but a regular file (`/dev/null`, a named
/// pipe) is written directly. Nothing is flushed to disk: after a power failure the file system's guarantees
/// apply.
class FileWriter {
 public:
  /// Errors: file_exists (unless `force`), file_write.
  static Result<std::unique_ptr<FileWriter>> create(const std::string& path, bool force);
  /// Opens a file of `bytes` bytes that has its name already, because its folder does not. What was written
  /// to it earlier stays. Errors: file_write.
  static Result<std::unique_ptr<FileWriter>> open(const std::string& path, Index bytes);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  /// Appends. Errors: file_write, for example if the disk is full.
  Result<void> write(std::span<const std::byte> bytes);

  /// Writes at a position of a regular file. May be called from any thread. Errors: file_write.
  Result<void> write_at(std::span<const std::byte> bytes, Index at) const;

  /// An open descriptor; for a regular file it can also read what was written so far.
  int descriptor() const { return descriptor_; }
  /// True if the file does not have its name yet, because commit() gives it. False for devices and pipes.
  bool is_pending() const { return pending_; }

  /// Gives the file its name. Errors: file_write; file_exists if a file of that name has appeared in the
  /// meantime.
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

/// Writes a file of these bytes; `force` replaces an older one. Errors: those of FileWriter.
Result<void> write_file(const std::string& path, std::string_view bytes, bool force);

/// The error `file_write` for an errno, with help. `reason` is empty unless the path is wrong: `is_a_folder`,
/// `no_folder`, `not_a_folder`, `no_permission`, `name_too_long`, `broken_link`.
Failure cannot_write(const std::string& path, int error);

/// For a program that exits without destroying its writers: removes their temporary files, and says on
/// standard error where the folders are that a later run can continue. Async-signal-safe.
void end_unfinished();
/// What end_unfinished() is about: a temporary file, or a folder that can be resumed.
void remember_unfinished(const std::string& path, bool resumable);
void forget_unfinished(const std::string& path);

}  // namespace tessera
