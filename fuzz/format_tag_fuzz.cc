// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as a blocked layout, or give a diagnostic inside the text. The printed form of a
// blocked layout parses back to it. If it converts to a layout, the padded buffer contains its last offset,
// and its tag can be recovered from its digits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "notation/onednn/blocked_from_digits.h"
#include "tessera/notation/blocked_layout.h"
#include "tessera/notation/layout.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 256) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto blocked = tessera::parse_blocked_layout(text);
  if (!blocked) {
    const tessera::Diagnostic& error = blocked.error();
    require(error.span.begin <= error.span.end && error.span.end <= text.size() && !error.message.empty());
    return 0;
  }
  const auto again = tessera::parse_blocked_layout(to_string(*blocked));
  require(again && *again == *blocked);
  const auto layout = tessera::Layout::make(*blocked);
  if (!layout || layout->size() == 0) return 0;
  std::vector<tessera::Index> last;
  for (const tessera::Index extent : layout->shape()) last.push_back(extent - 1);
  require(layout->offset(last) < *layout->allocated_elements());
  const auto found = tessera::detail::to_blocked_layout(*layout->known_digits());
  require(found.has_value());
  require(*tessera::Layout::make(*found)->known_digits() == *layout->known_digits());
  return 0;
}
