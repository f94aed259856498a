// SPDX-License-Identifier: Apache-2.0
#include "hlo/check/types.h"

#include <algorithm>

#include "notation/xla/xla_place.h"

namespace tessera::detail {

bool same_element_type(DType a, DType b) {
  return a == b || (dtype_class(a) == DTypeClass::floating && dtype_class(b) == DTypeClass::floating);
}

std::optional<Diagnostic> validate_written(const HloType& type, std::string_view text, std::size_t begin) {
  auto bad = validate(type);
  if (!bad) return bad;
  const Span place = place_in_type(text, type, bad->code);
  const auto offset = static_cast<std::uint32_t>(begin);
  bad->span = {offset + place.begin, offset + place.end};
  return bad;
}

bool compatible(const HloType& a, const HloType& b) {
  if (a.kind() == HloType::Kind::unreadable || b.kind() == HloType::Kind::unreadable) return true;
  if (a.kind() != b.kind()) return false;
  if (a.kind() != HloType::Kind::array) {
    const auto of_a = a.elements();
    const auto of_b = b.elements();
    return of_a.data() == of_b.data() ? of_a.size() == of_b.size()
                                      : std::ranges::equal(of_a, of_b, compatible);
  }
  if (a.rank() != b.rank() || !same_element_type(a.array().dtype, b.array().dtype)) return false;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (a.dims()[i] != b.dims()[i] && a.dims()[i] >= 0 && b.dims()[i] >= 0) return false;
  }
  return true;
}

std::string short_text(const HloType& type) {
  constexpr std::size_t kLongest = 100;
  std::string text;
  append(text, type, false);
  // Removes the comments that number the elements of long tuples.
  for (auto from = text.find("/*"); from != std::string::npos; from = text.find("/*", from)) {
    const auto to = text.find("*/", from);
    text.erase(from, to == std::string::npos ? to : to + 2 - from);
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

}  // namespace tessera::detail
