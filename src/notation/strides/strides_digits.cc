// SPDX-License-Identifier: Apache-2.0
// Strides as digits, and digits as strides.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "notation/from_digits.h"
#include "notation/to_digits.h"

namespace tessera {
namespace {

// Describes the view with the shape and strides of all digits, the highest digit of each dimension first: a
// reshape and a crop turn it into the layout.
std::string expanded_view(const Digits& digits) {
  std::vector<Index> shape;
  std::vector<Index> strides;
  bool cropped = false;
  for (std::size_t d = 0; d < digits.box().size(); ++d) {
    const auto own = digits.digits(d);
    if (own.empty()) {
      shape.push_back(digits.box()[d]);
      strides.push_back(0);
    }
    for (std::size_t k = own.size(); k-- > 0;) {
      shape.push_back(own[k].ext);
      strides.push_back(own[k].stride);
    }
    cropped = cropped || digits.digit_extent(d) != digits.box()[d];
  }
  std::string text =
      fmt::format("the expanded view np:({}):({})", fmt::join(shape, ","), fmt::join(strides, ","));
  if (digits.base() > 0) text += fmt::format(" + {}", digits.base());
  if (digits.base() < 0) text += fmt::format(" - {}", -digits.base());
  std::vector<Index> whole;
  for (std::size_t d = 0; d < digits.box().size(); ++d) whole.push_back(digits.digit_extent(d));
  text += fmt::format(", reshaped to ({})", fmt::join(whole, ","));
  if (cropped) text += fmt::format(" and cut to ({})", fmt::join(digits.box(), ","));
  return text + ", is the same array";
}

}  // namespace

Result<Digits> to_digits(const Strides& strides) {
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < strides.shape.size(); ++i) {
    if (strides.shape[i] > 1)
      digits.push_back({static_cast<Index>(i), 1, strides.shape[i], strides.strides[i]});
  }
  return Digits::normalized(strides.shape, strides.base, std::move(digits));
}

Result<Strides> to_strides(const Digits& digits, std::span<const Index> unit) {
  Strides result{
      {digits.box().begin(), digits.box().end()}, std::vector<Index>(digits.box().size(), 0), digits.base()};
  for (std::size_t d = 0; d < digits.box().size(); ++d) {
    const auto own = digits.digits(d);
    if (own.size() > 1) {
      Diagnostic no{.code = Code::not_representable,
                    .message = fmt::format("dimension {} needs {} strides (multi_digit)", d, own.size()),
                    .reason = "multi_digit"};
      no.help = expanded_view(digits);
      return fail(std::move(no));
    }
    if (own.size() == 1) result.strides[d] = own[0].stride;
    if (own.empty() && !unit.empty()) result.strides[d] = unit[d];
  }
  return result;
}

}  // namespace tessera
