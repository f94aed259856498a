// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/basis_lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>

#include "algebra/bit_space.h"

namespace tessera::triton {

std::vector<Index> extents_of(std::span<const TritonBasisList* const> lists, Index rank) {
  std::vector<Index> extents(static_cast<std::size_t>(rank), 1);
  for (const TritonBasisList* list : lists) {
    for (const std::vector<Index>& basis : *list) {
      for (std::size_t d = 0; d < extents.size(); ++d)
        extents[d] =
            std::max(extents[d], static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(basis[d]) + 1)));
    }
  }
  return extents;
}

std::vector<Index> order_of_use(std::span<const TritonBasisList* const> lists, Index rank) {
  std::vector<Index> order;
  const auto add = [&](Index d) {
    if (std::ranges::find(order, d) == order.end()) order.push_back(d);
  };
  for (const TritonBasisList* list : lists) {
    for (const std::vector<Index>& basis : *list) {
      for (Index d = 0; d < rank; ++d) {
        if (basis[static_cast<std::size_t>(d)] != 0) add(d);
      }
    }
  }
  for (Index d = rank; d-- > 0;) add(d);
  return order;
}

std::string flaw_of_bases(std::span<const TritonBasisList* const> lists, Index rank) {
  std::set<std::vector<Index>> seen;
  for (const TritonBasisList* list : lists) {
    for (const std::vector<Index>& basis : *list) {
      const auto moves = std::ranges::count_if(basis, [](Index n) { return n != 0; });
      if (moves == 0) continue;
      if (moves > 1) return fmt::format("the basis [{}] moves in several dimensions", fmt::join(basis, ", "));
      if (!std::ranges::all_of(basis, [](Index n) { return n == 0 || is_power_of_two(n); }))
        return fmt::format("the basis [{}] is not a power of two", fmt::join(basis, ", "));
      if (!seen.insert(basis).second)
        return fmt::format("the basis [{}] occurs twice", fmt::join(basis, ", "));
    }
  }
  const std::vector<Index> extents = extents_of(lists, rank);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    for (Index power = 1; power < extents[d]; power *= 2) {
      std::vector<Index> basis(extents.size(), 0);
      basis[d] = power;
      if (!seen.contains(basis))
        return fmt::format("no basis is [{}], but a larger one moves in dimension {}", fmt::join(basis, ", "),
                           d);
    }
  }
  return {};
}

bool spans_all(std::span<const TritonBasisList* const> lists, std::span<const Index> extents) {
  tessera::detail::BitSpace reached;
  for (const TritonBasisList* list : lists) {
    for (const std::vector<Index>& basis : *list)
      reached.add(static_cast<std::uint64_t>(flat_of(basis, extents)));
  }
  int bits = 0;
  for (const Index extent : extents) bits += log2_of(extent);
  return reached.dim() == bits;
}

TritonBasisList identity_bases(std::span<const Index> order, std::span<const Index> shape) {
  TritonBasisList bases;
  for (const Index d : order) {
    for (Index power = 1; power < shape[static_cast<std::size_t>(d)]; power *= 2) {
      bases.emplace_back(shape.size(), 0)[static_cast<std::size_t>(d)] = power;
    }
  }
  return bases;
}

Index flat_of(std::span<const Index> coordinate, std::span<const Index> extents) {
  Index flat = 0;
  int bits = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    flat |= coordinate[d] << bits;
    bits += log2_of(extents[d]);
  }
  return flat;
}

std::vector<Index> unflat(Index flat, std::span<const Index> extents) {
  std::vector<Index> out;
  for (const Index extent : extents) {
    out.push_back(flat & (extent - 1));
    flat >>= log2_of(extent);
  }
  return out;
}

}  // namespace tessera::triton
