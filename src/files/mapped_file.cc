// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tessera/files/tensor_file.h"

namespace tessera {
namespace {

Failure cannot_read(const std::string& name, std::string_view reason, std::string help = {}) {
  return fail(Code::file_read, fmt::format("'{}' cannot be read: {}", name, reason), {}, std::move(help));
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR)
      return fail(Code::file_not_found, fmt::format("'{}' cannot be opened: {}", path, std::strerror(error)),
                  {}, "check the path: relative paths start from the current directory");
    return cannot_read(path, std::strerror(error),
                       error == EACCES ? "you have no read permission; ls -l shows the permissions" : "");
  }
  Result<MappedFile> file = map(descriptor, path);
  ::close(descriptor);
  return file;
}

Result<MappedFile> MappedFile::map(int descriptor, const std::string& name) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) return cannot_read(name, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return cannot_read(name, std::strerror(EISDIR), "name a file in that folder");
  if (!S_ISREG(status.st_mode))
    return cannot_read(name, "it is not a regular file", "write the bytes to a file first");
  MappedFile file;
  if (status.st_size == 0) return file;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    return cannot_read(
        name, std::strerror(error),
        error == ENOMEM ? "the whole file is mapped into memory, so ulimit -v must allow its size" : "");
  }
  file.bytes_ = {static_cast<const std::byte*>(memory), size};
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::drop_pages() const {
  if (!bytes_.empty()) ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace tessera
