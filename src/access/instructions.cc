// SPDX-License-Identifier: Apache-2.0
#include "access/instructions.h"

#include <fmt/format.h>

#include <algorithm>

#include "access/limits.h"
#include "algebra/bit_space.h"
#include "base/at_fault.h"
#include "base/plural.h"

namespace tessera::detail {
namespace {

constexpr Index kWidestShared = 16;
constexpr Index kWidestGlobal = 32;

Result<void> check_width(const Access& access, Index values, const AccessOptions& options) {
  const Index element = options.element_bits;
  const Index bits = std::min(access.vector, Index{1} << 32) * element;
  const Index widest = 8 * (options.shared ? kWidestShared : kWidestGlobal);
  const bool whole_elements = is_power_of_two(element) && element <= widest;
  if (is_matrix(access.kind)) {
    if (!options.target.has_matrix_access()) {
      return fail(Code::bad_option,
                  fmt::format("{} has no {}", options.target.name(), to_string(access.kind)), {},
                  "use read or write");
    }
    if (bits != 8 * kWidestShared) {
      return detail::at_fault(
          "vector",
          fail(Code::unsupported_width,
               fmt::format("{} moves 16 bytes per lane, not {}", to_string(access.kind), size_text(bits)), {},
               whole_elements ? fmt::format("use vector={}", 8 * kWidestShared / element)
                              : "recast the elements to a power of two bytes first"));
    }
  }
  if (access.vector < 1 || !is_power_of_two(bits) || bits < 8 || bits > widest) {
    const Index least = std::max<Index>(1, 8 / element);
    const Index most = widest / element;
    return detail::at_fault(
        "vector",
        fail(Code::unsupported_width, fmt::format("no instruction moves {} per lane", size_text(bits)), {},
             !whole_elements ? "recast the elements to a power of two bytes first"
             : least == most
                 ? fmt::format("use a vector of {}", detail::plural(least, "element"))
                 : fmt::format("use a vector of {} to {} elements, a power of two", least, most)));
  }
  if (values % access.vector != 0) {
    return fail(Code::not_applicable,
                fmt::format("the {} values of a thread cannot be split into whole vectors of {}", values,
                            access.vector));
  }
  return {};
}

// Checks that byte addresses stay below 2^62, so that their sums with widths fit in 64 bits.
Result<void> check_addresses(std::span<const Index> offsets, Index element_bits, Index base) {
  for (const Index offset : offsets) {
    Index bytes = 0;
    if (mul_overflows(offset, ceil_div(element_bits, 8), bytes) || add_overflows(bytes, base, bytes) ||
        bytes >= kAccessLimits.address || bytes <= -kAccessLimits.address)
      return fail(Code::overflow,
                  fmt::format("the byte address of offset {} is outside (-2^62, 2^62)", offset));
  }
  return {};
}

// Checks that the values of every vector either have consecutive offsets that start at a whole byte, or all
// touch nothing.
Result<void> check_vectors(const ThreadTable& table, std::span<const Index> offsets, const Access& access,
                           Index element_bits) {
  const Index vector = access.vector;
  for (Index value = 0; value < table.values; ++value) {
    for (Index thread = 0; thread < table.threads; ++thread) {
      const Index i = table.at(thread, value);
      if (i == kBeyond) continue;
      const Index first = table.at(thread, value - value % vector);
      const bool off = i == kOff || first == kOff;
      const Index offset = off ? 0 : offsets[static_cast<std::size_t>(i)];
      const bool fits =
          off ? i == first : offset == offsets[static_cast<std::size_t>(first)] + value % vector;
      if (!fits) {
        return fail(Code::not_applicable,
                    fmt::format("the values of a vector of {} are not consecutive at {}", vector,
                                thread_value_text(thread, value)),
                    {},
                    is_matrix(access.kind)
                        ? "the 16 bytes of a row of a matrix must be consecutive; .trans takes "
                          "rows along the first dimension if that is contiguous"
                        : "use vector=auto for the widest vector that is consecutive");
      }
      if (!off && i == first && mod(mod(offset, 8) * element_bits, 8) != 0) {
        return detail::at_fault("vector",
                                fail(Code::unsupported_width,
                                     fmt::format("the vector at {} begins inside a byte, at offset {}",
                                                 thread_value_text(thread, value), offset),
                                     {}, "make every vector begin on a byte boundary"));
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<AccessInstruction>> access_instructions(const Access& access, const ThreadTable& table,
                                                           std::span<const Index> offsets,
                                                           const AccessOptions& options) {
  for (const Result<void>& check : {check_width(access, table.values, options),
                                    check_addresses(offsets, options.element_bits, access.base)})
    if (!check) return fail(check.error());
  if (Result<void> good = check_vectors(table, offsets, access, options.element_bits); !good)
    return fail(good.error());
  std::vector<AccessInstruction> out;
  const Index lanes = options.target.lanes();
  const Index taking_part = is_matrix(access.kind) ? 8 * access.matrices : lanes;
  for (Index warp = 0; warp * lanes < table.threads; ++warp) {
    for (Index value = 0; value < table.values; value += access.vector) {
      AccessInstruction one{.warp = table.is_sample() ? table.sampled_warps[static_cast<std::size_t>(warp)]
                                                      : warp};
      for (Index lane = 0; lane < std::min(taking_part, table.threads - warp * lanes); ++lane) {
        const Index i = table.at(warp * lanes + lane, value);
        one.indices.push_back(std::max<Index>(i, 0));
        if (i != kOff) one.active |= std::uint64_t{1} << lane;
      }
      if (one.active != 0) out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace tessera::detail
