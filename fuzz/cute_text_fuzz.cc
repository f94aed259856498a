// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as CuTe's notation, as a whole or as one kind of text, or give a diagnostic inside
// the text. The printed form of a parsed value parses back to the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tessera/notation/cute.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void check(tessera::Result<T> (*parse)(std::string_view), std::string_view text) {
  const tessera::Result<T> read = parse(text);
  if (!read) {
    require(read.error().span.begin <= read.error().span.end && read.error().span.end <= text.size() &&
            !read.error().message.empty());
    return;
  }
  const std::string printed = to_string(*read);
  const tessera::Result<T> again = parse(printed);
  require(again.has_value() && *again == *read && to_string(*again) == printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(tessera::parse_cute, text);
  check(tessera::parse_cute_layout, text);
  check(tessera::parse_cute_shape, text);
  check(tessera::parse_cute_coord, text);
  check(tessera::parse_cute_tiler, text);
  check(tessera::parse_cute_expression, text);
  check(tessera::parse_cute_swizzle, text);
  return 0;
}
