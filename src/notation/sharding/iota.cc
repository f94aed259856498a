// SPDX-License-Identifier: Apache-2.0
#include "notation/sharding/iota.h"

#include <algorithm>
#include <ranges>

#include "base/index_walk.h"
#include "notation/digitize.h"

namespace tessera::detail {

std::vector<Index> with_digit(std::span<const Index> list, Index extent, Index stride) {
  std::vector<Index> longer;
  longer.reserve(list.size() * static_cast<std::size_t>(extent));
  for (const Index x : list) {
    for (Index i = 0; i < extent; ++i) longer.push_back(x + i * stride);
  }
  return longer;
}

std::vector<Index> devices_of(const IotaDevices& iota) {
  const std::vector<Index> strides = row_major_strides(iota.reshape);
  std::vector<Index> devices{0};
  for (const Index source : iota.transpose) {
    const auto d = static_cast<std::size_t>(source);
    devices = with_digit(devices, iota.reshape[d], strides[d]);
  }
  return devices;
}

std::optional<IotaDevices> iota_of(std::span<const Index> devices) {
  if (devices.size() == 1 && devices[0] == 0) return IotaDevices{{1}, {0}};
  if (devices.empty() || devices[0] != 0) return {};
  const auto digits = digitize(0, devices);
  if (!digits) return {};
  std::vector<Digit> by_stride = *digits;
  std::ranges::sort(by_stride, std::greater<>(), &Digit::stride);
  Index stride = 1;
  for (std::size_t i = by_stride.size(); i-- > 0;) {
    if (by_stride[i].stride != stride) return {};
    stride *= by_stride[i].ext;
  }
  if (stride != std::ssize(devices)) return {};  // the list ends inside a digit
  IotaDevices iota;
  for (const Digit& digit : by_stride) iota.reshape.push_back(digit.ext);
  for (const Digit& digit : std::views::reverse(*digits))
    iota.transpose.push_back(std::ranges::find(by_stride, digit) - by_stride.begin());
  return iota;
}

}  // namespace tessera::detail
