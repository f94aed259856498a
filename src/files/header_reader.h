// SPDX-License-Identifier: Apache-2.0
/// \file
/// A cursor over the text in a header.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// The span of bytes [begin, end) of a file. Headers are far shorter than 4 GiB.
inline Span place(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}
inline Span place(std::size_t at) { return place(at, at); }

/// The value of a string of digits; empty for anything else, or if it does not fit.
std::optional<Index> decimal(std::string_view digits);

/// Reads the tokens of a Python literal. Every function skips blanks first. Errors: bad_file.
class HeaderReader {
 public:
  /// `text` is the file up to the end of the header; `begin` is where the literal starts.
  HeaderReader(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  void skip_blanks();
  bool at(char c);
  bool accept(char c);
  bool accept_word(std::string_view word);
  /// True if only blanks are left.
  bool at_end();
  /// A string in ' or " without escapes.
  Result<std::string_view> quoted();
  /// An integer >= 0. Other errors: number_range.
  Result<Index> integer();

  /// The span of the next byte, and the span from `begin` to the last byte read.
  Span here() const { return place(at_, at_ < text_.size() ? at_ + 1 : at_); }
  Span since(Span begin) const { return {begin.begin, static_cast<std::uint32_t>(at_)}; }
  /// The error for a next byte that is not `what`.
  Failure expected(std::string_view what);

 private:
  std::string_view text_;
  std::size_t at_;
};

}  // namespace tessera
