// SPDX-License-Identifier: Apache-2.0
#include "transfer/pair_verifier.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "base/saturating.h"
#include "base/try.h"
#include "map/values/enumerate.h"

namespace tessera::transfer {
namespace {

constexpr std::size_t kBoxesTogether = 64;
constexpr Index kLeastBoxElements = Index{1} << 12;
constexpr Index kBoxElements = Index{1} << 20;
constexpr Index kBlock = Index{1} << 14;
constexpr Index kLongRow = 4;

}  // namespace

IndexMap ComparedPart::defining_map(const Layout& layout) {
  return layout.tiled_map() != nullptr ? layout.tiled_map()->to_index_map() : lower(layout);
}

PairVerifier::PairVerifier(std::span<const Index> shape, std::array<Parts, 2> sides,
                           const VerifyOptions& options, std::function<void()> release,
                           const std::function<void(Progress)>& progress)
    : shape_(shape.begin(), shape.end()),
      sides_(std::move(sides)),
      options_(options),
      pages_(options.memory_bytes / 2,
             [release = std::move(release)] {
               if (release) release();
             }),
      progress_(progress),
      executor_(parallel_executor(0)) {
  for (const Index extent : shape) size_ *= extent;
  for (const Parts& parts : sides_) {
    for (const ComparedPart& part : parts) {
      exprs_.push_back(part.map.results()[0]);
      element_bits_ += part.bits;
    }
  }
}

Result<VerifyReport> PairVerifier::run() {
  const auto start = std::chrono::steady_clock::now();
  if (size_ > 0) TESSERA_NEED(compare_all());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return VerifyReport{.checked = size_, .seconds = seconds.count()};
}

Index PairVerifier::touched_bytes(const IndexBox& box) const {
  Index sum = 0;
  for (const Parts& parts : sides_) {
    for (const ComparedPart& part : parts)
      sum = detail::saturating_add(sum, part.reach.touched_bytes(box, part.bits, part.bytes));
  }
  return sum;
}

// The digits say where to cut.
const Digits* PairVerifier::digits(std::size_t side) const {
  const std::optional<Digits>& known = sides_[side].front().reach.digits();
  return known ? &*known : nullptr;
}

// Cuts the index space into boxes that read little of either file, and compares them in batches.
Result<void> PairVerifier::compare_all() {
  const Index budget = std::max(options_.memory_bytes / 4, 8 * kPageWindow);
  // Windows count far more bytes than become resident where elements are near each other.
  const Index most_elements = std::max(kLeastBoxElements, options_.memory_bytes / 2 * 8 / element_bits_);
  const Index box_elements = std::min(kBoxElements, std::max(kLeastBoxElements, most_elements / 2));
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
    // The bounds are far too large where a side has no digits, so what is resident is measured.
    pages_.spend(std::min(batch_bytes, pages_.limit()));
    batch.clear();
    batch_bytes = batch_elements = 0;
    if (progress_) progress_({.done = done, .total = size_});
    const Index at = wrong_.load();
    if (at != kIndexMax) result = fail(difference(detail::index_with_number(shape_, at)));
    if (detail::cancelled()) result = detail::cancelled_failure();
  };
  pages_.spend(pages_.limit());  // so that what the first batch makes resident is measured, too
  for_each_fitting_box(
      digits(0), digits(1), IndexBox::whole(shape_),
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

// In blocks that fit into the cache, because elements that are near in one file may be far apart in the
// other.
void PairVerifier::compare_box(const IndexBox& box) {
  RowEvaluator maps = evaluator();
  // Blocks are cubes, but for rows that are evaluated together.
  const auto cost = [](const IndexBox& one) {
    if (one.size() <= kBlock) return Index{0};
    Index sum = one.hi.back() - one.lo.back();
    for (std::size_t d = 0; d + 1 < one.lo.size(); ++d) sum += kLongRow * (one.hi[d] - one.lo[d]);
    return sum;
  };
  for_each_fitting_box(nullptr, nullptr, box, cost, 0,
                       [&](const IndexBox& block) { compare_block(maps, block); });
}

void PairVerifier::compare_block(RowEvaluator& maps, const IndexBox& block) {
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < block.lo.size(); ++i) intervals.push_back({block.lo[i], block.hi[i] - 1});
  for (BoxRows rows(std::move(intervals)); rows.next();) {
    maps.run(rows.base(), rows.size());
    const std::size_t same = same_row(maps, rows.size());
    if (same == rows.size()) continue;
    const Index number = detail::number_of_index(rows.base(), shape_) + static_cast<Index>(same);
    Index known = wrong_.load();
    while (number < known && !wrong_.compare_exchange_weak(known, number)) continue;
    return;
  }
}

}  // namespace tessera::transfer
