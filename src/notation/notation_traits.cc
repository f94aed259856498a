// SPDX-License-Identifier: Apache-2.0
#include "notation/notation_traits.h"

#include "notation/parse_layout.h"

namespace tessera::detail {

TextStart::TextStart(std::string_view whole) : text(whole), begin(skip_blanks(whole, 0)) {
  inside = begin < text.size() && text[begin] == '(' ? skip_blanks(text, begin + 1) : begin;
  word = word_at(text, inside);
  const std::size_t after = skip_blanks(text, inside + word.size());
  next = after < text.size() ? text[after] : '\0';
  has_arrow = text.find("->") != std::string_view::npos;
}

const NotationTraits& traits_of(Notation notation) {
  static const NotationTraits* const kTraits[] = {
#define TESSERA_NOTATION(name) &name##_traits(),
      TESSERA_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
  };
  return *kTraits[static_cast<std::size_t>(notation)];
}

}  // namespace tessera::detail
