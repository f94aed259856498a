# SPDX-License-Identifier: Apache-2.0
# tessera::mpi and the program tessera-mpi, if MPI is installed. They are separate from tessera::tessera: a program that
# does not use MPI does not link it, and `tessera reshard mpi` starts tessera-mpi.
include_guard(GLOBAL)

set(TESSERA_HAVE_MPI OFF)
if(TESSERA_MPI STREQUAL "OFF" OR CMAKE_SYSTEM_NAME STREQUAL "WASI")
  return()
endif()
# Use only the C interface: MPI 3 removed the C++ one.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  if(TESSERA_MPI STREQUAL "ON")
    message(FATAL_ERROR "TESSERA_MPI=ON, but no MPI was found. On Debian: libopenmpi-dev and openmpi-bin")
  endif()
  return()
endif()
set(TESSERA_HAVE_MPI ON)

file(GLOB mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/*.cc)
add_library(tessera_mpi STATIC ${mpi_sources})
add_library(tessera::mpi ALIAS tessera_mpi)
tessera_unity(tessera_mpi)
set_target_properties(tessera_mpi PROPERTIES EXPORT_NAME mpi)
target_sources(tessera_mpi PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                  FILES ${PROJECT_SOURCE_DIR}/include/tessera/mpi/reshard.h)
target_include_directories(tessera_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(tessera_mpi PRIVATE ${TESSERA_NO_EXCEPTIONS})
target_link_libraries(tessera_mpi PUBLIC tessera MPI::MPI_CXX PRIVATE $<BUILD_INTERFACE:tessera_flags> fmt::fmt)

# The program tessera-mpi, next to `tessera`.
if(TESSERA_CLI)
  add_executable(tessera-mpi ${PROJECT_SOURCE_DIR}/cli/mpi/main.cc ${PROJECT_SOURCE_DIR}/cli/mpi/place_file.cc)
  target_include_directories(tessera-mpi PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(tessera-mpi PRIVATE tessera_mpi tessera_flags fmt::fmt)
  target_compile_options(tessera-mpi PRIVATE ${TESSERA_QUICK_PROGRAM})
endif()

# mpi-bench compares with ScaLAPACK.
if(TESSERA_BENCH)
  find_library(SCALAPACK_LIBRARY NAMES scalapack-openmpi)
  if(SCALAPACK_LIBRARY)
    add_executable(mpi-bench EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/mpi/mpi_bench.cc)
    target_link_libraries(mpi-bench PRIVATE tessera_mpi tessera_flags fmt::fmt ${SCALAPACK_LIBRARY})
  endif()
endif()
