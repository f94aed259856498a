# SPDX-License-Identifier: Apache-2.0
# CPack runs this between staging the files and building the packages: it compresses manual pages, moves the completion
# of zsh to Debian's folder, and adds the copyright and the changelog of each package.
cmake_policy(VERSION 3.25)
function(compress file)
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(pair IN ITEMS program:tessera development:libtessera-dev)
  string(REGEX MATCH "^([^:]+):([^:]+)$" matched ${pair})
  set(component ${CMAKE_MATCH_1})
  set(package ${CMAKE_MATCH_2})
  set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share)
  if(NOT component IN_LIST CPACK_COMPONENTS_ALL)
    continue()
  endif()
  file(GLOB pages ${share}/man/man1/*.1)
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
  if(EXISTS ${share}/zsh/site-functions)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  endif()
  # Debian keeps the text of the license in one place, which the copyright file names.
  file(REMOVE_RECURSE ${share}/doc)
  file(MAKE_DIRECTORY ${share}/doc/${package})
  file(COPY_FILE ${CPACK_TESSERA_DEBIAN_DIR}/copyright ${share}/doc/${package}/copyright)
  file(WRITE ${share}/doc/${package}/changelog.Debian
       "tessera (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
       "  * See CHANGELOG.md of the source.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000\n")
  compress(${share}/doc/${package}/changelog.Debian)
endforeach()
