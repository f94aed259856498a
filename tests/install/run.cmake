# SPDX-License-Identifier: Apache-2.0
# cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D WORK_DIR=... -D CXX=... -D FLAGS=... [-D CLANG=...] [-D DEBIAN=ON]
#       -P run.cmake
#
# Installs the build into an empty prefix, or unpacks its Debian packages into one with DEBIAN. Users' projects are then
# built against that prefix alone: with find_package in C++20 and C++23, with pkg-config, and, if CLANG is given, with
# its libc++, which has <mdspan>.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(need)
  foreach(file ${ARGN})
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${file} is not installed")
    endif()
  endforeach()
endfunction()

# Builds the project and runs its tests.
function(consume name compiler flags)
  step(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/${name} -G Ninja -D CMAKE_PREFIX_PATH=${prefix}
       -D CMAKE_CXX_COMPILER=${compiler} "-D CMAKE_CXX_FLAGS=${flags}" -D CMAKE_BUILD_TYPE=Debug ${ARGN})
  step(${CMAKE_COMMAND} --build ${WORK_DIR}/${name} ${targets})
  step(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/${name} --output-on-failure --no-tests=error ${tests})
  message("${name}:\n${output}")
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(ENV{CMAKE_BUILD_PARALLEL_LEVEL} 1)
if(DEBIAN)
  step(${CMAKE_CPACK_COMMAND} --config ${BUILD_DIR}/CPackConfig.cmake -B ${WORK_DIR}/packages)
  file(GLOB packages ${WORK_DIR}/packages/*.deb)
  list(LENGTH packages count)
  if(NOT count EQUAL 2)
    message(FATAL_ERROR "expected the packages tessera and libtessera-dev, not: ${packages}")
  endif()
  foreach(package IN LISTS packages)
    step(dpkg-deb --info ${package})
    message("${output}")
    step(dpkg-deb -x ${package} ${WORK_DIR}/root)
  endforeach()
  set(prefix ${WORK_DIR}/root/usr)
  need(${prefix}/share/man/man1/tessera.1.gz ${prefix}/share/man/man1/tessera-show.1.gz
       ${prefix}/share/doc/tessera/copyright ${prefix}/share/doc/libtessera-dev/copyright
       ${prefix}/share/zsh/vendor-completions/_tessera)
else()
  step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
  set(prefix ${WORK_DIR}/prefix)
  need(${prefix}/share/man/man1/tessera.1 ${prefix}/share/man/man1/tessera-show.1
       ${prefix}/share/zsh/site-functions/_tessera)
endif()
need(${prefix}/share/bash-completion/completions/tessera ${prefix}/share/fish/vendor_completions.d/tessera.fish)

step(${prefix}/bin/tessera show "(4,8):(8,1)" --picture)
if(DEBIAN)
  step(bash ${SOURCE_DIR}/completions ${prefix})
  message("${output}")
endif()

set(targets --target consumer headers)
set(tests -R "consumer|headers")
consume(gxx20 ${CXX} "${FLAGS}" -D CMAKE_CXX_STANDARD=20)
if(DEBIAN)
  return()
endif()
consume(gxx23 ${CXX} "${FLAGS}" -D CMAKE_CXX_STANDARD=23)

if(CLANG)
  set(targets --target mdspan headers)
  set(tests -R "mdspan|headers")
  consume(mdspan ${CLANG} "-stdlib=libc++" -D CMAKE_CXX_STANDARD=23 -D NEED_MDSPAN=ON)
else()
  message("mdspan: skipped, because there is no clang 19 with libc++")
endif()

# Test pkg-config, without the system's search paths.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${prefix}/*/tessera.pc)
  cmake_path(GET pc PARENT_PATH pc)
  set(ENV{PKG_CONFIG_PATH} ${pc})
  step(${PKG_CONFIG} --print-errors --cflags --libs tessera)
  separate_arguments(arguments UNIX_COMMAND "${FLAGS} ${output}")
  step(${CXX} -std=c++20 ${SOURCE_DIR}/consumer.cc ${arguments} -o ${WORK_DIR}/consumer)
  step(${WORK_DIR}/consumer)
  message("pkg-config: ${output}")
endif()

# The installed files must not need or name the source tree.
file(GLOB_RECURSE installed ${prefix}/*.cmake ${prefix}/*.h ${prefix}/*.pc ${prefix}/share/*)
cmake_path(GET SOURCE_DIR PARENT_PATH repository)
cmake_path(GET repository PARENT_PATH repository)
foreach(file ${installed})
  file(READ ${file} text)
  string(FIND "${text}" "${repository}/" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${file} names the source tree")
  endif()
endforeach()
