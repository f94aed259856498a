// SPDX-License-Identifier: Apache-2.0
#include "access/registers/triton_threads.h"

#include <algorithm>

#include "access/registers/register_vector.h"
#include "base/try.h"

namespace tessera::access {

Result<TritonThreads> triton_threads(std::string_view text, const Layout& layout, Index element_bits) {
  TESSERA_TRY(given, parse_triton_layout(text));
  const Span whole = {0, static_cast<std::uint32_t>(text.size())};
  if (given.shape && !std::ranges::equal(*given.shape, layout.shape()))
    return fail(Code::shape_mismatch, "the threads have another shape than the accessed layout", whole,
                "leave out the shape: the threads take that of the layout");
  const auto read = [&]() -> Result<TritonThreads> {
    TESSERA_TRY(bases, triton_bases(given.attribute, layout.shape(), given.element));
    TESSERA_TRY(values, thread_values(bases));
    std::vector<std::size_t> first;
    std::optional<Index> vector;
    const auto* memory = layout.as<TritonLayout>();
    if (memory != nullptr && space_of(memory->attribute.kind) == TritonSpace::shared) {
      TESSERA_TRY(map, triton_bases(*memory));
      TESSERA_TRY(images, offset_images(values, map));
      first = vector_registers(images, map, std::max<Index>(1, element_bits / 8));
      vector = Index{1} << first.size();
    }
    TESSERA_TRY(tv, thread_value_layout(values, first));
    return TritonThreads{std::move(tv), vector};
  };
  auto threads = read();
  if (!threads && threads.error().span.begin == threads.error().span.end) threads.error().span = whole;
  return threads;
}

}  // namespace tessera::access
