// SPDX-License-Identifier: Apache-2.0
#include "access/registers/register_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "algebra/xor_rows.h"
#include "notation/triton/basis_lists.h"

namespace tessera::access {

// The offsets in memory, before padding, of the bases of a register layout.
Result<ThreadValues> offset_images(const ThreadValues& registers, const TritonBases& memory) {
  detail::XorRows rows;
  for (const char* input : {"offset", "partition", "block"}) {
    for (const std::vector<Index>& basis : memory.of(input)) rows.add(triton::flat_of(basis, memory.shape));
  }
  // A buffer with stages has one dimension more than its layout; a stage is a number of whole layouts.
  const std::size_t rank = memory.shape.size();
  const bool stages = registers.shape.size() == rank + 1;
  if (!stages && registers.shape.size() != rank)
    return fail(Code::rank_mismatch, fmt::format("the registers have rank {}, the layout of the memory {}",
                                                 registers.shape.size(), rank));
  const std::size_t own = memory.of("offset").size();
  ThreadValues out;
  const auto solve = [&](const std::vector<std::vector<Index>>& from, std::vector<Index>& images) {
    for (const std::vector<Index>& basis : from) {
      const auto row = rows.reduced({triton::flat_of(std::span(basis).last(rank), memory.shape), 0});
      const Index stage = stages ? basis.front() : 0;
      images.push_back((row.added & ((Index{1} << own) - 1)) | stage << own);
    }
  };
  solve(registers.register_bases, out.registers);
  solve(registers.lane_bases, out.lanes);
  solve(registers.warp_bases, out.warps);
  return out;
}

// The registers of the widest vector, in the order of its elements.
std::vector<std::size_t> vector_registers(const ThreadValues& images, const TritonBases& memory,
                                          Index bytes) {
  Index most = std::max<Index>(1, 16 / bytes);
  for (const auto& [interval, padding] : memory.pads) most = std::min(most, interval);
  for (int k = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most))) - 1; k > 0; --k) {
    std::vector<std::size_t> chosen;
    for (int bit = 0; bit < k; ++bit) {
      const auto found = std::ranges::find(images.registers, Index{1} << bit);
      const auto at = static_cast<std::size_t>(found - images.registers.begin());
      // Generated code merges padded elements only in the order of the registers.
      if (found == images.registers.end() || (!memory.pads.empty() && at != static_cast<std::size_t>(bit)))
        break;
      chosen.push_back(at);
    }
    if (std::ssize(chosen) < k) continue;
    const Index low = (Index{1} << k) - 1;
    const auto stays_above = [&](Index image) { return (image & low) == 0; };
    bool good =
        std::ranges::all_of(images.lanes, stays_above) && std::ranges::all_of(images.warps, stays_above);
    for (std::size_t i = 0; i < images.registers.size(); ++i)
      good = good && (std::ranges::find(chosen, i) != chosen.end() || stays_above(images.registers[i]));
    if (good) return chosen;
  }
  return {};
}

}  // namespace tessera::access
