// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace tessera::cli {
namespace {

// A signal handler may not allocate or lock: the names of unfinished files stand in fixed places. A run has
// two at most, the answer (-o) and the report.
struct Slot {
  std::atomic<bool> used = false;
  std::array<char, PATH_MAX> path = {};
};
std::array<Slot, 4> slots;

void remember(const std::string& path) {
  for (Slot& slot : slots) {
    if (!slot.used && path.size() < slot.path.size()) {
      std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
      slot.used = true;
      return;
    }
  }
}

void forget(const std::string& path) {
  for (Slot& slot : slots) {
    if (slot.used && path == slot.path.data()) slot.used = false;
  }
}

void on_signal(int number) {
  remove_unfinished_files();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

Failure cannot_write(const std::string& path, int error) {
  return fail(Code::file_write, fmt::format("'{}' cannot be written: {}", path, std::strerror(error)));
}

Failure already_there(const std::string& path) {
  Diagnostic diagnostic{.code = Code::file_exists, .message = fmt::format("'{}' is already there", path)};
  diagnostic.help = "choose another name, or replace it with --force";
  return fail(std::move(diagnostic));
}

// What a link leads to, so that the link stays and its target is replaced.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string out = real;
  std::free(real);
  return out;
}

}  // namespace

void remove_unfinished_files() {
  for (Slot& slot : slots) {
    if (slot.used) ::unlink(slot.path.data());
  }
}

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);  // nohup stays nohup
  }
  // A reader that goes away (`| head`) shows as EPIPE, which ends the program quietly.
  std::signal(SIGPIPE, SIG_IGN);
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, bool force) {
  std::unique_ptr<OutputFile> file(new OutputFile);
  file->path_ = resolved(path);
  file->force_ = force;
  struct stat status = {};
  const bool exists = ::stat(file->path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    file->descriptor_ = ::open(file->path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file->descriptor_ < 0) return cannot_write(path, errno);
  } else {
    if (exists && !force) return already_there(path);
    std::string name = file->path_ + ".part-XXXXXX";
    file->descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file->descriptor_ < 0) return cannot_write(path, errno);
    file->temporary_ = name;
    remember(name);
    // mkostemp makes it private; the finished file has the rights that any new file would have, or the old
    // one had.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(file->descriptor_, exists ? status.st_mode & 0777 : 0666 & ~mask);
  }
  file->output_ = std::make_unique<Output>(file->descriptor_);
  return file;
}

OutputFile::~OutputFile() {
  output_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    forget(temporary_);
  }
}

Result<void> OutputFile::commit() {
  output_->flush();
  if (output_->error() != 0) return cannot_write(path_, output_->error());
  if (::close(descriptor_) != 0) {
    descriptor_ = -1;
    return cannot_write(path_, errno);
  }
  descriptor_ = -1;
  if (temporary_.empty()) return {};
  if (!force_) {
    // Unlike rename, link refuses a name that is taken.
    if (::link(temporary_.c_str(), path_.c_str()) == 0) return {};
    if (errno == EEXIST) return already_there(path_);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  forget(temporary_);
  temporary_.clear();
  return {};
}

}  // namespace tessera::cli
