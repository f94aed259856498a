// SPDX-License-Identifier: Apache-2.0
/// \file
/// Standard input, line by line.
#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// Lines of a descriptor, without their line breaks (`\n`, `\r\n`). A last line without one counts.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  enum class Status { line, too_long, end, failed };
  /// The next line, a view of the reader's buffer that is valid until the next call.
  Status next(std::string_view& line);
  /// True if another line is already buffered, so that answers need not be flushed yet.
  bool has_line() const { return buffer_.find('\n', position_) != std::string::npos; }
  /// The errno of the failure, after the status `failed`.
  int error() const { return error_; }

 private:
  bool fill();

  int descriptor_;
  int error_ = 0;
  bool ended_ = false;
  std::string buffer_;
  std::size_t position_ = 0;  // the first byte not yet returned
};

}  // namespace tessera::cli
