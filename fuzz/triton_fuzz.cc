// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as a layout of Triton or Gluon, or give a diagnostic inside the text. A layout
// prints as a text that reads back as itself, and its map holds every element.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tessera/notation/triton_layout.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 2048) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto layout = tessera::parse_triton_layout(text);
  if (!layout) {
    require(layout.error().span.end <= text.size() && !layout.error().message.empty());
    return 0;
  }
  const auto again = tessera::parse_triton_layout(to_string(*layout));
  require(again && *again == *layout);
  const auto bases = tessera::triton_bases(*layout);
  if (!bases) return 0;
  const std::vector<tessera::Index> first(bases->shape.size(), 0);
  if (tessera::space_of(layout->attribute.kind) == tessera::TritonSpace::registers) {
    const auto holders = tessera::triton_holders(*bases, first);
    require(holders && holders->count > 0);
    const tessera::TritonPlace& place = holders->places.front();
    const std::vector<tessera::Index> values = {place.reg, place.lane, place.warp, place.block};
    const auto element = tessera::triton_element(*bases, values);
    require(element && *element == first);
  } else {
    require(tessera::triton_offset(*bases, first).has_value());
  }
  return 0;
}
