// SPDX-License-Identifier: Apache-2.0
/// \file
/// XXH3, a fast hash for checksums. Not secure against adversaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// The 64-bit hash of bytes that arrive in parts; `xxhsum -H3` prints the same number.
class Xxh3 {
 public:
  Xxh3();
  Xxh3(Xxh3&&) noexcept;
  Xxh3& operator=(Xxh3&&) noexcept;
  ~Xxh3();
  void update(std::span<const std::byte> bytes);
  std::uint64_t digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::uint64_t xxh3_64(std::span<const std::byte> bytes);

/// The 128-bit hash as 32 hexadecimal digits.
std::string xxh3_128(std::string_view text);

}  // namespace tessera
