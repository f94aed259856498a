// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tessera/notation/tensor_type.h"

namespace tessera {

std::shared_ptr<const HloType::Parts> HloType::parts_of(std::vector<HloType> elements) {
  auto parts = std::make_shared<Parts>();
  for (const HloType& element : elements) {
    if (__builtin_add_overflow(parts->leaf_count, element.leaf_count(), &parts->leaf_count)) {
      parts->leaf_count = UINT64_MAX;
    }
    parts->depth = std::max(parts->depth, element.depth() + 1);
    parts->has_unreadable |= element.has_unreadable();
    parts->has_unbounded |= element.has_unbounded();
  }
  parts->elements = std::move(elements);
  return parts;
}

HloType HloType::tuple(std::vector<HloType> elements) {
  HloType type;
  type.kind_ = Kind::tuple;
  type.parts_ = parts_of(std::move(elements));
  return type;
}

HloType HloType::buffer(HloType element) {
  HloType type;
  type.kind_ = Kind::buffer;
  type.parts_ = parts_of({std::move(element)});
  return type;
}

HloType HloType::unreadable() {
  HloType type;
  type.kind_ = Kind::unreadable;
  return type;
}

bool HloType::has_unbounded() const {
  return parts_ ? parts_->has_unbounded
                : std::ranges::find(array_.dim_kinds, DimKind::unbounded) != array_.dim_kinds.end();
}

bool operator==(const HloType& a, const HloType& b) {
  if (a.kind_ != b.kind_ || a.array_ != b.array_) return false;
  return a.parts_ == b.parts_ || std::ranges::equal(a.elements(), b.elements());
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
