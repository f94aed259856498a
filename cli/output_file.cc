// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

namespace tessera::cli {
namespace {

void on_signal(int number) {
  end_unfinished();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// Called if a mapped file was truncated or its disk failed: the program cannot continue.
void on_bus_error(int) {
  constexpr std::string_view kMessage =
      "tessera: error[file_read]: a file was truncated, or its disk failed, while it was read\n";
  [[maybe_unused]] const ssize_t written = ::write(2, kMessage.data(), kMessage.size());
  end_unfinished();
  ::_exit(3);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN)
      ::sigaction(number, &action, nullptr);  // keeps signals ignored under nohup
  }
  action.sa_handler = on_bus_error;
  ::sigaction(SIGBUS, &action, nullptr);
  // Ignored so that writes to a closed pipe (`| head`) fail with EPIPE; the program then ends without a
  // message.
  std::signal(SIGPIPE, SIG_IGN);
  // Ignored so that writes beyond `ulimit -f` fail with EFBIG.
  std::signal(SIGXFSZ, SIG_IGN);
}

OutputFile::OutputFile(std::string path, std::unique_ptr<FileWriter> writer)
    : path_(std::move(path)), writer_(std::move(writer)), output_(writer_->descriptor()) {}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, bool force) {
  Result<std::unique_ptr<FileWriter>> writer = FileWriter::create(path, force);
  if (!writer) return fail(writer.error());
  return std::unique_ptr<OutputFile>(new OutputFile(path, std::move(*writer)));
}

Result<void> OutputFile::commit() {
  output_.flush();
  if (output_.error() != 0) {
    return cannot_write(path_, output_.error());
  }
  return writer_->commit();
}

}  // namespace tessera::cli
