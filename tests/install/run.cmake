# SPDX-License-Identifier: Apache-2.0
# cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D WORK_DIR=... -D CXX=... -D FLAGS=... -P run.cmake
#
# Installs the build into an empty prefix and builds a consumer in C++20 and one in C++23 against that prefix alone.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
foreach(standard 20 23)
  step(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/consumer${standard} -G Ninja
       -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${FLAGS}
       -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_STANDARD=${standard})
  step(${CMAKE_COMMAND} --build ${WORK_DIR}/consumer${standard})
  step(${WORK_DIR}/consumer${standard}/consumer)
  message("C++${standard}: ${output}")
endforeach()

# The installed files must not need or name the source tree.
file(GLOB_RECURSE installed ${WORK_DIR}/prefix/*.cmake ${WORK_DIR}/prefix/*.h)
cmake_path(GET SOURCE_DIR PARENT_PATH repository)
cmake_path(GET repository PARENT_PATH repository)
foreach(file ${installed})
  file(READ ${file} text)
  string(FIND "${text}" "${repository}/" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${file} names the source tree")
  endif()
endforeach()
