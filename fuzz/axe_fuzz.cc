// SPDX-License-Identifier: Apache-2.0
// Any bytes either are an Axe layout, or give a diagnostic inside the text. The printed form is read as the
// same text; the normal form has the same places; views, slices and tiles end with a value or a diagnostic.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/notation/axe.h"
#include "tessera/reshard/placement_views.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void require_answer(const tessera::Result<T>& result) {
  require(result || !result.error().message.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 256) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto layout = tessera::parse_axe(text);
  if (!layout) {
    const tessera::Diagnostic& error = layout.error();
    require(error.span.begin <= error.span.end && error.span.end <= text.size() && !error.message.empty());
    return 0;
  }
  const auto again = tessera::parse_axe(to_string(*layout));
  require(again && to_string(*again) == to_string(*layout));
  const auto placed = placement(*layout);
  require(placed.has_value());
  const std::vector<tessera::Index> origin(layout->shape.size(), 0);
  require_answer(places(*placed, origin));
  const auto normal = canonical(*layout);
  require(canonical(normal) == normal);
  const auto self = equal(*layout, *again);
  require(!self || self->verdict != tessera::Verdict::no);
  require_answer(tessera::layout_of(*layout));
  if (placed->size() <= 4096) {
    require_answer(thread_value(*layout));
    require_answer(distribution_of(*layout));
  }
  std::vector<tessera::AxeRange> half;
  for (const tessera::Index extent : layout->shape) half.emplace_back(extent / 2, extent);
  require_answer(slice(*layout, half));
  require_answer(tile(*layout, *layout));
  require_answer(direct_sum(*layout, *layout));
  return 0;
}
