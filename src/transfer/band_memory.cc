// SPDX-License-Identifier: Apache-2.0
#include "transfer/band_memory.h"

#include <fmt/core.h>

#include <cstdlib>

#ifndef __wasi__
#include <sys/mman.h>
#endif

namespace tessera::transfer {

#ifdef __wasi__

void Unmap::operator()(std::byte* memory) const { std::free(memory); }

std::unique_ptr<std::byte, Unmap> band_memory(Index bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  return {static_cast<std::byte*>(std::calloc(size, 1)), Unmap{size}};
}

#else

void Unmap::operator()(std::byte* memory) const {
  if (bytes == 0) return std::free(memory);
  ::munmap(memory, bytes);
}

std::unique_ptr<std::byte, Unmap> band_memory(Index bytes) {
  constexpr std::size_t kAlign = std::size_t{1} << 21;
  if (bytes < static_cast<Index>(kAlign))
    return {static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(bytes), 1)), Unmap{}};
  const std::size_t size = (static_cast<std::size_t>(bytes) + kAlign - 1) / kAlign * kAlign;
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  ::madvise(memory, size, MADV_HUGEPAGE);
  return {static_cast<std::byte*>(memory), Unmap{size}};
}

#endif

Failure not_enough_memory(Index bytes) {
  return fail(Code::limit, fmt::format("there is not enough memory for a buffer of {} bytes", bytes), {},
              "use a smaller --memory; ulimit -v shows the limit of the process");
}

}  // namespace tessera::transfer
