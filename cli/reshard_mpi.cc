// SPDX-License-Identifier: Apache-2.0
// `tessera reshard mpi`: starts tessera-mpi, so that this program does not link MPI.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/reshard_verbs.h"
#include "cli/verb_options.h"
#include "verbs/request.h"

namespace tessera::cli {
namespace {

// Starts tessera-mpi from the folder of this program or, if it is not there, from the PATH.
void start(std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) execv((self.parent_path() / arguments[0]).c_str(), argv.data());
  execvp(argv[0], argv.data());
}

int run_ranks(Session& session, const verbs::Verb& verb, const verbs::FieldTexts& texts) {
  if (!session.options.output.empty()) {
    session.report_argument(
        {.code = Code::bad_option,
         .message = "-o cannot be used here: every place writes a file of its own",
         .help = "run mpirun -n 8 tessera reshard mpi IN OUT ..., with {place} in IN and OUT"},
        "-o");
    return kBadInput;
  }
  std::vector<std::string> arguments = {"tessera-mpi"};
  for (const verbs::Field& field : verb.fields) {
    const auto given = texts.find(field.name);
    if (given == texts.end()) continue;
    if (!field.argument) arguments.push_back(verbs::option_of(field.name));
    arguments.insert(arguments.end(), given->second.begin(), given->second.end());
  }
  if (session.options.force) arguments.emplace_back("--force");
  if (session.options.quiet) arguments.emplace_back("--quiet");
  if (session.options.json) arguments.emplace_back("--json");
  start(arguments);
  session.report_argument(
      {.code = Code::file_not_found,
       .message = "the program tessera-mpi is neither in the folder of tessera nor on the PATH",
       .help = "install MPI (on Debian libopenmpi-dev and openmpi-bin), then configure and build again"},
      "mpi");
  return kBadInput;
}

}  // namespace

void add_reshard_mpi(CLI::App& reshard, Session& session) {
  const verbs::Verb& verb = *verbs::find_verb("reshard mpi");
  add_verb(reshard, session, verb, [&session, &verb](const verbs::FieldTexts& texts) {
    return std::optional(run_ranks(session, verb, texts));
  });
}

}  // namespace tessera::cli
