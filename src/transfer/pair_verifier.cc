// SPDX-License-Identifier: Apache-2.0
#include "transfer/pair_verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "base/try.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {
namespace {

constexpr std::size_t kBoxesTogether = 64;

}  // namespace

PairVerifier::PairVerifier(std::span<const Index> shape, Index box_elements, const VerifyOptions& options,
                           std::function<void()> release, const std::function<void(Progress)>& progress)
    : shape_(shape.begin(), shape.end()),
      box_elements_(box_elements),
      options_(options),
      release_(std::move(release)),
      progress_(progress),
      executor_(parallel_executor(0)) {
  for (const Index extent : shape) size_ *= extent;
}

Result<VerifyReport> PairVerifier::run() {
  const auto start = std::chrono::steady_clock::now();
  VerifyReport report{.all = size_ <= options_.all_below};
  report.checked = report.all ? size_ : options_.random_elements;
  if (report.all) {
    if (size_ > 0) TESSERA_NEED(compare_all());
  } else {
    TESSERA_NEED(compare_random(report.checked));
    std::uint64_t sums[2] = {};
    for (int side = 0; side < 2; ++side) {
      TESSERA_TRY(one, sum(side));
      sums[side] = one;
    }
    if (sums[0] != sums[1]) {
      return fail(
          Code::verify_failed,
          fmt::format("the sums over all elements differ: {:016x} in the source, {:016x} in the destination",
                      sums[0], sums[1]));
    }
    report.checksum = sums[0];
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

// Cuts the index space into boxes that read little of either file, and compares them in batches.
Result<void> PairVerifier::compare_all() {
  const std::optional<Digits> from = digits(0);
  const std::optional<Digits> to = digits(1);
  const Index budget = std::max(options_.memory_bytes / 4, 8 * kPageWindow);
  std::vector<IndexBox> batch;
  Index batch_bytes = 0;
  Index done = 0;
  Result<void> result;
  const auto flush = [&] {
    executor_->parallel_for(std::ssize(batch), [&](Index i) {
      if (!found()) compare_box(batch[static_cast<std::size_t>(i)]);
    });
    for (const IndexBox& box : batch) done += box.size();
    batch.clear();
    batch_bytes = 0;
    release();
    result = reached(done, size_);
  };
  for_each_fitting_box(
      from ? &*from : nullptr, to ? &*to : nullptr, IndexBox::whole(shape_),
      [&](const IndexBox& box) { return box.size() > box_elements_ ? kIndexMax : touched_bytes(box); },
      budget,
      [&](const IndexBox& box) {
        if (!result) return;
        const Index bytes = touched_bytes(box);
        const bool full = batch.size() == kBoxesTogether || batch_bytes + bytes > 2 * budget;
        if (!batch.empty() && full) flush();
        batch.push_back(box);
        batch_bytes += bytes;
      });
  if (result && !batch.empty()) flush();
  return result;
}

Result<void> PairVerifier::compare_random(Index count) {
  constexpr Index kNumbers = Index{1} << 18;
  std::mt19937_64 random(1);  // so that every run checks the same elements
  std::vector<Index> numbers;
  for (Index drawn = 0; drawn < count; drawn += std::ssize(numbers)) {
    numbers.resize(static_cast<std::size_t>(std::min(kNumbers, count - drawn)));
    for (Index& number : numbers) number = static_cast<Index>(random() % static_cast<std::uint64_t>(size_));
    std::ranges::sort(numbers);
    compare_numbers(numbers);
    release();
    TESSERA_NEED(reached(drawn + std::ssize(numbers), count));
  }
  return {};
}

void PairVerifier::release() const {
  if (release_) release_();
}

void PairVerifier::differs(Index number) {
  Index known = wrong_.load();
  while (number < known && !wrong_.compare_exchange_weak(known, number)) continue;
}

Result<void> PairVerifier::reached(Index done, Index total) const {
  if (progress_) progress_({.done = done, .total = total});
  if (detail::cancelled()) return detail::cancelled_failure();
  const Index at = wrong_.load();
  return at == kIndexMax ? Result<void>() : fail(difference(detail::index_with_number(shape_, at)));
}

}  // namespace tessera::transfer
