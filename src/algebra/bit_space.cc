// SPDX-License-Identifier: Apache-2.0
#include "algebra/bit_space.h"

#include <algorithm>

#include "algebra/xor_rows.h"

namespace tessera::detail {
namespace {

std::uint64_t highest_bit(std::uint64_t v) { return std::uint64_t{1} << (63 - std::countl_zero(v)); }

}  // namespace

BitSpace BitSpace::of_bits(std::uint64_t mask) {
  BitSpace out;
  for (; mask != 0; mask &= mask - 1) out.add(mask & (~mask + 1));
  return out;
}

std::uint64_t BitSpace::residue(std::uint64_t v) const { return xor_reduced(basis(), v); }

bool BitSpace::add(std::uint64_t v) {
  v = residue(v);
  if (v == 0) return false;
  const std::uint64_t top = highest_bit(v);
  int at = dim_;
  for (int i = 0; i < dim_; ++i) {
    std::uint64_t& b = basis_[static_cast<std::size_t>(i)];
    if ((b & top) != 0) b ^= v;
  }
  while (at > 0 && basis_[static_cast<std::size_t>(at - 1)] > v) {
    basis_[static_cast<std::size_t>(at)] = basis_[static_cast<std::size_t>(at - 1)];
    --at;
  }
  basis_[static_cast<std::size_t>(at)] = v;
  ++dim_;
  return true;
}

void BitSpace::add(const BitSpace& other) {
  for (const std::uint64_t v : other.basis()) add(v);
}

BitSpace BitSpace::sum(const BitSpace& other) const {
  BitSpace out = *this;
  out.add(other);
  return out;
}

namespace {

/// The vectors of `from` whose image under `map` is 0. Elimination of the images, with the same steps applied
/// to the preimages.
template <class Map>
BitSpace vanishing(const BitSpace& from, const Map& map) {
  BitSpace out;
  XorRows images;
  for (const std::uint64_t v : from.basis()) {
    const XorRow image = images.add({static_cast<Index>(map(v)), static_cast<Index>(v)});
    if (image.value == 0) out.add(static_cast<std::uint64_t>(image.added));
  }
  return out;
}

}  // namespace

BitSpace BitSpace::meet(const BitSpace& other) const {
  return vanishing(other, [this](std::uint64_t v) { return residue(v); });
}

BitSpace kernel(const BitSpace& from, const BitMap& map) { return vanishing(from, map); }

}  // namespace tessera::detail
