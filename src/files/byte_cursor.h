// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the numbers and strings of a binary header.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera {

/// The span of bytes [begin, end) of a file that may be longer than 4 GiB.
inline Span far_place(std::size_t begin, std::size_t end) {
  constexpr std::size_t kFarthest = std::numeric_limits<std::uint32_t>::max();
  return {static_cast<std::uint32_t>(std::min(begin, kFarthest)),
          static_cast<std::uint32_t>(std::min(end, kFarthest))};
}

/// A position in a file of little-endian numbers. A read beyond the end returns nothing and moves nothing.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  Span since(std::size_t begin) const { return far_place(begin, at_); }
  Span here() const { return far_place(at_, at_); }

  template <std::unsigned_integral T>
  std::optional<T> number() {
    if (left() < sizeof(T)) return std::nullopt;
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value = static_cast<T>(value | T{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i));
    }
    at_ += sizeof(T);
    return value;
  }

  /// The next bytes. Requires that the file has as many.
  std::string_view take(std::size_t count) {
    const std::string_view out = bytes_.substr(at_, count);
    at_ += count;
    return out;
  }

  /// The span of a count that was just read.
  Span last(std::size_t bytes) const { return far_place(at_ - bytes, at_); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace tessera
