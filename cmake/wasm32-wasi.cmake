# SPDX-License-Identifier: Apache-2.0
# Toolchain file: the library for WebAssembly with Debian's clang 19, wasi-libc and libc++, as the preset `wasm` builds it.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
# Programs of the host run during the build; its libraries and headers are of no use.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
