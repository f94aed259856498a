// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/detail/name_table.h"

#include <cstring>
#include <random>

namespace tessera {
namespace {

std::uint64_t seed() {
  static const std::uint64_t kSeed = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device() | 1;
  }();
  return kSeed;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ typedef unsigned __int128 Wide;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Mixes in eight bytes at a time by a wide multiplication with a secret factor.
std::uint64_t hash_of(std::string_view name) {
  const std::uint64_t key = seed();
  std::uint64_t hash = key ^ name.size();
  const char* p = name.data();
  std::size_t left = name.size();
  for (; left >= 8; p += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    hash = mix(hash ^ word, key ^ 0x9e3779b97f4a7c15u);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, p, left);
  return mix(hash ^ word, key ^ 0xd1b54a32d192ed03u);
}

}  // namespace

const NameTable::Slot& NameTable::probe(std::string_view name, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.data == nullptr) return slot;
    if (slot.hash == hash && std::string_view(slot.data, slot.length) == name) return slot;
  }
}

std::uint32_t NameTable::find(std::string_view name) const {
  if (slots_.empty()) return kNone;
  const Slot& slot = probe(name, hash_of(name));
  return slot.data == nullptr ? kNone : slot.place;
}

std::uint32_t NameTable::insert(std::string_view name, std::uint32_t place) {
  if ((size_ + 1) * 4 > slots_.size() * 3) grow();
  const std::uint64_t hash = hash_of(name);
  Slot& slot = const_cast<Slot&>(probe(name, hash));
  if (slot.data != nullptr) return slot.place;
  slot = {name.data(), static_cast<std::uint32_t>(name.size()), place, hash};
  ++size_;
  return kNone;
}

void NameTable::grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 8 : old.size() * 2, Slot{});
  for (const Slot& slot : old) {
    if (slot.data != nullptr) const_cast<Slot&>(probe({slot.data, slot.length}, slot.hash)) = slot;
  }
}

}  // namespace tessera
