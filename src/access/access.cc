// SPDX-License-Identifier: Apache-2.0
#include "tessera/access/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "access/offset_table.h"

namespace tessera {
namespace {

constexpr Index kWidestShared = 16;

std::string at(Index thread, Index value) { return fmt::format("(thread {}, value {})", thread, value); }

Result<void> check_width(const Access& access, Index values, Index element_bytes,
                         const MemoryTarget& target) {
  const Index width = access.vector * element_bytes;
  if (is_matrix(access.kind)) {
    if (!target.has_matrix_access()) {
      return fail(Code::bad_option, fmt::format("{} has no {}", target.name(), to_string(access.kind)), {},
                  "use read or write");
    }
    if (width != kWidestShared) {
      return fail(Code::unsupported_width,
                  fmt::format("{} moves 16 bytes per lane, not {}", to_string(access.kind), width), {},
                  16 % element_bytes == 0 ? fmt::format("use vector={}", 16 / element_bytes)
                                          : "recast the elements first");
    }
  }
  if (access.vector < 1 || !std::has_single_bit(static_cast<std::uint64_t>(width)) || width > kWidestShared) {
    return fail(
        Code::unsupported_width, fmt::format("no instruction moves {} bytes per lane", width), {},
        std::has_single_bit(static_cast<std::uint64_t>(element_bytes)) && element_bytes <= kWidestShared
            ? fmt::format("use a vector of 1 to {} elements, a power of two", kWidestShared / element_bytes)
            : "recast the elements to a power of two bytes first");
  }
  if (values % access.vector != 0) {
    return fail(Code::not_applicable,
                fmt::format("{} values of a thread do not divide into vectors of {}", values, access.vector));
  }
  return {};
}

// Byte addresses stay below 2^62, so that sums with widths fit in 64 bits.
Result<void> check_addresses(std::span<const Index> offsets, Index element_bytes, Index base) {
  constexpr Index kMost = Index{1} << 62;
  for (const Index offset : offsets) {
    Index bytes = 0;
    if (mul_overflows(offset, element_bytes, bytes) || add_overflows(bytes, base, bytes) || bytes >= kMost ||
        bytes <= -kMost)
      return fail(Code::overflow, fmt::format("the byte address of offset {} is 2^62 or more", offset));
  }
  return {};
}

}  // namespace

Result<std::vector<AccessInstruction>> access_instructions(const Access& access,
                                                           std::span<const Index> offsets,
                                                           Index element_bytes, const MemoryTarget& target) {
  const Index threads = access.tv.rank() == 0 ? 1 : access.tv.shape()[0];
  const Result<std::vector<Index>> table = offset_table(access.tv, kMostBoxIndices);
  if (!table) return fail(table.error());
  const Index values = threads == 0 ? 0 : std::ssize(*table) / threads;
  if (Result<void> good = check_width(access, values, element_bytes, target); !good)
    return fail(good.error());
  if (Result<void> fit = check_addresses(offsets, element_bytes, access.base); !fit) return fail(fit.error());
  const auto index = [&](Index thread, Index value) {
    return (*table)[static_cast<std::size_t>(thread + threads * value)];
  };
  for (Index value = 0; value < values; ++value) {
    for (Index thread = 0; thread < threads; ++thread) {
      const Index i = index(thread, value);
      if (i < 0 || i >= std::ssize(offsets)) {
        return fail(Code::index_out_of_range,
                    fmt::format("{} touches index {}, outside the {} indices of the layout",
                                at(thread, value), i, offsets.size()));
      }
      const Index first = index(thread, value - value % access.vector);
      if (offsets[static_cast<std::size_t>(i)] !=
          offsets[static_cast<std::size_t>(first)] + value % access.vector) {
        return fail(Code::not_applicable,
                    fmt::format("the values of a vector of {} are not consecutive at {}", access.vector,
                                at(thread, value)),
                    {}, "use vector=auto for the widest vector that is consecutive");
      }
    }
  }
  std::vector<AccessInstruction> out;
  const Index lanes = target.lanes();
  const Index taking_part = is_matrix(access.kind) ? 8 * access.matrices : lanes;
  for (Index warp = 0; warp * lanes < threads; ++warp) {
    for (Index value = 0; value < values; value += access.vector) {
      AccessInstruction one;
      for (Index lane = 0; lane < std::min(taking_part, threads - warp * lanes); ++lane)
        one.indices.push_back(index(warp * lanes + lane, value));
      const std::size_t count = one.indices.size();
      one.active = access.active & (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace tessera
