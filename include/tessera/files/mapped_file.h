// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files mapped into memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tessera/base/result.h"

namespace tessera {

/// A whole file as read-only memory. Pages are loaded when touched and count as the process's memory until
/// they are dropped. The file must not shrink while it is mapped: the system then sends SIGBUS.
class MappedFile {
 public:
  /// Errors: file_not_found; file_read for a file that may not be read, for a folder, for something without a
  /// size to map (a pipe, a terminal), and if the system refuses. An empty file has no bytes.
  static Result<MappedFile> open(const std::string& path);
  /// The same for an open file; the descriptor may be closed afterward. `name` is for messages.
  static Result<MappedFile> map(int descriptor, const std::string& name);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Returns touched pages to the system, which reloads them from the file when they are needed. Threads that
  /// read them at the same time become slow.
  void drop_pages() const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace tessera
