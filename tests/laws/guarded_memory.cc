// SPDX-License-Identifier: Apache-2.0
#include "laws/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"

namespace tessera::testing_support {

GuardedMemory::GuardedMemory(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  bytes_ = (bytes + page_ - 1) / page_ * page_;
  void* memory = mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TESSERA_CHECK(memory != MAP_FAILED, "no memory for a test");
  mapping_ = static_cast<std::byte*>(memory);
  TESSERA_CHECK(mprotect(mapping_ + page_, bytes_, PROT_READ | PROT_WRITE) == 0, "no memory for a test");
}

GuardedMemory::~GuardedMemory() { munmap(mapping_, bytes_ + 2 * page_); }

std::byte* GuardedMemory::place(std::size_t bytes, bool at_end, std::size_t gap) {
  TESSERA_CHECK(bytes + gap <= bytes_, "a case larger than its memory");
  std::byte* begin = mapping_ + page_;
  return at_end ? begin + bytes_ - gap - bytes : begin + gap;
}

}  // namespace tessera::testing_support
