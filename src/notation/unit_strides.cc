// SPDX-License-Identifier: Apache-2.0
#include "notation/unit_strides.h"

namespace tessera::detail {

std::vector<std::optional<Index>> unit_strides(const Layout& layout) {
  std::vector<std::optional<Index>> out(layout.rank());
  const Strides* const plain = layout.strides();
  const StridedLayout* const modes = layout.strided();
  if (plain == nullptr && (modes == nullptr || modes->has_basis())) return out;
  Cursor mode = modes != nullptr ? first_mode(modes->profile) : Cursor{};
  for (std::size_t d = 0; d < out.size(); ++d) {
    const bool leaf = modes != nullptr && modes->profile.is_leaf(mode.node);
    if (layout.shape()[d] == 1 && plain != nullptr) out[d] = plain->strides[d];
    if (layout.shape()[d] == 1 && leaf) out[d] = modes->stride[mode.leaf];
    if (modes != nullptr) mode = after(modes->profile, mode);
  }
  return out;
}

}  // namespace tessera::detail
