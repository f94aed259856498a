// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as a named layout, or give a diagnostic inside the text. The printed form parses
// back to it. The bits of the first and the last element are in the buffer, and its planes place them at the
// same offsets; the container has the bytes of the buffer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tessera/notation/named_layout.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_element(const tessera::NamedLayout& layout, const std::vector<tessera::Index>& index) {
  const auto planes = tessera::planes(layout);
  if (!planes) return;
  for (const tessera::BitPlane& plane : *planes) {
    for (int bit = 0; bit < plane.width; ++bit) {
      const tessera::Index offset = layout.bit_offset(index, plane.first + bit);
      require(offset >= 0 && offset < layout.buffer_bits());
      require(plane.layout.offset(index) * plane.width + bit == offset);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 256) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto layout = tessera::parse_named_layout(text);
  if (!layout) {
    const tessera::Diagnostic& error = layout.error();
    require(error.span.begin <= error.span.end && error.span.end <= text.size() && !error.message.empty());
    return 0;
  }
  const auto again = tessera::parse_named_layout(to_string(*layout));
  require(again && *again == *layout);
  std::vector<tessera::Index> last;
  for (const tessera::Index extent : layout->shape()) {
    if (extent == 0) return 0;
    last.push_back(extent - 1);
  }
  check_element(*layout, std::vector<tessera::Index>(last.size(), 0));
  check_element(*layout, last);
  return 0;
}
