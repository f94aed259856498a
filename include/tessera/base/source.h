// SPDX-License-Identifier: Apache-2.0
/// \file
/// A text with a name, and positions in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Half-open byte range [begin, end) of a text. An empty span marks a position between two bytes.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// Line and column of a byte, both counted from 1; columns count bytes.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;

  friend bool operator==(const Position&, const Position&) = default;
};

/// A text and the name that diagnostics show for it. Immutable, so threads may share it. Texts must be
/// smaller than 4 GiB (file readers return `file_too_large`).
class Source {
 public:
  /// `first_line` is the number of the text's first line; larger than 1 if the text is part of a longer one.
  Source(std::string name, std::string text, std::size_t first_line = 1);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const;

  /// Line and column of a byte offset; offsets past the end give the position after the last byte. O(log
  /// lines).
  Position position(std::size_t offset) const;

  /// The line with this number without its line break. Empty if there is no such line.
  std::string_view line(std::size_t number) const;

 private:
  std::string name_;
  std::string text_;
  std::size_t first_line_ = 1;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace tessera
