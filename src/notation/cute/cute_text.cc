// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/check.h"
#include "base/shortened.h"
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

/// What exceeded its limit. Modes and brackets share a limit; the others have their own.
std::string too_much(const AlgebraError& e) {
  if (e.second == kMaxLeaves)
    return fmt::format("more than {} numbers, or {} numbers and brackets, in one tuple", kMaxLeaves,
                       kMaxNodes);
  if (e.second == ComposedLayout::kMaxParts)
    return fmt::format("a chain of {} parts, at most {} fit", e.first, e.second);
  if (e.second == kMaxPathLevels)
    return fmt::format("{} levels after '@', at most {} fit", e.first, e.second);
  return fmt::format("{} is too large: at most {} fits", e.first, e.second);
}

/// The diagnostic of a failed read, at its byte.
template <class T>
Result<T> dressed(const Parsed<T>& parsed, std::string_view text) {
  if (parsed) return *parsed;
  const AlgebraError& e = parsed.error;
  const auto at =
      static_cast<std::uint32_t>(std::min<Index>(parsed.position, static_cast<Index>(text.size())));
  const std::string_view rest = text.substr(at);
  std::size_t length = detail::character_at(text, at).bytes;
  std::string message;
  std::string help;
  switch (e.code) {
    case AlgebraCode::syntax:
      if (rest.starts_with('?')) {
        message = "replace '?' with a number, the extent or the stride";
        break;
      }
      message = fmt::format("{}{}, found {}",
                            std::string_view(parsed.expected).starts_with("expected") ? "" : "expected ",
                            parsed.expected, detail::describe_character(rest));
      break;
    case AlgebraCode::bad_extent:
      message = fmt::format("the extent {} is below 1", e.first);
      break;
    case AlgebraCode::number_range:
      message = "the number does not fit in 64 bits";
      break;
    case AlgebraCode::not_congruent:
      message = "shape and stride must have the same nesting";
      break;
    case AlgebraCode::capacity:
      message = too_much(e);
      break;
    case AlgebraCode::overflow:
      message =
          fmt::format("the size or an offset does not fit in 63 bits (at extent or factor {})", e.first);
      break;
    case AlgebraCode::codomain_mismatch:
      message = fmt::format("coordinate strides and the plain stride {} in one layout", e.first);
      break;
    case AlgebraCode::bad_swizzle:
      length = std::min(rest.find('>'), rest.size() - 1) + 1;
      message = fmt::format("{} is not a swizzle", shortened(rest.substr(0, length)));
      help = parsed.expected;
      break;
    case AlgebraCode::nonzero_offset:
      message = fmt::format("expected {}", parsed.expected);
      help = "leave the pointer out to start at an aligned address";
      break;
    case AlgebraCode::recast_divisibility:
      message = fmt::format("expected {}", parsed.expected);
      help = "the swizzle at a pointer permutes bytes: give the element type that it is made for";
      break;
    default:
      message = fmt::format("expected {}", parsed.expected);
  }
  // A number is marked as a whole.
  const bool signed_or_marked = rest.starts_with('-') || rest.starts_with('_');
  if (e.code == AlgebraCode::bad_extent || e.code == AlgebraCode::number_range)
    length = std::min(rest.find_first_not_of("0123456789", signed_or_marked ? 1 : 0), rest.size());
  return fail(to_code(e.code), std::move(message), Span{at, at + static_cast<std::uint32_t>(length)},
              std::move(help));
}

/// A chain of one part is a layout or a swizzle.
CuteValue value_of(const TrackedComposed& chain) {
  const ComposedLayout& c = chain.layout;
  if (c.parts > 1) return chain;
  if (!c.has_domain()) return c.part[0].swizzle;
  return TrackedLayout{c.part[0].layout, chain.marks[0]};
}

template <class T>
Result<T> read(Parsed<T> (*reader)(const char*, Index), std::string_view text) {
  return dressed(reader(text.data(), static_cast<Index>(text.size())), text);
}

/// "leaf 6:3 of B" if the operand is a single layout.
std::string leaf_text(const AlgebraError& e, std::string_view operation, const std::string* operand) {
  if (e.leaf < 0) return "";
  if (operation == "composition" && operand != nullptr) {
    const Parsed<TrackedLayout> b = read_layout(operand->data(), static_cast<Index>(operand->size()));
    if (b && e.leaf < b->layout.leaves()) {
      const StridedLayout& l = b->layout;
      return fmt::format(" at {} of the right operand",
                         printed(make_mode(l.extent[e.leaf], l.stride[e.leaf], l.path[e.leaf])));
    }
  }
  return fmt::format(" at leaf {}", e.leaf);
}

std::string_view why(AlgebraReason reason) {
  switch (reason) {
    case AlgebraReason::shape:
      return "its extent does not split where a mode of the left operand ends";
    case AlgebraReason::stride:
      return "its steps cross the modes of the left operand unevenly";
    case AlgebraReason::carry:
      return "modes of the right operand carry into each other";
    case AlgebraReason::basis_sum:
      return "one stride would have to count two components of the coordinate";
    case AlgebraReason::not_power_of_two:
      return "an extent is not a power of two";
    case AlgebraReason::negative_stride:
      return "a stride is negative";
    case AlgebraReason::none:
      break;
  }
  return "there is none";
}

std::string numbers(const AlgebraError& e) {
  switch (e.code) {
    case AlgebraCode::capacity:
      return too_much(e);
    case AlgebraCode::bad_extent:
      return fmt::format("the extent {} is below 1", e.first);
    case AlgebraCode::rank_mismatch:
      return fmt::format("ranks {} and {} differ", e.first, e.second);
    case AlgebraCode::index_out_of_range:
      return fmt::format("index {} of rank {}", e.first, e.second);
    case AlgebraCode::empty_range:
      return fmt::format("no mode from {} to {}", e.first, e.second);
    case AlgebraCode::not_congruent:
      return "shape and stride must have the same nesting";
    case AlgebraCode::codomain_mismatch:
      return fmt::format("strides {} and {} count different kinds of value", e.first, e.second);
    case AlgebraCode::unsupported_codomain:
      return "defined for integer strides and offsets >= 0 only";
    case AlgebraCode::basis_out_of_range:
      return fmt::format("a stride counts component {}, but there are only {}", e.first, e.second);
    case AlgebraCode::undecided:
      return fmt::format("an exact answer needs {} evaluations; the limit is {}", e.first, e.second);
    case AlgebraCode::non_injective:
      if (e.second == 0) {
        return e.leaf < 0 ? fmt::format("not injective at coordinate {}, offset {}", e.witness, e.first)
                          : fmt::format("coordinates 0 and {} both have the offset 0", e.witness);
      }
      return fmt::format("a mode of stride {} starts inside the modes below it, which reach {}", e.first,
                         e.second);
    case AlgebraCode::negative_stride:
      return fmt::format("the stride of mode {}:{} is {}", e.first, e.second,
                         e.second == 0 ? "not positive" : "negative");
    case AlgebraCode::left_inverse_chain:
      return fmt::format("stride {} does not divide {}", e.first, e.second);
    case AlgebraCode::shape_divisibility:
    case AlgebraCode::recast_divisibility:
      return fmt::format("neither of {} and {} divides the other", e.first, e.second);
    case AlgebraCode::stride_divisibility:
      return fmt::format("stride {} and extent {} do not divide", e.first, e.second);
    case AlgebraCode::downcast_no_unit_stride:
      return "no stride is 1";
    case AlgebraCode::tile_to_shape_divisibility:
      return fmt::format("extent {} of the block does not divide {}", e.first, e.second);
    case AlgebraCode::bad_swizzle:
      return fmt::format("no swizzle has {} bits and shift {}", e.first, e.second);
    case AlgebraCode::swizzle_masks:
      return fmt::format("the masks {:#b} and {:#b} are not those of a swizzle", e.first, e.second);
    case AlgebraCode::swizzle_shift_mismatch:
      return fmt::format("shifts {} and {} differ", e.first, e.second);
    case AlgebraCode::nonzero_offset:
      return fmt::format("the offset is {} and must be 0", e.first);
    case AlgebraCode::overflow:
      return fmt::format("the result of {} and {} does not fit in 64 bits", e.first, e.second);
    case AlgebraCode::dynamic_stride:
      return "a stride must be a compile-time constant";
    case AlgebraCode::div_by_zero:
      return "division by a stride of 0 that is not a compile-time constant";
    case AlgebraCode::number_range:
      return "a number does not fit in 64 bits";
    case AlgebraCode::syntax:
      return "not CuTe notation";
    case AlgebraCode::not_representable:
    case AlgebraCode::none:
      break;
  }
  return "";
}

}  // namespace

Result<TrackedLayout> parse_cute_layout(std::string_view text) { return read(read_layout, text); }
Result<TrackedTuple> parse_cute_shape(std::string_view text) { return read(read_shape, text); }
Result<TrackedCoord> parse_cute_coord(std::string_view text) { return read(read_coord, text); }
Result<TrackedTiler> parse_cute_tiler(std::string_view text) { return read(read_tiler, text); }
Result<TrackedComposed> parse_cute_expression(std::string_view text) { return read(read_expression, text); }
Result<Swizzle> parse_cute_swizzle(std::string_view text) { return read(read_swizzle, text); }

Result<CuteValue> parse_cute(std::string_view text) {
  CuteReader look(text.data(), static_cast<Index>(text.size()));
  if (look.peek() == '<' || look.at_word("Tile", '<') || look.at_word("make_tile", '('))
    return parse_cute_tiler(text);
  if (look.has_hole()) return parse_cute_coord(text);
  Result<TrackedComposed> chain = parse_cute_expression(text);
  if (!chain) return fail(chain.error());
  return value_of(*chain);
}

bool begins_spelled_cute(std::string_view text) {
  return CuteReader(text.data(), static_cast<Index>(text.size())).at_spelled();
}

bool begins_cute(std::string_view text) {
  const CuteReader reader(text.data(), static_cast<Index>(text.size()));
  if (reader.at_spelled() || reader.at_word("Int", '<') || reader.at_word("C", '<')) return true;
  for (const char* name : {"make_layout", "make_composed_layout", "make_shape", "make_tile"}) {
    if (reader.at_word(name, '(')) return true;
  }
  return false;
}

Result<SpelledCute> parse_spelled_cute(std::string_view text) {
  CuteReader reader(text.data(), static_cast<Index>(text.size()));
  SpelledCute out;
  const auto done = [&]<class T>(const T& value) -> Result<SpelledCute> {
    Parsed<T> parsed;
    reader.finish(parsed);
    if (!parsed) return fail(dressed(parsed, text).error());
    out.length = static_cast<std::size_t>(reader.position());
    out.value = value;
    return out;
  };
  if (reader.at_swizzle()) {
    Swizzle swizzle;
    reader.swizzle(swizzle);
    reader.swizzled_pointer(swizzle);
    return done(swizzle);
  }
  if (reader.at_pointer()) {
    Swizzle swizzle;
    const bool swizzled = reader.typed_pointer(swizzle);
    Result<SpelledCute> read = done(swizzle);
    if (read && !swizzled) read->value.reset();
    return read;
  }
  if (reader.at_word("Tile", '<')) {
    TrackedTiler tiler;
    reader.tiler(tiler);
    return done(tiler);
  }
  if (!reader.at_word("Layout", '<') && !reader.at_word("ComposedLayout", '<') &&
      !reader.at_word("tensor", '<') && !reader.at_word("ArithTuple", '(')) {
    TrackedCoord tuple;
    reader.coordinate(tuple);
    return done(tuple);
  }
  TrackedComposed chain;
  reader.expression(chain);
  Result<SpelledCute> read = done(chain);
  if (read) read->value = value_of(chain);
  return read;
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

Code to_code(AlgebraCode code) {
  switch (code) {
    case AlgebraCode::none:
      break;
#define TESSERA_ALGEBRA_CODE(word) \
  case AlgebraCode::word:          \
    return Code::word;
      TESSERA_ALGEBRA_CODES(TESSERA_ALGEBRA_CODE)
#undef TESSERA_ALGEBRA_CODE
  }
  TESSERA_CHECK(false, "an error has a code");
  return Code::syntax;
}

Diagnostic to_diagnostic(const AlgebraError& error, std::string_view operation,
                         std::initializer_list<std::string> operands) {
  Diagnostic d;
  d.code = to_code(error.code);
  d.reason = word(error.reason);
  const std::string call = fmt::format("{}({})", operation, fmt::join(operands, ", "));
  const std::string* right = operands.size() > 1 ? operands.begin() + 1 : nullptr;
  if (error.code != AlgebraCode::not_representable) {
    d.message = fmt::format("{}: {}", call, numbers(error));
    if (error.leaf >= 0 && error.code != AlgebraCode::non_injective)
      d.message += fmt::format(" (leaf {})", error.leaf);
    return d;
  }
  d.message = fmt::format("{} is not a layout ({}){}", call, d.reason, leaf_text(error, operation, right));
  // Without a leaf the error is about the values themselves: recognise, simplify.
  const bool of_leaf = error.leaf >= 0;
  if (of_leaf || error.reason != AlgebraReason::stride) d.notes.emplace_back(why(error.reason));
  switch (error.reason) {
    case AlgebraReason::shape:
    case AlgebraReason::stride:
      d.witness =
          fmt::format("coordinate {}{} has the value {}, but every layout with the values before it gives {}",
                      error.witness, of_leaf ? " of that leaf" : "", error.first, error.second);
      break;
    case AlgebraReason::carry:
      d.witness = operation == "to_linear"
                      ? fmt::format("the bases {} and {} share a bit", error.first, error.second)
                      : fmt::format("coordinate {} has the value {}, but its digits one by one add up to {}",
                                    error.witness, error.first, error.second);
      break;
    case AlgebraReason::not_power_of_two:
      d.witness = fmt::format("the extent {}", error.first);
      break;
    case AlgebraReason::negative_stride:
      d.witness = fmt::format("the mode {}:{}", error.first, error.second);
      break;
    case AlgebraReason::basis_sum:
    case AlgebraReason::none:
      break;
  }
  return d;
}

}  // namespace tessera
