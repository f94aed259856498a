// SPDX-License-Identifier: Apache-2.0
#include "notation/named/block_fields.h"

#include "notation/named/gguf_blocks.h"

namespace tessera::detail {

std::string fields_beside_codes(const NamedLayout& layout) {
  if (layout.prefix() != "gguf" || !layout.field().empty()) return "";
  const GgufBlock* const block = find_gguf_block(layout.family());
  std::string out;
  if (block == nullptr) return out;
  for (const BlockField& field : block->fields) {
    if (field.name.empty()) continue;  // the codes
    if (!out.empty()) out += ", ";
    out += field.name;
  }
  return out;
}

}  // namespace tessera::detail
