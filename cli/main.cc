// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/session.h"

int main(int argc, char** argv) {
  using namespace tessera::cli;
  install_signal_handlers();
  int status = kFailed;
  try {
    Output out(1);
    Output err(2);
    Session session({argv + 1, argv + argc}, out, err, /*request=*/false);
    status = run(session);
    out.flush();
    // A reader that has seen enough (`| head`) is no reason for words.
    if (out.error() != 0 && out.error() != EPIPE) {
      err.write("tessera: error[file_write]: the answer cannot be written to standard output\n");
    }
    if (out.error() != 0) status = kFailed;
  } catch (const std::bad_alloc&) {
    std::fputs(
        "tessera: error[limit]: out of memory\n"
        "      = help: ulimit -v says how much the program may have\n",
        stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera: error[limit]: %s\n", error.what());
  }
  return status;
}
