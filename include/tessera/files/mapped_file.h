// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bytes of a file, read through a mapping.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tessera/base/result.h"

namespace tessera {

/// A whole file as read-only memory. Pages come when they are touched and count as the process's memory until
/// they are dropped. The file must not shrink while it is mapped: the system answers that with SIGBUS.
class MappedFile {
 public:
  /// Errors: file_not_found; file_read for a file that may not be read, for a folder, for something that has
  /// no size to map (a pipe, a terminal), and where the system refuses. An empty file has no bytes.
  static Result<MappedFile> open(const std::string& path);
  /// The same for a file that is open; the descriptor may be closed afterwards. `name` is for messages.
  static Result<MappedFile> map(int descriptor, const std::string& name);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Gives the pages that were touched back to the system; they come again from the file when they are
  /// needed. No thread may be reading what must stay fast.
  void drop_pages() const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace tessera
