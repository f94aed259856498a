// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "reshard/distribution_traits.h"
#include "tessera/reshard/distribution.h"

namespace tessera {

Result<Distribution> convert(const BoundDistribution& distribution, DistributionNotation to) {
  if (const auto write = detail::distribution_traits(to).write) return write(distribution);
  std::vector<std::string_view> written;
  for (const DistributionNotation notation : all_distribution_notations()) {
    if (detail::distribution_traits(notation).write) written.push_back(to_string(notation));
  }
  const std::string_view last = written.back();
  written.pop_back();
  return fail(Code::bad_option, fmt::format("no conversion to {}", to_string(to)), {},
              fmt::format("convert to {} or {}", fmt::join(written, ", "), last));
}

}  // namespace tessera
