// SPDX-License-Identifier: Apache-2.0
// mpirun -n N failures CASE: the error that every rank gets if one rank cannot continue. Each rank prints
// "RANK CODE REASON: MESSAGE".
//   buffer   the target buffer of rank 1 is too small
//   plan     the last rank has a different plan
//   memory   rank 2 allows too little memory
//   sleep    rank 1 starts after the timeout of the other ranks
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tessera/mpi/reshard.h"

namespace {

using namespace tessera;

BoundDistribution bound(const std::string& text, Index places) {
  return *bind_distribution(*parse_distribution(text), {64, 64}, places);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string_view which = argc > 1 ? argv[1] : "";
  const bool other = which == "plan" && rank == size - 1;
  const auto plan =
      make_reshard_plan({{"w", 32, bound(fmt::format("{{devices=[{},1]<=[{}]}}", size, size), size),
                          bound(other ? fmt::format("mesh[p={}] [-, p(cyclic 2)]", size)
                                      : fmt::format("{{devices=[1,{}]<=[{}]}}", size, size),
                                size)}});
  std::vector<std::byte> source(4096 * 4);
  std::vector<std::byte> target(which == "buffer" && rank == 1 ? 8 : 4096 * 4);
  const std::span<const std::byte> from(source);
  const std::span<std::byte> to(target);
  const mpi::MpiOptions options{.memory_bytes = which == "memory" && rank == 2 ? 1 : Index{256} << 20,
                                .timeout_seconds = 1};
  if (which == "sleep" && rank == 1) sleep(3);
  const auto report = mpi::reshard(MPI_COMM_WORLD, *plan, {&from, 1}, {&to, 1}, options);
  const std::string text = report ? fmt::format("{} done\n", rank)
                                  : fmt::format("{} {} {}: {}\n", rank, to_string(report.error().code),
                                                report.error().reason, report.error().message);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (which == "sleep") {
    sleep(rank == 1 ? 0 : 4);  // rank 1 prints its own error first
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Finalize();
  return 0;
}
