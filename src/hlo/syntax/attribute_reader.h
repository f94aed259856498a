// SPDX-License-Identifier: Apache-2.0
/// \file
/// Helpers for readers of attribute values.
#pragma once

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "hlo/syntax/lexer.h"
#include "tessera/base/result.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

// Runs `read` over the whole value. A syntax error becomes bad_attribute: the value is well-formed text, but
// not of the form that this attribute needs.
template <class T, class Read>
Result<T> read_value(const Attribute& attribute, const char* form, Read read) {
  HloLexer lexer(attribute.value, attribute.span.begin);
  T value{};
  if (read(lexer, value) && lexer.skip() && lexer.at_end()) return value;
  if (!lexer.error) lexer.expected("the end of the value");
  Diagnostic error = *std::move(lexer.error);
  if (error.code == Code::syntax) error.code = Code::bad_attribute;
  error.message = fmt::format("attribute '{}': {}", attribute.key, error.message);
  if (error.help.empty() && error.code != Code::number_range)
    error.help = fmt::format("the form is {}={}", attribute.key, form);
  return fail(std::move(error));
}

// open [ item { ',' item } ] close
template <class Item>
bool read_list(HloLexer& lexer, char open, char close, Item item) {
  const char opening[] = {'\'', open, '\'', '\0'};
  const char closing[] = {'\'', ',', '\'', ' ', 'o', 'r', ' ', '\'', close, '\'', '\0'};
  if (!lexer.need(open, opening)) return false;
  if (lexer.accept(close)) return true;
  do {
    if (!item()) return false;
  } while (lexer.accept(','));
  return lexer.need(close, closing);
}

inline bool read_index_list(HloLexer& lexer, std::vector<Index>& out, char open = '{', char close = '}') {
  return read_list(lexer, open, close, [&] { return lexer.integer(out.emplace_back(), "an integer"); });
}

}  // namespace tessera::detail
