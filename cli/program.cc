// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <cerrno>
#include <exception>
#include <new>
#include <utility>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/session.h"

namespace tessera::cli {
namespace {

// Reports a failure that no argument caused.
int fail_with(Session& session, const Diagnostic& diagnostic) {
  std::string text = "tessera: " + to_string(diagnostic) + "\n";
  if (!diagnostic.help.empty()) text += "      = help: " + diagnostic.help + "\n";
  session.err().write(text);
  if (session.wants_json())
    session.out().write(session.problem_json(kFailed, diagnostic, Source("tessera", "")) + "\n");
  return kFailed;
}

int run_or_fail(Session& session) {
  try {
    return run(session);
  } catch (const std::bad_alloc&) {
    return fail_with(session, {.code = Code::limit,
                               .message = "out of memory",
                               .help = "ulimit -v shows the memory limit of the program"});
  } catch (const std::exception& error) {
    return fail_with(session, {.code = Code::limit, .message = error.what()});
  }
}

}  // namespace

int run_program(std::vector<std::string> arguments) {
  install_signal_handlers();
  Output out(1);
  Output err(2);
  Session session(std::move(arguments), out, err, /*request=*/false);
  int status = run_or_fail(session);
  out.flush();
  if (out.error() == 0) return status;
  // No message if the reader closed the pipe (`| head`).
  if (out.error() != EPIPE)
    err.write("tessera: error[file_write]: the answer cannot be written to standard output\n");
  return kFailed;
}

}  // namespace tessera::cli
