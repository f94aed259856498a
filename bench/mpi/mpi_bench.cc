// SPDX-License-Identifier: Apache-2.0
// mpirun -n 2 mpi-bench [N [ROUNDS]]: moves block-cyclic f64 matrices of N x N between two grids. Compares
// with ScaLAPACK's pdgemr2d, and with gathering the whole matrix and slicing it. Reports medians over
// interleaved rounds of the slowest rank. Every result is checked once. Prints a table.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tessera/mpi/reshard.h"

extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void Cblacs_gridexit(int);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void Cpdgemr2d(int, int, double*, int, int, int*, double*, int, int, int*, int);
}

namespace {

using namespace tessera;

struct Grid {
  int block = 1;
  int rows = 1;
  int columns = 1;
};
struct Case {
  Grid from;
  Grid to;
};

// The local array of a rank, for both libraries: column-major, with at least one row.
struct Local {
  int context = 0;
  int rows = 0;
  int columns = 0;
  int descriptor[9] = {};
  std::vector<double> data;

  Local(const Grid& grid, int n) {
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", grid.rows, grid.columns);
    int p = 0;
    int q = 0;
    int my_row = 0;
    int my_column = 0;
    Cblacs_gridinfo(context, &p, &q, &my_row, &my_column);
    const int zero = 0;
    rows = numroc_(&n, &grid.block, &my_row, &zero, &grid.rows);
    columns = numroc_(&n, &grid.block, &my_column, &zero, &grid.columns);
    const int values[9] = {1, context, n, n, grid.block, grid.block, 0, 0, std::max(1, rows)};
    std::copy(std::begin(values), std::end(values), descriptor);
    data.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0);
  }
};

std::string text_of(const Grid& grid) {
  return fmt::format("block_cyclic(mb={}, nb={}, grid={}x{})", grid.block, grid.block, grid.rows,
                     grid.columns);
}

// For each local index of one dimension, its global index.
std::vector<int> indices(int n, int block, int parts, int part) {
  std::vector<int> out;
  for (int first = part * block; first < n; first += block * parts) {
    for (int i = first; i < std::min(n, first + block); ++i) out.push_back(i);
  }
  return out;
}

// Every rank gets all local arrays, then copies its elements.
void gather_and_slice(const Case& one, int n, int rank, int size, const Local& from, Local& to,
                      std::vector<double>& all) {
  std::vector<int> counts;
  std::vector<int> starts;
  int total = 0;
  for (int r = 0; r < size; ++r) {
    const auto rows = indices(n, one.from.block, one.from.rows, r / one.from.columns).size();
    const auto columns = indices(n, one.from.block, one.from.columns, r % one.from.columns).size();
    starts.push_back(total);
    counts.push_back(static_cast<int>(rows * columns));
    total += counts.back();
  }
  all.resize(static_cast<std::size_t>(total));
  MPI_Allgatherv(from.data.data(), counts[static_cast<std::size_t>(rank)], MPI_DOUBLE, all.data(),
                 counts.data(), starts.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  const auto rows = indices(n, one.to.block, one.to.rows, rank / one.to.columns);
  const auto columns = indices(n, one.to.block, one.to.columns, rank % one.to.columns);
  const int b = one.from.block;
  std::vector<int> heights;
  for (int r = 0; r < one.from.rows; ++r)
    heights.push_back(static_cast<int>(indices(n, b, one.from.rows, r).size()));
  double* out = to.data.data();
  for (const int j : columns) {
    const int q = j / b % one.from.columns;
    const int local_j = j / (b * one.from.columns) * b + j % b;
    for (const int i : rows) {
      const int p = i / b % one.from.rows;
      const int local_i = i / (b * one.from.rows) * b + i % b;
      const int owner = p * one.from.columns + q;
      *out++ = all[static_cast<std::size_t>(starts[static_cast<std::size_t>(owner)]) +
                   static_cast<std::size_t>(local_j) *
                       static_cast<std::size_t>(heights[static_cast<std::size_t>(p)]) +
                   static_cast<std::size_t>(local_i)];
    }
  }
}

// The time of the slowest rank, in seconds.
double timed(const std::function<void()>& f) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  f();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? std::atoi(argv[1]) : 4096;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  if (size != 2) {
    if (rank == 0) fmt::print("start two ranks: mpirun -n 2 mpi-bench\n");
    MPI_Finalize();
    return 2;
  }
  const std::vector<Case> cases = {{{64, 1, 2}, {256, 2, 1}}, {{64, 2, 1}, {48, 1, 2}},
                                   {{32, 1, 2}, {32, 2, 1}},  {{64, 2, 1}, {64, 1, 2}},
                                   {{128, 1, 2}, {32, 1, 2}}, {{100, 1, 2}, {77, 2, 1}},
                                   {{8, 2, 1}, {64, 2, 1}},   {{256, 1, 2}, {256, 2, 1}},
                                   {{16, 1, 2}, {64, 2, 1}},  {{512, 2, 1}, {512, 1, 2}}};
  if (rank == 0) {
    fmt::print(
        "| blocks | grids | moved MB | tessera ms | pdgemr2d ms | gather and slice ms | memcpy ms | tessera "
        ": pdgemr2d |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  }
  for (const Case& one : cases) {
    Local from(one.from, n);
    Local ours(one.to, n);
    Local theirs(one.to, n);
    Local sliced(one.to, n);
    const auto rows = indices(n, one.from.block, one.from.rows, rank / one.from.columns);
    const auto columns = indices(n, one.from.block, one.from.columns, rank % one.from.columns);
    double* next = from.data.data();
    for (const int j : columns) {
      for (const int i : rows) *next++ = static_cast<double>(i) * n + j;
    }
    const auto plan =
        make_reshard_plan({{"A", 64, *bind_distribution(*parse_distribution(text_of(one.from)), {n, n}, size),
                            *bind_distribution(*parse_distribution(text_of(one.to)), {n, n}, size)}});
    const std::span<const std::byte> source = std::as_bytes(std::span(from.data));
    const std::span<std::byte> target = std::as_writable_bytes(std::span(ours.data));
    std::vector<double> t_ours;
    std::vector<double> t_theirs;
    std::vector<double> t_sliced;
    std::vector<double> t_copy;
    std::vector<double> all;
    const auto bytes = static_cast<std::size_t>(plan->receive()[static_cast<std::size_t>(rank)]);
    for (int r = 0; r <= rounds; ++r) {
      t_ours.push_back(timed([&] {
        const auto done = mpi::reshard(MPI_COMM_WORLD, *plan, {&source, 1}, {&target, 1});
        if (!done) {
          fmt::print("{}\n", to_string(done.error()));
          MPI_Abort(MPI_COMM_WORLD, 3);
        }
      }));
      t_theirs.push_back(timed([&] {
        Cpdgemr2d(n, n, from.data.data(), 1, 1, from.descriptor, theirs.data.data(), 1, 1, theirs.descriptor,
                  from.context);
      }));
      t_sliced.push_back(timed([&] { gather_and_slice(one, n, rank, size, from, sliced, all); }));
      t_copy.push_back(timed([&] {
        std::memcpy(sliced.data.data(), from.data.data(), std::min(bytes, sliced.data.size() * 8));
      }));
      if (r == 0) {  // not counted, because memory is touched for the first time
        gather_and_slice(one, n, rank, size, from, sliced, all);
        int same = ours.data == theirs.data && ours.data == sliced.data ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (same == 0) {
          if (rank == 0) fmt::print("the results differ\n");
          MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (auto* times : {&t_ours, &t_theirs, &t_sliced, &t_copy}) times->clear();
      }
    }
    if (rank == 0) {
      fmt::print("| {} to {} | {}x{} to {}x{} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} |\n",
                 one.from.block, one.to.block, one.from.rows, one.from.columns, one.to.rows, one.to.columns,
                 static_cast<double>(plan->total()) / 1e6, median(t_ours) * 1e3, median(t_theirs) * 1e3,
                 median(t_sliced) * 1e3, median(t_copy) * 1e3, median(t_theirs) / median(t_ours));
    }
    Cblacs_gridexit(from.context);
    Cblacs_gridexit(ours.context);
    Cblacs_gridexit(theirs.context);
    Cblacs_gridexit(sliced.context);
  }
  MPI_Finalize();
  return 0;
}
