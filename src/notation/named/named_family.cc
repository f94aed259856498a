// SPDX-License-Identifier: Apache-2.0
#include "notation/named/named_family.h"

#include <algorithm>
#include <bit>

namespace tessera::detail {
namespace {

#include "notation/named/parameter_rules.inc"

constexpr NamedFamily kFamilies[] = {
// clang-format off
#include "notation/named/scale_families.inc"
#include "notation/named/pack_families.inc"
    // clang-format on
};

}  // namespace

std::span<const NamedFamily> families() { return kFamilies; }

const NamedFamily* find_family(std::string_view prefix, std::string_view name) {
  for (const NamedFamily& family : kFamilies) {
    if (family.prefix == prefix && family.name == name) return &family;
  }
  return nullptr;
}

bool ParameterRule::takes(Index value) const {
  if (value < 1) return false;
  switch (kind) {
    case Kind::multiple:
      return value % unit == 0;
    case Kind::one_of:
      return std::ranges::find(values, value) != values.end();
    case Kind::power_of_two:
      return std::has_single_bit(static_cast<std::uint64_t>(value));
    case Kind::groups:
      break;
  }
  return true;
}

}  // namespace tessera::detail
