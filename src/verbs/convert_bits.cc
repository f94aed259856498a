// SPDX-License-Identifier: Apache-2.0
#include "verbs/convert_bits.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/plural.h"
#include "base/try.h"
#include "tessera/notation/tensor_type.h"
#include "tessera/notation/tiled_map.h"

namespace tessera::verbs {

Result<Conversion> with_cells_of_one_bit(Conversion conversion, std::optional<Index> buffer_bits) {
  const TensorType* const found = conversion.layout.tensor_type();
  if (found == nullptr || !found->layout) return conversion;
  TensorType type = *found;
  type.dtype = DType::u1;
  TiledLayout tiles = *type.layout;
  tiles.element_bits = 1;
  const auto make = [&](Index tail_align) {
    tiles.tail_align = tail_align;
    type.layout = std::make_shared<const TiledLayout>(tiles);
    return Layout::make(type);
  };
  TESSERA_TRY(plain, make(1));
  const Index allocated = plain.tiled_map()->buffer_elements();
  Conversion out{plain};
  out.dropped = std::move(conversion.dropped);
  if (buffer_bits && *buffer_bits > allocated) {
    TESSERA_TRY(longer, make(*buffer_bits));
    out.layout = longer;
  } else if (buffer_bits && *buffer_bits < allocated) {
    out.notes.push_back(fmt::format("buffer_larger: the tiles allocate {}, but the source has {}",
                                    detail::plural(allocated, "bit"), *buffer_bits));
  }
  return out;
}

}  // namespace tessera::verbs
