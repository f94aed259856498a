// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "notation/notation_traits.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

constexpr std::array kNotations = {
#define TESSERA_NOTATION(name) Notation::name,
    TESSERA_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
};

constexpr std::string_view kNotationNames[] = {
#define TESSERA_NOTATION(name) #name,
    TESSERA_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
};

}  // namespace

std::span<const Notation> all_notations() { return kNotations; }

std::string_view to_string(Notation notation) { return kNotationNames[static_cast<std::size_t>(notation)]; }

std::optional<Notation> parse_notation(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const Notation notation : kNotations) {
    const detail::NotationTraits& traits = detail::traits_of(notation);
    if (name == to_string(notation) || name == traits.prefix || name == traits.community) return notation;
  }
  return std::nullopt;
}

std::string_view prefix(Notation notation) { return detail::traits_of(notation).prefix; }

}  // namespace tessera
