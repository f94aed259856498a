# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# Flags of our own targets. The installed library does not propagate them.
add_library(tessera_flags INTERFACE)
target_compile_options(tessera_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                               $<$<BOOL:${TESSERA_WERROR}>:-Werror>)
# clang warns about deprecated functions that libstdc++ 12 uses inside std::stable_sort. GCC still checks the project's
# own uses.
target_compile_options(tessera_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# At -O3 GCC 12 warns about overlapping and overlong copies inside std::string that do not exist (GCC bugs 105651 and
# 105329, fixed in 13), and that strings of a struct in an empty optional were never set. Builds with TESSERA_QUICK_BUILD
# show the last two warnings.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tessera_flags INTERFACE -Wno-restrict -Wno-stringop-overflow)
  if(NOT TESSERA_QUICK_BUILD)
    target_compile_options(tessera_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-Wno-array-bounds;-Wno-maybe-uninitialized>)
  endif()
endif()
# GCC collects garbage whenever its heap has grown by a third, which takes a seventh of the time of a large batch of files.
# The heap may grow to 512 MiB before that: a sixth less time for a quarter more memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
endif()
# size_t has 32 bits in WebAssembly. The 64-bit numbers converted to it count objects in memory, so they fit.
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  target_compile_options(tessera_flags INTERFACE -Wno-shorten-64-to-32)
endif()
if(TESSERA_SANITIZE)
  add_compile_options(-fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
  if(NOT TESSERA_EXCEPTIONS)
    # Objects compiled without RTTI have no type for this check to compare.
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()
# Omit the checks of each member access, which take a fifth of the compile time. The address sanitizer repeats most of
# them.
set(TESSERA_NO_MEMBER_CHECKS "")
if(TESSERA_SANITIZE MATCHES "undefined")
  set(TESSERA_NO_MEMBER_CHECKS
      -fno-sanitize=alignment,nonnull-attribute,null,object-size,returns-nonnull-attribute,vptr)
endif()
# Without TESSERA_ALL_CHECKS, also omit those of pointer arithmetic, and let the address sanitizer call its checks instead
# of repeating their code: another sixth.
if(NOT TESSERA_ALL_CHECKS)
  add_compile_options(${TESSERA_NO_MEMBER_CHECKS})
  if(TESSERA_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=pointer-overflow)
  endif()
  if(TESSERA_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fsanitize-address-outline-instrumentation)
  endif()
endif()
# Instruments fuzz targets and the code that they explore. Tests and the program run faster without instrumentation.
set(TESSERA_COUNTED $<$<BOOL:${TESSERA_FUZZ}>:${TESSERA_COVERAGE}>)

# Tests, and programs that only call the library, take longer to optimize than to run. GCC compiles them with -Og in six
# tenths of the time that -O1 takes.
set(TESSERA_QUICK $<$<NOT:$<CONFIG:Debug>>:-Og>)
# With TESSERA_QUICK_BUILD, so do the library and the program, which only our tests run then.
set(TESSERA_QUICK_PROGRAM "")
set(TESSERA_QUICK_FOLDER "")
if(TESSERA_QUICK_BUILD)
  set(TESSERA_QUICK_PROGRAM ${TESSERA_QUICK})
  set(TESSERA_QUICK_FOLDER $<$<NOT:$<CONFIG:Debug>>:-O1>)
endif()

# Errors are values: the library does not throw or use run-time type information.
set(TESSERA_NO_EXCEPTIONS "")
if(NOT TESSERA_EXCEPTIONS)
  set(TESSERA_NO_EXCEPTIONS -fno-exceptions -fno-rtti)
endif()

set(TESSERA_FOLDERS "")
set(TESSERA_TEST_SOURCES "")

# tessera_precompile(target [header...]): precompiles the standard and fmt headers that half of the files include, and
# the given headers. Every file still includes what it uses: the presets dev and lean (with GCC) and tidy compile the
# library without precompiled headers.
function(tessera_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <functional> <map> <memory> <optional> <span> <string>
                            <string_view> <vector> <fmt/format.h> <fmt/ranges.h> ${ARGN})
endfunction()

# tessera_light(name...): folders that read, print and plan. With TESSERA_QUICK_BUILD, they are optimized less, which takes
# a third less time. With TESSERA_UNITY, GCC precompiles the common headers once for all of them, and compiles larger batches.
function(tessera_light)
  foreach(folder IN LISTS ARGN)
    set(library tessera_${folder})
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    target_compile_options(${library} PRIVATE ${TESSERA_QUICK_FOLDER})
    tessera_unity(${library} 14)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TESSERA_UNITY AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
      if(NOT DEFINED first)
        set(first ${library})
        tessera_precompile(${library})
      else()
        target_precompile_headers(${library} REUSE_FROM ${first})
      endif()
    endif()
  endforeach()
endfunction()

# tessera_unoptimized(target...): does not optimize these in debug and sanitizer builds, where optimizing takes longer than
# their tests.
function(tessera_unoptimized)
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
    endif()
  endforeach()
endfunction()

# tessera_share_precompiled(target...): clang precompiles the common headers once for all targets with the same options,
# which must be complete. One for each library would cost GCC as much as it saves.
function(tessera_share_precompiled)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    get_target_property(options ${target} COMPILE_OPTIONS)
    string(MD5 key "${options}")
    if(DEFINED first_${key})
      target_precompile_headers(${target} REUSE_FROM ${first_${key}})
    else()
      set(first_${key} ${target})
      tessera_precompile(${target})
    endif()
  endforeach()
endfunction()

# tessera_unity(target [size]): with TESSERA_UNITY, compiles eight files (or `size`) of the target at a time, because most
# of the compile time of a file goes to headers that they share. Names in unnamed namespaces must differ within a target. Files still include
# what they use: the presets dev and lean compile each one alone.
function(tessera_unity target)
  if(TESSERA_UNITY)
    set(size 8)
    if(ARGC GREATER 1)
      set(size ${ARGV1})
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# tessera_folder(name [USES folder...] [LINK target...]): makes one static library from src/<name>/**.cc without the
# tests, and include/tessera/<name>/. USES lists folders of lower layers that this folder includes. LINK lists
# third-party libraries that only our .cc files need. TESSERA_TEST_SOURCES collects the unit tests (*_test.cc) for the
# single test binary.
function(tessera_folder name)
  cmake_parse_arguments(arg "" "" "USES;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  # WASI has no zlib, and its files cannot be mapped or renamed.
  if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
    list(FILTER sources EXCLUDE REGEX "/(mapped_file|file_writer|read_file|part_folder|reshard_files|compare_files|verbs/copy|copy_codes)\\.cc$")
  else()
    list(FILTER sources EXCLUDE REGEX "_wasi\\.cc$")
  endif()
  set(library tessera_${name})
  if(sources)
    add_library(${library} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:tessera_flags>)
    target_compile_options(${library} PRIVATE ${TESSERA_COUNTED} ${TESSERA_NO_EXCEPTIONS})
    target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    tessera_unity(${library})
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(tessera::${name} ALIAS ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${library} ${scope} cxx_std_20)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tessera/${name}/*.h)
  target_sources(${library} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  list(TRANSFORM arg_USES PREPEND tessera_)
  target_link_libraries(${library} ${scope} ${arg_USES})
  if(sources)
    target_link_libraries(${library} PRIVATE ${arg_LINK})
  endif()
  set(TESSERA_FOLDERS ${TESSERA_FOLDERS} ${library} PARENT_SCOPE)
  set(TESSERA_TEST_SOURCES ${TESSERA_TEST_SOURCES} ${tests} PARENT_SCOPE)
endfunction()
