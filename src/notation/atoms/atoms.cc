// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/atoms.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace tessera {
namespace {

// clang-format off
constexpr std::string_view kAtoms =
#include "notation/atoms/atoms.inc"
;
// clang-format on

constexpr std::string_view kKinds[] = {"fragment", "shared", "memory", "lanes"};

Index number_of(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  TESSERA_CHECK(error == std::errc{} && end == text.data() + text.size(), "a number of the list of atoms");
  return value;
}

// Cuts `text` at the first `separator`: returns the part before it and leaves the part after it in `text`.
// Without a separator, returns all of `text` and leaves nothing.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + separator.size()));
  return part;
}

// Reads `thread 32, value 4`. A name may contain blanks.
std::vector<AtomAxis> axes_of(std::string_view text) {
  std::vector<AtomAxis> axes;
  while (!text.empty()) {
    const std::string_view axis = take(text, ", ");
    const std::size_t blank = axis.rfind(' ');
    axes.push_back({axis.substr(0, blank), number_of(axis.substr(blank + 1))});
  }
  return axes;
}

std::vector<Index> numbers_of(std::string_view text) {
  std::vector<Index> numbers;
  while (!text.empty()) numbers.push_back(number_of(take(text, ",")));
  return numbers;
}

// Reads `1,0 -> 0,2; 20,2 -> 13,0`.
std::vector<AtomPoint> points_of(std::string_view text) {
  std::vector<AtomPoint> points;
  while (!text.empty()) {
    std::string_view point = take(text, "; ");
    const std::string_view coordinate = take(point, " -> ");
    points.push_back({numbers_of(coordinate), numbers_of(point)});
  }
  return points;
}

void set_field(Atom& atom, std::string_view key, std::string_view value) {
  static constexpr std::pair<std::string_view, std::string_view Atom::*> kTexts[] = {
      {"vendor", &Atom::vendor},   {"family", &Atom::family}, {"layout", &Atom::layout},
      {"meaning", &Atom::meaning}, {"notes", &Atom::notes},   {"source", &Atom::source},
      {"second", &Atom::second}};
  for (const auto& [name, field] : kTexts) {
    if (name != key) continue;
    atom.*field = value;
    return;
  }
  if (key == "kind") {
    const auto found = std::ranges::find(kKinds, value);
    TESSERA_CHECK(found != std::end(kKinds), "a kind of the list of atoms");
    atom.kind = static_cast<AtomKind>(found - std::begin(kKinds));
  } else if (key == "element") {
    atom.element = take(value, " ");
    if (!value.empty()) atom.element_bits = number_of(value);
  } else if (key == "domain") {
    atom.domain = axes_of(value);
  } else if (key == "codomain") {
    atom.codomain = axes_of(value);
  } else if (key == "points") {
    atom.points = points_of(value);
  } else {
    TESSERA_CHECK(key == "bijective" && value == "no", "a key of the list of atoms");
    atom.bijective = false;
  }
}

std::vector<Atom> read_atoms(std::string_view text) {
  std::vector<Atom> atoms;
  while (!text.empty()) {
    std::string_view value = take(text, "\n");
    if (value.empty()) continue;
    const std::string_view key = take(value, " ");
    value.remove_prefix(value.find_first_not_of(' '));
    if (key == "atom") {
      atoms.emplace_back().id = value;
    } else {
      set_field(atoms.back(), key, value);
    }
  }
  return atoms;
}

}  // namespace

std::string_view to_string(AtomKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::span<const Atom> atoms() {
  static const std::vector<Atom> all = read_atoms(kAtoms);
  return all;
}

const Atom* find_atom(std::string_view id) {
  const auto found = std::ranges::find(atoms(), id, &Atom::id);
  return found == atoms().end() ? nullptr : &*found;
}

}  // namespace tessera
