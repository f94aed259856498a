// SPDX-License-Identifier: Apache-2.0
#include "relayout_copies.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera::bench {
namespace {

constexpr std::size_t kLine = 64;

void libc(const std::byte* from, std::byte* to, std::size_t n) { std::memcpy(to, from, n); }

#if defined(__SSE2__)
void plain_line(const std::byte* from, std::byte* to) {
  for (std::size_t i = 0; i < kLine; i += 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
}

void stream_line(const std::byte* from, std::byte* to) {
  for (std::size_t i = 0; i < kLine; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
}

void fence() { _mm_sfence(); }
#else
void plain_line(const std::byte* from, std::byte* to) { std::memcpy(to, from, kLine); }
void stream_line(const std::byte* from, std::byte* to) { std::memcpy(to, from, kLine); }
void fence() {}
#endif

template <void (*kCopyLine)(const std::byte*, std::byte*)>
void in_order(const std::byte* from, std::byte* to, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLine <= n; i += kLine) kCopyLine(from + i, to + i);
  if (i < n) std::memcpy(to + i, from + i, n - i);
  fence();
}

void four_pages(const std::byte* from, std::byte* to, std::size_t n) {
  constexpr std::size_t kPage = 4096;
  std::size_t i = 0;
  for (; i + 4 * kPage <= n; i += 4 * kPage) {
    for (std::size_t k = 0; k < kPage; k += kLine) {
      for (std::size_t page = 0; page < 4 * kPage; page += kPage)
        stream_line(from + i + page + k, to + i + page + k);
    }
  }
  in_order<stream_line>(from + i, to + i, n - i);
}

}  // namespace

std::vector<PlainCopy> plain_copies() {
  return {{"memcpy", libc},
          {"plain", in_order<plain_line>},
          {"streaming", in_order<stream_line>},
          {"streaming_4_pages", four_pages}};
}

}  // namespace tessera::bench
