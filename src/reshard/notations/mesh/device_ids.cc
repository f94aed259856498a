// SPDX-License-Identifier: Apache-2.0
#include "reshard/notations/mesh/device_ids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/try.h"
#include "notation/sharding/iota.h"
#include "reshard/distribution_scanner.h"
#include "tessera/notation/sharding.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {
namespace {

// The place numbers of an iota. Errors: device_count, iota_perm, limit.
Result<std::vector<Index>> iota_places(std::vector<Index> reshape, std::vector<Index> transpose, Span span) {
  Index count = 1;
  for (const Index extent : reshape) {
    if (extent < 1) return fail(Code::number_range, "an iota needs extents of at least 1", span);
    if (mul_overflows(count, extent, count) || count > kMaxPlaces) {
      return fail(Code::limit, fmt::format("a mesh has at most {} places", kMaxPlaces), span);
    }
  }
  // XLA's value checks the permutation; a tile assignment of one device needs a list.
  if (count == 1) return std::vector<Index>{0};
  const auto sharding = Sharding::tiled({count}, IotaDevices{std::move(reshape), std::move(transpose)}, {});
  if (!sharding) {
    Diagnostic error = sharding.error();
    error.span = span;
    return fail(std::move(error));
  }
  return sharding->devices();
}

}  // namespace

Result<std::vector<Index>> read_device_ids(DistributionScanner& in) {
  const std::size_t begin = in.next();
  if (!in.accept("[")) {
    TESSERA_TRY(list, in.integers_until(")"));
    in.move_to(in.position() - 1);
    return std::move(list);
  }
  TESSERA_TRY(reshape, in.integers_until("]"));
  std::vector<Index> transpose(reshape.size());
  for (std::size_t i = 0; i < transpose.size(); ++i) transpose[i] = static_cast<Index>(i);
  if (in.accept("T")) {
    TESSERA_NEED(in.need("("));
    TESSERA_TRY(list, in.integers_until(")"));
    transpose = std::move(list);
  }
  return iota_places(std::move(reshape), std::move(transpose), in.since(begin));
}

std::string device_ids_text(const std::vector<Index>& places) {
  const auto iota = iota_of(places);
  if (!iota) return fmt::format("{}", fmt::join(places, ","));
  if (iota->reshape.size() == 1) return fmt::format("[{}]", iota->reshape[0]);
  return fmt::format("[{}]T({})", fmt::join(iota->reshape, ","), fmt::join(iota->transpose, ","));
}

}  // namespace tessera::detail
