# SPDX-License-Identifier: Apache-2.0
# Debian packages: `cpack --config build/full/CPackConfig.cmake` writes tessera_VERSION_ARCH.deb with the program and
# libtessera-dev_VERSION_ARCH.deb with the library.
include_guard(GLOBAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "The Tessera authors")
set(CPACK_PACKAGE_CONTACT "The Tessera authors <maintainers@tessera.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exact index maps and layouts of tensor programs")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 1)

set(CPACK_COMPONENTS_ALL development)
if(TARGET tessera-cli)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tessera)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"Tessera reads the layouts that XLA, CuTe, Triton, oneDNN and NumPy use,
 proves them equal, computes with them, draws them, moves data between
 them, and says which elements each instruction of an HLO program reads.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtessera-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${TESSERA_DEB_DEPENDS}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"Headers and static libraries of Tessera, with package files for CMake
 and pkg-config.")

# Adds files that only Debian needs, at the paths that it requires.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/finish.cmake)
set(CPACK_TESSERA_DEBIAN_DIR ${PROJECT_SOURCE_DIR}/packaging/debian)
include(CPack)
