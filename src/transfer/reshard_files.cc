// SPDX-License-Identifier: Apache-2.0
#include "tessera/transfer/reshard_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "base/try.h"
#include "files/bit_field.h"
#include "files/dense.h"
#include "tessera/relayout/relayout.h"
#include "transfer/band_gather.h"
#include "transfer/compare_files.h"
#include "transfer/file_plan.h"
#include "transfer/source_copies.h"
#include "transfer/target_run.h"
#include "transfer/verify_elements.h"

namespace tessera {
namespace {

using transfer::BandGather;
using transfer::ByteBoxes;
using transfer::FilePlan;
using transfer::FileWork;
using transfer::NewFile;
using transfer::Release;
using transfer::TargetFile;
using transfer::TargetTensor;
using transfer::TargetWork;
using transfer::TensorComparison;

// The size of a band. It stays in the cache between being gathered and being written.
constexpr Index kBand = Index{1} << 20;
// Bands begin at multiples of this, so that no element is in two of them. It is a multiple of every element
// size, and of 8 elements of 1 to 8 bits.
constexpr Index kBandStep = Index{3 * 5 * 7} << 7;

Index band_for(const ReshardFilesOptions& options, Index files) {
  const Index most = std::min(kBand, options.memory_bytes / (8 * files));
  return std::max(kBandStep, most / kBandStep * kBandStep);
}

// Makes a tensor from a list of moves.
class MovedTensor : public transfer::TensorMaker {
 public:
  MovedTensor(const TargetTensor& tensor, BandGather& gather, TensorComparison& comparison)
      : tensor_(tensor), gather_(gather), comparison_(comparison) {}

  std::vector<ByteRange> bands(Index piece) override {
    boxes_.emplace(tensor_);
    const Index bytes = tensor_.bytes();
    buffer_.resize(static_cast<std::size_t>(std::min(piece, bytes)));
    bands_.clear();
    for (Index at = 0; at < bytes; at += piece) bands_.push_back({at, std::min(bytes, at + piece)});
    return bands_;
  }

  Result<void> make(std::size_t band, NewFile& file) override {
    const auto [begin, end] = bands_[band];
    const auto buffer = std::span(buffer_).first(static_cast<std::size_t>(end - begin));
    TESSERA_TRY(runs, gather_.gather(tensor_, *boxes_, sources_, begin, end, buffer));
    return file.write_runs(runs);
  }

  void finish() override {
    sources_ = {};
    boxes_.reset();
    bands_ = {};
    buffer_ = {};
  }

  Result<VerifyReport> verify(std::span<const std::byte> written, const Release& release) override {
    TESSERA_TRY(compared, comparison_.compare(tensor_, written, release));
    return VerifyReport{.checked = compared, .all = true};
  }

 protected:
  const TargetTensor& tensor_;
  BandGather& gather_;
  transfer::GatheredSources sources_;

 private:
  TensorComparison& comparison_;
  std::optional<ByteBoxes> boxes_;
  std::vector<ByteRange> bands_;
  std::vector<std::byte> buffer_;
};

// Makes a tensor whose layout has no digits, such as a swizzle: from its row-major elements in memory.
class LaidOutTensor final : public MovedTensor {
 public:
  using MovedTensor::MovedTensor;

  std::vector<ByteRange> bands(Index piece) override {
    piece_ = piece;
    return {{0, tensor_.bytes()}};
  }

  Result<void> make(std::size_t /*band*/, NewFile& file) override {
    const Index bits = tensor_.element_bits;
    const Index bytes = ceil_div(tensor_.units() * bits, Index{8});
    std::vector<std::byte> rows(static_cast<std::size_t>(bytes));
    const ByteBoxes boxes(tensor_);
    for (Index at = 0; at < bytes; at += piece_) {
      const Index end = std::min(bytes, at + piece_);
      const auto band =
          std::span(rows).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(end - at));
      TESSERA_TRY(runs, gather_.gather(tensor_, boxes, sources_, at, end, band));
      auto to = band.begin();
      for (const std::span<const std::byte> run : runs) {
        if (run.data() != band.data()) std::ranges::copy(run, to);
        to += std::ssize(run);
      }
      if (detail::cancelled()) return detail::cancelled_failure();
    }
    std::vector<std::byte> out(static_cast<std::size_t>(tensor_.bytes()));
    sources_ = {};
    TESSERA_NEED(lay_out(rows, out));
    return file.write(out);
  }

 private:
  Result<void> lay_out(std::span<const std::byte> rows, std::span<std::byte> out) const {
    const Index bits = tensor_.element_bits;
    const Layout& to = *tensor_.layout;
    TESSERA_TRY(from, dense_layout(tensor_.dtype, tensor_.shape, DenseOrder::c, bits));
    if (bits % 8 == 0) return relayout(from, to, bits / 8, rows, out, {.padding = Padding::keep});
    std::vector<bool> taken(static_cast<std::size_t>(tensor_.cells()));
    std::vector<Index> index(tensor_.shape.size());
    for (Index number = 0; number < tensor_.units(); ++number) {
      detail::set_index(index, tensor_.shape, number);
      const Index cell = to.offset(index);
      if (taken[static_cast<std::size_t>(cell)]) {
        return fail(Code::broadcast,
                    fmt::format("two elements of tensor '{}' share an offset", tensor_.name));
      }
      taken[static_cast<std::size_t>(cell)] = true;
      copy_bits(rows.data(), number * bits, out.data(), cell * bits, bits);
    }
    return {};
  }

  Index piece_ = 0;
};

std::unique_ptr<transfer::TensorMaker> maker_of(const TargetTensor& tensor, BandGather& gather,
                                                TensorComparison& comparison) {
  if (tensor.by_number()) return std::make_unique<LaidOutTensor>(tensor, gather, comparison);
  return std::make_unique<MovedTensor>(tensor, gather, comparison);
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
  BandGather gather(plan, options.memory_bytes / 2, options.memory_bytes / 8 / together);
  TensorComparison comparison(plan, options.memory_bytes);
  TargetWork work{.path = target,
                  .single_file = plan.single_file,
                  .identity = plan.hash(),
                  .piece_bytes = band_for(options, together)};
  for (const TargetFile& file : plan.files) {
    FileWork& made = work.files.emplace_back(FileWork{file.name, file.header, file.bytes, {}});
    for (const std::size_t number : file.tensors) {
      const TargetTensor& tensor = plan.tensors[number];
      made.tensors.push_back({tensor.name, tensor.bytes(), maker_of(tensor, gather, comparison)});
    }
  }
  work.release_source = [&plan] { plan.source.drop_pages(); };
  work.add_files = [&plan](const transfer::PartFolder& folder) { return add_small_files(plan, folder); };
  work.look_up = [&](std::span<const std::span<const std::byte>> files, const Release& release) {
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
