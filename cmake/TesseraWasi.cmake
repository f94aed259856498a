# SPDX-License-Identifier: Apache-2.0
# The third-party libraries of a WebAssembly build. Their headers are included through links, because the host's
# /usr/include contains the host's C library. There are no threads, no zlib, no integer programming, and no vector
# kernels.
include_guard(GLOBAL)

set(headers ${PROJECT_BINARY_DIR}/third_party)
file(MAKE_DIRECTORY ${headers})
foreach(name IN ITEMS fmt nlohmann tl xxhash.h)
  if(NOT EXISTS /usr/include/${name})
    message(FATAL_ERROR "/usr/include/${name} is missing; scripts/bootstrap wasm installs it")
  endif()
  file(CREATE_LINK /usr/include/${name} ${headers}/${name} SYMBOLIC)
endforeach()
add_library(fmt_wasi STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_wasi.cc)
target_compile_options(fmt_wasi PRIVATE -fno-exceptions -fno-rtti)
# No number is printed by a locale; without this, the engine of the page contains all locales of the standard library.
target_compile_definitions(fmt_wasi PUBLIC "FMT_STATIC_THOUSANDS_SEPARATOR=','")
target_include_directories(fmt_wasi SYSTEM PUBLIC ${headers})
add_library(fmt::fmt ALIAS fmt_wasi)
foreach(name IN ITEMS nlohmann_json::nlohmann_json tl::expected ZLIB::ZLIB Threads::Threads)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${headers})
endforeach()
