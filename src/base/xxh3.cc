// SPDX-License-Identifier: Apache-2.0
#include "base/xxh3.h"

#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tessera {

struct Xxh3::State {
  XXH3_state_t state;
};

Xxh3::Xxh3() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->state); }
Xxh3::Xxh3(Xxh3&&) noexcept = default;
Xxh3& Xxh3::operator=(Xxh3&&) noexcept = default;
Xxh3::~Xxh3() = default;

void Xxh3::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->state, bytes.data(), bytes.size());
}
std::uint64_t Xxh3::digest() const { return XXH3_64bits_digest(&state_->state); }

std::uint64_t xxh3_64(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string xxh3_128(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace tessera
