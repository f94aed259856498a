// SPDX-License-Identifier: Apache-2.0
#include "notation/cute/algebra_diagnostic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tessera/algebra/detail/parse.h"
#include "tessera/notation/cute.h"
#include "text/integers.h"

namespace tessera {
namespace {

/// The message of a capacity error, which says what did not fit. Numbers and brackets share one limit.
std::string too_much(const detail::AlgebraError& e) {
  if (e.second == kMaxLeaves)
    return fmt::format("more than {} numbers, or {} numbers and brackets, in one tuple", kMaxLeaves,
                       kMaxNodes);
  if (e.second == ComposedLayout::kMaxParts)
    return fmt::format("a chain of {} parts is too long: at most {} fit", e.first, e.second);
  if (e.second == kMaxPathLevels)
    return fmt::format("{} levels after '@' are too many: at most {} fit", e.first, e.second);
  if (e.second == kMaxPathIndex)
    return fmt::format("component {} is too large: at most {} fits", e.first, e.second);
  return fmt::format("{} is too large: at most {} fits", e.first, e.second);
}

/// The place of the error: " at 6:3 of the right operand" if that operand is a single layout, else " at leaf
/// 0".
std::string place(const detail::AlgebraError& e, std::string_view operation, const std::string* operand) {
  if (e.leaf < 0) return "";
  if (operation == "composition" && operand != nullptr) {
    const detail::Parsed<TrackedLayout> b = read_layout(operand->data(), static_cast<Index>(operand->size()));
    if (b && e.leaf < b->layout.leaves()) {
      const StridedLayout& l = b->layout;
      return fmt::format(" at {} of the right operand",
                         to_string(make_mode(l.extent[e.leaf], l.stride[e.leaf], l.path[e.leaf])));
    }
  }
  return fmt::format(" at leaf {}", e.leaf);
}

/// What to call instead, if this operation has such a call.
std::string_view way_out(const detail::AlgebraError& e, std::string_view operation,
                         const std::vector<std::string>& operands) {
  const bool coordinates =
      std::ranges::any_of(operands, [](const std::string& text) { return text.find('@') != text.npos; });
  if (e.code == Code::unsupported_codomain && coordinates)
    return "compose it with a layout of offsets first: composition(L, this)";
  if (operation == "composition" && e.code == Code::basis_out_of_range)
    return "compare the paths after @, read from right to left, with the nesting of the shape";
  if (e.code == Code::empty_range)
    return operation == "select" ? "name at least one mode" : "the end must be greater than the beginning";
  if (operation == "shape_div" && e.code == Code::shape_divisibility) return "ceil_div rounds up";
  if ((operation == "upcast" || operation == "recast") && e.code == Code::recast_divisibility && e.leaf >= 0)
    return "recast by a factor that fits every stride; max_alignment gives the largest";
  if (operation == "downcast" && e.code == Code::downcast_no_unit_stride)
    return "append a mode 1:1 for the smaller elements";
  if (operation == "tile_to_shape" && e.code == Code::tile_to_shape_divisibility)
    return "choose a multiple of the block, and mask the elements beyond the data";
  if (operation == "swizzle_compose" &&
      (e.code == Code::swizzle_masks || e.code == Code::swizzle_shift_mismatch))
    return "keep the two as a chain: Sw<2,0,3> o _0 o Sw<2,0,2>";
  return "";
}

std::string_view why(detail::AlgebraReason reason) {
  switch (reason) {
    case detail::AlgebraReason::shape:
      return "its extent does not split where a mode of the left operand ends";
    case detail::AlgebraReason::stride:
      return "its steps cross the modes of the left operand unevenly";
    case detail::AlgebraReason::carry:
      return "modes of the right operand carry into each other";
    case detail::AlgebraReason::basis_sum:
      return "one stride would have to step along two components of the coordinate";
    case detail::AlgebraReason::not_power_of_two:
      return "an extent is not a power of two";
    case detail::AlgebraReason::negative_stride:
      return "a stride is negative";
    case detail::AlgebraReason::search:
    case detail::AlgebraReason::window:
    case detail::AlgebraReason::alignment:
    case detail::AlgebraReason::split_element:
    case detail::AlgebraReason::none:
      break;
  }
  return "there is none";
}

/// The message of a recast that would not name the same memory.
std::string recast_message(const detail::AlgebraError& e) {
  switch (e.reason) {
    case detail::AlgebraReason::window:
      return fmt::format("the elements that would become one lie in a window of {} offsets, and {} fit",
                         e.first, e.second);
    case detail::AlgebraReason::alignment:
      return fmt::format(
          "the offset {} is not aligned: elements that would become one may lie on both sides of a "
          "multiple of {}",
          e.first, e.second);
    case detail::AlgebraReason::split_element:
      return fmt::format(
          "the swizzle reads bits of an offset below {}, so elements that would become one may not "
          "stay together",
          e.second);
    case detail::AlgebraReason::not_power_of_two:
      return fmt::format("a swizzle permutes bits, and {} is not a power of two", e.first);
    default:
      return fmt::format("neither of {} and {} divides the other", e.first, e.second);
  }
}

/// The message of a search for an inverse that ended without one.
std::string search_message(const detail::AlgebraError& e) {
  if (e.second == 0)
    return "no inverse was found that maps each shared offset to its first coordinate; others were not "
           "searched";
  return fmt::format(
      "no inverse was found: the strides do not chain, and a search is limited to {} coordinates and {} "
      "steps",
      e.second / 4, e.second);
}

}  // namespace

std::string message_of(const detail::AlgebraError& e) {
  switch (e.code) {
    case Code::capacity:
      return too_much(e);
    case Code::bad_extent:
      return fmt::format("the extent {} is below 1", e.first);
    case Code::rank_mismatch:
      if (e.first == e.second) return e.first == 0 ? "a swizzle has no shape" : "the nesting differs";
      return fmt::format("ranks {} and {} differ", e.first, e.second);
    case Code::index_out_of_range:
      return fmt::format("index {} is out of range for rank {}", e.first, e.second);
    case Code::empty_range:
      return fmt::format("the range [{}, {}) of modes is empty", e.first, e.second);
    case Code::not_congruent:
      return "shape and stride must have the same nesting";
    case Code::codomain_mismatch:
      return fmt::format("strides {} and {} give different kinds of values", e.first, e.second);
    case Code::unsupported_codomain:
      return "defined only for integer strides and offsets >= 0";
    case Code::basis_out_of_range:
      return fmt::format("a stride selects component {}, but there are only {}", e.first, e.second);
    case Code::undecided:
      if (e.reason == detail::AlgebraReason::search) return search_message(e);
      return fmt::format("an exact answer needs {} evaluations; the limit is {}", e.first, e.second);
    case Code::non_injective:
      if (e.second == 0) {
        return e.leaf < 0 ? fmt::format("not injective at coordinate {}, offset {}", e.witness, e.first)
                          : fmt::format("coordinates 0 and {} both have the offset 0", e.witness);
      }
      return fmt::format("a mode of stride {} starts inside the modes below it, which reach {}", e.first,
                         e.second);
    case Code::negative_stride:
      return fmt::format("the stride of mode {}:{} is {}", e.first, e.second,
                         e.second == 0 ? "not positive" : "negative");
    case Code::left_inverse_chain:
      return fmt::format("stride {} does not divide {}", e.first, e.second);
    case Code::not_invertible:
      if (e.reason == detail::AlgebraReason::negative_stride)
        return fmt::format(
            "coordinates {} and {} have the offsets {} and -{}, and a layout maps -x to the negative of "
            "what it maps x to",
            e.second, e.witness, e.first, e.first);
      return "no layout maps every offset back to its coordinate";
    case Code::recast_divisibility:
      return recast_message(e);
    case Code::shape_divisibility:
      return fmt::format("neither of {} and {} divides the other", e.first, e.second);
    case Code::stride_divisibility:
      return fmt::format("stride {} is neither a multiple of extent {} nor below it", e.first, e.second);
    case Code::downcast_no_unit_stride:
      return "no stride is 1";
    case Code::tile_to_shape_divisibility:
      return fmt::format("extent {} of the block does not divide {}", e.first, e.second);
    case Code::bad_swizzle:
      return fmt::format("no swizzle has {} bits and shift {}", e.first, e.second);
    case Code::swizzle_masks:
      return fmt::format("the masks {:#b} and {:#b} are not those of a swizzle", e.first, e.second);
    case Code::swizzle_shift_mismatch:
      return fmt::format("shifts {} and {} differ", e.first, e.second);
    case Code::nonzero_offset:
      return fmt::format("the offset is {} and must be 0", e.first);
    case Code::overflow:
      return fmt::format("the result of {} and {} does not fit in 64 bits", e.first, e.second);
    case Code::dynamic_stride:
      return "a stride must be a compile-time constant";
    case Code::div_by_zero:
      return "division by a stride of 0 that is not a compile-time constant";
    case Code::number_range:
      return "the number does not fit in 64 bits";
    case Code::syntax:
      return "not CuTe notation";
    default:
      return "";  // not_representable, which algebra_diagnostic explains
  }
}

std::string literal_message(const detail::AlgebraError& e) {
  if (e.code == Code::overflow) return "the size or an offset does not fit in 63 bits";
  if (e.code == Code::codomain_mismatch)
    return fmt::format("a layout cannot mix coordinate strides with the plain stride {}", e.first);
  return message_of(e);
}

std::string literal_help(const detail::AlgebraError& e) {
  switch (e.code) {
    case Code::bad_extent:
      return e.first == 0 ? "strides and maps allow extents of 0: np:(2,0):(1,1)" : "";
    case Code::number_range:
      return detail::kIntegerRange;
    case Code::not_congruent:
      return "copy the brackets of the shape and replace the numbers: ((2,2),3):((1,2),4)";
    case Code::codomain_mismatch:
      return "write every stride as a coordinate stride, (2,3):(1@0,2@1), or none";
    default:
      return "";
  }
}

namespace {

/// What to do about an error of the layout algebra. Empty: the code alone says it.
std::string help_of(const detail::AlgebraError& e) {
  switch (e.code) {
    case Code::rank_mismatch:
      return e.first == e.second ? "" : "rank(L) counts the modes at the top";
    case Code::undecided:
      return "a part of the layout has fewer coordinates: take(L, 0, 1) is its first mode";
    case Code::non_injective:
      return "is_injective(L) shows two coordinates with one offset, if there are any";
    case Code::recast_divisibility:
      break;
    default:
      return "";
  }
  switch (e.reason) {
    case detail::AlgebraReason::window:
      return "recast the memory first, then take the windows";
    case detail::AlgebraReason::alignment:
      return "a smaller factor needs less alignment";
    case detail::AlgebraReason::split_element:
      return e.first > 1 ? fmt::format("the swizzle reads no bits below {}: recast by at most that", e.first)
                         : "recast the layout before it is swizzled";
    case detail::AlgebraReason::not_power_of_two:
      return "recast by a power of two, or without the swizzle";
    default:
      return "recast by a factor that fits every stride; max_alignment gives the largest";
  }
}

}  // namespace

Diagnostic detail::algebra_diagnostic(const AlgebraError& error, std::string_view operation,
                                      const std::vector<std::string>& operands) {
  Diagnostic d;
  d.code = error.code;
  d.reason = word(error.reason);
  const std::string call = fmt::format("{}({})", operation, fmt::join(operands, ", "));
  const std::string* right = operands.size() > 1 ? &operands[1] : nullptr;
  if (error.code != Code::not_representable) {
    d.message = operation == "first_difference" && error.code == Code::rank_mismatch
                    ? fmt::format("{}: the sizes {} and {} differ", call, error.first, error.second)
                    : fmt::format("{}: {}", call, message_of(error));
    if (error.leaf >= 0 && error.code != Code::non_injective)
      d.message += fmt::format(" (leaf {})", error.leaf);
    d.help = help_of(error);
    if (error.code == Code::capacity && error.second == ComposedLayout::kMaxParts)
      d.help = "compose the layouts at the end of the chain first, or join swizzles with one shift";
    if (d.help.empty()) d.help = way_out(error, operation, operands);
    return d;
  }
  d.message = fmt::format("{} is not a layout ({}){}", call, d.reason, place(error, operation, right));
  if (operation == "from_linear") {
    d.notes.emplace_back("two bases share a bit, with every swizzle");
    return d;
  }
  // Without a leaf, the error is about the values themselves, not about a mode of the right operand.
  const bool of_leaf = error.leaf >= 0;
  const bool of_modes = error.reason == AlgebraReason::shape || error.reason == AlgebraReason::stride ||
                        error.reason == AlgebraReason::carry;
  const bool explained = right != nullptr && (of_leaf || error.reason != AlgebraReason::stride);
  if (!of_modes || explained) d.notes.emplace_back(why(error.reason));
  switch (error.reason) {
    case AlgebraReason::shape:
    case AlgebraReason::stride:
      d.witness = fmt::format("coordinate {}{} has ", error.witness, of_leaf ? " of that leaf" : "");
      // Values with several components are not in the error.
      d.witness += error.first == error.second
                       ? "another value than every layout with the values before it gives"
                       : fmt::format("the value {}, but every layout with the values before it gives {}",
                                     error.first, error.second);
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
    case AlgebraReason::search:
    case AlgebraReason::window:
    case AlgebraReason::alignment:
    case AlgebraReason::split_element:
    case AlgebraReason::none:
      break;
  }
  return d;
}

std::string detail::operand_text(const Profile& profile) {
  IntTuple zeros;
  zeros.profile = profile;
  return to_string(zeros);
}

}  // namespace tessera
