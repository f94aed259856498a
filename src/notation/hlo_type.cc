// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/hlo_type.h"

namespace tessera {

HloType HloType::tuple(std::vector<HloType> elements) {
  HloType type;
  type.kind_ = Kind::tuple;
  type.elements_ = std::move(elements);
  return type;
}

HloType HloType::buffer(HloType element) {
  HloType type;
  type.kind_ = Kind::buffer;
  type.elements_.push_back(std::move(element));
  return type;
}

HloType HloType::unreadable() {
  HloType type;
  type.kind_ = Kind::unreadable;
  return type;
}

std::span<const HloType> outputs(const HloType& type) {
  return type.is_tuple() ? type.elements() : std::span<const HloType>(&type, 1);
}

std::optional<Diagnostic> validate(const HloType& type) {
  if (type.kind() == HloType::Kind::array) return validate(type.array());
  for (const HloType& element : type.elements()) {
    if (auto bad = validate(element)) return bad;
  }
  return std::nullopt;
}

}  // namespace tessera
