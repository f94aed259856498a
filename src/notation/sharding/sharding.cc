// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "notation/sharding/iota.h"

namespace tessera {
namespace {

std::optional<Index> extent_product(std::span<const Index> factors) {
  Index result = 1;
  for (const Index f : factors) {
    if (f < 1 || mul_overflows(result, f, result)) return std::nullopt;
  }
  return result;
}

Result<void> check_subgroups(std::span<const Index> tile_assignment, std::size_t subgroups) {
  if (subgroups <= tile_assignment.size()) return {};
  return fail(Code::device_count,
              fmt::format("{} do not fit the tile assignment [{}]", detail::plural(subgroups, "subgroup"),
                          fmt::join(tile_assignment, ",")));
}

// The shape of the device array after its transposition.
std::vector<Index> transposed(const IotaDevices& iota) {
  std::vector<Index> shape;
  for (const Index p : iota.transpose) shape.push_back(iota.reshape[static_cast<std::size_t>(p)]);
  return shape;
}

// Drops extents of 1 and merges runs of the permutation, so that each device order has a single spelling.
IotaDevices canonical(const IotaDevices& in) {
  std::vector<Index> renumbered(in.reshape.size(), -1);
  IotaDevices slim;
  for (std::size_t i = 0; i < in.reshape.size(); ++i) {
    if (in.reshape[i] == 1) continue;
    renumbered[i] = static_cast<Index>(slim.reshape.size());
    slim.reshape.push_back(in.reshape[i]);
  }
  std::vector<std::pair<Index, Index>> runs;  // the first dimension of a run and its merged extent
  Index previous = -2;
  for (const Index p : in.transpose) {
    const Index source = renumbered[static_cast<std::size_t>(p)];
    if (source < 0) continue;
    const Index extent = slim.reshape[static_cast<std::size_t>(source)];
    if (source == previous + 1) {
      runs.back().second *= extent;
    } else {
      runs.emplace_back(source, extent);
    }
    previous = source;
  }
  if (runs.empty()) return {{1}, {0}};
  std::vector<std::pair<Index, Index>> by_source = runs;
  std::ranges::sort(by_source);
  IotaDevices out;
  for (const auto& run : by_source) out.reshape.push_back(run.second);
  for (const auto& run : runs) out.transpose.push_back(std::ranges::find(by_source, run) - by_source.begin());
  return out;
}

}  // namespace

Sharding Sharding::maximal(Index device) {
  Sharding sharding(Kind::maximal);
  sharding.device_ = device;
  sharding.device_count_ = 1;
  return sharding;
}

Result<Sharding> Sharding::tiled(std::vector<Index> tile_assignment, std::vector<Index> devices,
                                 std::vector<SubgroupKind> subgroups) {
  const auto count = extent_product(tile_assignment);
  if (const auto fit = check_subgroups(tile_assignment, subgroups.size()); !fit) return fail(fit.error());
  if (devices.size() < 2)
    return fail(Code::device_count,
                "a tiling needs at least two devices: write maximal and the device number");
  if (!count || *count != static_cast<Index>(devices.size())) {
    return fail(Code::device_count, fmt::format("{} are given for the tile assignment [{}], which needs {}",
                                                detail::plural(devices.size(), "device"),
                                                fmt::join(tile_assignment, ","), count.value_or(0)));
  }
  std::vector<Index> sorted = devices;
  std::ranges::sort(sorted);
  if (sorted.front() < 0)
    return fail(Code::device_count, fmt::format("there is no device {}", sorted.front()));
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return fail(Code::device_count, fmt::format("device {} occurs twice", *twice), {},
                "list each device once");
  Sharding sharding(Kind::tiled);
  sharding.tile_assignment_ = std::move(tile_assignment);
  sharding.list_ = std::move(devices);
  sharding.subgroups_ = std::move(subgroups);
  sharding.device_count_ = *count;
  return sharding;
}

Result<Sharding> Sharding::tiled(std::vector<Index> tile_assignment, IotaDevices devices,
                                 std::vector<SubgroupKind> subgroups) {
  const auto places = extent_product(tile_assignment);
  const auto count = extent_product(devices.reshape);
  if (!places || !count)
    return fail(Code::overflow, "the number of devices must be positive and fit in 64 bits");
  if (const auto fit = check_subgroups(tile_assignment, subgroups.size()); !fit) return fail(fit.error());
  if (*places != *count) {
    return fail(
        Code::device_count,
        fmt::format("<=[{}] makes {}, but the tile assignment [{}] needs {}", fmt::join(devices.reshape, ","),
                    detail::plural(*count, "device"), fmt::join(tile_assignment, ","), *places));
  }
  std::vector<Index> sorted = devices.transpose;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < std::max(sorted.size(), devices.reshape.size()); ++i) {
    if (i >= sorted.size() || i >= devices.reshape.size() || sorted[i] != static_cast<Index>(i)) {
      return fail(Code::iota_perm,
                  fmt::format("T({}) is not a permutation of {}", fmt::join(devices.transpose, ","),
                              detail::plural(devices.reshape.size(), "dimension")),
                  {}, "list each dimension once: T(1,0)");
    }
  }
  Sharding sharding(Kind::tiled);
  sharding.tile_assignment_ = std::move(tile_assignment);
  sharding.iota_ = canonical(devices);
  sharding.subgroups_ = std::move(subgroups);
  sharding.device_count_ = *count;
  return sharding;
}

Index Sharding::device_at(Index flat) const {
  if (!iota_) return list_[static_cast<std::size_t>(flat)];
  const std::vector<Index> digits = detail::index_with_number(transposed(*iota_), flat);
  std::vector<Index> source(iota_->reshape.size());
  for (std::size_t k = 0; k < digits.size(); ++k)
    source[static_cast<std::size_t>(iota_->transpose[k])] = digits[k];
  return detail::number_of_index(source, iota_->reshape);
}

std::optional<Index> Sharding::place_of(Index device) const {
  if (!iota_) {
    const std::vector<Index> all = devices();
    const auto at = std::ranges::find(all, device);
    return at == all.end() ? std::nullopt : std::optional<Index>(at - all.begin());
  }
  if (device < 0 || device >= device_count_) return std::nullopt;
  const std::vector<Index> source = detail::index_with_number(iota_->reshape, device);
  std::vector<Index> digits;
  for (const Index p : iota_->transpose) digits.push_back(source[static_cast<std::size_t>(p)]);
  return detail::number_of_index(digits, transposed(*iota_));
}

std::vector<Index> Sharding::devices() const {
  if (kind_ == Kind::maximal) return {device_};
  return iota_ ? detail::devices_of(*iota_) : list_;
}

}  // namespace tessera
