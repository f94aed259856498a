// SPDX-License-Identifier: Apache-2.0
#include "relayout_measure.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "relayout_copies.h"
#include "relayout_peers.h"
#include "table.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"
#include "tessera/relayout/relayout.h"

namespace tessera::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(int repetitions, const std::function<void()>& run) {
  const auto start = Clock::now();
  for (int i = 0; i < repetitions; ++i) run();
  return std::chrono::duration<double>(Clock::now() - start).count() / repetitions;
}

struct Contender {
  Timing timing;
  std::function<void()> run;
  int repetitions = 1;
  std::vector<double> rounds;
};

// Copies n bytes in `threads` pieces that begin at multiples of 4 KB.
void copy_in_pieces(const PlainCopy& copy, Executor& executor, int threads, const std::byte* from,
                    std::byte* to, std::size_t n) {
  const std::size_t piece = (n / static_cast<std::size_t>(threads) + 4095) / 4096 * 4096;
  executor.parallel_for(threads, [&](Index i) {
    const std::size_t begin = std::min(n, piece * static_cast<std::size_t>(i));
    copy.copy(from + begin, to + begin, std::min(piece, n - begin));
  });
}

bool moved_right(const Layout& src, const Layout& dst, std::size_t element_bytes, const std::byte* from,
                 const std::byte* to) {
  std::mt19937_64 random(1);
  std::vector<Index> index(src.rank());
  for (int i = 0; i < 100'000; ++i) {
    for (std::size_t d = 0; d < index.size(); ++d) {
      index[d] = static_cast<Index>(random() % static_cast<std::uint64_t>(src.shape()[d]));
    }
    const auto at = static_cast<std::ptrdiff_t>(element_bytes);
    if (std::memcmp(from + src.offset(index) * at, to + dst.offset(index) * at, element_bytes) != 0)
      return false;
  }
  return true;
}

struct Layouts {
  Layout src;
  Layout dst;
};

Result<Layouts> layouts_of(const RelayoutCase& subject) {
  auto src = parse_layout(subject.src);
  if (!src) return fail(src.error());
  auto dst = parse_layout(subject.dst);
  if (!dst) return fail(dst.error());
  return Layouts{*std::move(src), *std::move(dst)};
}

double plan_time_ns(const Layouts& layouts, int element_bytes, const PlanOptions& options) {
  const auto src = to_digits(layouts.src);
  const auto dst = to_digits(layouts.dst);
  if (!src || !dst)
    return median_time_us(11, [&] { (void)make_plan(layouts.src, layouts.dst, element_bytes, options); }) *
           1e3;
  const Index size = layouts.dst.buffer_size().value_or(0);
  // Reading the clock takes about 20 ns, so time many plans together.
  constexpr int kPlans = 64;
  return median_time_us(31,
                        [&] {
                          for (int i = 0; i < kPlans; ++i)
                            (void)make_plan(*src, {*dst, size}, element_bytes, options);
                        }) *
         1e3 / kPlans;
}

}  // namespace

double Measurement::best_copy() const {
  const auto best = std::ranges::min_element(copies, {}, &Timing::seconds);
  return copies.front().seconds / best->seconds;
}

const Timing* Measurement::best_peer() const {
  const Timing* best = nullptr;
  for (const Timing& peer : peers) {
    if (peer.correct && (best == nullptr || peer.seconds < best->seconds)) best = &peer;
  }
  return best;
}

Result<BufferSizes> buffer_sizes(const RelayoutCase& subject) {
  const auto layouts = layouts_of(subject);
  if (!layouts) return fail(layouts.error());
  const auto src = layouts->src.buffer_size();
  if (!src) return fail(src.error());
  const auto dst = layouts->dst.buffer_size();
  if (!dst) return fail(dst.error());
  // Plain copies move the whole payload, even if the source is smaller because elements are read repeatedly.
  const auto bytes = [&](Index elements) {
    return static_cast<std::size_t>(std::max(elements, layouts->src.size()) * subject.element_bytes);
  };
  return BufferSizes{bytes(*src), bytes(*dst)};
}

Result<Measurement> measure(const RelayoutCase& subject, const MeasureOptions& options, const BigBuffer& src,
                            const BigBuffer& dst) {
  const auto layouts = layouts_of(subject);
  if (!layouts) return fail(layouts.error());
  const auto sizes = buffer_sizes(subject);
  if (!sizes) return fail(sizes.error());
  PlanOptions plan_options;
  plan_options.padding = subject.padding;
  plan_options.threads = options.threads;
  const auto plan = make_plan(layouts->src, layouts->dst, subject.element_bytes, plan_options);
  if (!plan) return fail(plan.error());

  Measurement result;
  result.subject = &subject;
  result.plan = plan->describe();
  const auto payload = static_cast<std::size_t>(plan->payload_bytes());
  result.payload_bytes = static_cast<double>(payload);
  result.plan_ns = plan_time_ns(*layouts, subject.element_bytes, plan_options);

  const std::byte* from = src.data();
  std::byte* to = dst.data();
  const auto executor = options.threads > 1 ? parallel_executor(options.threads) : serial_executor();
  std::vector<Contender> contenders;
  const auto enter = [&](std::string_view name, std::function<void()> call) {
    Contender& contender = contenders.emplace_back();
    contender.timing.name = name;
    contender.run = std::move(call);
  };
  const auto copies = plain_copies();
  for (const PlainCopy& copy : copies) {
    enter(copy.name, [&, copy] {
      if (options.threads == 1) return copy.copy(from, to, payload);
      copy_in_pieces(copy, *executor, options.threads, from, to, payload);
    });
  }
  enter("tessera", [&] {
    if (options.threads == 1) return run(*plan, from, to);
    run(*plan, from, to, *executor);
  });
  if (options.peers) {
    const auto src_digits = to_digits(layouts->src);
    const auto dst_digits = to_digits(layouts->dst);
    if (src_digits && dst_digits) {
      for (Peer& peer :
           peers_for(*src_digits, *dst_digits, subject.element_bytes, options.threads, from, to)) {
        enter(peer.name, std::move(peer.run));
      }
    }
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Contender& contender = contenders[i];
    if (i >= copies.size()) std::memset(to, 0xee, sizes->dst);
    contender.run();
    if (i >= copies.size()) {
      contender.timing.correct =
          moved_right(layouts->src, layouts->dst, static_cast<std::size_t>(subject.element_bytes), from, to);
    }
    // Small copies are repeated in a warm cache for 2 ms.
    if (payload < std::size_t{1} << 20) {
      contender.repetitions =
          std::max(1, static_cast<int>(2e-3 / std::max(1e-8, seconds_of(100, contender.run))));
    }
  }
  const int rounds = payload >= std::size_t{1} << 30 ? std::min(options.rounds, 5) : options.rounds;
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      contender.rounds.push_back(seconds_of(contender.repetitions, contender.run));
      // The threads of other libraries keep spinning for some milliseconds.
      if (options.peers && options.threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Contender& contender = contenders[i];
    contender.timing.seconds = quantile(contender.rounds, options.quantile);
    if (i < copies.size()) {
      result.copies.push_back(contender.timing);
    } else if (i == copies.size()) {
      result.ours = contender.timing;
      for (std::size_t r = 0; r < contender.rounds.size(); ++r) {
        result.our_rounds.push_back(contenders.front().rounds[r] / contender.rounds[r]);
      }
    } else {
      result.peers.push_back(contender.timing);
    }
  }
  return result;
}

}  // namespace tessera::bench
