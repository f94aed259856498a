// SPDX-License-Identifier: Apache-2.0
/// \file
/// DistributionScanner: what the texts of all notations of distributions consist of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "text/scanner.h"

namespace tessera::detail {

/// A Scanner with lists, names and quoted names.
class DistributionScanner : public Scanner {
 public:
  using Scanner::accept;
  using Scanner::expected;
  using Scanner::here;
  using Scanner::integer;
  using Scanner::next;
  using Scanner::Scanner;
  using Scanner::span;

  std::size_t position() const { return pos_; }
  void move_to(std::size_t position) { pos_ = position; }
  std::string_view text() const { return text_; }
  std::string_view rest() { return text_.substr(next()); }
  Span since(std::size_t begin) const { return span(begin, pos_); }

  /// Takes a word, unless it is the beginning of a longer word.
  bool accept_word(std::string_view word);
  /// Takes `symbol` or fails: "expected 'symbol'".
  Result<void> need(std::string_view symbol);
  /// letter or `_`, then letters, digits and `_`.
  Result<std::string> name();
  /// `'x'` or `"x"`.
  Result<std::string> quoted();
  /// `[-] digits`
  Result<Index> signed_integer();
  /// A number of at least `least`. Errors: syntax, number_range; `what` names the number.
  Result<Index> at_least(Index least, std::string_view what);
  /// Reads numbers between commas up to and including `close`. A comma before `close` is allowed. Without
  /// numbers, the list is empty.
  Result<std::vector<Index>> integers_until(std::string_view close);
  /// As integers_until, of quoted names.
  Result<std::vector<std::string>> quoted_until(std::string_view close);

 private:
  template <class T>
  Result<std::vector<T>> list_until(std::string_view close, Result<T> (DistributionScanner::*item)());
};

}  // namespace tessera::detail
