// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "base/mutex.h"
#include "map/values/enumerate.h"
#include "tessera/relayout/relayout.h"
#include "tessera/transfer/copy.h"
#include "transfer/checksum.h"
#include "transfer/element_reader.h"
#include "transfer/index_box.h"
#include "transfer/page_budget.h"
#include "transfer/reach.h"

namespace tessera {
namespace {

using transfer::ElementReader;
using transfer::IndexBox;
using transfer::kPageWindow;

constexpr Index kBoxElements = Index{1} << 20;

// The map that defines the notation. It is independent of digits, which plans use.
IndexMap defining_map(const Layout& layout) {
  return layout.tiled_map() != nullptr ? layout.tiled_map()->to_index_map() : lower(layout);
}

Digits row_major(std::span<const Index> shape) {
  Index step = 1;
  std::vector<Digit> digits;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] > 1) digits.push_back({static_cast<Index>(i), 1, shape[i], step});
    step *= std::max<Index>(shape[i], 1);
  }
  std::ranges::stable_sort(digits, {}, &Digit::dim);
  return Digits::normalized({shape.begin(), shape.end()}, 0, std::move(digits));
}

std::string hex(const std::byte* element, std::size_t width) {
  std::string out = "0x";
  for (std::size_t i = width; i-- > 0;) out += fmt::format("{:02x}", std::to_integer<unsigned>(element[i]));
  return out;
}

class Verifier {
 public:
  Verifier(const TensorBytes& source, const TensorBytes& destination, const VerifyOptions& options,
           const std::function<void(Progress)>& progress)
      : source_(source),
        destination_(destination),
        options_(options),
        progress_(progress),
        read_source_(source.tensor, source.bytes),
        read_destination_(destination.tensor, destination.bytes),
        maps_{defining_map(source.tensor.layout), defining_map(destination.tensor.layout)},
        exprs_{maps_[0].results()[0], maps_[1].results()[0]} {}

  Result<VerifyReport> run() {
    VerifyReport report;
    const Index size = source_.tensor.layout.size();
    report.all = size <= options_.all_below;
    report.checked = report.all ? size : options_.random_elements;
    if (Result<void> same = report.all ? compare_all() : compare_random(); !same) return fail(same.error());
    if (!report.all) {
      Result<std::uint64_t> sum = compare_sums();
      if (!sum) return fail(sum.error());
      report.checksum = *sum;
    }
    return report;
  }

 private:
  // An evaluator of both maps for one thread.
  RowEvaluator evaluator() const { return RowEvaluator(exprs_, source_.tensor.layout.rank()); }

  // Compares `count` elements from index `base` on, and records the first that differs.
  bool same_row(RowEvaluator& maps, std::span<const Index> base, std::size_t count) {
    maps.run(base, count);
    const std::size_t width = std::min(read_source_.width(), read_destination_.width());
    for (std::size_t i = 0; i < count; ++i) {
      std::byte scratch[2];
      const std::byte* const a = read_source_.at(maps.value(0, i), &scratch[0]);
      const std::byte* const b = read_destination_.at(maps.value(1, i), &scratch[1]);
      bool same = false;
      switch (width) {
        case 1:
          same = *a == *b;
          break;
        case 2:
          same = std::memcmp(a, b, 2) == 0;
          break;
        case 4:
          same = std::memcmp(a, b, 4) == 0;
          break;
        case 8:
          same = std::memcmp(a, b, 8) == 0;
          break;
        default:
          same = std::memcmp(a, b, width) == 0;
      }
      if (same) continue;
      std::vector<Index> index(base.begin(), base.end());
      if (!index.empty()) index.back() += static_cast<Index>(i);
      remember(std::move(index), hex(a, width), hex(b, width), maps.value(0, i), maps.value(1, i));
      return false;
    }
    return true;
  }

  void remember(std::vector<Index> index, std::string a, std::string b, Index a_offset, Index b_offset) {
    const detail::MutexLock lock(mutex_);
    if (failed_ && difference_index_ <= index) return;
    failed_ = true;
    difference_index_ = std::move(index);
    difference_ = Diagnostic{.code = Code::verify_failed,
                             .message = "an element of the destination differs from the source"};
    difference_.witness =
        fmt::format("index ({}): {} at offset {} of the source, {} at offset {} of the destination",
                    fmt::join(difference_index_, ", "), a, a_offset, b, b_offset);
  }

  Failure failure() const { return fail(difference_); }

  bool same_box(const IndexBox& box) {
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i < box.lo.size(); ++i) intervals.push_back({box.lo[i], box.hi[i] - 1});
    RowEvaluator maps = evaluator();
    for (BoxRows rows(std::move(intervals)); rows.next();) {
      if (!same_row(maps, rows.base(), rows.size())) return false;
    }
    return true;
  }

  // Cuts the index space into boxes that read little of either file, and compares them in batches on all
  // threads.
  Result<void> compare_all() {
    const Layout& layout = source_.tensor.layout;
    const transfer::Reach a(layout);
    const transfer::Reach b(destination_.tensor.layout);
    const Digits rows = row_major(layout.shape());
    const auto touched_bytes = [&](const IndexBox& box) {
      const auto of = [&](const transfer::Reach& reach, const TensorBytes& side) {
        return reach.touched_bytes(box, side.tensor.element_bits, std::ssize(side.bytes));
      };
      return of(a, source_) + of(b, destination_);
    };
    const std::unique_ptr<Executor> executor = parallel_executor(0);
    const Index budget = std::max(options_.memory_bytes / 4, 8 * kPageWindow);
    std::vector<IndexBox> batch;
    Index batch_bytes = 0;
    Index done = 0;
    const auto flush = [&] {
      executor->parallel_for(std::ssize(batch), [&](Index i) {
        if (!failed_) same_box(batch[static_cast<std::size_t>(i)]);
      });
      for (const IndexBox& box : batch) done += box.size();
      batch.clear();
      batch_bytes = 0;
      release();
      report({.done = done, .total = layout.size()});
    };
    transfer::for_each_fitting_box(
        a.digits().value_or(rows), b.digits().value_or(rows), IndexBox::whole(layout.shape()),
        [&](const IndexBox& box) {
          const double share = static_cast<double>(box.size()) / static_cast<double>(kBoxElements);
          return std::max(touched_bytes(box), static_cast<Index>(share * static_cast<double>(budget)));
        },
        budget,
        [&](const IndexBox& box) {
          if (failed_ || detail::cancelled()) return;
          if (!batch.empty() && batch_bytes + touched_bytes(box) > 2 * budget) flush();
          batch.push_back(box);
          batch_bytes += touched_bytes(box);
        });
    if (detail::cancelled()) return detail::cancelled_failure();
    if (!failed_) flush();
    if (failed_) return failure();
    if (detail::cancelled()) return detail::cancelled_failure();
    return {};
  }

  // A random element, identified by its number in row-major order.
  struct Sample {
    Index number = 0;
    Index source = 0;
    Index destination = 0;
    std::uint64_t hash = 0;
  };

  std::vector<Index> index_of(Index number) const {
    return detail::index_with_number(source_.tensor.layout.shape(), number);
  }

  // Sorts the samples of a batch by offset before reading each file, because random reads of a mapping are
  // slow.
  Result<void> compare_random() {
    constexpr Index kBatch = Index{1} << 18;
    std::mt19937_64 random(1);  // so that every run checks the same elements
    RowEvaluator maps = evaluator();
    std::vector<Sample> samples;
    for (Index drawn = 0; drawn < options_.random_elements; drawn += std::ssize(samples)) {
      if (detail::cancelled()) return detail::cancelled_failure();
      samples.resize(static_cast<std::size_t>(std::min(kBatch, options_.random_elements - drawn)));
      for (Sample& sample : samples) {
        sample.number =
            static_cast<Index>(random() % static_cast<std::uint64_t>(source_.tensor.layout.size()));
        maps.run(index_of(sample.number), 1);
        sample.source = maps.value(0, 0);
        sample.destination = maps.value(1, 0);
      }
      visit(samples, &Sample::source, source_, read_source_,
            [](Sample& sample, std::uint64_t hash) { sample.hash = hash; });
      const Sample* differs = nullptr;
      visit(samples, &Sample::destination, destination_, read_destination_,
            [&](Sample& sample, std::uint64_t hash) {
              if (sample.hash != hash && (differs == nullptr || sample.number < differs->number))
                differs = &sample;
            });
      if (differs != nullptr) {
        same_row(maps, index_of(differs->number), 1);
        return failure();
      }
    }
    return {};
  }

  template <class F>
  void visit(std::vector<Sample>& samples, Index Sample::* offset, const TensorBytes& tensor,
             const ElementReader& reader, const F& f) const {
    std::ranges::sort(samples, {}, offset);
    Index released = 0;
    const Index before_release =
        std::max(options_.memory_bytes / 4, kPageWindow) * 8 / tensor.tensor.element_bits;
    for (Sample& sample : samples) {
      if (sample.*offset - released > before_release) {
        release();
        released = sample.*offset;
      }
      std::byte scratch;
      f(sample, transfer::element_hash(reader.at(sample.*offset, &scratch), reader.width()));
    }
    release();
  }

  Result<std::uint64_t> compare_sums() {
    std::uint64_t sums[2] = {};
    for (int side = 0; side < 2; ++side) {
      if (detail::cancelled()) return detail::cancelled_failure();
      const TensorBytes& one = side == 0 ? source_ : destination_;
      const auto advance = [&](Index done) {
        release();
        report({.done = done * (side + 1), .total = 2 * one.tensor.layout.size()});
      };
      sums[side] = transfer::checksum(one.tensor, one.bytes, options_.memory_bytes / 4, advance);
    }
    if (sums[0] != sums[1]) {
      return fail(
          Code::verify_failed,
          fmt::format(
              "the checksums over all elements differ: {:016x} in the source, {:016x} in the destination",
              sums[0], sums[1]));
    }
    return sums[0];
  }

  void release() const {
    if (source_.release) source_.release();
    if (destination_.release) destination_.release();
  }
  void report(Progress progress) const {
    if (progress_) progress_(progress);
  }

  const TensorBytes& source_;
  const TensorBytes& destination_;
  const VerifyOptions& options_;
  const std::function<void(Progress)>& progress_;
  ElementReader read_source_;
  ElementReader read_destination_;
  std::array<IndexMap, 2> maps_;
  std::array<Expr, 2> exprs_;
  detail::Mutex mutex_;
  std::atomic<bool> failed_ = false;
  std::vector<Index> difference_index_;
  Diagnostic difference_;
};

}  // namespace

Result<VerifyReport> verify_copy(const TensorBytes& source, const TensorBytes& destination,
                                 const VerifyOptions& options,
                                 const std::function<void(Progress)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  if (source.tensor.layout.size() == 0) return VerifyReport{.checked = 0, .all = true};
  Result<VerifyReport> report = Verifier(source, destination, options, progress).run();
  if (report)
    report->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace tessera
