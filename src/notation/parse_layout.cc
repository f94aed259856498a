// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "notation/cute/cute_prefix.h"
#include "notation/xla/xla_place.h"
#include "tessera/notation/hlo_type.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/notation/packed_layout.h"
#include "tessera/notation/strides.h"
#include "tessera/text/index_map.h"
#include "text/character_class.h"
#include "text/integers.h"

namespace tessera {
namespace {

constexpr std::string_view kPrefixes[] = {"xla", "cute", "mor", "np", "ll", "map"};
constexpr std::string_view kBlanks = " \t\r\n\v\f";

using detail::is_digit;
using detail::is_word;

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

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
  const auto found = std::ranges::find(kPrefixes, word);
  if (found == std::end(kPrefixes)) return {};
  return {static_cast<Notation>(found - std::begin(kPrefixes)), colon + 1};
}

Span whole(std::string_view text) {
  const std::size_t begin = skip_blanks(text, 0);
  const std::size_t end = text.find_last_not_of(kBlanks) + 1;
  return {static_cast<std::uint32_t>(std::min(begin, end)), static_cast<std::uint32_t>(end)};
}

// Errors about the whole value get the whole text as their span.
Result<Layout> placed(Result<Layout> layout, Span span) {
  if (!layout) layout.error().span = span;
  return layout;
}

Result<Layout> read_xla(std::string_view text) {
  auto type = parse_hlo_type(text);
  if (!type) return fail(type.error());
  if (type->kind() != HloType::Kind::array) {
    return fail(Code::layout_on_nonarray,
                "a tuple or a buffer has no single layout; give the type of one array", whole(text));
  }
  auto layout = Layout::make(type->array());
  if (layout) return layout;
  Diagnostic& error = layout.error();
  error.span = detail::place_in_type(text, type->array(), error.code);
  if (const std::size_t mark = text.find('?'); error.code == Code::unbounded && mark != text.npos) {
    error.span = {static_cast<std::uint32_t>(mark), static_cast<std::uint32_t>(mark + 1)};
    error.help = "replace ? with a number or a bound such as <=8";
  }
  return layout;
}

// The sizes after `crop`; spans of errors refer to `text`.
Result<std::vector<Index>> read_crop(std::string_view text, std::size_t begin) {
  Lexer lexer(text.substr(begin));
  const auto read = [&]() -> Result<std::vector<Index>> {
    std::vector<Index> sizes;
    if (!lexer.accept("(")) return detail::expected(lexer, "'(' and the sizes of the crop");
    do {
      const auto size = detail::read_integer(lexer);
      if (!size) return fail(size.error());
      sizes.push_back(*size);
    } while (lexer.accept(","));
    if (!lexer.accept(")")) return detail::expected(lexer, "',' or ')' in the crop");
    if (lexer.peek().kind != TokenKind::end) return detail::expected(lexer, "the end of the text");
    return sizes;
  };
  auto sizes = read();
  if (!sizes) {
    sizes.error().span.begin += static_cast<std::uint32_t>(begin);
    sizes.error().span.end += static_cast<std::uint32_t>(begin);
  }
  return sizes;
}

Result<Layout> read_cute(std::string_view text) {
  constexpr std::string_view kCrop = "crop";
  const std::size_t at = text.find(kCrop);
  std::vector<Index> crop;
  std::string_view layout = text;
  if (at != std::string_view::npos) {
    auto sizes = read_crop(text, at + kCrop.size());
    if (!sizes) return fail(sizes.error());
    crop = *std::move(sizes);
    layout = text.substr(0, at);
  }
  const Span span = whole(text);
  if (layout.find_first_of("So") == std::string_view::npos) {
    const auto plain = parse_cute_layout(layout);
    if (!plain) return fail(plain.error());
    return placed(Layout::make(plain->layout, std::move(crop)), span);
  }
  const auto chain = parse_cute_expression(layout);
  if (!chain) return fail(chain.error());
  return placed(Layout::make(chain->layout, std::move(crop)), span);
}

Result<Layout> read_morello(std::string_view text) {
  auto packed = parse_shaped_packed_layout(text);
  if (!packed) return fail(packed.error());
  return placed(Layout::make(*std::move(packed)), whole(text));
}

Result<Layout> read_strides(std::string_view text) {
  auto strides = parse_strides(text);
  if (!strides) return fail(strides.error());
  return placed(Layout::make(*std::move(strides)), whole(text));
}

Result<Layout> read_linear(std::string_view text) {
  auto linear = parse_linear_layout(text);
  if (!linear) return fail(linear.error());
  return placed(Layout::make(*std::move(linear)), whole(text));
}

Result<Layout> read_map(std::string_view text) {
  auto read = parse_box_map(text);
  if (!read) return fail(read.error());
  return placed(Layout::make(std::move(read->map), read->extents), whole(text));
}

// An example of the notation.
std::string_view example(Notation notation) {
  switch (notation) {
    case Notation::xla:
      return "a type has extents, their order and parts: f32[3,5]{1,0:T(2,2)}";
    case Notation::cute:
      return "a layout has a shape and strides of the same nesting: (4,8):(8,1)";
    case Notation::morello:
      return "a packed layout has extents and physical dimensions, slowest first: 6x8:[0, 1, 0 p(2)]";
    case Notation::strides:
      return "strides have sizes and steps in elements: np:(2,3):(3,1)";
    case Notation::linear:
      return "a linear layout has bases for the bits of each dimension: d0:1,2 d1:4,8";
    case Notation::map:
      break;
  }
  return "a map has results and a domain: (d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]";
}

// Adds a help line if the parser of the notation gave none.
Result<Layout> helped(Result<Layout> layout, Notation notation) {
  if (layout || !layout.error().help.empty()) return layout;
  Diagnostic& error = layout.error();
  if (error.code == Code::syntax) error.help = example(notation);
  if (error.code != Code::not_representable || error.reason != "not_a_layout") return layout;
  error.help = notation == Notation::cute
                   ? "end the chain with a layout: Sw<3,0,3> o _0 o (8,8):(8,1)"
                   : "a layout has one result and dimensions that start at 0: (d0, d1) -> "
                     "(d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]";
  return layout;
}

Result<Layout> read(Notation notation, std::string_view text) {
  switch (notation) {
    case Notation::xla:
      return helped(read_xla(text), notation);
    case Notation::cute:
      return helped(read_cute(text), notation);
    case Notation::morello:
      return helped(read_morello(text), notation);
    case Notation::strides:
      return helped(read_strides(text), notation);
    case Notation::linear:
      return helped(read_linear(text), notation);
    case Notation::map:
      break;
  }
  return helped(read_map(text), notation);
}

// `6x8`; or `6:`, `6,8:` or `(6,8):` before a list of physical dimensions.
bool begins_packed(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  end = skip_blanks(text, end);
  if (end > at && end < text.size() && text[end] == 'x') return true;
  at = text.find_first_not_of("0123456789x,() \t\r\n\v\f", at);
  if (at == std::string_view::npos || text[at] != ':') return false;
  at = skip_blanks(text, at + 1);
  if (at < text.size() && text[at] == '(') at = skip_blanks(text, at + 1);
  return at < text.size() && (text[at] == '[' || text[at] == 'N');
}

Failure shapeless(std::string_view text, std::string_view what, std::string help) {
  Diagnostic diagnostic{
      .code = Code::missing_layout, .message = fmt::format("{} needs a shape", what), .span = whole(text)};
  diagnostic.help = std::move(help);
  return fail(std::move(diagnostic));
}

// CuTe layouts and strides begin alike. A text that is valid as both means the same and is read as CuTe; if
// it is valid as neither, the error further to the right is reported.
Result<Layout> read_cute_or_strides(std::string_view text) {
  auto cute = read(Notation::cute, text);
  if (cute) return cute;
  auto strides = read(Notation::strides, text);
  if (strides) return strides;
  const bool further = strides.error().span.begin > cute.error().span.begin;
  return cute.error().code == Code::syntax && further ? strides : cute;
}

Result<Layout> recognised(std::string_view text) {
  const std::size_t at = skip_blanks(text, 0);
  if (at == text.size()) {
    Diagnostic empty{.code = Code::syntax, .message = "the text of a layout is empty"};
    empty.help = "write a layout like f32[3,5]{1,0:T(2,2)}, (4,8):(8,1) or 6x8:[1, 0]";
    return fail(std::move(empty));
  }
  if (text.find("->") != std::string_view::npos || text.substr(at).starts_with("KNOWN"))
    return read(Notation::map, text);
  const char first = text[at];
  if (first == '[' || text.substr(at).starts_with("NHWC") || text.substr(at).starts_with("([")) {
    return shapeless(text, "a packed layout",
                     fmt::format("write the shape before it: 6x8:{}", text.substr(at)));
  }
  if (first == '{')
    return shapeless(text, "an XLA layout",
                     fmt::format("write the type before it: f32[6,8]{}", text.substr(at)));
  if (is_digit(first))
    return begins_packed(text, at) ? read(Notation::morello, text) : read(Notation::cute, text);
  if (first == '/') return read(Notation::xla, text);
  const std::size_t inside = first == '(' ? skip_blanks(text, at + 1) : at;
  const std::string_view word = word_at(text, inside);
  if (first == '(' && begins_packed(text, at)) return read(Notation::morello, text);
  if (word.empty() || is_digit(word[0]) || word[0] == '_') return read_cute_or_strides(text);
  const std::size_t after = skip_blanks(text, inside + word.size());
  const char next = after < text.size() ? text[after] : '\0';
  if (begins_cute(text.substr(inside))) return read(Notation::cute, text);
  if (next == ':' && word[0] == 'd') return read(Notation::linear, text);
  if (next == ':') {
    Diagnostic unknown{
        .code = Code::unknown_name,
        .message = fmt::format("unknown layout notation '{}'", word),
        .span = {static_cast<std::uint32_t>(inside), static_cast<std::uint32_t>(inside + word.size())}};
    unknown.help = "the prefixes are xla:, cute:, mor:, np:, ll: and map:";
    return fail(std::move(unknown));
  }
  // A word without a bracket is not a misspelled type.
  if (next != '[' && next != '(' && !parse_dtype(word)) {
    return fail(Code::unknown_name, fmt::format("a layout cannot begin with '{}'", word),
                {static_cast<std::uint32_t>(inside), static_cast<std::uint32_t>(inside + word.size())},
                "a layout begins with a type, f32[3,5]{1,0}, a shape, (4,8):(8,1), or extents, 6x8:[1, 0]");
  }
  return read(Notation::xla, text);
}

}  // namespace

Result<Layout> parse_layout(std::string_view text) {
  const Head head = head_of(text);
  if (!head.notation) return recognised(text);
  auto layout = read(*head.notation, text.substr(head.begin));
  if (!layout) {
    layout.error().span.begin += static_cast<std::uint32_t>(head.begin);
    layout.error().span.end += static_cast<std::uint32_t>(head.begin);
  }
  return layout;
}

std::optional<Notation> notation_prefix(std::string_view text) { return head_of(text).notation; }

std::string_view prefix(Notation notation) { return kPrefixes[static_cast<std::size_t>(notation)]; }

std::string to_string(const Layout& layout) {
  std::string text;
  switch (layout.notation()) {
    case Notation::xla:
      return to_string(*layout.tensor_type());
    case Notation::cute:
      text = layout.strided() != nullptr ? to_string(*layout.strided()) : to_string(*layout.composed());
      if (layout.is_cropped()) text += fmt::format(" crop ({})", fmt::join(layout.shape(), ","));
      return text;
    case Notation::morello:
      return to_string(*layout.packed());
    case Notation::strides:
      return to_string(*layout.strides());
    case Notation::linear:
      return to_string(*layout.linear());
    case Notation::map:
      break;
  }
  return to_string(*layout.index_map(), layout.shape());
}

std::string to_prefixed_string(const Layout& layout) {
  std::string text = to_string(layout);
  if (layout.notation() == Notation::strides) return text;
  return fmt::format("{}:{}", prefix(layout.notation()), text);
}

std::string order_text(const Layout& layout) {
  switch (layout.notation()) {
    case Notation::xla:
      return fmt::format("XLA: minor_to_major {{{}}}",
                         fmt::join(layout.tensor_type()->minor_to_major(), ","));
    case Notation::cute:
      return "CuTe: leftmost mode fastest";
    case Notation::morello:
      return "Morello: physical dimensions, slowest first";
    case Notation::strides:
      return "NumPy: C order of indices, one stride for each dimension";
    case Notation::linear:
      return "linear over F2: bases of bits 0, 1, ..., combined by XOR";
    case Notation::map:
      break;
  }
  return "index map: the offset from d0, d1, ...";
}

}  // namespace tessera
