# SPDX-License-Identifier: Apache-2.0
# The integer set library. Sets ISL_FOUND and defines the target ISL::ISL. Installed next to tesseraConfig.cmake,
# because isl comes without a package file.
find_path(ISL_INCLUDE_DIR isl/set.h)
find_library(ISL_LIBRARY isl)
mark_as_advanced(ISL_INCLUDE_DIR ISL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ISL REQUIRED_VARS ISL_LIBRARY ISL_INCLUDE_DIR)

if(ISL_FOUND AND NOT TARGET ISL::ISL)
  add_library(ISL::ISL UNKNOWN IMPORTED)
  set_target_properties(ISL::ISL PROPERTIES IMPORTED_LOCATION ${ISL_LIBRARY}
                                            INTERFACE_INCLUDE_DIRECTORIES ${ISL_INCLUDE_DIR})
endif()
