// SPDX-License-Identifier: Apache-2.0
#include "transfer/copy_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "base/try.h"
#include "base/xxh3.h"
#include "files/file_writer.h"
#include "tessera/relayout/relayout.h"
#include "transfer/limits.h"
#include "transfer/part_folder.h"

namespace tessera::transfer {
namespace {

// Bytes that are hashed and written at once. They stay in the cache between the two.
constexpr Index kPiece = Index{1} << 20;

std::string file_identity(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return "none";
  // Not the modification time, which `cp -p`, rsync and tar set to that of another file.
  return fmt::format("{} {} {} {}", path, status.st_size, static_cast<std::int64_t>(status.st_ctim.tv_sec),
                     static_cast<std::int64_t>(status.st_ctim.tv_nsec));
}

// A new file, written from front to back. A long one is in a part folder with a journal; a short one, a
// device or a pipe is not.
class CopyTarget {
 public:
  CopyTarget(const CopySteps& steps, const CopyOptions& options)
      : options_(options),
        bytes_(std::ssize(steps.header) + steps.bytes),
        executor_(parallel_executor(options.threads)) {}

  Result<void> open(const std::string& path, const std::string& plan) {
    TESSERA_TRY(writable, writable_path(path, options_.force));
    if (!writable.is_regular || bytes_ < kTransferLimits.least_journaled) {
      TESSERA_TRY(file, FileWriter::create(path, options_.force));
      file_ = std::move(file);
      return file_->is_pending() ? check_room(file_->descriptor(), writable.path, bytes_) : Result<void>();
    }
    TESSERA_TRY(folder, PartFolder::open(writable.path, /*single_file=*/true, plan, kPiece, options_.force,
                                         options_.resume));
    folder_ = std::move(folder);
    TESSERA_NEED(folder_->check_room(bytes_));
    name_ = writable.path.substr(writable.path.rfind('/') + 1);
    TESSERA_NEED(part_.open(*folder_, 0, name_, bytes_));
#ifndef __wasi__
    ::fchmod(part_.descriptor(), writable.permissions);
#endif
    return {};
  }

  bool is_file() const { return folder_ != nullptr || file_->is_pending(); }
  int descriptor() const { return folder_ ? part_.descriptor() : file_->descriptor(); }
  Index kept() const { return kept_; }
  Index repaired() const { return repaired_; }
  std::vector<std::string> leftovers() const {
    return folder_ ? folder_->leftovers() : std::vector<std::string>();
  }

  Result<void> write(std::span<const std::byte> bytes) {
    if (file_) return file_->write(bytes);
    detail::Mutex mutex;
    Result<void> done;
    const Index begin = at_;
    executor_->parallel_for(ceil_div(std::ssize(bytes), kPiece), [&](Index k) {
      const Index from = k * kPiece;
      const auto count = static_cast<std::size_t>(std::min(kPiece, std::ssize(bytes) - from));
      const std::span<const std::byte> piece[] = {bytes.subspan(static_cast<std::size_t>(from), count)};
      if (auto written = part_.write_band(piece, begin + from); !written) {
        const detail::MutexLock lock(mutex);
        done = fail(written.error());
      }
    });
    at_ += std::ssize(bytes);
    return done;
  }

  // The header, which counts as no byte of the tensor.
  Result<void> write_header(std::span<const std::byte> header) {
    if (!skip(std::ssize(header))) return write(header);
    kept_ = 0;
    return {};
  }

  // True if an earlier run has written the next `bytes` bytes, which are then skipped.
  bool skip(Index bytes) {
    if (!folder_ || folder_->finished().empty() || bytes == 0) return false;
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes, kPiece)));
    for (Index done = 0; done < bytes; done += kPiece) {
      const auto count = static_cast<std::size_t>(std::min(kPiece, bytes - done));
      const PartFile::Kept kept = part_.read_kept(std::span(piece).first(count), at_ + done);
      repaired_ += kept == PartFile::Kept::differs ? 1 : 0;
      if (kept != PartFile::Kept::same) return false;
    }
    at_ += bytes;
    kept_ += bytes;
    return true;
  }

  Result<void> commit() {
    if (file_) return file_->commit();
    TESSERA_NEED(part_.close());
    return folder_->commit(name_);
  }

  void discard() {
    if (folder_) folder_->discard();
  }

  // After an error: what was written stays if a later run can use it.
  Diagnostic failed(Diagnostic error) {
    if (folder_ && at_ > 0 && error.code == Code::file_write) {
      folder_->keep();
      error.notes.push_back(
          fmt::format("what was written is in '{}': run again with --resume, or remove it", folder_->path()));
    }
    return error;
  }

 private:
  const CopyOptions& options_;
  Index bytes_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<FileWriter> file_;
  std::unique_ptr<PartFolder> folder_;
  PartFile part_;
  std::string name_;
  Index at_ = 0;
  Index kept_ = 0;
  Index repaired_ = 0;
};

std::string plan_of(const CopySteps& steps, const CopyOptions& options) {
  std::string text = fmt::format("{}\n{}\n{} {}\n", steps.identity, steps.header, steps.bytes, steps.prefix);
  text += fmt::format("{}", static_cast<int>(options.padding));
  for (const std::byte b : options.fill) text += fmt::format(" {}", std::to_integer<int>(b));
  for (const ByteRange& band : steps.bands) text += fmt::format("\n{} {}", band.begin, band.end);
  return xxh3_128(text);
}

Result<void> write_bands(const CopySteps& steps, CopyTarget& target, const CopyProgress& progress) {
  const ByteSink sink = [&](std::span<const std::byte> bytes) { return target.write(bytes); };
  TESSERA_NEED(target.write_header(std::as_bytes(std::span(steps.header))));
  if (steps.prefix > 0) TESSERA_NEED(steps.write_prefix(sink));
  for (std::size_t k = 0; k < steps.bands.size(); ++k) {
    const ByteRange band = steps.bands[k];
    if (!(steps.separate_bands && target.skip(band.end - band.begin)))
      TESSERA_NEED(steps.write_band(k, sink));
    if (progress) progress(CopyStage::copy, {.done = band.end, .total = steps.bytes - steps.prefix});
  }
  return {};
}

}  // namespace

std::string identity_of(const TensorFile& source, const TensorPath& destination, const CopyOptions& options) {
  std::string text = fmt::format("{} #{} {} {}", file_identity(source.path()), source.tensor().name,
                                 source.tensor().begin, source.tensor().end);
  // The bytes of padding may come from the file that is replaced.
  if (options.force && options.padding == Padding::keep) text += "\n" + file_identity(destination.path);
  return text;
}

Result<CopyReport> run_copy(const TensorPath& path, const CopySteps& steps, const CopyOptions& options,
                            const CopyProgress& progress) {
  CopyReport report{.format = format_of(path.path),
                    .elements = steps.elements,
                    .source_bytes = steps.source_bytes,
                    .destination_bytes = steps.bytes,
                    .bands = std::ssize(steps.bands),
                    .dry_run = options.dry_run,
                    .by_element = steps.by_element};
  if (options.dry_run) {
    TESSERA_TRY(writable, writable_path(path.path, options.force));
    static_cast<void>(writable);
    return report;
  }
  CopyTarget target(steps, options);
  TESSERA_NEED(target.open(path.path, plan_of(steps, options)));
  if (options.verify && !target.is_file())
    return fail(Code::bad_option, "a copy to a device or a pipe cannot be verified", {}, "write to a file");
  if (auto written = write_bands(steps, target, progress); !written)
    return fail(target.failed(written.error()));
  report.kept_bytes = target.kept();
  report.written_bytes = steps.bytes - report.kept_bytes;
  report.repaired_bands = target.repaired();
  report.leftovers = target.leftovers();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - steps.started).count();
  if (options.verify) {
    TESSERA_TRY(written, MappedFile::map(target.descriptor(), "the new file"));
    auto verified =
        steps.verify(written.bytes().subspan(steps.header.size() + static_cast<std::size_t>(steps.prefix)),
                     [&written] { written.drop_pages(); });
    if (!verified && verified.error().code == Code::verify_failed) target.discard();
    if (!verified) return fail(std::move(verified).error());
    report.verified = *std::move(verified);
  }
  TESSERA_NEED(target.commit());
  return report;
}

}  // namespace tessera::transfer
