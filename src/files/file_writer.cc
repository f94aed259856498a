// SPDX-License-Identifier: Apache-2.0
#include "files/file_writer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/at_fault.h"

namespace tessera {
namespace {

// A signal handler may not allocate or lock, so the names of unfinished files are kept in fixed slots. A run
// has at most two: OUT and the report (-o).
struct NameSlot {
  std::atomic<bool> used = false;
  bool resumable = false;
  std::array<char, PATH_MAX> path = {};
};
std::array<NameSlot, 4> slots;

Failure already_there(const std::string& path) {
  return detail::at_fault("out", fail(Code::file_exists, fmt::format("'{}' already exists", path), {},
                                      "choose another name, or replace it with --force"));
}

// The Diagnostic's reason (empty unless the path is wrong) and its help.
struct Cause {
  const char* reason = "";
  const char* help = "";
};

Cause cause_of(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      return {"no_permission", "choose a folder with write permission"};
    case ENOENT:
      return {"no_folder", "create the folder first, with mkdir -p"};
    case ENOTDIR:
      return {"not_a_folder", "a part of the path is a file, not a folder"};
    case EISDIR:
      return {"is_a_folder", "name a file in that folder"};
    case ENAMETOOLONG:
      return {"name_too_long", "choose a shorter name"};
    case ENOSPC:
    case EDQUOT:
      return {"", "free space there, or write to another disk"};
    case EFBIG:
      return {"", "ulimit -f shows the limit for files"};
    default:
      return {};
  }
}

// The target of a broken link; empty for anything else.
std::optional<std::string> lost_target(const std::string& path) {
  std::array<char, PATH_MAX> target = {};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  struct stat status = {};
  if (size < 0 || ::stat(path.c_str(), &status) == 0) return std::nullopt;
  return std::string(target.data(), static_cast<std::size_t>(size));
}

// Follows links, so that a link stays and its target is replaced.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string out = real;
  std::free(real);
  return out;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Failure cannot_write(const std::string& path, int error) {
  const Cause cause = cause_of(error);
  return fail({.code = Code::file_write,
               .message = fmt::format("'{}' cannot be written: {}", path, std::strerror(error)),
               .reason = cause.reason,
               .help = cause.help,
               .field = "out"});
}

void remember_unfinished(const std::string& path, bool resumable) {
  for (NameSlot& slot : slots) {
    if (!slot.used && path.size() < slot.path.size()) {
      std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
      slot.resumable = resumable;
      slot.used = true;
      return;
    }
  }
}

void forget_unfinished(const std::string& path) {
  for (NameSlot& slot : slots) {
    if (slot.used && path == slot.path.data()) slot.used = false;
  }
}

void end_unfinished() {
  for (NameSlot& slot : slots) {
    if (!slot.used) continue;
    if (!slot.resumable) {
      ::unlink(slot.path.data());
      continue;
    }
    // After a line of the progress, which may be unfinished.
    const std::array<const char*, 3> texts = {"\nnote: what was written is in '", slot.path.data(),
                                              "': run again with --resume, or remove it\n"};
    for (const char* const text : texts) {
      if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) break;  // the other files go all the same
    }
  }
}

Result<WritablePath> writable_path(const std::string& path, bool force) {
  if (const std::optional<std::string> target = lost_target(path)) {
    return fail({.code = Code::file_write,
                 .message = fmt::format("'{}' cannot be written: it is a link to '{}', which does not exist",
                                        path, *target),
                 .reason = "broken_link",
                 .help = "remove the link, or create its target",
                 .field = "out"});
  }
  WritablePath out{.path = resolved(path)};
  struct stat status = {};
  out.exists = ::stat(out.path.c_str(), &status) == 0;
  if (out.exists && S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
  out.is_regular = !out.exists || S_ISREG(status.st_mode);
  if (out.exists && out.is_regular && !force) return already_there(path);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  out.permissions = out.exists ? status.st_mode & 0777 : 0666 & ~mask;
  return out;
}

Result<std::unique_ptr<FileWriter>> FileWriter::create(const std::string& path, bool force) {
  const Result<WritablePath> writable = writable_path(path, force);
  if (!writable) return fail(writable.error());
  std::unique_ptr<FileWriter> file(new FileWriter);
  file->path_ = writable->path;
  file->force_ = force;
  if (!writable->is_regular) {
    file->descriptor_ = ::open(file->path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file->descriptor_ < 0) return cannot_write(path, errno);
    return file;
  }
  file->pending_ = true;
#ifdef O_TMPFILE
  // An unnamed file disappears with the process, however that ends. commit() names it through /proc.
  if (::access("/proc/self/fd", X_OK) == 0) {
    file->descriptor_ = ::open(folder_of(file->path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  }
#endif
  if (file->descriptor_ < 0) {
    std::string name = file->path_ + ".part-XXXXXX";
    file->descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file->descriptor_ < 0) return cannot_write(path, errno);
    file->temporary_ = name;
    remember_unfinished(name, /*resumable=*/false);
  }
  ::fchmod(file->descriptor_, writable->permissions);  // mkostemp creates private files
  return file;
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    forget_unfinished(temporary_);
  }
}

Result<std::unique_ptr<FileWriter>> FileWriter::open(const std::string& path, Index bytes) {
  std::unique_ptr<FileWriter> file(new FileWriter);
  file->path_ = path;
  file->descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file->descriptor_ < 0 || ::ftruncate(file->descriptor_, bytes) != 0) return cannot_write(path, errno);
  return file;
}

Result<void> FileWriter::write(std::span<const std::byte> bytes) { return write_at(bytes, -1); }

Result<void> FileWriter::write_at(std::span<const std::byte> bytes, Index at) const {
  while (!bytes.empty()) {
    const ssize_t written = at < 0 ? ::write(descriptor_, bytes.data(), bytes.size())
                                   : ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return cannot_write(path_, written == 0 ? EIO : errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    if (at >= 0) at += written;
  }
  return {};
}

Result<void> check_room(int descriptor, const std::string& path, Index bytes) {
  struct statvfs status = {};
  if (::fstatvfs(descriptor, &status) != 0 || status.f_blocks == 0 || status.f_frsize == 0) return {};
  // Only root may use the blocks reserved for root.
  const auto blocks = ::geteuid() == 0 ? status.f_bfree : status.f_bavail;
  Index free = kIndexMax;
  if (blocks <= static_cast<std::uint64_t>(kIndexMax) / status.f_frsize)
    free = static_cast<Index>(blocks * status.f_frsize);
  if (bytes <= free) return {};
  return detail::at_fault(
      "out", fail(Code::file_write,
                  fmt::format("'{}' cannot be written: it needs {} bytes, but the disk has {} free", path,
                              bytes, free),
                  {}, "free space, or name a file on another disk"));
}

// linkat cannot replace an existing file, so with --force the file gets a temporary name first and is then
// renamed.
Result<void> FileWriter::name_unnamed() {
  const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor_);
  const auto link_as = [&](const std::string& name) {
    return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (!force_) {
    if (link_as(path_)) return {};
    if (errno == EEXIST) return already_there(path_);
    return cannot_write(path_, errno);
  }
  for (int attempt = 0; temporary_.empty(); ++attempt) {
    const std::string name = fmt::format("{}.part-{}-{}", path_, ::getpid(), attempt);
    remember_unfinished(name, /*resumable=*/false);
    if (link_as(name)) {
      temporary_ = name;
    } else {
      forget_unfinished(name);
      if (errno != EEXIST) return cannot_write(path_, errno);
    }
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  forget_unfinished(temporary_);
  temporary_.clear();
  return {};
}

Result<void> FileWriter::commit() {
  if (pending_ && temporary_.empty()) {
    if (Result<void> named = name_unnamed(); !named) return named;
  }
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) return cannot_write(path_, errno);
  if (temporary_.empty()) return {};
  if (!force_) {
    // Unlike rename, link refuses an existing name.
    if (::link(temporary_.c_str(), path_.c_str()) == 0) return {};
    if (errno == EEXIST) return already_there(path_);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  forget_unfinished(temporary_);
  temporary_.clear();
  return {};
}

Result<void> write_file(const std::string& path, std::string_view bytes, bool force) {
  const Result<std::unique_ptr<FileWriter>> file = FileWriter::create(path, force);
  if (!file) return fail(file.error());
  if (const Result<void> written = (*file)->write(std::as_bytes(std::span(bytes))); !written) return written;
  return (*file)->commit();
}

}  // namespace tessera
