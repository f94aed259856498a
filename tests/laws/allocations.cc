// SPDX-License-Identifier: Apache-2.0
#include "laws/allocations.h"

#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TESSERA_TEST_OWN_NEW 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TESSERA_TEST_OWN_NEW 0
#endif
#if !defined(TESSERA_TEST_OWN_NEW)
#define TESSERA_TEST_OWN_NEW 1
#endif

namespace tessera::testing_allocations {
namespace {

thread_local long calls = 0;

}  // namespace

bool can_count() { return TESSERA_TEST_OWN_NEW != 0; }
long count() { return calls; }

#if TESSERA_TEST_OWN_NEW
namespace {

void* take(std::size_t bytes) {
  ++calls;
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

void* take(std::size_t bytes, std::align_val_t alignment) {
  ++calls;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (bytes + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}

}  // namespace
#endif

}  // namespace tessera::testing_allocations

#if TESSERA_TEST_OWN_NEW
// The array and nothrow forms call these.
void* operator new(std::size_t bytes) { return tessera::testing_allocations::take(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return tessera::testing_allocations::take(bytes, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
#endif
