// SPDX-License-Identifier: Apache-2.0
/// \file
/// A cursor over the text in a header.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// A place in a file. Headers end long before 4 GiB.
inline Span place(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}
inline Span place(std::size_t at) { return place(at, at); }

/// The value of a text of only digits, or nothing.
std::optional<Index> decimal(std::string_view digits);

/// Parses Python's literals. Every function except `at_end` skips blanks first; errors are bad_file.
class HeaderReader {
 public:
  /// `text` is the file up to the end of the header, `begin` is where the literals start.
  HeaderReader(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  void skip_blanks();
  bool at(char c);
  bool accept(char c);
  bool accept_word(std::string_view word);
  /// Only blanks are left.
  bool at_end();
  /// A string in ' or " without escapes.
  Result<std::string_view> quoted();
  /// An integer >= 0. Errors also: number_range.
  Result<Index> integer();

  /// The next byte; the range from another place to the last byte consumed.
  Span here() const { return place(at_, at_ < text_.size() ? at_ + 1 : at_); }
  Span since(Span begin) const { return {begin.begin, static_cast<std::uint32_t>(at_)}; }
  Failure expected(std::string_view what);

 private:
  std::string_view text_;
  std::size_t at_;
};

}  // namespace tessera
