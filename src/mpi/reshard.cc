// SPDX-License-Identifier: Apache-2.0
#include "tessera/mpi/reshard.h"

#include <fmt/format.h>

#include <chrono>

#include "base/plural.h"
#include "base/try.h"
#include "mpi/communicator.h"
#include "mpi/exchange.h"
#include "mpi/plan_agreement.h"

namespace tessera::mpi {
namespace {

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return !a.empty() && !b.empty() && std::less<>()(a.data(), b.data() + b.size()) &&
         std::less<>()(b.data(), a.data() + a.size());
}

Result<void> check_buffer(const BoundDistribution& side, const ReshardArray& array, Index place,
                          std::size_t bytes, std::string_view what) {
  if (!side.shard_of(place)) return {};
  Index needed = 0;
  if (mul_overflows(side.local_buffer(place).size(), ceil_div(array.element_bits, 8), needed)) {
    return fail(Code::overflow, "the size of a local array does not fit in 64 bits");
  }
  if (static_cast<Index>(bytes) >= needed) return {};
  return fail(Code::buffer_too_small, fmt::format("the {} of array '{}' has {}, but needs {}", what,
                                                  array.name, detail::plural(bytes, "byte"), needed));
}

Result<void> check(const Communicator& comm, const ReshardPlan& plan, const LocalArrays& arrays,
                   const MpiOptions& options) {
  if (plan.places() != comm.size()) {
    return fail(Code::value_count,
                fmt::format("the plan is for {}, but the communicator has {}",
                            detail::plural(plan.places(), "place"), detail::plural(comm.size(), "rank")));
  }
  if (options.memory_bytes < kLeastMemory) {
    return fail(Code::bad_option, fmt::format("the memory limit is {} bytes, but at least {} are needed",
                                              options.memory_bytes, kLeastMemory));
  }
  const std::size_t count = plan.arrays().size();
  if (arrays.sources.size() != count || arrays.targets.size() != count) {
    return fail(Code::value_count,
                fmt::format("{} and {} for {}", detail::plural(arrays.sources.size(), "source"),
                            detail::plural(arrays.targets.size(), "target"), detail::plural(count, "array")));
  }
  for (std::size_t k = 0; k < count; ++k) {
    const ReshardArray& array = plan.arrays()[k];
    TESSERA_NEED(check_buffer(array.from, array, comm.rank(), arrays.sources[k].size(), "source"));
    TESSERA_NEED(check_buffer(array.to, array, comm.rank(), arrays.targets[k].size(), "target"));
    for (const auto& source : arrays.sources) {
      if (overlap(source, arrays.targets[k])) {
        return fail(Code::overlap, fmt::format("the target of array '{}' overlaps a source", array.name));
      }
    }
  }
  return {};
}

Result<MpiReport> run(Communicator& comm, const ReshardPlan& plan, const LocalArrays& arrays,
                      const MpiOptions& options) {
  const Index most = slice_bytes(options);
  TESSERA_NEED(agree_on_plan(comm, plan, most));
  Result<void> own = check(comm, plan, arrays, options);
  Schedule schedule;
  if (own) {
    auto made = make_schedule(plan, comm.rank(), most);
    if (made) {
      schedule = std::move(*made);
    } else {
      own = fail(made.error());
    }
  }
  TESSERA_NEED(comm.agree(own));
  auto report = exchange(comm, plan, schedule, arrays, options);
  const auto agreed = comm.agree(report ? Result<void>{} : fail(report.error()));
  if (agreed) return report;
  comm.abandon();  // messages may still be in flight
  return fail(agreed.error());
}

}  // namespace

Result<MpiReport> reshard(MPI_Comm comm, const ReshardPlan& plan,
                          std::span<const std::span<const std::byte>> sources,
                          std::span<const std::span<std::byte>> targets, const MpiOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  TESSERA_TRY(own, Communicator::duplicate(comm, options.timeout_seconds));
  auto report = run(own, plan, {sources, targets}, options);
  if (!report) return report;
  report->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace tessera::mpi
