// SPDX-License-Identifier: Apache-2.0
#include "transfer/target_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/cancellation.h"
#include "base/mutex.h"
#include "base/try.h"
#include "base/xxh3.h"
#include "tessera/relayout/relayout.h"
#include "transfer/limits.h"

namespace tessera::transfer {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// True if a later run can do better with what was written.
bool may_continue(Code code) {
  return code == Code::file_write || code == Code::cancelled || code == Code::limit;
}

}  // namespace

Result<void> NewFile::write(std::span<const std::byte> bytes) {
  if (writer_ != nullptr || std::ssize(bytes) <= piece_) return write_runs({&bytes, 1});
  if (sum_ != nullptr) sum_->update(bytes);
  detail::Mutex mutex;
  Result<void> done;
  executor_->parallel_for(ceil_div(std::ssize(bytes), piece_), [&](Index k) {
    const Index from = k * piece_;
    const auto count = static_cast<std::size_t>(std::min<Index>(piece_, std::ssize(bytes) - from));
    const std::span<const std::byte> piece[] = {bytes.subspan(static_cast<std::size_t>(from), count)};
    if (auto written = part_->write_band(piece, at_ + from); !written) {
      const detail::MutexLock lock(mutex);
      done = fail(written.error());
    }
  });
  at_ += std::ssize(bytes);
  return done;
}

Result<void> NewFile::write_runs(std::span<const std::span<const std::byte>> runs) {
  Index bytes = 0;
  for (const std::span<const std::byte> run : runs) {
    bytes += std::ssize(run);
    if (sum_ != nullptr) sum_->update(run);
    if (writer_ != nullptr) TESSERA_NEED(writer_->write(run));
  }
  if (writer_ == nullptr && bytes > 0) TESSERA_NEED(part_->write_band(runs, at_));
  at_ += bytes;
  return {};
}

// True if an earlier run has written the next bytes, which are then skipped.
bool NewFile::skip(Index bytes) {
  if (writer_ != nullptr || bytes == 0 || !part_->is_resumed()) return false;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes, piece_)));
  const auto each_piece = [&](const auto& visit) {
    for (Index done = 0; done < bytes;) {
      const Index length = part_->band_length(at_ + done, std::min(piece_, bytes - done));
      const auto part = std::span(piece).first(static_cast<std::size_t>(length));
      const PartFile::Kept kept = part_->read_kept(part, at_ + done);
      repaired_ += kept == PartFile::Kept::differs ? 1 : 0;
      if (kept != PartFile::Kept::same) return false;
      visit(part);
      done += length;
    }
    return true;
  };
  // A band of several pieces is read again for its sum, because a piece may be missing.
  const bool one = part_->band_length(at_, std::min(piece_, bytes)) == bytes;
  const auto add = [this](std::span<const std::byte> part) {
    if (sum_ != nullptr) sum_->update(part);
  };
  if (!one && !each_piece([](auto) {})) return false;
  if ((one || sum_ != nullptr) && !each_piece(add)) return false;
  at_ += bytes;
  return true;
}

class TargetRun {
 public:
  TargetRun(TargetWork& work, const TargetOptions& options, const TargetProgress& progress)
      : work_(work), options_(options), progress_(progress), executor_(parallel_executor(options.threads)) {
    for (const FileWork& file : work.files) {
      for (const TensorWork& tensor : file.tensors) total_ += tensor.bytes;
    }
  }

  Result<TransferReport> run() {
    TESSERA_NEED(open());
    if (auto written = write_files(); !written) return fail(failed(written.error()));
    // Each step counts the pages that become resident from its beginning on.
    if (work_.release_source) work_.release_source();
    if (folder_ && work_.add_files) {
      if (auto added = work_.add_files(*folder_); !added) return fail(failed(added.error()));
    }
    report_.seconds = seconds_since(options_.started);
    if (options_.verify) {
      auto verified = verify();
      if (!verified && verified.error().code == Code::verify_failed && folder_) folder_->discard();
      if (!verified) return fail(failed(std::move(verified).error()));
      report_.verified = *std::move(verified);
    }
    if (writer_) TESSERA_NEED(writer_->commit());
    if (folder_) {
      TESSERA_NEED(folder_->commit(work_.single_file ? work_.files[0].name : std::string()));
      report_.leftovers = folder_->leftovers();
    }
    return std::move(report_);
  }

 private:
  Result<void> open() {
    Index bytes = 0;
    for (const FileWork& file : work_.files) bytes += file.bytes;
    std::string path = work_.path;
    if (work_.single_file) {
      TESSERA_TRY(writable, writable_path(path, options_.force));
      path = writable.path;
      permissions_ = writable.permissions;
      if (!writable.is_regular || bytes < kTransferLimits.least_journaled) {
        TESSERA_TRY(file, FileWriter::create(path, options_.force));
        writer_ = std::move(file);
        if (writer_->is_pending()) return check_room(writer_->descriptor(), path, bytes);
        if (options_.verify)
          return fail(Code::bad_option, "a copy to a device or a pipe cannot be verified", {},
                      "write to a file");
        return {};
      }
    }
    TESSERA_TRY(folder, PartFolder::open(path, work_.single_file, work_.identity, work_.piece_bytes,
                                         options_.force, options_.resume));
    folder_ = std::move(folder);
    return folder_->check_room(bytes);
  }

  // After an error, what was written stays if a later run can use it.
  Diagnostic failed(Diagnostic error) {
    if (folder_ && report_.bands > 0 && may_continue(error.code)) {
      folder_->keep();
      error.notes.push_back(
          fmt::format("what was written is in '{}': run again with --resume, or remove it", folder_->path()));
    }
    return error;
  }

  // Files are written in parallel, each from beginning to end.
  Result<void> write_files() {
    if (work_.files.size() == 1) return write_file(0);
    detail::Cancellation* const cancellation = detail::Cancellation::current();
    executor_->parallel_for(std::ssize(work_.files), [this, cancellation](Index k) {
      const detail::Cancellation::Join join(cancellation);
      if (stopped_) return;
      if (auto done = write_file(static_cast<std::size_t>(k)); !done) stop(done.error());
    });
    return error_ ? Result<void>(fail(*error_)) : Result<void>();
  }

  void stop(const Diagnostic& error) {
    const detail::MutexLock lock(mutex_);
    if (!error_) error_ = error;
    stopped_ = true;
  }

  Result<void> write_file(std::size_t number) {
    FileWork& work = work_.files[number];
    NewFile file;
    file.writer_ = writer_.get();
    file.executor_ = executor_.get();
    file.piece_ = folder_ ? folder_->band_bytes() : work_.piece_bytes;
    const auto header = std::as_bytes(std::span(work.header));
    if (writer_) {
      TESSERA_NEED(writer_->write(header));
    } else {
      TESSERA_TRY(part, PartFile::open(*folder_, number, work.name, work.bytes));
      file.part_ = std::move(part);
#ifndef __wasi__
      if (work_.single_file) ::fchmod(file.part_->file().descriptor(), permissions_);
#endif
      TESSERA_NEED(file.part_->file().write_at(header, 0));
    }
    file.at_ = std::ssize(header);
    for (TensorWork& tensor : work.tensors) {
      TESSERA_NEED(write_tensor(tensor, file));
      if (stopped_) return {};
    }
    {
      const detail::MutexLock lock(mutex_);
      report_.repaired_bands += file.repaired_;
    }
    return writer_ ? Result<void>() : file.part_->close();
  }

  Result<void> write_tensor(TensorWork& tensor, NewFile& file) {
    Xxh3 sum;
    file.sum_ = options_.checksums ? &sum : nullptr;
    const std::vector<ByteRange> bands = tensor.maker->bands(file.piece_);
    for (std::size_t k = 0; k < bands.size() && !stopped_; ++k) {
      if (detail::cancelled()) return detail::cancelled_failure();
      const Index bytes = bands[k].end - bands[k].begin;
      const bool kept = tensor.maker->has_separate_bands() && file.skip(bytes);
      if (!kept) TESSERA_NEED(tensor.maker->make(k, file));
      advance(tensor.name, bytes, kept);
    }
    tensor.maker->finish();
    if (options_.checksums) tensor.xxh3 = sum.digest();
    file.sum_ = nullptr;
    return {};
  }

  void advance(std::string_view name, Index bytes, bool kept) {
    const detail::MutexLock lock(mutex_);
    done_ += bytes;
    ++report_.bands;
    (kept ? report_.kept_bytes : report_.written_bytes) += bytes;
    if (progress_) progress_(name, {.done = done_, .total = total_});
  }

  Result<VerifyReport> verify() {
    const auto began = std::chrono::steady_clock::now();
    std::vector<MappedFile> mapped;
    std::vector<std::span<const std::byte>> files;
    for (const FileWork& work : work_.files) {
      TESSERA_TRY(file, writer_ ? MappedFile::map(writer_->descriptor(), "the new file")
                                : MappedFile::open(folder_->file(work.name)));
      if (std::ssize(file.bytes()) != work.bytes) {
        return fail(Code::verify_failed, fmt::format("'{}' has {} bytes, but should have {}", work.name,
                                                     file.bytes().size(), work.bytes));
      }
      if (!std::ranges::equal(file.bytes().first(work.header.size()), std::as_bytes(std::span(work.header))))
        return fail(Code::verify_failed, fmt::format("'{}' does not begin with its header", work.name));
      files.push_back(file.bytes());
      mapped.push_back(std::move(file));
    }
    const Release release = [&] {
      for (const MappedFile& file : mapped) file.drop_pages();
      if (work_.release_source) work_.release_source();
    };
    VerifyReport report;
    if (work_.verify) {
      TESSERA_TRY(count, work_.verify(files, release));
      report.checked = count;
    }
    for (std::size_t k = 0; k < files.size() && !work_.verify; ++k) {
      std::size_t at = work_.files[k].header.size();
      for (const TensorWork& tensor : work_.files[k].tensors) {
        const auto bytes = static_cast<std::size_t>(tensor.bytes);
        TESSERA_TRY(one, tensor.maker->verify(files[k].subspan(at, bytes), release));
        report.checked += one.checked;
        at += bytes;
      }
    }
    report.seconds = seconds_since(began);
    return report;
  }

  TargetWork& work_;
  const TargetOptions& options_;
  const TargetProgress& progress_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<FileWriter> writer_;  // of a small file, a device or a pipe
  std::unique_ptr<PartFolder> folder_;  // of anything else
  unsigned permissions_ = 0;
  detail::Mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::optional<Diagnostic> error_;
  Index done_ = 0;
  Index total_ = 0;
  TransferReport report_;
};

Result<TransferReport> run_target(TargetWork& work, const TargetOptions& options,
                                  const TargetProgress& progress) {
  return TargetRun(work, options, progress).run();
}

}  // namespace tessera::transfer
