// SPDX-License-Identifier: Apache-2.0
#include "tessera/transfer/reshard_files.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/try.h"
#include "transfer/band_gather.h"
#include "transfer/compare_files.h"
#include "transfer/file_plan.h"
#include "transfer/source_copies.h"
#include "transfer/target_run.h"
#include "transfer/verify_elements.h"

namespace tessera {
namespace {

using transfer::FilePlan;
using transfer::FileWork;
using transfer::GatheredFiles;
using transfer::Release;
using transfer::TargetFile;
using transfer::TargetTensor;
using transfer::TargetWork;

// The size of a band. It stays in the cache between being gathered and being written.
constexpr Index kBand = Index{1} << 20;
// Bands begin at multiples of this, so that no element is in two of them. It is a multiple of every element
// size, and of 8 elements of 1 to 8 bits.
constexpr Index kBandStep = Index{3 * 5 * 7} << 7;

Index band_for(const ReshardFilesOptions& options, Index files) {
  const Index most = std::min(kBand, options.memory_bytes / (8 * files));
  return std::max(kBandStep, most / kBandStep * kBandStep);
}

std::unique_ptr<transfer::TensorMaker> maker_of(const TargetTensor& tensor, GatheredFiles& files) {
  transfer::BandedCells cells{.count = tensor.bytes(), .bytes = tensor.bytes(), .padded = tensor.padded};
  return std::make_unique<transfer::BandedTensor>(std::move(cells),
                                                  std::make_unique<transfer::BandGather>(tensor, files));
}

Index read_bytes(const FilePlan& plan) {
  Index bytes = 0;
  for (const TargetTensor& tensor : plan.tensors) {
    for (const transfer::TensorMove& move : tensor.moves)
      bytes += ceil_div(move.box.elements() * tensor.element_bits, Index{8});
  }
  return bytes;
}

}  // namespace

Result<ReshardFilesReport> reshard_files(const std::string& source, const std::string& target,
                                         const ReshardFilesOptions& options,
                                         const ReshardFilesProgress& progress,
                                         std::shared_ptr<const Source>* errors_in) {
  const auto start = std::chrono::steady_clock::now();
  TESSERA_TRY(plan, transfer::make_file_plan(source, target, options, errors_in));
  if (options.check) TESSERA_NEED(transfer::check_every_byte(plan, options.memory_bytes));
  ReshardFilesReport report;
  if (!options.allow_unused) {
    TESSERA_TRY(compared, transfer::compare_copies(plan, transfer::WhichCopies::all, options.memory_bytes));
    report.copies = compared;
    plan.source.drop_pages();
  }
  const Index together = plan.files_together(options.threads);
  GatheredFiles gathered(plan, options.memory_bytes, options.memory_bytes / 8 / together);
  TargetWork work{.path = target,
                  .single_file = plan.single_file,
                  .identity = plan.hash(),
                  .piece_bytes = band_for(options, together)};
  for (const TargetFile& file : plan.files) {
    FileWork& made = work.files.emplace_back(FileWork{file.name, file.header, file.bytes, {}});
    for (const std::size_t number : file.tensors) {
      const TargetTensor& tensor = plan.tensors[number];
      made.tensors.push_back({tensor.name, tensor.bytes(), maker_of(tensor, gathered)});
    }
  }
  work.release_source = [&plan] { plan.source.drop_pages(); };
  work.add_files = [&plan](const transfer::PartFolder& folder) { return add_small_files(plan, folder); };
  work.verify = [&](std::span<const std::span<const std::byte>> files, const Release& release) {
    return transfer::verify_elements(plan, files, release, options.memory_bytes);
  };
  TESSERA_TRY(done, run_target(work,
                               {.threads = options.threads,
                                .force = options.force,
                                .resume = options.resume,
                                .verify = options.verify,
                                .checksums = options.checksums,
                                .started = start},
                               progress));
  static_cast<TransferReport&>(report) = std::move(done);
  report.source_files = std::ssize(plan.source.files());
  report.files = std::ssize(plan.files);
  report.read_bytes = read_bytes(plan);
  report.checked = options.check;
  report.notes = plan.notes;
  report.tensors.resize(plan.tensors.size());
  for (std::size_t k = 0; k < plan.files.size(); ++k) {
    for (std::size_t t = 0; t < plan.files[k].tensors.size(); ++t) {
      const transfer::TensorWork& tensor = work.files[k].tensors[t];
      report.tensors[plan.files[k].tensors[t]] = {tensor.name, plan.files[k].name, tensor.bytes, tensor.xxh3};
    }
  }
  return report;
}

}  // namespace tessera
