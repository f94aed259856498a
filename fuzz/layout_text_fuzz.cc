// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as a layout of some notation, or give a diagnostic inside the text. The printed form
// of a parsed layout parses back to the same layout, and its offsets are within the layout's bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "notation/layout_index.h"
#include "tessera/notation/layout.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void check_place(const tessera::Result<T>& read, std::string_view text) {
  require(read || (read.error().span.begin <= read.error().span.end && read.error().span.end <= text.size() &&
                   !read.error().message.empty()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A map over a large box may need enumeration. Short texts make that rare.
  if (size > 512) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto layout = tessera::parse_layout(text);
  check_place(layout, text);
  if (!layout) return 0;
  const bool map = layout->notation() == tessera::Notation::map;
  for (const std::string& printed : {to_string(*layout), to_prefixed_string(*layout)}) {
    const auto again = tessera::parse_layout(printed);
    require(again.has_value());
    // Maps may differ in their trees, because the printer writes a minus in another form.
    require(map ? std::vector(again->shape().begin(), again->shape().end()) ==
                      std::vector(layout->shape().begin(), layout->shape().end())
                : *again == *layout);
  }
  if (layout->size() == 0) return 0;
  std::vector<tessera::Index> last;
  for (const tessera::Index extent : layout->shape()) last.push_back(extent - 1);
  const tessera::Index offset = layout->offset(last);
  const auto lowered = tessera::lower(*layout).evaluate(last);
  require(!lowered || lowered->front() == offset);
  // Parses the first half of the text as an index, which must not crash.
  check_place(tessera::parse_layout_index(text.substr(0, size / 2), *layout), text.substr(0, size / 2));
  return 0;
}
