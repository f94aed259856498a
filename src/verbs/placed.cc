// SPDX-License-Identifier: Apache-2.0
#include "verbs/placed.h"

#include "base/try.h"
#include "verbs/file_hint.h"

namespace tessera::verbs {

Result<PlacedLayout> Reading<PlacedLayout>::read(const std::string& text) {
  if (!is_axe_text(text)) {
    TESSERA_TRY(plain, Reading<NamedOrLayout>::read(text));
    return PlacedLayout{.plain = std::move(plain)};
  }
  TESSERA_TRY(axe, parse_axe(text));
  PlacedLayout out;
  if (auto layout = Layout::make(axe)) out.plain.layout = *std::move(layout);
  out.axe = std::move(axe);
  return out;
}

Result<NamedOrLayout> layout_side(const PlacedLayout& placed, std::optional<std::string_view> axis) {
  if (!placed.axe || (!axis && placed.plain.layout)) return placed.plain;
  TESSERA_TRY(layout, layout_of(*placed.axe, axis));
  return NamedOrLayout{.layout = std::move(layout)};
}

Result<Placement> placement_of(const PlacedLayout& placed) {
  if (placed.axe) return placement(*placed.axe);
  if (!placed.plain.layout) {
    return fail(Code::not_applicable, "the elements are not cells, so they have no places; use --bits");
  }
  return placement(*placed.plain.layout);
}

}  // namespace tessera::verbs
