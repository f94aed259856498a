// SPDX-License-Identifier: Apache-2.0
#include "reshard/distribution_scanner.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "text/character_class.h"

namespace tessera::detail {

bool DistributionScanner::accept_word(std::string_view word) {
  const std::size_t begin = next();
  if (!accept(word)) return false;
  if (is_word(here())) {
    pos_ = begin;
    return false;
  }
  return true;
}

Result<void> DistributionScanner::need(std::string_view symbol) {
  if (accept(symbol)) return {};
  return expected(fmt::format("'{}'", symbol));
}

Result<std::string> DistributionScanner::name() {
  const std::size_t begin = next();
  if (!is_letter(here()) && here() != '_') return expected("a name");
  while (is_word(here())) ++pos_;
  return std::string(text_.substr(begin, pos_ - begin));
}

Result<std::string> DistributionScanner::quoted() {
  const std::size_t begin = next();
  const char quote = here();
  if (quote != '\'' && quote != '"') return expected("a quoted name");
  const std::size_t close = text_.find(quote, begin + 1);
  if (close == std::string_view::npos) {
    return fail(Code::syntax, "expected a closing quote, found the end of the text",
                span(begin, text_.size()));
  }
  pos_ = close + 1;
  return std::string(text_.substr(begin + 1, close - begin - 1));
}

Result<Index> DistributionScanner::signed_integer() {
  const bool negative = accept("-");
  const auto value = integer();
  if (!value) return fail(value.error());
  return negative ? -*value : *value;
}

Result<Index> DistributionScanner::at_least(Index least, std::string_view what) {
  const std::size_t begin = next();
  TESSERA_TRY(value, signed_integer());
  if (value < least) {
    return fail(Code::number_range, fmt::format("{} must be at least {}, not {}", what, least, value),
                since(begin));
  }
  return value;
}

template <class T>
Result<std::vector<T>> DistributionScanner::list_until(std::string_view close,
                                                       Result<T> (DistributionScanner::*item)()) {
  std::vector<T> values;
  while (!accept(close)) {
    if (!values.empty()) {
      if (!accept(",")) return expected(fmt::format("',' or '{}'", close));
      if (accept(close)) break;
    }
    TESSERA_TRY(value, (this->*item)());
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::vector<Index>> DistributionScanner::integers_until(std::string_view close) {
  return list_until(close, &DistributionScanner::signed_integer);
}

Result<std::vector<std::string>> DistributionScanner::quoted_until(std::string_view close) {
  return list_until(close, &DistributionScanner::quoted);
}

}  // namespace tessera::detail
