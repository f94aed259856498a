// SPDX-License-Identifier: Apache-2.0
#include "notation/unit_strides.h"

#include "tessera/algebra/strided_layout.h"
#include "tessera/notation/strides.h"

namespace tessera::detail {

std::vector<Index> unit_strides(const Layout& from) {
  std::vector<Index> out(from.shape().size(), 0);
  if (const Strides* const strides = from.as<Strides>()) {
    for (std::size_t d = 0; d < out.size(); ++d)
      if (strides->shape[d] <= 1 || from.size() == 0) out[d] = strides->strides[d];
  } else if (const StridedLayout* const modes = from.shape_stride();
             modes != nullptr && !modes->has_basis()) {
    Cursor mode = first_mode(modes->profile);
    for (std::size_t d = 0; d < out.size(); ++d) {
      const Cursor end = after(modes->profile, mode);
      if (end.leaf == mode.leaf + 1 && modes->extent[mode.leaf] == 1) out[d] = modes->stride[mode.leaf];
      mode = end;
    }
  }
  return out;
}

}  // namespace tessera::detail
