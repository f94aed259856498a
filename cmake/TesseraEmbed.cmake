# SPDX-License-Identifier: Apache-2.0
# tessera_embed(target header [NAME file]...): adds to the target a .cc file that defines, in tessera::detail, the string
# `const char* const NAME` with the content of each file, as `header` declares them. A comment that begins a file, up to
# the first empty line, is left out. The file is generated again if one of them changes.
#
# As a script, `cmake -D OUTPUT=FILE -D HEADER=header -D PAIRS=NAME;file;... -P TesseraEmbed.cmake` writes that file.
cmake_policy(VERSION 3.25)

if(CMAKE_SCRIPT_MODE_FILE)
  set(source "// Generated from the files below by cmake/TesseraEmbed.cmake.\n#include \"${HEADER}\"\n\nnamespace tessera::detail {\n")
  while(PAIRS)
    list(POP_FRONT PAIRS name file)
    file(READ ${file} content)
    if(content MATCHES "^(//|/\\*|<!--)")
      string(FIND "${content}" "\n\n" end)
      math(EXPR end "${end} + 2")
      string(SUBSTRING "${content}" ${end} -1 content)
    endif()
    string(FIND "${content}" ")embedded\"" delimiter)
    if(NOT delimiter EQUAL -1)
      message(FATAL_ERROR "${file} contains the end of a raw string, )embedded\"")
    endif()
    cmake_path(GET file FILENAME base)
    string(APPEND source "\n// ${base}\nconst char* const ${name} = R\"embedded(${content})embedded\";\n")
  endwhile()
  file(WRITE ${OUTPUT} "${source}\n}  // namespace tessera::detail\n")
  return()
endif()

include_guard(GLOBAL)
set(TESSERA_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(tessera_embed target header)
  cmake_path(GET header STEM stem)
  set(output ${PROJECT_BINARY_DIR}/embedded/${stem}.cc)
  set(pairs ${ARGN})
  set(files "")
  while(pairs)
    list(POP_FRONT pairs name file)
    list(APPEND files ${file})
  endwhile()
  add_custom_command(OUTPUT ${output} DEPENDS ${files} ${TESSERA_EMBED_SCRIPT} VERBATIM
    COMMENT "Embedding the files of ${stem}.cc"
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D HEADER=${header} -D "PAIRS=${ARGN}" -P ${TESSERA_EMBED_SCRIPT})
  target_sources(${target} PRIVATE ${output})
endfunction()
