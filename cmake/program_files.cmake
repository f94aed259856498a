# SPDX-License-Identifier: Apache-2.0
# cmake -D PROGRAM=... -D FOLDER=... -P program_files.cmake
#
# Writes man1/tessera.1, man1/tessera-VERB.1 for each verb, and tessera.bash, tessera.zsh and tessera.fish into FOLDER.
function(write_output file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man1)
foreach(shell IN ITEMS bash zsh fish)
  write_output(tessera.${shell} completion ${shell})
endforeach()
# Each line of the output is a candidate for the first word: `VERB<tab>DESCRIPTION`.
execute_process(COMMAND ${PROGRAM} completion words -- "" OUTPUT_VARIABLE words COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\t\n]+\t" verbs "${words}")
write_output(man1/tessera.1 help --man)
foreach(verb IN LISTS verbs)
  string(STRIP ${verb} verb)
  write_output(man1/tessera-${verb}.1 help ${verb} --man)
endforeach()
