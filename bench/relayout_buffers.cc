// SPDX-License-Identifier: Apache-2.0
#include "relayout_buffers.h"

#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tessera::bench {

BigBuffer::BigBuffer(std::size_t size) : size_(size) {
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  const std::size_t whole = (size + kHuge - 1) / kHuge * kHuge;
  data_ = static_cast<std::byte*>(std::aligned_alloc(kHuge, whole));
  if (data_ == nullptr) return;
#if defined(__linux__)
  madvise(data_, whole, MADV_HUGEPAGE);
#endif
  std::memset(data_, 0, whole);
}

BigBuffer::~BigBuffer() { std::free(data_); }

}  // namespace tessera::bench
