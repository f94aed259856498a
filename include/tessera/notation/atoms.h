// SPDX-License-Identifier: Apache-2.0
/// \file
/// Atoms: layouts of real hardware and libraries, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// What an atom maps. `fragment`: (thread, value) to a position in a tile that is held in registers.
/// `shared`: a position to an offset in shared memory, counted from a multiple of the pattern's size.
/// `memory`: a position to an offset. `lanes`: a position to a lane.
enum class AtomKind : std::uint8_t { fragment, shared, memory, lanes };
/// `fragment`, `shared`, `memory`, `lanes`.
std::string_view to_string(AtomKind kind);

/// The name and the extent of a coordinate or a result, such as `thread` and 32.
struct AtomAxis {
  std::string_view name;
  Index extent = 0;
};

/// A coordinate and its result, as given by the atom's source.
struct AtomPoint {
  std::vector<Index> coordinate;
  std::vector<Index> result;
};

/// A layout that hardware or a library uses. A fragment's codomain is a pair, and its offset is the 1-D index
/// of the tile with the first dimension fastest: m + M * k. A is (m,k), B is (n,k), C and D are (m,n).
/// Offsets and values count elements, unless the codomain names bytes, nibbles, pixels or lanes. All texts
/// are static.
struct Atom {
  std::string_view id;      ///< vendor.generation.instruction.element.operand: `nv.sm80.m16n8k16.f16.A`
  std::string_view vendor;  ///< `NVIDIA`
  std::string_view family;  ///< `mma.m16n8k16`
  AtomKind kind = AtomKind::memory;
  std::string_view element;  ///< the type in the source; other types of the same width have the same layout
  std::optional<Index> element_bits;  ///< empty for pixels and lanes
  std::string_view layout;            ///< the text, for parse_layout
  std::vector<AtomAxis> domain;       ///< one for each dimension of the layout
  std::vector<AtomAxis> codomain;
  bool bijective = true;  ///< reaches every point of the codomain exactly once
  std::vector<AtomPoint> points;
  std::string_view meaning;
  std::string_view notes;   ///< may be empty
  std::string_view source;  ///< where the layout was taken from
  std::string_view second;  ///< an independent source that agrees; empty if none is known
};

/// Every atom, grouped by vendor and family. The first call reads them, in about 0.2 ms.
std::span<const Atom> atoms();

/// The atom with this ID; null if there is none. O(atoms).
const Atom* find_atom(std::string_view id);

/// The atom that `atom:ID` names; null for every other text.
const Atom* named_atom(std::string_view text);

/// The position for a value of the atom's layout: (value mod M, value / M) in a tile of M rows, or else the
/// value alone.
std::vector<Index> atom_result(const Atom& atom, Index value);

/// Whether a layout is one-to-one, and whether it reaches every point of a codomain.
struct AtomCoverage {
  bool injective = false;
  bool onto = false;
};

/// Checks the fields of an atom against its layout, by enumeration: the extents of the domain, that every
/// value lies in the codomain, the points, and `bijective`. Returns the coverage. Errors: verify_failed.
Result<AtomCoverage> check_atom(const Atom& atom);

/// Atoms whose layout is the same function over the same box. Exact, by comparing every value. O(atoms *
/// size).
std::vector<const Atom*> atoms_equal_to(const Layout& layout);

}  // namespace tessera
