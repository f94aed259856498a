# SPDX-License-Identifier: Apache-2.0
# CMake 3.25 does not know this system. Use clang's usual names and flags for archives and programs.
set(CMAKE_STATIC_LIBRARY_PREFIX "lib")
set(CMAKE_STATIC_LIBRARY_SUFFIX ".a")
