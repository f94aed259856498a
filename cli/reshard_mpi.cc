// SPDX-License-Identifier: Apache-2.0
// `tessera reshard mpi`: starts tessera-mpi, so that this program does not link MPI.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/reshard_verbs.h"
#include "cli/tensor_options.h"
#include "cli/verbs.h"

namespace tessera::cli {
namespace {

struct RankRequest {
  std::string in;
  std::string out;
  std::vector<std::pair<std::string, std::string>> options = {
      {"--shape", ""}, {"--from", ""}, {"--to", ""}, {"--view", ""}, {"--memory", ""}, {"--timeout", ""}};
  bool verify = false;
};

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

int run_ranks(Session& session, const RankRequest& request) {
  if (session.is_request() || !session.options.output.empty()) {
    return report_failure(
        session,
        {.code = Code::bad_option,
         .message = session.is_request() ? "a request cannot start an MPI job"
                                         : "-o cannot be used here: every place writes a file of its own",
         .help = "run mpirun -n 8 tessera reshard mpi IN OUT ..., with {place} in IN and OUT"},
        session.is_request() ? "mpi" : "-o");
  }
  std::vector<std::string> arguments = {"tessera-mpi", request.in, request.out};
  for (const auto& [option, value] : request.options) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  }
  if (request.verify) arguments.emplace_back("--verify");
  if (session.options.force) arguments.emplace_back("--force");
  if (session.options.quiet) arguments.emplace_back("--quiet");
  if (session.options.json) arguments.emplace_back("--json");
  start(arguments);
  return report_failure(
      session,
      {.code = Code::file_not_found,
       .message = "the program tessera-mpi is neither in the folder of tessera nor on the PATH",
       .help = "install MPI (on Debian libopenmpi-dev and openmpi-bin), then configure and build again"},
      "mpi");
}

}  // namespace

void add_reshard_mpi(CLI::App& reshard, Session& session) {
  CLI::App* verb =
      reshard.add_subcommand("mpi", "reshard the files of ranks: under mpirun, one rank for each place");
  auto request = std::make_shared<RankRequest>();
  verb->add_option("IN", request->in,
                   "the file of each place, with {place} for its number: .npy, .safetensors#NAME, or raw")
      ->required();
  verb->add_option("OUT", request->out, "the files to write, with {place}")->required();
  const auto add = [&](std::size_t k, const char* description, const char* type) {
    auto& [name, value] = request->options[k];
    return verb->add_option(name, value, description)->type_name(type);
  };
  add(0, "type and dimensions of the array: f32[16,16]", "TYPE[DIMS]")->required();
  add(1, "the distribution before", "DIST")->required();
  add(2, "the distribution after", "DIST")->required();
  add(3, "dimensions of the target: the same elements in row-major order", "DIMS");
  add(4, "the most bytes of packed data per rank (256M)", "SIZE");
  add(5, "seconds without progress after which the job fails (300; 0: never)", "S");
  verb->add_flag("--verify", request->verify,
                 "compare sums over all elements before the files get their names");
  add_common_options(*verb, session);
  verb->footer(
      R"(The job starts as many ranks as there are places. Every rank reads its own file and writes its own file. The new files
appear when all ranks have all their elements; if a rank fails before, none appears and old ones stay.

Examples:
  mpirun -n 4 tessera reshard mpi 'a-{place}.npy' 'b-{place}.npy' --shape 'f32[16,16]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}')");
  verb->callback(
      [&session, request] { session.action = [&session, request] { return run_ranks(session, *request); }; });
}

}  // namespace tessera::cli
