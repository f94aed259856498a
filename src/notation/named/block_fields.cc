// SPDX-License-Identifier: Apache-2.0
#include "notation/named/block_fields.h"

namespace tessera::detail {

std::string fields_beside_codes(const NamedLayout& layout) {
  if (layout.prefix() != "gguf" || !layout.field().empty()) return "";
  const std::string name = "gguf:" + layout.family();
  std::string out;
  for (const NamedFamilyInfo& family : named_families()) {
    if (family.name != name) continue;
    for (const std::string& field : family.fields) {
      if (!field.starts_with('q') && field != "hmask") out += (out.empty() ? "" : ", ") + field;
    }
  }
  return out;
}

}  // namespace tessera::detail
