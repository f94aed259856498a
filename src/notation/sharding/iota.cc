// SPDX-License-Identifier: Apache-2.0
#include "notation/sharding/iota.h"

#include <algorithm>
#include <vector>

namespace tessera::detail {
namespace {

struct IotaDigit {
  Index stride = 1;
  Index extent = 1;
};

// The digits of a list that is a sum of digits times strides, fastest first. Empty if the list is not such a
// sum.
std::vector<IotaDigit> digits_of(std::span<const Index> list) {
  std::vector<IotaDigit> digits;
  const auto count = static_cast<Index>(list.size());
  const auto at = [&](Index i) { return list[static_cast<std::size_t>(i)]; };
  if (count == 0 || at(0) != 0) return {};
  for (Index done = 1; done < count;) {
    const Index stride = at(done);
    Index extent = 1;
    while (extent * done < count && at(extent * done) == extent * stride) ++extent;
    if (extent < 2 || count % (done * extent) != 0) return {};
    for (Index i = done; i < done * extent; ++i) {
      if (at(i) != at(i % done) + i / done * stride) return {};
    }
    digits.push_back({stride, extent});
    done *= extent;
  }
  return digits;
}

}  // namespace

std::optional<IotaDevices> iota_of(std::span<const Index> devices) {
  if (devices.size() == 1 && devices[0] == 0) return IotaDevices{{1}, {0}};
  const std::vector<IotaDigit> digits = digits_of(devices);
  if (digits.empty()) return {};
  std::vector<IotaDigit> by_stride = digits;
  std::ranges::sort(by_stride, std::greater<>(), &IotaDigit::stride);
  Index stride = 1;
  for (std::size_t i = by_stride.size(); i-- > 0;) {
    if (by_stride[i].stride != stride) return {};
    stride *= by_stride[i].extent;
  }
  IotaDevices iota;
  for (const IotaDigit& digit : by_stride) iota.reshape.push_back(digit.extent);
  for (std::size_t i = digits.size(); i-- > 0;) {
    iota.transpose.push_back(std::ranges::find(by_stride, digits[i].stride, &IotaDigit::stride) -
                             by_stride.begin());
  }
  return iota;
}

}  // namespace tessera::detail
