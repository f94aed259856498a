// SPDX-License-Identifier: Apache-2.0
#include "tessera/transfer/reshard_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "base/cancellation.h"
#include "base/try.h"
#include "base/xxh3.h"
#include "files/file_writer.h"
#include "tessera/relayout/relayout.h"
#include "transfer/band_gather.h"
#include "transfer/compare_files.h"
#include "transfer/file_plan.h"
#include "transfer/part_folder.h"
#include "transfer/source_copies.h"
#include "transfer/verify_elements.h"

namespace tessera {
namespace {

using transfer::BandGather;
using transfer::ByteBoxes;
using transfer::FilePlan;
using transfer::PartFolder;
using transfer::TargetFile;
using transfer::TargetTensor;

// The size of a band. It stays in the cache between being gathered and being written.
constexpr Index kBand = Index{1} << 20;
// Bands begin at multiples of this. It is a multiple of every element size, and of 8 elements that are
// narrower than a byte.
constexpr Index kBandStep = Index{3} << 12;

Index band_for(const ReshardFilesOptions& options, int threads) {
  const Index most = std::min(kBand, options.memory_bytes / (8 * threads));
  return std::max(kBandStep, most / kBandStep * kBandStep);
}

// A file of the target while it is being written.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  Result<void> open(const std::string& path, Index bytes) {
    path_ = path;
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0 || ::ftruncate(descriptor_, bytes) != 0) return cannot_write(path, errno);
    return {};
  }

  Result<void> write(std::span<const std::byte> bytes, Index at) const {
    while (!bytes.empty()) {
      const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return cannot_write(path_, written == 0 ? EIO : errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      at += written;
    }
    return {};
  }

  bool read(std::span<std::byte> bytes, Index at) const {
    while (!bytes.empty()) {
      const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(got));
      at += got;
    }
    return true;
  }

  Result<void> close() {
    const int closed = ::close(std::exchange(descriptor_, -1));
    return closed == 0 ? Result<void>() : cannot_write(path_, errno);
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

class CheckpointWriter {
 public:
  CheckpointWriter(const FilePlan& plan, PartFolder& folder, const ReshardFilesOptions& options,
                   const ReshardFilesProgress& progress)
      : plan_(plan),
        folder_(folder),
        progress_(progress),
        checksums_(options.checksums),
        gather_(plan, options.memory_bytes / 2) {
    report_.tensors.resize(plan.tensors.size());
  }

  // Files are written in parallel, each from beginning to end.
  Result<ReshardFilesReport> write(int threads) {
    const std::unique_ptr<Executor> executor = parallel_executor(threads);
    detail::Cancellation* const cancellation = detail::Cancellation::current();
    executor->parallel_for(std::ssize(plan_.files), [this, cancellation](Index k) {
      const detail::Cancellation::Join join(cancellation);
      if (stopped_) return;
      if (auto done = write_file(static_cast<std::size_t>(k)); !done) stop(done.error());
    });
    if (error_) {
      if (bands_ + report_.kept_bytes > 0) {
        folder_.keep();
        error_->notes.push_back(fmt::format(
            "what was written is in '{}': run again with --resume, or remove it", folder_.path()));
      }
      return fail(*error_);
    }
    return std::move(report_);
  }

 private:
  void stop(const Diagnostic& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    stopped_ = true;
  }

  Result<void> write_file(std::size_t number) {
    const TargetFile& target = plan_.files[number];
    UnfinishedFile file;
    TESSERA_NEED(file.open(folder_.file(target.name), target.bytes));
    TESSERA_NEED(file.write(std::as_bytes(std::span(target.header)), 0));
    std::vector<std::byte> buffer(static_cast<std::size_t>(folder_.band_bytes()));
    for (const std::size_t tensor : target.tensors) {
      TESSERA_NEED(write_tensor(number, file, tensor, buffer));
      if (stopped_) return {};
    }
    return file.close();
  }

  Result<void> write_tensor(std::size_t number, const UnfinishedFile& file, std::size_t index,
                            std::span<std::byte> buffer) {
    const TargetTensor& tensor = plan_.tensors[index];
    const ByteBoxes boxes(tensor);
    const Index bytes = tensor.end - tensor.begin;
    Xxh3 sum;
    for (Index begin = 0; begin < bytes && !stopped_; begin += folder_.band_bytes()) {
      if (detail::cancelled()) return detail::cancelled_failure();
      const Index end = std::min(bytes, begin + folder_.band_bytes());
      const auto band = buffer.first(static_cast<std::size_t>(end - begin));
      Index at = tensor.begin + begin;
      if (is_finished(number, file, at, band)) {
        if (checksums_) sum.update(band);
        advance(tensor, end - begin, /*kept=*/true);
        continue;
      }
      TESSERA_TRY(runs, gather_.gather(tensor, boxes, begin, end, band));
      Xxh3 hash;
      for (const std::span<const std::byte> part : runs) {
        hash.update(part);
        if (checksums_) sum.update(part);
        TESSERA_NEED(file.write(part, at));
        at += std::ssize(part);
      }
      TESSERA_NEED(folder_.record(number, tensor.begin + begin, hash.digest()));
      advance(tensor, end - begin, /*kept=*/false);
    }
    report_.tensors[index] = {tensor.name, tensor.file, bytes, checksums_ ? sum.digest() : 0};
    return {};
  }

  // True if the run that is being resumed has written the band. `band` then has its bytes.
  bool is_finished(std::size_t number, const UnfinishedFile& file, Index at, std::span<std::byte> band) {
    const auto known = folder_.finished().find({number, at});
    if (known == folder_.finished().end()) return false;
    if (file.read(band, at) && xxh3_64(band) == known->second) return true;
    const std::lock_guard lock(mutex_);
    ++report_.repaired_bands;
    return false;
  }

  void advance(const TargetTensor& tensor, Index bytes, bool kept) {
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    if (kept) {
      report_.kept_bytes += bytes;
    } else {
      ++bands_;
      report_.written_bytes += bytes;
    }
    if (progress_) progress_(tensor.name, {.done = done_, .total = plan_.tensor_bytes});
  }

  const FilePlan& plan_;
  PartFolder& folder_;
  const ReshardFilesProgress& progress_;
  bool checksums_;
  BandGather gather_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::optional<Diagnostic> error_;
  Index done_ = 0;
  Index bands_ = 0;
  ReshardFilesReport report_;
};

Result<void> check_free(const FilePlan& plan, const PartFolder& folder) {
  struct statvfs status = {};
  if (::statvfs(folder.path().c_str(), &status) != 0 || status.f_blocks == 0 || !folder.finished().empty())
    return {};
  Index bytes = 0;
  for (const TargetFile& file : plan.files) bytes += file.bytes;
  const auto blocks = ::geteuid() == 0 ? status.f_bfree : status.f_bavail;
  if (status.f_frsize == 0 || static_cast<std::uint64_t>(bytes) / status.f_frsize < blocks) return {};
  return fail(
      Code::file_write,
      fmt::format("the target needs {} bytes, but the disk has {} free", bytes, blocks * status.f_frsize), {},
      "free space, or name a folder on another disk");
}

}  // namespace

Result<ReshardFilesReport> reshard_files(const std::string& source, const std::string& target,
                                         const ReshardFilesOptions& options,
                                         const ReshardFilesProgress& progress,
                                         std::shared_ptr<const Source>* errors_in) {
  const auto start = std::chrono::steady_clock::now();
  TESSERA_TRY(plan, transfer::make_file_plan(source, target, options, errors_in));
  if (options.check) TESSERA_NEED(transfer::check_every_byte(plan));
  Index copies = 0;
  if (!options.allow_unused) {
    TESSERA_TRY(compared, transfer::compare_copies(plan, transfer::WhichCopies::all, options.memory_bytes));
    copies = compared;
  }
  const int threads = std::min<int>(executor_threads(options.threads), static_cast<int>(plan.files.size()));
  TESSERA_TRY(folder,
              PartFolder::open(target, plan.single_file, plan.hash(), band_for(options, std::max(threads, 1)),
                               options.force, options.resume));
  TESSERA_NEED(check_free(plan, *folder));
  TESSERA_TRY(report, CheckpointWriter(plan, *folder, options, progress).write(std::max(threads, 1)));
  if (!plan.index.empty())
    TESSERA_NEED(transfer::write_text(folder->file("model.safetensors.index.json"), plan.index));
  if (!plan.single_file) TESSERA_NEED(transfer::copy_settings(plan, *folder));
  if (options.verify) {
    TESSERA_TRY(compared, transfer::compare_files(plan, *folder, options.memory_bytes));
    report.verified = compared;
    TESSERA_TRY(looked_up, transfer::verify_elements(plan, *folder, options.memory_bytes));
    report.looked_up = looked_up;
  }
  TESSERA_NEED(folder->commit(plan.single_file ? plan.files[0].name : std::string()));
  report.source_files = std::ssize(plan.source.files());
  report.files = std::ssize(plan.files);
  report.leftovers = folder->leftovers();
  for (const TargetTensor& tensor : plan.tensors) {
    for (const transfer::TensorMove& move : tensor.moves)
      report.read_bytes += ceil_div(move.box.elements() * tensor.element_bits, Index{8});
  }
  report.checked = options.check;
  report.copies = copies;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace tessera
