// SPDX-License-Identifier: Apache-2.0
#include "hlo/devices/device_classes.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tessera::detail {

DeviceClasses::DeviceClasses(std::size_t devices) : devices_(devices) {
  std::vector<std::uint32_t> keys(devices, 0);
  named(keys);
  std::iota(keys.begin(), keys.end(), std::uint32_t{0});
  // Of a single device, both are the same.
  if (named(keys) == kOneClass) classes_.push_back(keys);
}

DeviceClasses::Name DeviceClasses::named(std::span<const std::uint32_t> keys) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> own;
  own.reserve(keys.size());
  for (const std::uint32_t key : keys)
    own.push_back(numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
  const auto [found, is_new] = names_.try_emplace(std::move(own), static_cast<Name>(classes_.size()));
  if (is_new) classes_.push_back(found->first);
  return found->second;
}

DeviceClasses::Name DeviceClasses::both(Name a, Name b) {
  if (a == b || b == kOneClass) return a;
  if (a == kOneClass) return b;
  if (a == kApart || b == kApart) return kApart;
  const auto [found, is_new] = joined_.try_emplace(std::minmax(a, b), kApart);
  if (!is_new) return found->second;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> keys;
  for (std::size_t d = 0; d < devices_; ++d)
    keys.push_back(
        numbers.try_emplace({classes_[a][d], classes_[b][d]}, static_cast<std::uint32_t>(numbers.size()))
            .first->second);
  return found->second = named(keys);
}

DeviceClasses::Name DeviceClasses::of_sharding(const Sharding& sharding) {
  if (sharding.kind() == Sharding::Kind::replicated) return kOneClass;
  if (sharding.kind() != Sharding::Kind::tiled || sharding.device_count() != static_cast<Index>(devices_))
    return kApart;
  const std::span<const Index> extents = sharding.tile_assignment();
  // Devices along replicated subgroups hold the same tile.
  std::vector<std::uint32_t> keys;
  for (std::size_t d = 0; d < devices_; ++d) {
    const std::optional<Index> flat = sharding.place_of(static_cast<Index>(d));
    if (!flat) return kApart;
    Index rest = *flat;
    Index key = 0;
    Index scale = 1;
    for (std::size_t k = extents.size(); k-- > 0;) {
      const Index digit = rest % extents[k];
      rest /= extents[k];
      const bool same =
          k >= sharding.rank() && sharding.subgroups()[k - sharding.rank()] == SubgroupKind::replicated;
      if (same) continue;
      key += digit * scale;
      scale *= extents[k];
    }
    keys.push_back(static_cast<std::uint32_t>(key));
  }
  return named(keys);
}

DeviceClasses::Name DeviceClasses::gathered(Name operand, const std::vector<std::vector<Index>>& groups,
                                            bool by_position) {
  constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
  std::map<std::vector<std::uint32_t>, std::uint32_t> contents;
  std::vector<std::uint32_t> content(devices_, kNoGroup);
  std::vector<std::uint32_t> position(devices_, 0);
  for (const std::vector<Index>& group : groups) {
    std::vector<std::uint32_t> held;
    for (const Index member : group) {
      if (member < 0 || member >= static_cast<Index>(devices_)) return kApart;
      held.push_back(classes_[operand][static_cast<std::size_t>(member)]);
    }
    const std::uint32_t number =
        contents.try_emplace(std::move(held), static_cast<std::uint32_t>(contents.size())).first->second;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto device = static_cast<std::size_t>(group[i]);
      if (content[device] != kNoGroup) return kApart;
      content[device] = number;
      position[device] = by_position ? static_cast<std::uint32_t>(i) : 0;
    }
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> keys;
  for (std::size_t d = 0; d < devices_; ++d) {
    const auto own = content[d] == kNoGroup ? std::pair(kNoGroup, static_cast<std::uint32_t>(d))
                                            : std::pair(content[d], position[d]);
    keys.push_back(numbers.try_emplace(own, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return named(keys);
}

DeviceClasses::Name DeviceClasses::sent(Name operand, std::span<const Index> sources) {
  std::vector<std::uint32_t> keys;
  for (const Index source : sources)
    keys.push_back(source < 0 ? 0 : 1 + classes_[operand][static_cast<std::size_t>(source)]);
  return named(keys);
}

}  // namespace tessera::detail
