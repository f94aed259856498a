// SPDX-License-Identifier: Apache-2.0
/// \file
/// The folder of an unfinished target, and its journal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/file_writer.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::transfer {

/// `TARGET.part-XXXXXX`, with the new files in `out/` and a journal, `tessera.resume.jsonl`, with a line for
/// each band that was written. If the process is killed, the folder remains, and a later run with the same
/// plan continues from the journal, which one process at a time has locked. If commit() was not called, the
/// destructor removes the folder, unless keep() was called or an earlier run has begun it.
class PartFolder {
 public:
  /// The hash of each finished band, keyed by file and first byte.
  using Bands = std::map<std::pair<std::size_t, Index>, std::uint64_t>;

  /// The path of a target that may be written, with links followed. Errors: file_exists (unless `force`; also
  /// with it if the target is a folder that contains more than a checkpoint), file_write for a link to what
  /// does not exist.
  static Result<std::string> writable_target(const std::string& target, bool single_file, bool force);

  /// Errors: those of writable_target, file_write.
  static Result<std::unique_ptr<PartFolder>> open(const std::string& target, bool single_file,
                                                  const std::string& hash, Index band_bytes, bool force,
                                                  bool resume);
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;
  ~PartFolder();

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/out/" + name; }
  Index band_bytes() const { return band_bytes_; }
  const Bands& finished() const { return finished_; }
  /// Other unfinished part folders of this target.
  const std::vector<std::string>& leftovers() const { return leftovers_; }

  /// Fails if the disk has less space than a new target of `bytes` needs. Errors: file_write.
  Result<void> check_room(Index bytes) const;
  /// Adds a line to the journal. May be called from any thread. Errors: file_write.
  Result<void> record(std::size_t file, Index begin, std::uint64_t hash) const;
  void keep() { keep_ = true; }
  /// What was written is wrong: no later run shall continue with it.
  void discard() { discarded_ = true; }
  /// Renames the finished files to the target. Errors: file_write, file_exists.
  Result<void> commit(const std::string& single_name);

 private:
  PartFolder() = default;
  Result<void> create(const std::string& plan);
  bool take(const std::string& path, const std::string& plan);
  bool read_journal(const std::string& path, const std::string& plan, int descriptor);
  Result<void> rename_to_target(const std::string& single_name);

  std::string target_;
  std::string path_;
  bool force_ = false;
  bool keep_ = false;
  bool committed_ = false;
  bool discarded_ = false;
  Index band_bytes_ = 0;
  int journal_ = -1;
  Bands finished_;
  std::vector<std::string> leftovers_;
};

/// A file of a part folder while it is being written.
class PartFile {
 public:
  /// What the journal of the run that is being resumed says of a band.
  enum class Kept : std::uint8_t { unknown, same, differs };

  /// Opens file `number` of the folder and gives it its length. Errors: file_write.
  static Result<PartFile> open(const PartFolder& folder, std::size_t number, const std::string& name,
                               Index bytes);

  const FileWriter& file() const { return *file_; }
  /// Writes a band, which consists of these runs, and adds it to the journal. May be called from any thread.
  /// Errors: file_write.
  Result<void> write_band(std::span<const std::span<const std::byte>> runs, Index at) const;
  /// True if an earlier run has begun the folder.
  bool is_resumed() const { return !folder_->finished().empty(); }
  /// The bytes from `at` on that one line of the journal may be about: up to the next line, at most `most`.
  Index band_length(Index at, Index most) const;
  /// Reads the band at `at` into `band`, if the journal has it, and compares its hash.
  Kept read_kept(std::span<std::byte> band, Index at) const;
  /// Errors: file_write.
  Result<void> close() { return file_->commit(); }

 private:
  const PartFolder* folder_ = nullptr;
  std::size_t number_ = 0;
  std::unique_ptr<FileWriter> file_;
};

}  // namespace tessera::transfer
