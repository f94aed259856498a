// SPDX-License-Identifier: Apache-2.0
/// \file
/// NotationTraits: how to recognize and read a notation, and how to convert to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {

/// Whether a text without a prefix may be in a notation. `certain` wins over `possible`; of several
/// `possible` notations, the first that can read the text wins.
enum class Claim : std::uint8_t { no, possible, certain };

/// The features of a text by which notations recognize it.
struct TextStart {
  explicit TextStart(std::string_view whole);

  std::string_view text;  ///< the whole text
  std::size_t begin;      ///< position of the first character that is not blank
  std::size_t inside;     ///< as `begin`, but after an opening parenthesis if the text begins with one
  std::string_view word;  ///< letters, digits and `_` at `inside`
  char next;              ///< the character after the word, 0 at the end
  bool has_arrow;         ///< the text contains `->`: it is a map

  char first() const { return text[begin]; }
  std::string_view rest() const { return text.substr(begin); }
};

struct NotationTraits {
  std::string_view prefix;   ///< the short form that is printed, without the colon
  std::string_view example;  ///< the help for a syntax error: `strides have sizes and steps: np:(2,3):(3,1)`
  Claim (*claim)(const TextStart& start);
  /// Reads the text without the prefix. Errors have spans.
  Result<Layout> (*read)(std::string_view text);
  Result<Conversion> (*convert)(const Layout& from);
  /// Appends other spellings of `from` in this notation; `first` is the result of `convert`. Null if there
  /// are none.
  void (*add_spellings)(const Layout& from, const Layout& first, std::vector<Layout>& all);
  /// The name of the community, if it is neither the prefix nor the notation's own name. It is read, too.
  std::string_view community = {};
};

/// One function for each notation, in its folder.
#define TESSERA_NOTATION(name) const NotationTraits& name##_traits();
TESSERA_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION

const NotationTraits& traits_of(Notation notation);

}  // namespace tessera::detail
