// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "notation/cute/algebra_diagnostic.h"
#include "tessera/algebra/detail/mdspan_dynamic.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

// The largest extents that the layout can have: the sizes of its top-level modes.
std::string largest_extents(const StridedLayout& layout) {
  std::string out;
  for (int r = 0; r < layout.rank(); ++r) {
    const StridedLayout mode = detail::sublayout(layout, mode_at(layout.profile, r));
    out += fmt::format("{}{}", r == 0 ? "" : ",", mode.size());
  }
  return "(" + out + ")";
}

std::string message(const detail::AlgebraError& e, bool swizzled) {
  switch (e.code) {
    case Code::rank_mismatch:
      return fmt::format("the layout has {} modes, but the mdspan has {} dimensions", e.first, e.second);
    case Code::index_out_of_range:
      if (e.first < 0) return fmt::format("dimension {} has the extent {}", e.leaf, e.first);
      return fmt::format("dimension {} has the extent {}, but its mode has the size {}", e.leaf, e.first,
                         e.second);
    case Code::unsupported_codomain:
      return "an mdspan needs integer offsets, but the strides are scaled bases";
    case Code::negative_stride:
      return fmt::format("the stride of {}:{} in dimension {} is negative", e.first, e.second, e.leaf);
    case Code::capacity:
      return fmt::format("the modes have more than {} digits after adjacent digits are merged", e.second);
    case Code::overflow:
      if (e.leaf >= 0) {
        return fmt::format("the stride {} in dimension {} exceeds {}, the largest number of the index type",
                           e.first, e.leaf, e.second);
      }
      return fmt::format("{}{} offsets{} exceed {}, the largest number of the index type", e.first,
                         e.first == kIndexMax ? " or more" : "", swizzled ? " in blocks of the swizzle" : "",
                         e.second);
    default:
      return message_of(e);
  }
}

}  // namespace

Diagnostic detail::mapping_diagnostic(const AlgebraError& error, const IntTuple& extents,
                                      const StridedLayout& layout, Swizzle swizzle) {
  std::vector<std::string> operands{to_string(extents), to_string(layout)};
  if (!swizzle.is_identity()) operands.push_back(to_string(swizzle));
  Diagnostic d;
  d.code = error.code;
  d.message =
      fmt::format("make_mapping({}): {}", fmt::join(operands, ", "), message(error, !swizzle.is_identity()));
  switch (error.code) {
    case Code::rank_mismatch:
      d.help = "each top-level mode is one dimension: group the modes, or change the extents";
      break;
    case Code::index_out_of_range:
      if (error.first > error.second)
        d.witness = fmt::format("index {} of dimension {} has no offset", error.second, error.leaf);
      d.help = fmt::format("use extents from 0 up to {}", largest_extents(layout));
      break;
    case Code::negative_stride:
      d.witness =
          fmt::format("index {} of dimension {} has the offset {}", error.witness, error.leaf, error.second);
      break;
    case Code::overflow:
      d.help = "use extents with a wider index type";
      break;
    default:
      break;
  }
  return d;
}

}  // namespace tessera
