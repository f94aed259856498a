// SPDX-License-Identifier: Apache-2.0
/// \file
/// How each language spells integer arithmetic.
#pragma once

#include <string>
#include <string_view>

#include "tessera/code/code.h"

namespace tessera::coding {

/// How functions and loops are written. Languages of one family share their templates.
enum class Family : std::uint8_t {
  c,       ///< typed statements in braces
  python,  ///< plain integers
  arrays,  ///< Python functions on arrays of integers; operations act element by element
  affine,  ///< MLIR
};

struct Rules {
  CodeLanguage language;
  std::string_view name;
  std::string_view extension;
  Family family;
  std::string_view comment;    ///< starts a comment line
  std::string_view quotient;   ///< operator, with spaces
  std::string_view remainder;  ///< operator, with spaces
  bool floors;                 ///< true if `quotient` and `remainder` round toward minus infinity
  bool bits;                   ///< true if there are shifts, masks and XOR
  std::string_view min;        ///< name of the function of two values; if empty, use a conditional expression
  std::string_view max;
  std::string_view int32;
  std::string_view int64;
  std::string_view prologue;   ///< lines before the first function
  std::string_view qualifier;  ///< before a function's type
  std::string_view module;     ///< the array library: `np`
  /// The most bits that a product may have before it is shifted right, if the function computes with 32 or 64
  /// bits.
  int product_bits_of_32;
  int product_bits_of_64;
};

const Rules& rules_of(CodeLanguage language);

/// A line for functions of JAX that compute with 64 bits: raises an error if `array` has fewer, because JAX
/// narrows silently by default.
std::string jax_width_check(std::string_view array);

/// True if the word may name a function or a variable in every language: it is an identifier that no language
/// reserves.
bool is_identifier(std::string_view word);

}  // namespace tessera::coding
