// SPDX-License-Identifier: Apache-2.0
/// \file
/// TtgirLine: the parts of one line of a TTGIR file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::ttgir {

struct TtgirLine {
  Index number = 0;
  std::string_view text = {};                  ///< without blanks around it and without its location
  std::vector<std::string_view> results = {};  ///< `%a`, without `:8`
  std::string op = {};                         ///< `ttg.local_load`, in today's spelling; empty for none
  std::string_view rest = {};                  ///< after the operation's name
  std::string_view location = {};              ///< inside `loc(...)`
  bool opens = false;                          ///< a region begins at its end
  bool closes = false;                         ///< begins with `}`
};

std::vector<TtgirLine> lines_of(std::string_view text);

/// The types after the last `:` outside all brackets; empty if there is none.
std::string_view types_of(std::string_view text);
/// `tensor<...>` and `!ttg.memdesc<...>` of a list of types, also `<...>` after `->`.
std::vector<std::string_view> tensor_types(std::string_view types);
/// The position of the bracket that closes the one at `open`, or npos.
std::size_t closing(std::string_view text, std::size_t open);
/// The names `%a`, `%b#2` in a text.
std::vector<std::string_view> values_in(std::string_view text);
/// The integer after `key = `, such as `axis = 1 : i32`.
std::optional<Index> integer_key(std::string_view text, std::string_view key);
/// The permutation in `{order = array<i32: 1, 0>}`; nothing if there is none.
std::optional<std::vector<std::size_t>> permutation_of(std::string_view text);

}  // namespace tessera::ttgir
