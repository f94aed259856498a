// SPDX-License-Identifier: Apache-2.0
#include "verbs/atoms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "notation/named/name_search.h"
#include "report/atom_answer.h"
#include "report/exit_status.h"
#include "report/family_answer.h"
#include "text/character_class.h"

namespace tessera::verbs {
namespace {

using detail::lower_case;

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
  return std::ranges::any_of(tessera::atoms(),
                             [&](const Atom& atom) { return lower_case(atom.family) == lower_case(name); });
}

bool is_selected(const Atom& atom, const AtomsRequest& request) {
  const bool family = is_family(request.family) ? lower_case(atom.family) == lower_case(request.family)
                                                : contains(atom.family, request.family);
  return family && contains(atom.vendor, request.vendor);
}

bool has_words(const Atom& atom, const std::vector<std::string>& words) {
  const std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", atom.id, atom.vendor, atom.family,
                                       to_string(atom.kind), atom.element, atom.meaning);
  return std::ranges::all_of(words, [&](const std::string& word) {
    return word.size() == 1 ? has_letter(lower_case(text), lower_case(word)[0]) : contains(text, word);
  });
}

bool is_selected(const NamedFamilyInfo& family, const AtomsRequest& request) {
  return request.vendor.empty() && contains(family.name.substr(0, family.name.find(':')), request.family);
}

bool has_words(const NamedFamilyInfo& family, const std::vector<std::string>& words) {
  std::string text = fmt::format("{}\n{}\n{}", family.name, family.meaning, family.source);
  for (const NamedFamilyInfo::Parameter& parameter : family.parameters) text += "\n" + parameter.key;
  return std::ranges::all_of(words, [&](const std::string& word) { return contains(text, word); });
}

// Why a text that begins as a name is none.
Failure not_a_name(const std::string& text, Diagnostic error) {
  if (error.span.end == 0) error.span = {0, static_cast<std::uint32_t>(text.size())};
  return refuse("word", std::move(error));
}

Result<FoundAtoms> search(const AtomsRequest& request) {
  FoundAtoms found;
  if (request.word.size() == 1) {
    const std::string& word = request.word[0];
    const Atom* const atom = word.starts_with("atom:") ? named_atom(word) : find_atom(word);
    if (atom != nullptr && is_selected(*atom, request)) return FoundAtoms{.atoms = {atom}};
    for (const NamedFamilyInfo& family : named_families())
      if (family.name == word && is_selected(family, request)) return FoundAtoms{.families = {&family}};
  }
  for (const Atom& atom : tessera::atoms())
    if (is_selected(atom, request) && has_words(atom, request.word)) found.atoms.push_back(&atom);
  for (const NamedFamilyInfo& family : named_families())
    if (is_selected(family, request) && has_words(family, request.word)) found.families.push_back(&family);
  if (!found.empty()) return found;
  const std::string text = fmt::format("{}", fmt::join(request.word, " "));
  Result<NamedOrLayout> side = parse_named_or_layout(text);
  if (!side && is_named_text(text)) return not_a_name(text, std::move(side.error()));
  if (!side) return found;
  if (side->layout) found.atoms = atoms_equal_to(*side->layout);
  std::erase_if(found.atoms, [&](const Atom* atom) { return !is_selected(*atom, request); });
  std::optional<Index> bits = side->element_bits();
  if (request.type) bits = request.type->bits;
  found.needs_type = !bits && found.atoms.empty();
  if (!bits || !request.vendor.empty() || !request.family.empty()) return found;
  // The width of cells is free.
  if (side->named && side->layout && side->named->type().bits != *bits) side->named.reset();
  detail::NameSearch names = detail::search_names(*side, static_cast<int>(*bits), request.type);
  found.names = std::move(names.names);
  found.undecided = std::move(names.undecided);
  return found;
}

}  // namespace

int AtomsResult::status() const { return found_.empty() ? kNo : kDone; }

Result<std::string> AtomsResult::to_text(const Terminal& /*terminal*/) const {
  if (found_.empty()) return "no atom";
  const auto& [atoms, families, names, undecided, needs_type] = found_;
  if (atoms.size() == 1 && families.empty() && names.empty()) return tessera::to_text(*atoms[0]);
  if (families.size() == 1 && atoms.empty()) return tessera::to_text(*families[0]);
  std::string text;
  for (const std::string& part : {to_list(atoms), to_list(families), to_list(names)})
    text += part.empty() ? "" : (text.empty() ? "" : "\n") + part;
  return text;
}

Result<std::string> AtomsResult::to_json() const {
  return tessera::to_json(found_.atoms, found_.families, found_.names, status());
}

std::vector<std::string> AtomsResult::hints() const {
  std::vector<std::string> out;
  if (found_.empty())
    out.emplace_back("search for words of the ID, vendor, family, element or meaning, or for a layout");
  if (found_.needs_type) out.emplace_back("names depend on the width of the elements: --type u8");
  for (const NamedLayout& name : found_.undecided)
    out.push_back(fmt::format("it is not known whether {} is the same function", name_of(name)));
  return out;
}

Result<AtomsResult> atoms(const AtomsRequest& request, Observer& /*observer*/) {
  auto found = search(request);
  if (!found) return fail(std::move(found.error()));
  return AtomsResult(*std::move(found));
}

}  // namespace tessera::verbs
