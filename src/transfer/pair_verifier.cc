// SPDX-License-Identifier: Apache-2.0
#include "transfer/pair_verifier.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "base/try.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {
namespace {

constexpr std::size_t kBoxesTogether = 64;
constexpr Index kLeastBoxElements = Index{1} << 12;

}  // namespace

PairVerifier::PairVerifier(std::span<const Index> shape, Index box_elements, Index element_bits,
                           const VerifyOptions& options, std::function<void()> release,
                           const std::function<void(Progress)>& progress)
    : shape_(shape.begin(), shape.end()),
      box_elements_(box_elements),
      element_bits_(element_bits),
      options_(options),
      release_(std::move(release)),
      progress_(progress),
      executor_(parallel_executor(0)) {
  for (const Index extent : shape) size_ *= extent;
}

Result<VerifyReport> PairVerifier::run() {
  const auto start = std::chrono::steady_clock::now();
  if (size_ > 0) TESSERA_NEED(compare_all());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return VerifyReport{.checked = size_, .all = true, .seconds = seconds.count()};
}

// Cuts the index space into boxes that read little of either file, and compares them in batches.
Result<void> PairVerifier::compare_all() {
  const std::optional<Digits> from = digits(0);
  const std::optional<Digits> to = digits(1);
  const Index budget = std::max(options_.memory_bytes / 4, 8 * kPageWindow);
  // Windows count far more bytes than become resident where elements are near each other.
  const Index most_elements = std::max(kLeastBoxElements, options_.memory_bytes / 2 * 8 / element_bits_);
  const Index box_elements = std::min(box_elements_, std::max(kLeastBoxElements, most_elements / 2));
  std::vector<IndexBox> batch;
  Index batch_bytes = 0;
  Index batch_elements = 0;
  Index done = 0;
  Result<void> result;
  const auto flush = [&] {
    executor_->parallel_for(std::ssize(batch), [&](Index i) {
      if (!found()) compare_box(batch[static_cast<std::size_t>(i)]);
    });
    for (const IndexBox& box : batch) done += box.size();
    batch.clear();
    batch_bytes = batch_elements = 0;
    release();
    result = reached(done, size_);
  };
  for_each_fitting_box(
      from ? &*from : nullptr, to ? &*to : nullptr, IndexBox::whole(shape_),
      [&](const IndexBox& box) { return box.size() > box_elements ? kIndexMax : touched_bytes(box); }, budget,
      [&](const IndexBox& box) {
        if (!result) return;
        const Index bytes = touched_bytes(box);
        const bool full = batch.size() == kBoxesTogether || batch_bytes + bytes > 2 * budget ||
                          batch_elements + box.size() > most_elements;
        if (!batch.empty() && full) flush();
        batch.push_back(box);
        batch_bytes += bytes;
        batch_elements += box.size();
      });
  if (result && !batch.empty()) flush();
  return result;
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
