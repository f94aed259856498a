// SPDX-License-Identifier: Apache-2.0
#include "tessera/base/dtype.h"

#include <array>
#include <unordered_map>

namespace tessera {
namespace {

struct DTypeEntry {
  std::string_view name;
  int bits;
  DTypeClass kind;
};

constexpr std::array kTypes = {
#define TESSERA_DTYPE(name, bits, kind) DTypeEntry{#name, bits, DTypeClass::kind},
    TESSERA_DTYPES(TESSERA_DTYPE)
#undef TESSERA_DTYPE
};

const DTypeEntry& entry(DType type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view to_string(DType type) { return entry(type).name; }
int bit_width(DType type) { return entry(type).bits; }
DTypeClass dtype_class(DType type) { return entry(type).kind; }

std::optional<DType> parse_dtype(std::string_view name) {
  static const auto* const kByName = [] {
    auto* names = new std::unordered_map<std::string_view, DType>;
    for (std::size_t i = 0; i < kTypes.size(); ++i) names->emplace(kTypes[i].name, static_cast<DType>(i));
    return names;
  }();
  const auto found = kByName->find(name);
  return found == kByName->end() ? std::nullopt : std::optional<DType>(found->second);
}

}  // namespace tessera
