// SPDX-License-Identifier: Apache-2.0
/// \file
/// ASCII letters and digits, independent of the locale.
#pragma once

namespace tessera::detail {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Whether a character can be part of a name.
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace tessera::detail
