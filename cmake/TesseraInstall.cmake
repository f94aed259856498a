# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: libraries, headers, packages for `find_package(tessera)` and pkg-config, and the program with its
# manual pages and completions if it is built. There are two components, `development` and `program`.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

set(TESSERA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

# The headers have their own targets, so that a project that uses only headers needs no other library.
install(TARGETS tessera_headers EXPORT tesseraHeadersTargets)
install(EXPORT tesseraHeadersTargets NAMESPACE tessera:: DESTINATION ${TESSERA_PACKAGE_DIR} COMPONENT development)
install(TARGETS ${TESSERA_FOLDERS} tessera EXPORT tesseraTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${TESSERA_PACKAGE_DIR} COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tesseraConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
                              INSTALL_DESTINATION ${TESSERA_PACKAGE_DIR})
# Before 1.0 a new minor version may change names.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindISL.cmake
        DESTINATION ${TESSERA_PACKAGE_DIR} COMPONENT development)

# The pkg-config file. Its paths are relative to itself, so that the installed tree can be moved.
set(prefix_of_pc "")
cmake_path(SET pc_dir NORMALIZE /${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH pc_dir BASE_DIRECTORY / OUTPUT_VARIABLE pc_dir)
string(REGEX REPLACE "[^/]+" ".." prefix_of_pc ${pc_dir})
set(TESSERA_PC_PREFIX "\${pcfiledir}/${prefix_of_pc}")
set(TESSERA_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(TESSERA_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
foreach(name IN ITEMS LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${name}})
    set(TESSERA_PC_${name} ${CMAKE_INSTALL_${name}})
  endif()
endforeach()
set(TESSERA_PC_LIBS "")
foreach(folder IN LISTS TESSERA_FOLDERS)
  get_target_property(type ${folder} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(PREPEND TESSERA_PC_LIBS " -l${folder}")  # a library comes before those that it uses
  endif()
endforeach()
set(TESSERA_PC_REQUIRES "fmt >= 9, zlib")
# The Debian packages that libtessera-dev needs, in the same order.
set(TESSERA_DEB_DEPENDS "libfmt-dev (>= 9), zlib1g-dev")
foreach(entry IN ITEMS ISL:isl:libisl-dev TBB:tbb:libtbb-dev CAIRO:cairo:libcairo2-dev HWY:libhwy:libhwy-dev)
  string(REGEX MATCH "^([^:]+):([^:]+):([^:]+)$" matched ${entry})
  if(${CMAKE_MATCH_1}_FOUND)
    string(APPEND TESSERA_PC_REQUIRES ", ${CMAKE_MATCH_2}")
    string(APPEND TESSERA_DEB_DEPENDS ", ${CMAKE_MATCH_3}")
  endif()
endforeach()
if(NOT TESSERA_STD_EXPECTED)
  string(APPEND TESSERA_DEB_DEPENDS ", libexpected-dev")
endif()
set(TESSERA_PC_STD_EXPECTED $<BOOL:${TESSERA_STD_EXPECTED}>)
foreach(name IN ITEMS tessera tessera-headers)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc INPUT ${PROJECT_BINARY_DIR}/${name}.pc)
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
if(TARGET tessera-cli)
  install(TARGETS tessera-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # The page of `tessera explore`, if `make web` has built it.
  install(FILES ${PROJECT_SOURCE_DIR}/build/web/tessera.html DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera
          RENAME explorer.html COMPONENT program OPTIONAL)
  if(TESSERA_PROGRAM_FILES)
    install(DIRECTORY ${TESSERA_PROGRAM_FILES}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
    install(FILES ${TESSERA_PROGRAM_FILES}/tessera.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            RENAME tessera COMPONENT program)
    install(FILES ${TESSERA_PROGRAM_FILES}/tessera.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
            RENAME _tessera COMPONENT program)
    install(FILES ${TESSERA_PROGRAM_FILES}/tessera.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
            COMPONENT program)
  endif()
endif()
include(TesseraPackage)
