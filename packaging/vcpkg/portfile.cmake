# SPDX-License-Identifier: Apache-2.0
# An overlay port, which builds the checkout that it is part of:
#   vcpkg install tessera --overlay-ports=packaging/vcpkg
# A port of a registry fetches a release with vcpkg_from_github instead of this line.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES highway TESSERA_HWY isl TESSERA_ISL tbb TESSERA_TBB)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DTESSERA_TESTS=OFF -DTESSERA_BENCH=OFF -DTESSERA_CAIRO=OFF -DTESSERA_EDIT=OFF -DTESSERA_UNITY=ON)
vcpkg_cmake_install()
vcpkg_copy_tools(TOOL_NAMES tessera AUTO_CLEAN)
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tessera)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
