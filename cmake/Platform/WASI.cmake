# SPDX-License-Identifier: Apache-2.0
# CMake 3.25 does not know this system. Archives and programs are made as clang makes them anywhere.
set(CMAKE_STATIC_LIBRARY_PREFIX "lib")
set(CMAKE_STATIC_LIBRARY_SUFFIX ".a")
