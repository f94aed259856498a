// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "tessera/notation/named_layout.h"

namespace tessera {
namespace {

// `count` bits from bit `offset` on; at most 64.
std::uint64_t read_bits(std::span<const std::byte> bytes, Index offset, int count) {
  std::uint64_t value = 0;
  for (int done = 0; done < count;) {
    const Index at = offset + done;
    const int shift = static_cast<int>(at % 8);
    const int here = std::min(count - done, 8 - shift);
    const auto byte = std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(at / 8)]);
    value |= (byte >> shift & ((std::uint64_t{1} << here) - 1)) << done;
    done += here;
  }
  return value;
}

// Sets bits that are 0.
void write_bits(std::span<std::byte> bytes, Index offset, int count, std::uint64_t value) {
  for (int done = 0; done < count;) {
    const Index at = offset + done;
    const int shift = static_cast<int>(at % 8);
    const int here = std::min(count - done, 8 - shift);
    const std::uint64_t part = value >> done & ((std::uint64_t{1} << here) - 1);
    bytes[static_cast<std::size_t>(at / 8)] |= static_cast<std::byte>(part << shift);
    done += here;
  }
}

Result<void> check_bytes(std::size_t given, Index needed, std::string_view what) {
  if (static_cast<Index>(given) == needed) return {};
  return fail(Code::shape_mismatch,
              fmt::format("{} {}, but the layout needs {}", what, detail::plural(given, "byte"), needed));
}

Index element_count_of(const NamedLayout& layout) {
  Index count = 1;
  for (const Index extent : layout.shape()) count *= extent;
  return count;
}

// Calls visit(number, bit offset in the buffer) for each element of a plane.
template <class Visit>
void each_cell(const BitPlane& plane, const Visit& visit) {
  std::vector<Index> index(plane.layout.rank(), 0);
  if (plane.layout.size() == 0) return;
  Index number = 0;
  do {
    visit(number++, plane.layout.offset(index) * plane.width);
  } while (detail::next_index(index, plane.layout.shape()));
}

}  // namespace

int code_bytes(const NamedLayout& layout) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>((layout.type().bits + 7) / 8)));
}

Result<std::vector<std::byte>> unpack(const NamedLayout& layout, std::span<const std::byte> buffer) {
  TESSERA_NEED(check_bytes(buffer.size(), layout.buffer_bytes(), "the buffer has"));
  TESSERA_TRY(all, planes(layout));
  const int width = code_bytes(layout) * 8;
  std::vector<std::byte> codes(static_cast<std::size_t>(element_count_of(layout) * code_bytes(layout)));
  for (const BitPlane& plane : all) {
    each_cell(plane, [&](Index number, Index offset) {
      write_bits(codes, number * width + plane.first, plane.width, read_bits(buffer, offset, plane.width));
    });
  }
  return codes;
}

Result<std::vector<std::byte>> pack(const NamedLayout& layout, std::span<const std::byte> codes) {
  TESSERA_NEED(check_bytes(codes.size(), element_count_of(layout) * code_bytes(layout), "the codes have"));
  TESSERA_TRY(all, planes(layout));
  const int width = code_bytes(layout) * 8;
  const int bits = layout.type().bits;
  for (Index number = 0; bits < width && number < element_count_of(layout); ++number) {
    const std::uint64_t rest = read_bits(codes, number * width + bits, width - bits);
    if (rest == 0) continue;
    return fail(Code::number_range,
                fmt::format("code {} is {}, but elements have {}", number,
                            read_bits(codes, number * width, width), detail::plural(bits, "bit")));
  }
  std::vector<std::byte> buffer(static_cast<std::size_t>(layout.buffer_bytes()));
  for (const BitPlane& plane : all) {
    each_cell(plane, [&](Index number, Index offset) {
      write_bits(buffer, offset, plane.width, read_bits(codes, number * width + plane.first, plane.width));
    });
  }
  return buffer;
}

}  // namespace tessera
