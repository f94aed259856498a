// SPDX-License-Identifier: Apache-2.0
#include "notation/parse_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "notation/atoms/atom_text.h"
#include "notation/notation_traits.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::is_word;
using detail::NotationTraits;
using detail::skip_blanks;
using detail::TextStart;
using detail::traits_of;
using detail::word_at;

constexpr std::string_view kBlanks = " \t\r\n\v\f";

// The notation of the prefix, and the position of the layout after it.
struct Head {
  std::optional<Notation> notation;
  std::size_t begin = 0;
};

Head head_of(std::string_view text) {
  const std::size_t begin = skip_blanks(text, 0);
  const std::string_view word = word_at(text, begin);
  const std::size_t colon = skip_blanks(text, begin + word.size());
  if (colon >= text.size() || text[colon] != ':') return {};
  const std::optional<Notation> notation = parse_notation(word);
  return notation ? Head{notation, colon + 1} : Head();
}

// All prefixes as a list in words, such as `xla:, cute:, map: and atom:`.
std::string prefix_list() {
  std::string list;
  for (const Notation notation : all_notations()) {
    list += fmt::format("{}{}:", list.empty() ? "" : ", ",
                        notation == Notation::named ? "scale:, pack:, gguf" : prefix(notation));
  }
  return list + " and atom:";
}

// Adds an example if the parser of the notation gave no help.
Result<Layout> read(Notation notation, std::string_view text) {
  auto layout = traits_of(notation).read(text);
  if (!layout && layout.error().help.empty() && layout.error().code == Code::syntax)
    layout.error().help = traits_of(notation).example;
  return layout;
}

Failure unrecognized(const TextStart& start) {
  const Span span = {static_cast<std::uint32_t>(start.inside),
                     static_cast<std::uint32_t>(start.inside + start.word.size())};
  if (start.next == ':') {
    return fail(Code::unknown_name, fmt::format("unknown layout notation '{}'", start.word), span,
                fmt::format("the prefixes are {}", prefix_list()));
  }
  return fail(Code::unknown_name, fmt::format("a layout cannot begin with '{}'", start.word), span,
              "a layout begins with a type, f32[3,5]{1,0}, a shape, (4,8):(8,1), or extents, 6x8:[1, 0]");
}

// Reads the text in the notation that is certain, else in the first possible notation that can read it. Of
// several errors, reports the one furthest into the text.
Result<Layout> recognized(std::string_view text) {
  const TextStart start(text);
  if (start.begin == text.size()) {
    return fail(Code::syntax, "the text of a layout is empty", {},
                "write a layout like f32[3,5]{1,0:T(2,2)}, (4,8):(8,1) or 6x8:[1, 0]");
  }
  // MLIR's `tensor<64x64xf16, ...>` begins like a tensor of CuTe.
  if (traits_of(Notation::triton).claim(start) == Claim::certain) return read(Notation::triton, text);
  std::vector<Notation> possible;
  for (const Notation notation : all_notations()) {
    const Claim claim = traits_of(notation).claim(start);
    if (claim == Claim::certain) return read(notation, text);
    if (claim == Claim::possible) possible.push_back(notation);
  }
  std::optional<Result<Layout>> best;
  for (const Notation notation : possible) {
    auto layout = read(notation, text);
    if (layout) return layout;
    const bool further =
        best && best->error().code == Code::syntax && layout.error().span.begin > best->error().span.begin;
    if (!best || further) best = std::move(layout);
  }
  if (best) return *std::move(best);
  return unrecognized(start);
}

}  // namespace

std::size_t detail::skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

std::string_view detail::word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

Span detail::whole_span(std::string_view text) {
  const std::size_t begin = skip_blanks(text, 0);
  const std::size_t end = text.find_last_not_of(kBlanks) + 1;
  return {static_cast<std::uint32_t>(std::min(begin, end)), static_cast<std::uint32_t>(end)};
}

Result<Layout> detail::placed(Result<Layout> layout, std::string_view text) {
  if (!layout) layout.error().span = whole_span(text);
  return layout;
}

Failure detail::missing_shape(std::string_view text, std::string_view what, std::string help) {
  return fail(Code::missing_layout, fmt::format("{} needs a shape", what), whole_span(text), std::move(help));
}

Result<Layout> parse_layout(std::string_view text) {
  if (const auto atom = detail::atom_name(text)) return detail::read_atom(text, *atom);
  const Head head = head_of(text);
  if (!head.notation) return recognized(text);
  auto layout = read(*head.notation, text.substr(head.begin));
  if (!layout) {
    layout.error().span.begin += static_cast<std::uint32_t>(head.begin);
    layout.error().span.end += static_cast<std::uint32_t>(head.begin);
  }
  return layout;
}

std::optional<Notation> notation_prefix(std::string_view text) { return head_of(text).notation; }

}  // namespace tessera
