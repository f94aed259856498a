// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
  const auto found = std::ranges::find(kNotationNames, name);
  if (found == std::end(kNotationNames)) return std::nullopt;
  return static_cast<Notation>(found - std::begin(kNotationNames));
}

std::string_view prefix(Notation notation) { return detail::traits_of(notation).prefix; }

}  // namespace tessera
