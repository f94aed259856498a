// SPDX-License-Identifier: Apache-2.0
// Symbols that Debian's libraries for wasm32-wasi use but do not define.
#include <cstdint>

extern "C" {

int __cxa_atexit(void (*destroy)(void*), void* object, void* library);

// The only thread ends with the program, so its objects do too.
int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  return __cxa_atexit(destroy, object, library);
}

// compiler-rt is built with stack protection, which the C library does not set up.
std::uintptr_t __stack_chk_guard = 0x5bd1e995;
[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }
}
