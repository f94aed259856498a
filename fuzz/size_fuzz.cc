// SPDX-License-Identifier: Apache-2.0
// Any bytes are a size term, a comparison `where` assumptions, or a diagnostic inside the text. A canonical
// text is its own canonical text; a counterexample satisfies the assumptions.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tessera/size/size.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const tessera::Diagnostic& error, std::size_t size) {
  require(!error.message.empty() && error.span.begin <= error.span.end && error.span.end <= size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 200) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto canonical = tessera::canonical_size(text)) {
    const auto again = tessera::canonical_size(*canonical);
    // A quotient by a term that is 0 has a text, but only where it is not.
    if (again) require(*again == *canonical);
  } else {
    check(canonical.error(), size);
  }
  const std::size_t split = text.find("where");
  tessera::SizeAssumptions where;
  if (split != std::string_view::npos) {
    const auto list = tessera::SizeAssumptions::parse(text.substr(split + 5));
    if (!list) {
      check(list.error(), size);
      return 0;
    }
    where = *list;
  }
  const auto answer = tessera::compare_sizes(text.substr(0, split), where);
  if (!answer) {
    check(answer.error(), size);
  } else if (!answer->sizes.empty()) {
    require(where.holds(answer->sizes));
  }
  return 0;
}
