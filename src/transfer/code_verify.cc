// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <vector>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "tessera/relayout/relayout.h"

namespace tessera::transfer {
namespace {

constexpr Index kComparedTogether = Index{1} << 16;
constexpr Index kRandomElements = 1'000'000;

class CodeVerifier {
 public:
  CodeVerifier(const CodeMover& mover, std::span<const std::byte> src, std::span<const std::byte> dst)
      : mover_(mover),
        src_(src),
        dst_(dst),
        shape_(mover.from().shape().begin(), mover.from().shape().end()) {}

  // Elements [begin, end) in row-major order.
  void compare(Index begin, Index end) {
    std::vector<Index> index(shape_.size());
    detail::set_index(index, shape_, begin);
    for (Index at = begin; at < end && at < wrong_.load(std::memory_order_relaxed); ++at) {
      if (!same(index)) return report(at);
      detail::next_index(index, shape_);
    }
  }

  Result<void> result() const {
    const Index at = wrong_.load();
    if (at == kIndexMax) return {};
    std::vector<Index> index(shape_.size());
    detail::set_index(index, shape_, at);
    Diagnostic diagnostic{.code = Code::verify_failed,
                          .message = "an element of the destination differs from the source"};
    diagnostic.witness =
        fmt::format("index ({}): code {:#x} of the source gives {:#x}, but the destination has {:#x}",
                    fmt::join(index, ", "), mover_.from().code(index, src_),
                    mover_.moved(mover_.from().code(index, src_)), mover_.to().code(index, dst_));
    return fail(std::move(diagnostic));
  }

 private:
  bool same(std::span<const Index> index) const {
    return mover_.moved(mover_.from().code(index, src_)) == mover_.to().code(index, dst_) &&
           mover_.to().fits(index, dst_);
  }
  void report(Index at) {
    Index known = wrong_.load();
    while (at < known && !wrong_.compare_exchange_weak(known, at)) continue;
  }

  const CodeMover& mover_;
  std::span<const std::byte> src_;
  std::span<const std::byte> dst_;
  std::vector<Index> shape_;
  std::atomic<Index> wrong_ = kIndexMax;
};

}  // namespace

Result<VerifyReport> verify_codes(const CodeMover& mover, std::span<const std::byte> src,
                                  std::span<const std::byte> dst,
                                  const std::function<void(Progress)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  const Index size = mover.from().size();
  VerifyReport report{.checked = std::min(size, size <= kVerifyAll ? size : kRandomElements),
                      .all = size <= kVerifyAll};
  CodeVerifier verifier(mover, src, dst);
  const std::unique_ptr<Executor> executor = parallel_executor(0);
  constexpr Index kBatchesTogether = 64;
  std::mt19937_64 random(20261129);  // NOLINT: the same elements in every run
  for (Index done = 0; done < report.checked;) {
    if (report.all) {
      const Index batches = std::min(kBatchesTogether, ceil_div(size - done, kComparedTogether));
      executor->parallel_for(batches, [&](Index i) {
        const Index begin = done + i * kComparedTogether;
        verifier.compare(begin, std::min(size, begin + kComparedTogether));
      });
      done = std::min(size, done + batches * kComparedTogether);
    } else {
      for (Index i = 0; i < kComparedTogether && done < report.checked; ++i, ++done) {
        const auto at = static_cast<Index>(random() % static_cast<std::uint64_t>(size));
        verifier.compare(at, at + 1);
      }
    }
    if (progress) progress({.done = done, .total = report.checked});
    if (detail::cancelled()) return detail::cancelled_failure();
    if (auto result = verifier.result(); !result) return fail(result.error());
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace tessera::transfer
