// SPDX-License-Identifier: Apache-2.0
// `tessera atoms`: layouts of real hardware and libraries.
#include "tessera/notation/atoms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "report/atom_answer.h"
#include "report/family_answer.h"
#include "tessera/notation/named_layout.h"
#include "text/character_class.h"

namespace tessera::cli {
namespace {

using detail::lower_case;

struct AskedAtoms {
  std::vector<std::string> words;
  std::string vendor;
  std::string family;
  std::string type;
};

bool contains(std::string_view text, std::string_view part) {
  return lower_case(text).find(lower_case(part)) != std::string::npos;
}

// True if a letter is a separate word of a text: `A` of `nv.sm80.m16n8k16.f16.A`.
bool has_letter(const std::string& text, char letter) {
  const auto in_word = [&](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t at = text.find(letter); at != std::string::npos; at = text.find(letter, at + 1))
    if (!in_word(at + 1) && (at == 0 || !in_word(at - 1))) return true;
  return false;
}

// The name of one family may be part of another: `image`, `image tiling`.
bool is_family(std::string_view name) {
  return std::ranges::any_of(atoms(),
                             [&](const Atom& atom) { return lower_case(atom.family) == lower_case(name); });
}

bool is_selected(const Atom& atom, const AskedAtoms& asked) {
  const bool family = is_family(asked.family) ? lower_case(atom.family) == lower_case(asked.family)
                                              : contains(atom.family, asked.family);
  return family && contains(atom.vendor, asked.vendor);
}

bool has_words(const Atom& atom, const std::vector<std::string>& words) {
  const std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", atom.id, atom.vendor, atom.family,
                                       to_string(atom.kind), atom.element, atom.meaning);
  return std::ranges::all_of(words, [&](const std::string& word) {
    return word.size() == 1 ? has_letter(lower_case(text), lower_case(word)[0]) : contains(text, word);
  });
}

// What a search finds: atoms, families of named layouts, names of a layout.
struct Found {
  std::vector<const Atom*> atoms = {};
  std::vector<const NamedFamilyInfo*> families = {};
  std::vector<NamedLayout> names = {};
  bool needs_type = false;  // names depend on a width that is not known

  bool empty() const { return atoms.empty() && families.empty() && names.empty(); }
};

bool is_selected(const NamedFamilyInfo& family, const AskedAtoms& asked) {
  return asked.vendor.empty() && contains(family.name.substr(0, family.name.find(':')), asked.family);
}

bool has_words(const NamedFamilyInfo& family, const std::vector<std::string>& words) {
  std::string text = fmt::format("{}\n{}\n{}", family.name, family.meaning, family.source);
  for (const NamedFamilyInfo::Parameter& parameter : family.parameters) text += "\n" + parameter.key;
  return std::ranges::all_of(words, [&](const std::string& word) { return contains(text, word); });
}

// The atom with this ID, or the family of this name. Otherwise those that contain every word. Otherwise the
// atoms with the layout that the words spell, and its names.
Found search(const AskedAtoms& asked) {
  Found found;
  if (asked.words.size() == 1) {
    const std::string& word = asked.words[0];
    const Atom* const atom = word.starts_with("atom:") ? named_atom(word) : find_atom(word);
    if (atom != nullptr && is_selected(*atom, asked)) return {.atoms = {atom}};
    for (const NamedFamilyInfo& family : named_families())
      if (family.name == word && is_selected(family, asked)) return {.families = {&family}};
  }
  for (const Atom& atom : atoms())
    if (is_selected(atom, asked) && has_words(atom, asked.words)) found.atoms.push_back(&atom);
  for (const NamedFamilyInfo& family : named_families())
    if (is_selected(family, asked) && has_words(family, asked.words)) found.families.push_back(&family);
  if (!found.empty()) return found;
  if (const Result<Layout> layout = parse_layout(fmt::format("{}", fmt::join(asked.words, " ")))) {
    found.atoms = atoms_equal_to(*layout);
    std::erase_if(found.atoms, [&](const Atom* atom) { return !is_selected(*atom, asked); });
    std::optional<Index> bits = layout->element_bits();
    if (!asked.type.empty()) bits = parse_cell_type(asked.type)->bits;
    found.needs_type = !bits && found.atoms.empty();
    if (bits && asked.vendor.empty() && asked.family.empty())
      found.names = names_of(*layout, static_cast<int>(*bits));
  }
  return found;
}

PrintedAnswer ask(const AskedAtoms& asked) {
  const Found found = search(asked);
  const int status = found.empty() ? kNo : kDone;
  PrintedAnswer answer{.status = status, .json = to_json(found.atoms, found.families, found.names, status)};
  if (found.atoms.size() == 1 && found.families.empty() && found.names.empty()) {
    answer.text = to_text(*found.atoms[0]);
  } else if (found.families.size() == 1 && found.atoms.empty()) {
    answer.text = to_text(*found.families[0]);
  } else if (found.empty()) {
    answer.text = "no atom";
    answer.hints = {"search for words of the ID, vendor, family, element or meaning, or for a layout"};
  } else {
    const std::string parts[] = {to_list(found.atoms), to_list(found.families), to_list(found.names)};
    for (const std::string& part : parts)
      answer.text += part.empty() ? "" : (answer.text.empty() ? "" : "\n") + part;
  }
  if (found.needs_type) answer.hints.push_back("names depend on the width of the elements: --type u8");
  return answer;
}

}  // namespace

void add_atoms(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("atoms", "layouts of real hardware and libraries, by name");
  auto asked = std::make_shared<AskedAtoms>();
  verb->add_option("WORD", asked->words,
                   "list the atoms that have every word in their ID, vendor, family, element or meaning; or "
                   "an ID, or a layout");
  verb->add_option("--vendor", asked->vendor, "only atoms of this vendor: NVIDIA, AMD, Intel, ...")
      ->type_name("NAME");
  verb->add_option("--family", asked->family, "only atoms of this family: wgmma, MFMA, oneDNN tag, ...")
      ->type_name("NAME");
  verb->add_option("--type", asked->type,
                   "the type of the elements, on which the names of a layout depend: u8")
      ->type_name("TYPE")
      ->check(cell_type());
  add_common_options(*verb, session);
  verb->footer(
      R"(An atom is a layout that atom:ID names wherever a layout is read. Families, such as scale:128x4, name a layout with their
parameters, a type and extents: scale:128x4 u8[300,7]. Of a layout, the atoms and the names are found. If only one is found, everything about it is
shown: what its coordinates mean, the source, and the checks of its layout. The exit status is 1 if none is found.

Examples:
  tessera atoms ldmatrix
  tessera atoms --vendor AMD f16
  tessera atoms nv.sm80.m16n8k16.f16.A
  tessera atoms '((4,8),(2,2)):((32,1),(16,8))'
  tessera atoms pack:awq
  tessera atoms '((8,4),4):((4,32),1)' --type u8
  tessera show atom:nv.sm80.m16n8k16.f16.A --tv
  tessera at atom:amd.mfma.32x32.D 33,5)");
  verb->callback([&session, asked] {
    session.action = [&session, asked] {
      return answer(session, {.inputs = {}, .ask = [&](const Inputs&) { return ask(*asked); }});
    };
  });
}

}  // namespace tessera::cli
