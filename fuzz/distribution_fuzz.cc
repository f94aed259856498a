// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as a distribution, or give a diagnostic inside the text. The printed form of a
// distribution parses back to the same distribution. On a small array, every element has a holder, and a
// converted distribution has the same holders. The same bytes are also parsed as an axis expression.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "reshard/pieces/axis_expression.h"
#include "reshard/pieces/piece_map.h"
#include "tessera/reshard/distribution.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_error(const tessera::Diagnostic& error, std::string_view text) {
  require(error.span.begin <= error.span.end && error.span.end <= text.size() && !error.message.empty());
}

void check_axes(std::string_view text) {
  tessera::AxisSizes sizes;
  require(sizes.add("a", tessera::Index{2}) && sizes.add("b", tessera::Index{3}) &&
          sizes.add("c", "(a b) crop 5"));
  const auto read = tessera::parse_axis_expression(text, sizes);
  if (!read) return check_error(read.error(), text);
  const auto again = tessera::parse_axis_expression(to_string(*read), sizes);
  require(again && to_string(*again) == to_string(*read));
  (void)tessera::lower(*read, sizes);
}

void check_bound(const tessera::Distribution& distribution) {
  const std::vector<tessera::Index> shape(distribution.rank.value_or(distribution.least_rank + 1), 3);
  if (shape.size() > 4 || distribution.mesh.places.size() > 256) return;
  const auto bound = bind_distribution(distribution, shape);
  if (!bound) return;
  const std::vector<tessera::Index> last(shape.size(), 2);
  const auto held = holders(*bound, last);
  require(held && !held->empty());
  const auto made = convert(*bound, tessera::DistributionNotation::mesh);
  require(made.has_value());
  const auto read = tessera::parse_distribution(to_string(*made));
  require(read.has_value());
  const auto again = bind_distribution(*read, shape, bound->places());
  require(again && equal(*bound, *again, tessera::DistributionNotion::map)->verdict != tessera::Verdict::no);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 256) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_axes(text);
  const auto read = tessera::parse_distribution(text);
  if (!read) {
    check_error(read.error(), text);
    return 0;
  }
  const auto again = tessera::parse_distribution(to_string(*read));
  require(again && to_string(*again) == to_string(*read));
  check_bound(*read);
  return 0;
}
