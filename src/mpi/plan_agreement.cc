// SPDX-License-Identifier: Apache-2.0
#include "mpi/plan_agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/state_of.h"
#include "base/try.h"
#include "reshard/plan/plan_state.h"

namespace tessera::mpi {
namespace {

// FNV-1a. It need not resist attacks, because all texts come from one job.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

constexpr std::uint64_t kHashStart = 0xcbf29ce484222325;

std::string text_of(const ReshardArray& array) {
  return fmt::format("'{}' of {} bits, [{}] as {} to [{}] as {}", array.name, array.element_bits,
                     fmt::join(array.from.shape(), ","), to_string(array.from.distribution()),
                     fmt::join(array.to.shape(), ","), to_string(array.to.distribution()));
}

// The text of the given array, or the number of arrays if there is no such array. The ranks differ first in
// this array.
std::string difference_of(const ReshardPlan& plan, std::size_t array) {
  if (array < plan.arrays().size()) return text_of(plan.arrays()[array]);
  return fmt::format("{} arrays", plan.arrays().size());
}

}  // namespace

Result<void> agree_on_plan(Communicator& comm, const ReshardPlan& plan, Index slice_bytes) {
  std::vector<std::uint64_t> hashes;
  std::uint64_t all = hash_of(fmt::format("{} places, slices of {}, nodes of {}", plan.places(), slice_bytes,
                                          detail::state_of(plan).per_node),
                              kHashStart);
  for (const ReshardArray& array : plan.arrays()) {
    hashes.push_back(hash_of(text_of(array), kHashStart));
    all = hash_of(fmt::format("{},", hashes.back()), all);
  }
  TESSERA_TRY(of_rank, comm.gather(all));
  const auto other = std::ranges::find_if(of_rank, [&](std::uint64_t hash) { return hash != of_rank[0]; });
  if (other == of_rank.end()) return {};
  const int rank = static_cast<int>(other - of_rank.begin());
  // Rank 0 sends its hashes; the other rank finds the first array that differs.
  std::string bytes(reinterpret_cast<const char*>(hashes.data()), hashes.size() * sizeof(std::uint64_t));
  TESSERA_TRY(first_bytes, comm.broadcast(std::move(bytes), 0));
  std::vector<std::uint64_t> first(first_bytes.size() / sizeof(std::uint64_t));
  std::copy(first_bytes.begin(), first_bytes.end(), reinterpret_cast<char*>(first.data()));
  const auto differs = static_cast<std::size_t>(std::ranges::mismatch(first, hashes).in1 - first.begin());
  TESSERA_TRY(where, comm.broadcast(fmt::format("{}", differs), rank));
  const auto array = static_cast<std::size_t>(std::strtoull(where.c_str(), nullptr, 10));
  TESSERA_TRY(of_first, comm.broadcast(difference_of(plan, array), 0));
  TESSERA_TRY(of_other, comm.broadcast(difference_of(plan, array), rank));
  Diagnostic error{
      .code = Code::bad_option,
      .message = of_first == of_other
                     ? fmt::format("ranks 0 and {} have different options or numbers of places", rank)
                     : fmt::format("ranks 0 and {} have different plans: {}; {}", rank, of_first, of_other),
      .help = "call this function with the same arrays, distributions and options on every rank"};
  error.reason = "plan_mismatch";
  return fail(std::move(error));
}

}  // namespace tessera::mpi
