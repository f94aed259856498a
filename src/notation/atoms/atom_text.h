// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads `atom:ID` in the text of a layout.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/atoms.h"

namespace tessera::detail {

/// The beginning of a text that names an atom.
struct AtomName {
  std::string_view id;  ///< letters, digits, `_` and `.`; empty if there are none
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The name of a text that begins with `atom:`.
std::optional<AtomName> atom_name(std::string_view text);

/// The atom with this name. Errors: syntax (no ID), unknown_name, whose span begins where the name stops
/// matching any atom's ID.
Result<const Atom*> find_atom(const AtomName& name);

/// `atom:ID`, or `atom:ID crop (...)` for an atom in CuTe's notation. Errors: those of find_atom, syntax,
/// those of the crop.
Result<Layout> read_atom(std::string_view text, const AtomName& name);

}  // namespace tessera::detail
