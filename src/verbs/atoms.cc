// SPDX-License-Identifier: Apache-2.0
#include "verbs/atoms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "report/atom_answer.h"
#include "report/exit_status.h"
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

std::vector<const Atom*> search(const AtomsRequest& request) {
  std::vector<const Atom*> found;
  if (request.word.size() == 1) {
    const std::string& word = request.word[0];
    const Atom* const atom = word.starts_with("atom:") ? named_atom(word) : find_atom(word);
    if (atom != nullptr && is_selected(*atom, request)) return {atom};
  }
  for (const Atom& atom : tessera::atoms())
    if (is_selected(atom, request) && has_words(atom, request.word)) found.push_back(&atom);
  if (!found.empty()) return found;
  if (const Result<Layout> layout = parse_layout(fmt::format("{}", fmt::join(request.word, " ")))) {
    found = atoms_equal_to(*layout);
    std::erase_if(found, [&](const Atom* atom) { return !is_selected(*atom, request); });
  }
  return found;
}

}  // namespace

int AtomsResult::status() const { return found_.empty() ? kNo : kDone; }

Result<std::string> AtomsResult::to_text(const Terminal& /*terminal*/) const {
  if (found_.empty()) return "no atom";
  return found_.size() == 1 ? tessera::to_text(*found_[0]) : to_list(found_);
}

Result<std::string> AtomsResult::to_json() const { return tessera::to_json(found_, status()); }

std::vector<std::string> AtomsResult::hints() const {
  if (!found_.empty()) return {};
  return {"search for words of the ID, vendor, family, element or meaning, or for a layout"};
}

Result<AtomsResult> atoms(const AtomsRequest& request, Observer& /*observer*/) {
  return AtomsResult(search(request));
}

}  // namespace tessera::verbs
