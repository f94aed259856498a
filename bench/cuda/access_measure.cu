// SPDX-License-Identifier: Apache-2.0
// tessera-access-cuda: the predicted wavefronts and sectors of one warp's reads next to measured ones.
//
// Shared memory: 16 warps of one block repeat the read of a case, which keeps the banks busy, so that the
// time of one read is proportional to its wavefronts. The measured number is its time over the time of the
// conflict-free read of the same width, times the wavefronts of that. Global memory: one warp per
// multiprocessor reads a fresh copy of the case's addresses from a buffer larger than the L2 cache; the bytes
// that the device moves follow from the time and from the bandwidth that the case `stride 1` reaches, so that
// this number is an estimate. Nsight Compute counts both exactly:
//
//   ncu --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
//       tessera-access-cuda --once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cuda/access_cases.h"

namespace {

constexpr int kLanes = 32;
constexpr int kWarps = 16;
constexpr int kChains = 4;  // independent reads of a warp, which hide the latency
constexpr int kRepeats = 4096;
constexpr int kSharedBytes = 32 * 1024;

bool check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return true;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  return false;
}

// Assembly, so that no compiler narrows, merges or removes a read.
template <int Width>
__device__ unsigned load_shared(unsigned address) {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
  unsigned w = 0;
  if constexpr (Width == 1) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(x) : "r"(address));
  if constexpr (Width == 2) asm volatile("ld.shared.u16 %0, [%1];" : "=r"(x) : "r"(address));
  if constexpr (Width == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address));
  if constexpr (Width == 8)
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(address));
  if constexpr (Width == 16)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "r"(address));
  return x;
}

template <int Width>
__device__ unsigned load_global(const unsigned char* address) {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
  unsigned w = 0;
  if constexpr (Width == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(address));
  if constexpr (Width == 16)
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "l"(address));
  return x;
}

// The data are zeros, which the compiler does not know: the address of a read depends on the one before it in
// its chain. Writes the first and the last clock of each warp.
template <int Width>
__global__ void read_shared(const int* lane_bytes, int repeats, long long* clocks, unsigned* sink) {
  extern __shared__ __align__(16) unsigned char memory[];
  for (int i = threadIdx.x; i < kSharedBytes / 4; i += blockDim.x) reinterpret_cast<unsigned*>(memory)[i] = 0;
  __syncthreads();
  const int lane = threadIdx.x % kLanes;
  const int warp = threadIdx.x / kLanes;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + lane_bytes[lane];
  unsigned next[kChains] = {};
  const long long start = clock64();
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int c = 0; c < kChains; ++c) next[c] = load_shared<Width>(at + next[c]);
  }
  const long long end = clock64();
  unsigned sum = 0;
  for (int c = 0; c < kChains; ++c) sum += next[c];
  if (lane == 0) {
    clocks[2 * warp] = start;
    clocks[2 * warp + 1] = end;
  }
  sink[threadIdx.x] = sum;
}

struct Buffers {
  int* lane_bytes = nullptr;
  long long* clocks = nullptr;
  unsigned* sink = nullptr;
};

// Cycles of one read of one warp.
template <int Width>
double shared_cycles(const Buffers& buffers, bool once) {
  const int repeats = once ? 1 : kRepeats;
  double best = 1e30;
  for (int run = 0; run < (once ? 1 : 5); ++run) {
    read_shared<Width>
        <<<1, kLanes * kWarps, kSharedBytes>>>(buffers.lane_bytes, repeats, buffers.clocks, buffers.sink);
    long long clocks[2 * kWarps];
    if (!check(cudaMemcpy(clocks, buffers.clocks, sizeof clocks, cudaMemcpyDeviceToHost), "read")) return -1;
    long long first = clocks[0];
    long long last = clocks[1];
    for (int warp = 1; warp < kWarps; ++warp) {
      first = std::min(first, clocks[2 * warp]);
      last = std::max(last, clocks[2 * warp + 1]);
    }
    best = std::min(best, static_cast<double>(last - first) / (1.0 * repeats * kChains * kWarps));
  }
  return best;
}

double shared_cycles(const Buffers& buffers, int width, bool once) {
  switch (width) {
    case 1:
      return shared_cycles<1>(buffers, once);
    case 2:
      return shared_cycles<2>(buffers, once);
    case 4:
      return shared_cycles<4>(buffers, once);
    case 8:
      return shared_cycles<8>(buffers, once);
    default:
      return shared_cycles<16>(buffers, once);
  }
}

// Copy k of the case begins at k * step.
template <int Width>
__global__ void read_global(const unsigned char* memory, const int* lane_bytes, long long step, int copies,
                            unsigned* sink) {
  const int at = lane_bytes[threadIdx.x];
  unsigned sum = 0;
  for (int k = blockIdx.x; k < copies; k += gridDim.x) {
    sum += load_global<Width>(memory + k * step + at);
  }
  sink[blockIdx.x * kLanes + threadIdx.x] = sum;
}

// Seconds for one copy.
double global_seconds(const unsigned char* memory, long long bytes, const Buffers& buffers, int width,
                      long long reach, bool once) {
  const long long step = (reach + 4095) / 4096 * 4096;
  const int copies = once ? 1 : static_cast<int>(std::min(bytes / step, 1LL << 20));
  const int blocks = std::min(copies, 4096);
  cudaEvent_t begin{};
  cudaEvent_t end{};
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float best = 1e30F;
  for (int run = 0; run < (once ? 1 : 5); ++run) {
    cudaEventRecord(begin);
    if (width == 16) {
      read_global<16><<<blocks, kLanes>>>(memory, buffers.lane_bytes, step, copies, buffers.sink);
    } else {
      read_global<4><<<blocks, kLanes>>>(memory, buffers.lane_bytes, step, copies, buffers.sink);
    }
    cudaEventRecord(end);
    if (!check(cudaEventSynchronize(end), "run")) return -1;
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    best = std::min(best, milliseconds);
  }
  return best * 1e-3 / copies;
}

}  // namespace

int main(int count, char** arguments) {
  const bool once = count > 1 && std::strcmp(arguments[1], "--once") == 0;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no CUDA device\n");
    return 3;
  }
  cudaDeviceProp device{};
  if (!check(cudaGetDeviceProperties(&device, 0), "device")) return 3;
  std::printf("device: %s, compute capability %d.%d\n", device.name, device.major, device.minor);
  const std::vector<tessera::bench::PredictedAccess> cases = tessera::bench::predicted_accesses();
  Buffers buffers;
  const long long memory_bytes = 1LL << 30;
  unsigned char* memory = nullptr;
  if (!check(cudaMalloc(&buffers.lane_bytes, kLanes * sizeof(int)), "allocate") ||
      !check(cudaMalloc(&buffers.clocks, 2 * kWarps * sizeof(long long)), "allocate") ||
      !check(cudaMalloc(&buffers.sink, 4096 * kLanes * sizeof(unsigned)), "allocate") ||
      !check(cudaMalloc(&memory, memory_bytes), "allocate") ||
      !check(cudaMemset(memory, 0, memory_bytes), "clear"))
    return 3;
  const auto place = [&](const std::vector<std::int64_t>& bytes) {
    std::vector<int> at(bytes.begin(), bytes.end());
    return check(cudaMemcpy(buffers.lane_bytes, at.data(), at.size() * sizeof(int), cudaMemcpyHostToDevice),
                 "copy");
  };
  std::printf("%-28s %-7s %6s %10s %10s\n", "case", "memory", "bytes", "predicted", "measured");
  double sector_seconds = 0;  // of one sector, if all sectors are used
  for (const auto& one : cases) {
    if (!one.error.empty()) {
      std::fprintf(stderr, "%s: %s\n", one.access.name, one.error.c_str());
      return 3;
    }
    const int width = one.access.element_bytes * one.access.vector;
    double measured = 0;
    if (one.access.shared) {
      // Conflict-free: consecutive vectors. One wavefront up to 4 bytes per lane, 2 for 8, 4 for 16.
      std::vector<std::int64_t> consecutive;
      for (int lane = 0; lane < kLanes; ++lane) consecutive.push_back(lane * std::max(width, 4));
      if (!place(consecutive)) return 3;
      const double free = shared_cycles(buffers, width, once);
      if (!place(one.bytes)) return 3;
      measured = shared_cycles(buffers, width, once) / free * std::max(width / 4, 1);
    } else {
      if (!place(one.bytes)) return 3;
      const long long reach = *std::max_element(one.bytes.begin(), one.bytes.end()) + width;
      const double seconds = global_seconds(memory, memory_bytes, buffers, width, reach, once);
      if (sector_seconds == 0) sector_seconds = seconds / static_cast<double>(one.sectors);
      measured = seconds / sector_seconds;
    }
    std::printf("%-28s %-7s %6d %10lld %10.2f\n", one.access.name, one.access.shared ? "shared" : "global",
                width, static_cast<long long>(one.access.shared ? one.wavefronts : one.sectors), measured);
  }
  return 0;
}
