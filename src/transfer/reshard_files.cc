// SPDX-License-Identifier: Apache-2.0
#include "tessera/transfer/reshard_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "base/cancellation.h"
#include "base/try.h"
#include "base/xxh3.h"
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
using transfer::PartFile;
using transfer::PartFolder;
using transfer::TargetFile;
using transfer::TargetTensor;

// The size of a band. It stays in the cache between being gathered and being written.
constexpr Index kBand = Index{1} << 20;
// Bands begin at multiples of this, so that no element is in two of them. It is a multiple of every element
// size, and of 8 elements of 1 to 8 bits.
constexpr Index kBandStep = Index{3 * 5 * 7} << 7;

Index band_for(const ReshardFilesOptions& options, int threads) {
  const Index most = std::min(kBand, options.memory_bytes / (8 * threads));
  return std::max(kBandStep, most / kBandStep * kBandStep);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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
      if (report_.bands > 0) {
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
    PartFile file;
    TESSERA_NEED(file.open(folder_, number, target.name, target.bytes));
    TESSERA_NEED(file.write(std::as_bytes(std::span(target.header)), 0));
    std::vector<std::byte> buffer(static_cast<std::size_t>(folder_.band_bytes()));
    for (const std::size_t tensor : target.tensors) {
      TESSERA_NEED(write_tensor(file, tensor, buffer));
      if (stopped_) return {};
    }
    return file.close();
  }

  Result<void> write_tensor(const PartFile& file, std::size_t index, std::span<std::byte> buffer) {
    const TargetTensor& tensor = plan_.tensors[index];
    const ByteBoxes boxes(tensor);
    const Index bytes = tensor.end - tensor.begin;
    Xxh3 sum;
    for (Index begin = 0; begin < bytes && !stopped_; begin += folder_.band_bytes()) {
      if (detail::cancelled()) return detail::cancelled_failure();
      const Index end = std::min(bytes, begin + folder_.band_bytes());
      const auto band = buffer.first(static_cast<std::size_t>(end - begin));
      const Index at = tensor.begin + begin;
      if (is_finished(file, at, band)) {
        if (checksums_) sum.update(band);
        advance(tensor, end - begin, /*kept=*/true);
        continue;
      }
      TESSERA_TRY(runs, gather_.gather(tensor, boxes, begin, end, band));
      if (checksums_) {
        for (const std::span<const std::byte> part : runs) sum.update(part);
      }
      TESSERA_NEED(file.write_band(runs, at));
      advance(tensor, end - begin, /*kept=*/false);
    }
    report_.tensors[index] = {tensor.name, tensor.file, bytes, checksums_ ? sum.digest() : 0};
    return {};
  }

  // True if the run that is being resumed has written the band. `band` then has its bytes.
  bool is_finished(const PartFile& file, Index at, std::span<std::byte> band) {
    const PartFile::Kept kept = file.read_kept(band, at);
    if (kept != PartFile::Kept::differs) return kept == PartFile::Kept::same;
    const std::lock_guard lock(mutex_);
    ++report_.repaired_bands;
    return false;
  }

  void advance(const TargetTensor& tensor, Index bytes, bool kept) {
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    ++report_.bands;
    if (kept) {
      report_.kept_bytes += bytes;
    } else {
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
  ReshardFilesReport report_;
};

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
    plan.source.drop_pages();
  }
  const int threads = std::min<int>(executor_threads(options.threads), static_cast<int>(plan.files.size()));
  TESSERA_TRY(folder,
              PartFolder::open(target, plan.single_file, plan.hash(), band_for(options, std::max(threads, 1)),
                               options.force, options.resume));
  Index bytes = 0;
  for (const TargetFile& file : plan.files) bytes += file.bytes;
  TESSERA_NEED(folder->check_room(bytes));
  TESSERA_TRY(report, CheckpointWriter(plan, *folder, options, progress).write(std::max(threads, 1)));
  // Each step counts the pages that become resident from its beginning on.
  plan.source.drop_pages();
  if (!plan.index.empty())
    TESSERA_NEED(transfer::write_text(folder->file("model.safetensors.index.json"), plan.index));
  if (!plan.single_file) TESSERA_NEED(transfer::copy_settings(plan, *folder));
  if (options.verify) {
    const auto checked = [&](Result<Index> count) {
      if (!count && count.error().code == Code::verify_failed) folder->discard();
      return count;
    };
    const auto began = std::chrono::steady_clock::now();
    TESSERA_TRY(compared, checked(transfer::compare_files(plan, *folder, options.memory_bytes)));
    plan.source.drop_pages();
    TESSERA_TRY(looked_up, checked(transfer::verify_elements(plan, *folder, options.memory_bytes)));
    report.looked_up = looked_up;
    report.verified = VerifyReport{.checked = compared, .all = true, .seconds = seconds_since(began)};
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
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace tessera
