// SPDX-License-Identifier: Apache-2.0
// mpirun -n N random_pairs [COUNT [SEED]]: reshards arrays between random distributions and local layouts.
// Compares every element, and every cell without one, with an element-by-element computation. Exit status 1
// if one differs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "laws/random_distributions.h"
#include "tessera/mpi/reshard.h"

namespace {

using namespace tessera;

std::vector<Index> random_shape(std::mt19937_64& random) {
  std::vector<Index> shape(random() % 4 + 1);
  const std::uint64_t most = shape.size() > 2 ? 7 : shape.size() > 1 ? 24 : 400;
  for (Index& extent : shape) extent = static_cast<Index>(random() % most + (random() % 20 == 0 ? 0 : 1));
  return shape;
}

// Row-major, column-major, with a pitch, in tiles, or padded.
std::string random_local(std::mt19937_64& random, std::size_t rank) {
  std::string order;
  for (std::size_t d = 0; d < rank; ++d) order += (d == 0 ? "" : ",") + std::to_string(d);
  switch (random() % 7) {
    case 0:
      return " local column";
    case 1:
      return " local row lld 500";
    case 2:
      return " local row padded";
    case 3:
      return fmt::format(" local {{{}:T({})}}", order, rank > 1 ? "2,4" : "8");
    case 4:
      return fmt::format(" local {{{}:T(3)}} padded", order);
    default:
      return "";
  }
}

std::string random_side(std::mt19937_64& random, const std::vector<Index>& shape, Index places) {
  const std::string text = laws::random_distribution(random, shape, places);
  return text.starts_with("block_cyclic") ? text : text + random_local(random, shape.size());
}

Index count_of(const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

std::vector<Index> index_at(Index flat, const std::vector<Index>& shape) {
  std::vector<Index> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

// A shape of other dimensions with the same number of elements.
std::vector<Index> random_view(std::mt19937_64& random, const std::vector<Index>& shape) {
  std::vector<Index> view;
  Index rest = count_of(shape);
  while (rest > 1 && view.size() < 2) {
    Index extent = static_cast<Index>(random() % static_cast<std::uint64_t>(rest)) + 1;
    while (rest % extent != 0) --extent;
    view.push_back(extent);
    rest /= extent;
  }
  view.push_back(rest);
  return view;
}

// The buffer of a place: in each cell of `width` bytes the number of its element plus 1, or bytes of 0xee if
// the cell has no element.
std::vector<std::byte> buffer_of(const BoundDistribution& side, const std::vector<Index>& shape, Index place,
                                 Index width, bool filled) {
  if (!side.shard_of(place)) return {};
  const LocalBuffer local = side.local_buffer(place);
  std::vector<std::byte> out(static_cast<std::size_t>(local.size() * width), std::byte{0xee});
  for (Index flat = 0; filled && flat < count_of(shape); ++flat) {
    const std::vector<Index> index = index_at(flat, shape);
    for (const auto& [holder, at] :
         laws::holders_by_element(side.distribution(), shape, index, side.places())) {
      if (holder != place) continue;
      const auto offset = static_cast<std::size_t>(local.offset(at) * width);
      for (Index b = 0; b < width; ++b) {
        const auto value = static_cast<std::uint64_t>(flat + 1) * 0x9e3779b97f4a7c15;
        out[offset + static_cast<std::size_t>(b)] = static_cast<std::byte>(value >> (8 * (b % 8)));
      }
    }
  }
  return out;
}

struct Array {
  std::vector<std::byte> source;
  std::vector<std::byte> target;
  std::vector<std::byte> expected;
};

bool run_case(std::mt19937_64& random, int rank, Index places, const std::string& where) {
  std::vector<ReshardArray> arrays;
  std::vector<Array> buffers;
  std::string texts;
  for (std::uint64_t k = 0, count = random() % 3 + 1; k < count; ++k) {
    const std::vector<Index> shape = random_shape(random);
    const std::vector<Index> view = random() % 4 == 0 ? random_view(random, shape) : shape;
    const std::string from = random_side(random, shape, places);
    const std::string to = random_side(random, view, places);
    const Index width = Index{1} << random() % 4;
    texts += fmt::format("\n  [{}] as [{}], {} bytes: {} -> {}", fmt::join(shape, ","), fmt::join(view, ","),
                         width, from, to);
    const auto a = parse_distribution(from);
    const auto b = parse_distribution(to);
    if (!a || !b) std::abort();
    auto source = bind_distribution(*a, shape, places);
    auto target = bind_distribution(*b, view, places);
    if (!source || !target) return true;  // the pitch is too short
    buffers.push_back({buffer_of(*source, shape, rank, width, true),
                       buffer_of(*target, view, rank, width, false),
                       buffer_of(*target, view, rank, width, true)});
    arrays.push_back({fmt::format("a{}", k), 8 * width, std::move(*source), std::move(*target)});
  }
  const auto plan = make_reshard_plan(std::move(arrays));
  if (!plan) {
    std::fputs(fmt::format("{}: {}{}\n", where, to_string(plan.error()), texts).c_str(), stderr);
    return false;
  }
  std::vector<std::span<const std::byte>> sources;
  std::vector<std::span<std::byte>> targets;
  for (Array& array : buffers) {
    sources.emplace_back(array.source);
    targets.emplace_back(array.target);
  }
  const auto report = mpi::reshard(MPI_COMM_WORLD, *plan, sources, targets,
                                   {.memory_bytes = mpi::kLeastMemory, .timeout_seconds = 60});
  std::string wrong;
  if (!report) wrong = to_string(report.error());
  for (std::size_t k = 0; k < buffers.size() && wrong.empty(); ++k) {
    if (buffers[k].target != buffers[k].expected) wrong = fmt::format("array {} differs", k);
  }
  if (wrong.empty()) {
    const auto place = static_cast<std::size_t>(rank);
    if (report->received != plan->receive()[place] || report->sent != plan->send()[place]) {
      wrong = "the bytes are not those of the plan";
    }
  }
  if (wrong.empty()) return true;
  std::fputs(fmt::format("{}, rank {}: {}{}\n", where, rank, wrong, texts).c_str(), stderr);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = argc > 1 ? std::atoi(argv[1]) : 200;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20266;
  bool good = true;
  for (int n = 0; n < count && good; ++n) {
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(n));
    const bool mine =
        run_case(random, rank, size, fmt::format("seed {}", seed + static_cast<std::uint64_t>(n)));
    const int own = mine ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    good = all == 1;
  }
  if (rank == 0)
    std::printf("%s\n", good ? fmt::format("{} cases on {} ranks", count, size).c_str() : "failed");
  MPI_Finalize();
  return good ? 0 : 1;
}
