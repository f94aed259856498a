// SPDX-License-Identifier: Apache-2.0
#include "files/packed_elements.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace tessera {
namespace {

// The unpacked byte of an element's bits.
std::byte widened(unsigned value, const Packing& packing) {
  const unsigned sign = 1u << (packing.bits - 1);
  const bool negative = packing.is_signed && (value & sign) != 0;
  return static_cast<std::byte>((negative ? value | ~(2 * sign - 1) : value) & 0xffu);
}

unsigned narrowed(std::byte element, const Packing& packing) {
  return std::to_integer<unsigned>(element) & ((1u << packing.bits) - 1);
}

template <int kBits>
void unpack_bytes(std::span<const std::byte> packed, const std::array<std::byte, 16>& values,
                  std::byte* out) {
  for (const std::byte byte : packed) {
    for (int shift = 0; shift < 8; shift += kBits) {
      *out++ = values[(std::to_integer<unsigned>(byte) >> shift) & ((1u << kBits) - 1)];
    }
  }
}

template <int kBits>
std::byte* pack_bytes(const std::byte* in, std::size_t count, std::byte* out) {
  constexpr std::size_t kPerByte = 8 / kBits;
  for (std::size_t i = 0; i + kPerByte <= count; i += kPerByte) {
    unsigned byte = 0;
    for (std::size_t k = 0; k < kPerByte; ++k) {
      byte |= (std::to_integer<unsigned>(in[i + k]) & ((1u << kBits) - 1)) << (k * kBits);
    }
    *out++ = static_cast<std::byte>(byte);
  }
  return out;
}

}  // namespace

void unpack(const Packing& packing, std::span<const std::byte> packed, Index first,
            std::span<std::byte> out) {
  std::array<std::byte, 16> values = {};
  for (unsigned v = 0; v < (1u << packing.bits); ++v) values[v] = widened(v, packing);
  const auto one = [&](Index element) {
    const auto byte =
        std::to_integer<unsigned>(packed[static_cast<std::size_t>(element / packing.per_byte())]);
    const auto shift = static_cast<int>(element % packing.per_byte()) * packing.bits;
    return values[(byte >> shift) & ((1u << packing.bits) - 1)];
  };
  const auto count = static_cast<Index>(out.size());
  Index i = 0;
  for (; i < count && (first + i) % packing.per_byte() != 0; ++i)
    out[static_cast<std::size_t>(i)] = one(first + i);
  const Index whole = (count - i) / packing.per_byte();
  const auto middle = packed.subspan(static_cast<std::size_t>((first + i) / packing.per_byte()),
                                     static_cast<std::size_t>(whole));
  std::byte* const begin = out.data() + i;
  if (packing.bits == 4) unpack_bytes<4>(middle, values, begin);
  if (packing.bits == 2) unpack_bytes<2>(middle, values, begin);
  if (packing.bits == 1) unpack_bytes<1>(middle, values, begin);
  for (i += whole * packing.per_byte(); i < count; ++i) out[static_cast<std::size_t>(i)] = one(first + i);
}

std::span<const std::byte> Packer::pack(std::span<std::byte> elements) {
  if (!misfit_) {
    std::array<bool, 256> fits = {};
    for (unsigned v = 0; v < (1u << packing_.bits); ++v)
      fits[std::to_integer<unsigned>(widened(v, packing_))] = true;
    bool all = true;
    for (const std::byte element : elements) all &= fits[std::to_integer<unsigned>(element)];
    for (std::size_t i = 0; !all && !misfit_; ++i) {
      if (!fits[std::to_integer<unsigned>(elements[i])]) misfit_ = seen_ + static_cast<Index>(i);
    }
  }
  seen_ += static_cast<Index>(elements.size());
  std::byte* out = elements.data();
  std::size_t read = 0;
  // First complete the byte of the leftover. The write position never passes the read position.
  while (pending_bits_ != 0 && read < elements.size()) {
    pending_ |= narrowed(elements[read++], packing_) << pending_bits_;
    pending_bits_ += packing_.bits;
    if (pending_bits_ == 8) {
      *out++ = static_cast<std::byte>(pending_);
      pending_ = 0;
      pending_bits_ = 0;
    }
  }
  const std::byte* const in = elements.data() + read;
  const std::size_t count = elements.size() - read;
  if (packing_.bits == 4) out = pack_bytes<4>(in, count, out);
  if (packing_.bits == 2) out = pack_bytes<2>(in, count, out);
  if (packing_.bits == 1) out = pack_bytes<1>(in, count, out);
  const auto per_byte = static_cast<std::size_t>(packing_.per_byte());
  for (std::size_t i = count / per_byte * per_byte; i < count; ++i) {
    pending_ |= narrowed(in[i], packing_) << pending_bits_;
    pending_bits_ += packing_.bits;
  }
  return {elements.data(), static_cast<std::size_t>(out - elements.data())};
}

std::optional<std::byte> Packer::finish(std::byte old) {
  if (pending_bits_ == 0) return std::nullopt;
  const unsigned unused = std::to_integer<unsigned>(old) >> pending_bits_ << pending_bits_;
  const auto last = static_cast<std::byte>(pending_ | unused);
  pending_ = 0;
  pending_bits_ = 0;
  return last;
}

}  // namespace tessera
