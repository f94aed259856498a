// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a target: the engine of copies and of reshard_files.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/transfer/copy.h"
#include "transfer/part_folder.h"

namespace tessera {
class Executor;
class Xxh3;
}  // namespace tessera

namespace tessera::transfer {

/// Drops the pages of files that were read.
using Release = std::function<void()>;

/// A file of the target while it is written, from front to back.
class NewFile {
 public:
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// The next bytes. Errors: file_write.
  Result<void> write(std::span<const std::byte> bytes);
  /// The next bytes, in several runs. Together they are at most a piece.
  Result<void> write_runs(std::span<const std::span<const std::byte>> runs);

 private:
  friend class TargetRun;
  NewFile() = default;
  bool skip(Index bytes);

  FileWriter* writer_ = nullptr;  // without a journal
  std::optional<PartFile> part_;  // with a journal
  Executor* executor_ = nullptr;
  Index piece_ = 0;
  Index at_ = 0;
  Index repaired_ = 0;
  Xxh3* sum_ = nullptr;
};

/// Makes the bytes of a tensor: by a pair of layouts, or by a list of moves.
class TensorMaker {
 public:
  TensorMaker() = default;
  TensorMaker(const TensorMaker&) = delete;
  TensorMaker& operator=(const TensorMaker&) = delete;
  virtual ~TensorMaker() = default;

  /// Consecutive bytes of the tensor from 0 to its end, which are made at once. `piece`: the bytes of a line
  /// of the journal.
  virtual std::vector<ByteRange> bands(Index piece) = 0;
  /// True if every band can be made without the others. A later run then skips those that are there.
  virtual bool has_separate_bands() const { return true; }
  /// Sends the bytes of a band. Bands are made in order, but some may be left out.
  virtual Result<void> make(std::size_t band, NewFile& file) = 0;
  /// Frees what only `make` needs.
  virtual void finish() {}
  /// Compares the tensor in the new file with its source. Errors: verify_failed.
  virtual Result<VerifyReport> verify(std::span<const std::byte> written, const Release& release) = 0;
};

struct TensorWork {
  std::string name = {};
  Index bytes = 0;
  std::unique_ptr<TensorMaker> maker = {};
  std::uint64_t xxh3 = 0;  ///< of its bytes, after the run
};

/// A header, and tensors without gaps.
struct FileWork {
  std::string name = {};
  std::string header = {};
  Index bytes = 0;
  std::vector<TensorWork> tensors = {};
};

struct TargetWork {
  std::string path = {};
  bool single_file = false;   ///< the target is a file, not a folder
  std::string identity = {};  ///< everything that determines the bytes of the target, or its hash
  Index piece_bytes = Index{1} << 20;
  std::vector<FileWork> files = {};
  Release release_source = {};
  /// Adds the small files of a folder.
  std::function<Result<void>(const PartFolder&)> add_files = {};
  /// Compares the elements of all new files with the source, instead of TensorMaker::verify. Returns their
  /// number. Errors: verify_failed.
  std::function<Result<Index>(std::span<const std::span<const std::byte>> files, const Release& release)>
      verify = {};
};

struct TargetOptions {
  int threads = 0;
  bool force = false;
  bool resume = false;
  bool verify = false;
  bool checksums = false;
  std::chrono::steady_clock::time_point started = {};
};

/// Called with the bytes done and the bytes of all tensors.
using TargetProgress = std::function<void(std::string_view tensor, Progress)>;

/// Writes the target, which appears whole or not at all. A single file of less than
/// kTransferLimits.least_journaled bytes has no name until then; others are in a part folder with a journal,
/// so that a later run continues there. Files are written in parallel. Errors: those of the makers,
/// FileWriter and PartFolder; verify_failed; bad_option (`verify` of a device or a pipe).
Result<TransferReport> run_target(TargetWork& work, const TargetOptions& options,
                                  const TargetProgress& progress);

}  // namespace tessera::transfer
