// SPDX-License-Identifier: Apache-2.0
/// \file
/// Atoms as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/notation/atoms.h"
#include "tessera/notation/named_layout.h"

namespace tessera {

/// One line for each atom, without the last line break: the ID, the layout, the meaning.
std::string to_list(std::span<const Atom* const> atoms);

/// Everything about one atom, with the checks of its layout: several lines, without the last line break.
std::string to_text(const Atom& atom);

/// `{"schema": "tessera.atoms/1", "status": 0, "atoms": [...], "families": [...], "names": [...]}`;
/// docs/lookup/json.md lists the keys.
std::string to_json(std::span<const Atom* const> atoms, std::span<const NamedFamilyInfo* const> families,
                    std::span<const NamedLayout> names, int status);

}  // namespace tessera
