// SPDX-License-Identifier: Apache-2.0
#include "tessera/draw/picture.h"

namespace tessera {

bool has_strip(const Picture& picture) {
  return !picture.legend.empty() &&
         (picture.scale.kind == Scale::Kind::sequential || picture.scale.kind == Scale::Kind::banded);
}

Index cell_count(const Picture& picture) {
  Index count = 0;
  for (const Panel& panel : picture.panels) count += static_cast<Index>(panel.cells.size());
  return count;
}

}  // namespace tessera
