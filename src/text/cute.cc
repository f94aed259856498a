// SPDX-License-Identifier: Apache-2.0
#include "tessera/text/cute.h"

#include <fmt/format.h>

#include "tessera/algebra/format.h"
#include "tessera/base/check.h"
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

/// What a layout value has no room for: modes and brackets are counted together, of the others there is one
/// bound each.
std::string too_much(const AlgebraError& e) {
  if (e.second == kMaxLeaves)
    return fmt::format("more than {} numbers, or {} numbers and brackets, in one tuple", kMaxLeaves,
                       kMaxNodes);
  if (e.second == ComposedLayout::kMaxParts)
    return fmt::format("a chain of {} parts, at most {} fit", e.first, e.second);
  if (e.second == kMaxPathLevels)
    return fmt::format("{} levels behind '@', at most {} fit", e.first, e.second);
  return fmt::format("{} where at most {} fit", e.first, e.second);
}

/// A failed read as a diagnostic at its byte.
template <class T>
Result<T> dressed(const Parsed<T>& parsed, std::string_view text) {
  if (parsed) return *parsed;
  const AlgebraError& e = parsed.error;
  const auto at =
      static_cast<std::uint32_t>(std::min<Index>(parsed.position, static_cast<Index>(text.size())));
  const std::string_view rest = text.substr(at);
  std::string message;
  switch (e.code) {
    case AlgebraCode::syntax:
      message = fmt::format("{}{}, found {}",
                            std::string_view(parsed.expected).starts_with("expected") ? "" : "expected ",
                            parsed.expected, detail::describe_character(rest));
      break;
    case AlgebraCode::bad_extent:
      message = fmt::format("the extent {} is below 1", e.first);
      break;
    case AlgebraCode::number_range:
      message = "the number does not fit 64 bits";
      break;
    case AlgebraCode::not_congruent:
      message = "shape and stride are not nested alike";
      break;
    case AlgebraCode::capacity:
      message = too_much(e);
      break;
    case AlgebraCode::overflow:
      message = fmt::format("the size or an offset does not fit 63 bits (at extent or factor {})", e.first);
      break;
    case AlgebraCode::codomain_mismatch:
      message = fmt::format("strides that count coordinates stand beside the plain stride {}", e.first);
      break;
    default:
      message = fmt::format("expected {}", parsed.expected);
  }
  // A number is marked as a whole.
  const std::size_t digits = rest.find_first_not_of("0123456789", rest.starts_with('-') ? 1 : 0);
  const bool numeric = e.code == AlgebraCode::bad_extent || e.code == AlgebraCode::number_range;
  const std::size_t length = numeric ? std::min(digits, rest.size()) : detail::character_at(text, at).bytes;
  return fail(to_code(e.code), std::move(message), Span{at, at + static_cast<std::uint32_t>(length)});
}

template <class T>
Result<T> read(Parsed<T> (*reader)(const char*, Index), std::string_view text) {
  return dressed(reader(text.data(), static_cast<Index>(text.size())), text);
}

/// "leaf 6:3 of B", where the operand is one layout.
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
      return "an extent is no power of two";
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
      return fmt::format("ranks {} and {} do not fit", e.first, e.second);
    case AlgebraCode::index_out_of_range:
      return fmt::format("index {} of rank {}", e.first, e.second);
    case AlgebraCode::empty_range:
      return fmt::format("no mode from {} to {}", e.first, e.second);
    case AlgebraCode::not_congruent:
      return "shape and stride are not nested alike";
    case AlgebraCode::codomain_mismatch:
      return fmt::format("strides {} and {} count different kinds of value", e.first, e.second);
    case AlgebraCode::unsupported_codomain:
      return "defined for integer strides and offsets >= 0 only";
    case AlgebraCode::basis_out_of_range:
      return fmt::format("a stride counts component {}, but there are {}", e.first, e.second);
    case AlgebraCode::undecided:
      return fmt::format("an exact answer needs {} evaluations, allowed are {}", e.first, e.second);
    case AlgebraCode::non_injective:
      return fmt::format("a mode of stride {} starts inside the modes below it, which reach {}", e.first,
                         e.second);
    case AlgebraCode::negative_stride:
      return fmt::format("the mode {}:{} is negative", e.first, e.second);
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
      return fmt::format("the masks {:#b} and {:#b} are no swizzle", e.first, e.second);
    case AlgebraCode::swizzle_shift_mismatch:
      return fmt::format("shifts {} and {} differ", e.first, e.second);
    case AlgebraCode::nonzero_offset:
      return fmt::format("the offset is {}, it must be 0", e.first);
    case AlgebraCode::overflow:
      return fmt::format("{} and {} leave 64 bits", e.first, e.second);
    case AlgebraCode::dynamic_stride:
      return "a stride must be a compile-time constant";
    case AlgebraCode::div_by_zero:
      return "a stride of 0 that is not a compile-time constant divides";
    case AlgebraCode::number_range:
      return "a number does not fit 64 bits";
    case AlgebraCode::syntax:
      return "not a text of this notation";
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
  if (look.peek() == '<') return parse_cute_tiler(text);
  if (look.has_hole()) return parse_cute_coord(text);
  Result<TrackedComposed> chain = parse_cute_expression(text);
  if (!chain) return fail(chain.error());
  const ComposedLayout& c = chain->layout;
  if (c.parts > 1) return CuteValue(*std::move(chain));
  if (!c.has_domain()) return CuteValue(c.part[0].swizzle);
  return CuteValue(TrackedLayout{c.part[0].layout, chain->marks[0]});
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
  // Without a leaf the values themselves were asked for: recognise, simplify.
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
