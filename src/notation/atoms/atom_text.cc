// SPDX-License-Identifier: Apache-2.0
#include "notation/atoms/atom_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "base/plural.h"
#include "notation/limits.h"
#include "notation/parse_layout.h"
#include "text/character.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::AtomName;
using detail::skip_blanks;

constexpr std::string_view kPrefix = "atom";

std::vector<std::string> words_of(std::string_view id) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= id.size();) {
    const std::size_t end = std::min(id.find('.', begin), id.size());
    words.push_back(detail::lower_case(id.substr(begin, end - begin)));
    begin = end + 1;
  }
  return words;
}

// The IDs that contain every word of `id`, such as `m16n8k16.f16.a`, which lacks the vendor and the
// generation. If there are none, the IDs with the smallest edit distance.
std::vector<std::string_view> similar_ids(std::string_view id) {
  std::vector<std::string_view> found;
  const std::vector<std::string> wanted = words_of(id);
  for (const Atom& atom : atoms()) {
    const std::vector<std::string> words = words_of(atom.id);
    const auto has = [&](const std::string& word) { return std::ranges::find(words, word) != words.end(); };
    if (std::ranges::all_of(wanted, has)) found.push_back(atom.id);
  }
  if (!found.empty() || id.size() > 64) return found;
  std::size_t best = std::max<std::size_t>(1, id.size() / 3);
  for (const Atom& atom : atoms()) {
    const std::size_t distance = detail::edit_distance(detail::lower_case(id), detail::lower_case(atom.id));
    if (distance > best) continue;
    if (distance < best) found.clear();
    best = distance;
    found.push_back(atom.id);
  }
  return found;
}

// The length of the longest prefix of `id` that ends with a '.' and is a prefix of some atom's ID; 0 if there
// is none.
std::size_t known_length(std::string_view id) {
  std::size_t known = 0;
  for (std::size_t end = id.find('.'); end != std::string_view::npos; end = id.find('.', end + 1)) {
    const std::string_view begin = id.substr(0, end + 1);
    if (std::ranges::none_of(atoms(), [&](const Atom& atom) { return atom.id.starts_with(begin); })) break;
    known = end + 1;
  }
  return known;
}

Failure unknown_atom(const AtomName& name) {
  std::vector<std::string_view> similar = similar_ids(name.id);
  const std::size_t known = known_length(name.id);
  std::string help = fmt::format("tessera atoms{} lists atoms",
                                 known > 0 ? fmt::format(" {}", name.id.substr(0, known - 1)) : "");
  if (!similar.empty()) {
    const std::size_t more =
        similar.size() - std::min(similar.size(), detail::kNotationLimits.atoms.suggestions);
    similar.resize(similar.size() - more);
    help = more > 0 ? fmt::format("did you mean {}, or one of {} more? tessera atoms {} lists them",
                                  fmt::join(similar, ", "), more, name.id)
                    : fmt::format("did you mean {}?", fmt::join(similar, " or "));
  }
  return fail(Code::unknown_name, fmt::format("there is no atom '{}'", name.id),
              {static_cast<std::uint32_t>(name.begin + (known < name.id.size() ? known : 0)),
               static_cast<std::uint32_t>(name.end)},
              std::move(help));
}

}  // namespace

std::optional<AtomName> detail::atom_name(std::string_view text) {
  const std::size_t begin = skip_blanks(text, 0);
  if (!text.substr(begin).starts_with(kPrefix)) return std::nullopt;
  const std::size_t colon = skip_blanks(text, begin + kPrefix.size());
  if (colon >= text.size() || text[colon] != ':') return std::nullopt;
  AtomName name;
  name.begin = skip_blanks(text, colon + 1);
  name.end = name.begin;
  while (name.end < text.size() && (is_word(text[name.end]) || text[name.end] == '.')) ++name.end;
  name.id = text.substr(name.begin, name.end - name.begin);
  return name;
}

Result<const Atom*> detail::find_atom(const AtomName& name) {
  if (name.id.empty()) {
    return fail(Code::syntax, "expected the ID of an atom",
                {static_cast<std::uint32_t>(name.begin), static_cast<std::uint32_t>(name.begin)},
                "write atom:nv.m16n8.C; tessera atoms lists them");
  }
  const Atom* const atom = tessera::find_atom(name.id);
  if (atom == nullptr) return unknown_atom(name);
  return atom;
}

Result<Layout> detail::read_atom(std::string_view text, const AtomName& name) {
  const Result<const Atom*> atom = find_atom(name);
  if (!atom) return fail(atom.error());
  const std::string_view own = (*atom)->layout;
  const std::size_t next = skip_blanks(text, name.end);
  if (next == text.size()) return parse_layout(own);
  if (!text.substr(next).starts_with("crop")) {
    return fail(Code::syntax,
                fmt::format("expected 'crop' or the end of the layout, found {}",
                            describe_character(text.substr(next))),
                {static_cast<std::uint32_t>(next), static_cast<std::uint32_t>(next + 1)});
  }
  Result<Layout> layout = parse_layout(fmt::format("{} {}", own, text.substr(next)));
  if (layout) return layout;
  // The error is either in the crop or about the whole layout; move its span accordingly.
  Diagnostic error = layout.error();
  const auto moved = [&](std::uint32_t at) {
    return static_cast<std::uint32_t>(at > own.size() ? at - own.size() - 1 + next : name.begin);
  };
  error.span = {moved(error.span.begin), moved(error.span.end)};
  return fail(std::move(error));
}

const Atom* named_atom(std::string_view text) {
  const std::optional<AtomName> name = detail::atom_name(text);
  return name ? find_atom(name->id) : nullptr;
}

}  // namespace tessera
