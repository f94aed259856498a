// SPDX-License-Identifier: Apache-2.0
// MappedFile and FileWriter where the system can neither map files nor rename them in one step (WebAssembly):
// each call is refused. The bytes of a file that the host has read go to the readers of npy and safetensors.
#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "files/file_writer.h"
#include "tessera/files/tensor_file.h"

namespace tessera {
namespace {

Failure no_files(Code code, const std::string& path, std::string_view verb) {
  return fail(code, fmt::format("'{}' cannot be {}: this build has no access to files", path, verb), {},
              "read the file in the host and pass its bytes");
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  return no_files(Code::file_read, path, "read");
}
Result<MappedFile> MappedFile::map(int, const std::string& name) {
  return no_files(Code::file_read, name, "read");
}
MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}
MappedFile::~MappedFile() = default;
void MappedFile::drop_pages() const {}

Failure cannot_write(const std::string& path, int error) {
  return fail(Code::file_write, fmt::format("'{}' cannot be written: {}", path, std::strerror(error)));
}
void end_unfinished() {}
void remember_unfinished(const std::string&, bool) {}
void forget_unfinished(const std::string&) {}
Result<WritablePath> writable_path(const std::string& path, bool) {
  return no_files(Code::file_write, path, "written");
}
Result<void> check_room(int, const std::string&, Index) { return {}; }
Result<std::unique_ptr<FileWriter>> FileWriter::create(const std::string& path, bool) {
  return no_files(Code::file_write, path, "written");
}
Result<std::unique_ptr<FileWriter>> FileWriter::open(const std::string& path, Index) {
  return no_files(Code::file_write, path, "written");
}
FileWriter::~FileWriter() = default;
Result<void> FileWriter::write(std::span<const std::byte>) {
  return no_files(Code::file_write, path_, "written");
}
Result<void> FileWriter::write_at(std::span<const std::byte>, Index) const {
  return no_files(Code::file_write, path_, "written");
}
Result<void> FileWriter::name_unnamed() { return {}; }
Result<void> FileWriter::commit() { return no_files(Code::file_write, path_, "written"); }
Result<void> write_file(const std::string& path, std::string_view, bool) {
  return no_files(Code::file_write, path, "written");
}

}  // namespace tessera
