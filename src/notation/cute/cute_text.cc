// SPDX-License-Identifier: Apache-2.0
#include "notation/cute/cute_text.h"

#include <fmt/format.h>

#include "base/shortened.h"
#include "notation/cute/algebra_diagnostic.h"
#include "tessera/algebra/detail/format.h"
#include "tessera/notation/cute.h"
#include "text/character.h"

namespace tessera {
namespace {

struct StringSink {
  std::string text;
  void put(char c) { text.push_back(c); }
};

template <class T>
std::string printed(const T& value) {
  StringSink sink;
  format_to(sink, value);
  return sink.text;
}

/// The diagnostic of a failed read, at the byte where it failed.
template <class T>
Diagnostic diagnostic_of(const detail::Parsed<T>& parsed, std::string_view text) {
  const detail::AlgebraError& e = parsed.error;
  const auto at =
      static_cast<std::uint32_t>(std::min<Index>(parsed.position, static_cast<Index>(text.size())));
  const std::string_view rest = text.substr(at);
  std::size_t length = detail::character_at(text, at).bytes;
  std::string message;
  std::string help;
  switch (e.code) {
    case Code::syntax:
      if (rest.starts_with('?')) {
        message = kDynamicInteger;
        break;
      }
      message = fmt::format("{}{}, found {}",
                            std::string_view(parsed.expected).starts_with("expected") ? "" : "expected ",
                            parsed.expected, detail::describe_character(rest));
      break;
    case Code::bad_swizzle:
      length = std::min(rest.find('>'), rest.size() - 1) + 1;
      message = fmt::format("{} is not a swizzle", shortened(rest.substr(0, length)));
      help = parsed.expected;
      break;
    case Code::nonzero_offset:
      message = fmt::format("expected {}", parsed.expected);
      help = "leave the pointer out to start at an aligned address";
      break;
    case Code::recast_divisibility:
      message = fmt::format("expected {}", parsed.expected);
      help = "the swizzle at a pointer permutes bytes: write the type of the elements";
      break;
    default:
      message = literal_message(e);
      help = literal_help(e);
  }
  // The span covers the whole number.
  const bool signed_or_marked = rest.starts_with('-') || rest.starts_with('_');
  const bool too_large = e.code == Code::capacity && rest.find_first_of("0123456789") == 0;
  if (e.code == Code::bad_extent || e.code == Code::number_range || too_large)
    length = std::min(rest.find_first_not_of("0123456789", signed_or_marked ? 1 : 0), rest.size());
  return {.code = e.code,
          .message = std::move(message),
          .span = Span{at, at + static_cast<std::uint32_t>(length)},
          .help = std::move(help)};
}

/// The value of a chain; a chain of one part is a layout or a swizzle.
CuteValue value_of(const TrackedComposed& chain) {
  const ComposedLayout& c = chain.layout;
  if (c.parts > 1) return chain;
  if (!c.has_domain()) return c.part[0].swizzle;
  return TrackedLayout{c.part[0].layout, chain.marks[0]};
}

template <class T>
Result<T> read(detail::Parsed<T> (*reader)(const char*, Index), std::string_view text) {
  const detail::Parsed<T> parsed = reader(text.data(), static_cast<Index>(text.size()));
  if (!parsed) return fail(diagnostic_of(parsed, text));
  return *parsed;
}

}  // namespace

Result<TrackedLayout> parse_cute_layout(std::string_view text) { return read(read_layout, text); }
Result<TrackedTuple> parse_cute_shape(std::string_view text) { return read(read_shape, text); }
Result<TrackedCoord> parse_cute_coord(std::string_view text) { return read(read_coord, text); }
Result<TrackedTiler> parse_cute_tiler(std::string_view text) { return read(read_tiler, text); }
Result<TrackedComposed> parse_cute_expression(std::string_view text) { return read(read_expression, text); }
Result<Swizzle> parse_cute_swizzle(std::string_view text) { return read(read_swizzle, text); }

Result<CuteValue> parse_cute(std::string_view text) {
  CuteScanner look(text.data(), static_cast<Index>(text.size()));
  if (look.peek() == '<' || look.at_word("Tile", '<') || look.at_word("make_tile", '('))
    return parse_cute_tiler(text);
  if (look.has_hole()) return parse_cute_coord(text);
  Result<TrackedComposed> chain = parse_cute_expression(text);
  if (!chain) return fail(chain.error());
  return value_of(*chain);
}

bool begins_spelled_cute(std::string_view text) {
  const CuteScanner in(text.data(), static_cast<Index>(text.size()));
  for (const char* name :
       {"Layout", "ComposedLayout", "Shape", "Stride", "Coord", "Step", "Tile", "tuple", "tensor"}) {
    if (in.at_word(name, '<')) return true;
  }
  return grammar::at_swizzle(in) || grammar::at_pointer(in) || in.at_word("ArithTuple", '(');
}

bool begins_cute(std::string_view text) {
  const CuteScanner in(text.data(), static_cast<Index>(text.size()));
  if (begins_spelled_cute(text) || in.at_word("Int", '<') || in.at_word("C", '<')) return true;
  for (const char* name : {"make_layout", "make_composed_layout", "make_shape", "make_tile"}) {
    if (in.at_word(name, '(')) return true;
  }
  return false;
}

namespace {
/// The number of bytes before the position where a reader stopped, without trailing blanks.
std::size_t bytes_read(std::string_view text, const CuteScanner& in) {
  auto length = static_cast<std::size_t>(in.position());
  while (length > 0 && CuteScanner::is_space(text[length - 1])) --length;
  return length;
}
}  // namespace

Result<SpelledCute> parse_spelled_cute(std::string_view text) {
  CuteScanner in(text.data(), static_cast<Index>(text.size()));
  SpelledCute out;
  const auto done = [&]<class T>(const T& value) -> Result<SpelledCute> {
    detail::Parsed<T> parsed;
    in.finish(parsed);
    if (!parsed) return fail(diagnostic_of(parsed, text));
    out.length = bytes_read(text, in);
    out.value = value;
    return out;
  };
  if (grammar::at_swizzle(in)) {
    Swizzle swizzle;
    grammar::read_swizzle(in, swizzle);
    grammar::read_swizzled_pointer(in, swizzle);
    return done(swizzle);
  }
  if (grammar::at_pointer(in)) {
    Swizzle swizzle;
    const bool swizzled = grammar::read_typed_pointer(in, swizzle);
    Result<SpelledCute> read = done(swizzle);
    if (read && !swizzled) read->value.reset();
    return read;
  }
  if (in.at_word("Tile", '<')) {
    TrackedTiler tiler;
    grammar::read_tiler(in, tiler);
    return done(tiler);
  }
  if (!in.at_word("Layout", '<') && !in.at_word("ComposedLayout", '<') && !in.at_word("tensor", '<') &&
      !in.at_word("ArithTuple", '(')) {
    TrackedCoord tuple;
    grammar::read_coordinate(in, tuple);
    return done(tuple);
  }
  TrackedComposed chain;
  grammar::read_expression(in, chain);
  Result<SpelledCute> read = done(chain);
  if (read) read->value = value_of(chain);
  return read;
}

Result<CuteStride> parse_cute_stride(std::string_view text) {
  CuteScanner in(text.data(), static_cast<Index>(text.size()));
  detail::Parsed<grammar::StrideLeaf> parsed;
  parsed.value = grammar::read_stride_leaf(in, "expected a stride or '('");
  in.finish(parsed);
  if (!parsed) return fail(diagnostic_of(parsed, text));
  return CuteStride{parsed->value, parsed->marked, parsed->path, bytes_read(text, in)};
}

std::string to_string(const IntTuple& tuple) { return printed(tuple); }
std::string to_string(const Coord& coord) { return printed(coord); }
std::string to_string(const StridedLayout& layout) { return printed(layout); }
std::string to_string(const Swizzle& swizzle) { return printed(swizzle); }
std::string to_string(const ComposedLayout& layout) { return printed(layout); }
std::string to_string(const Tiler& tiler) { return printed(tiler); }
std::string to_string(const TrackedLayout& layout) { return printed(layout); }
std::string to_string(const TrackedTuple& tuple) { return printed(tuple); }
std::string to_string(const TrackedCoord& coord) { return printed(coord); }
std::string to_string(const TrackedTiler& tiler) { return printed(tiler); }
std::string to_string(const TrackedComposed& layout) { return printed(layout); }
std::string to_string(const CuteValue& value) {
  return std::visit([](const auto& v) { return to_string(v); }, value);
}

}  // namespace tessera
