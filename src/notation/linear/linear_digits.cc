// SPDX-License-Identifier: Apache-2.0
// Linear layouts as digits, and digits as linear layouts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <ranges>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "notation/from_digits.h"
#include "notation/not_representable.h"
#include "notation/structure.h"
#include "notation/to_digits.h"

namespace tessera::detail {

std::optional<Digits> structural_digits(const LinearLayout& layout) {
  Index seen = 0;
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < layout.bases().size(); ++i) {
    for (std::size_t k = 0; k < layout.bases()[i].size(); ++k) {
      const Index basis = layout.bases()[i][k];
      if ((seen & basis) != 0) return std::nullopt;
      seen |= basis;
      digits.push_back({static_cast<Index>(i), Index{1} << k, 2, basis});
    }
  }
  // The bases share no bits, so XOR is addition.
  return Digits::normalized(layout.shape(), 0, std::move(digits));
}

// Offsets of different dimensions add up if and only if they share no bits.
DimGroups interacting_dims(const LinearLayout& layout) {
  std::vector<Index> bits(layout.bases().size(), 0);
  DimGroups groups;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (const Index basis : layout.bases()[i]) bits[i] |= basis;
    std::vector<std::size_t> own = {i};
    // Merges every group that shares bits with this dimension.
    std::erase_if(groups, [&](const auto& group) {
      const bool meets = std::ranges::any_of(group, [&](std::size_t j) { return (bits[i] & bits[j]) != 0; });
      if (meets) own.insert(own.end(), group.begin(), group.end());
      return meets;
    });
    std::ranges::sort(own);
    groups.push_back(std::move(own));
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

Index largest_xor(const LinearLayout& layout) {
  std::vector<Index> echelon;  // their leading bits are distinct
  for (const auto& own : layout.bases()) {
    for (Index basis : own) {
      for (const Index row : echelon) basis = std::min(basis, basis ^ row);
      if (basis != 0) echelon.push_back(basis);
    }
  }
  std::ranges::sort(echelon, std::ranges::greater{});
  Index largest = 0;
  for (const Index row : echelon) largest = std::max(largest, largest ^ row);
  return largest;
}

}  // namespace tessera::detail

namespace tessera {

using detail::not_representable;
using detail::point_text;

namespace {

// The first index, in row-major order, at which two dimensions set the same bit. Requires that there is one.
std::vector<Index> first_meeting(const LinearLayout& layout) {
  const auto bases = layout.bases();
  std::vector<Index> index(bases.size(), 0);
  std::vector<Index> bits(bases.size(), 0);
  for (std::size_t i = bases.size(); i-- > 0;) {
    for (const Index basis : bases[i]) bits[i] |= basis;
    for (std::size_t k = 0; k < bases[i].size(); ++k) {
      for (std::size_t j = bases.size(); j-- > i + 1;) {
        if ((bases[i][k] & bits[j]) == 0) continue;
        const auto other =
            std::ranges::find_if(bases[j], [&](Index basis) { return (basis & bases[i][k]) != 0; });
        index[i] = Index{1} << k;
        index[j] = Index{1} << (other - bases[j].begin());
        return index;
      }
    }
  }
  return index;
}

Result<void> check_powers_of_two(std::span<const Index> box) {
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d] < 1 || !std::has_single_bit(static_cast<std::uint64_t>(box[d]))) {
      return not_representable(
          "not_power_of_two", fmt::format("the extent of dimension {} is {}, not a power of two", d, box[d]));
    }
  }
  return {};
}

std::vector<std::vector<Index>> bases_of(std::span<const Index> box, const OffsetFunction& offset) {
  std::vector<std::vector<Index>> bases(box.size());
  std::vector<Index> index(box.size(), 0);
  for (std::size_t d = 0; d < box.size(); ++d) {
    for (Index x = 1; x < box[d]; x *= 2) {
      index[d] = x;
      bases[d].push_back(offset(index));
    }
    index[d] = 0;
  }
  return bases;
}

// An index with two bits set whose bases share a bit, so that their sum carries. Requires that there is such
// a pair in dimensions that `relevant` allows.
template <class Relevant>
std::vector<Index> clashing_index(const std::vector<std::vector<Index>>& bases, const Relevant& relevant) {
  std::vector<Index> index(bases.size(), 0);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    for (std::size_t k = 0; k < bases[i].size(); ++k) {
      for (std::size_t j = 0; j < bases.size(); ++j) {
        for (std::size_t l = 0; l < bases[j].size(); ++l) {
          if ((i == j && k == l) || !relevant(i, j) || (bases[i][k] & bases[j][l]) == 0) continue;
          index[i] += Index{1} << k;
          index[j] += Index{1} << l;
          return index;
        }
      }
    }
  }
  return index;
}

Failure carry(std::span<const Index> index, Index value, Index sum) {
  return not_representable(
      "carry",
      fmt::format("the offset of {} is {}, but the XOR of its bases is {}", point_text(index), value, sum),
      point_text(index));
}

}  // namespace

Result<Digits> to_digits(const LinearLayout& layout) {
  if (auto digits = detail::structural_digits(layout)) return *std::move(digits);
  if (const auto groups = detail::interacting_dims(layout); !groups.empty()) {
    const std::vector<Index> index = first_meeting(layout);
    Index sum = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      std::vector<Index> alone(index.size(), 0);
      alone[d] = index[d];
      sum += layout.offset(alone);
    }
    return detail::entangled(groups.front(), index, layout.offset(index), sum);
  }
  return digits_by_tables(layout.shape(), [&](std::span<const Index> x) { return layout.offset(x); }, {});
}

Result<LinearLayout> to_linear_layout(std::span<const Index> box, const OffsetFunction& offset,
                                      std::span<const std::vector<std::size_t>> groups) {
  std::vector<Index> index(box.size(), 0);
  if (std::ranges::find(box, 0) == box.end() && offset(index) != 0) {
    return not_representable(
        "offset", fmt::format("index 0 is at offset {}, but a linear layout starts at 0", offset(index)));
  }
  if (const auto sound = check_powers_of_two(box); !sound) return fail(sound.error());
  const auto bases = bases_of(box, offset);
  for (std::size_t d = 0; d < bases.size(); ++d) {
    for (const Index basis : bases[d]) {
      if (basis < 0)
        return not_representable("negative_stride",
                                 fmt::format("dimension {} has the negative offset {}", d, basis));
    }
  }
  auto layout = LinearLayout::make(bases);
  if (!layout) return layout;
  // Enumerates groups of interacting dimensions. The offsets of different groups add up, which is an XOR if
  // and only if they share no bit.
  std::vector<std::vector<std::size_t>> all(groups.begin(), groups.end());
  for (std::size_t d = 0; d < box.size(); ++d) {
    const bool grouped =
        std::ranges::any_of(all, [&](const auto& g) { return std::ranges::find(g, d) != g.end(); });
    if (!grouped) all.push_back({d});
  }
  Index seen = 0;
  for (const auto& group : all) {
    Index points = 1;
    Index bits = 0;
    for (const std::size_t d : group) {
      if (mul_overflows(points, box[d], points) || points > kTableLimit) {
        return fail(Code::undecided,
                    fmt::format("dimensions {{{}}} have more than {} indices, too many to enumerate",
                                fmt::join(group, ", "), kTableLimit));
      }
      for (const Index basis : bases[d]) bits |= basis;
    }
    do {
      if (const Index value = offset(index), sum = layout->offset(index); value != sum)
        return carry(index, value, sum);
    } while (detail::next_index_of(group, index, box));
    if ((seen & bits) != 0) {
      const auto apart = [&](std::size_t i, std::size_t j) {
        return (std::ranges::find(group, i) == group.end()) != (std::ranges::find(group, j) == group.end());
      };
      const auto clash = clashing_index(bases, apart);
      return carry(clash, offset(clash), layout->offset(clash));
    }
    seen |= bits;
  }
  return layout;
}

Result<LinearLayout> to_linear_layout(const Digits& digits) {
  if (!digits.empty_box() && digits.base() != 0) {
    return not_representable(
        "offset", fmt::format("index 0 is at offset {}, but a linear layout starts at 0", digits.base()));
  }
  if (const auto sound = check_powers_of_two(digits.box()); !sound) return fail(sound.error());
  const OffsetFunction offset = [&](std::span<const Index> x) { return digits.offset(x); };
  const bool binary = std::ranges::all_of(digits.digits(), [](const Digit& d) {
    return d.stride >= 0 && std::has_single_bit(static_cast<std::uint64_t>(d.ext));
  });
  if (!binary) return to_linear_layout(digits.box(), offset, {});
  const auto bases = bases_of(digits.box(), offset);
  auto layout = LinearLayout::make(bases);
  if (!layout) return layout;
  // Sums of disjoint bits never carry; the sum of two bases that share a bit does.
  Index seen = 0;
  for (const Index basis : bases | std::views::join) {
    if ((seen & basis) != 0) {
      const auto clash = clashing_index(bases, [](std::size_t, std::size_t) { return true; });
      return carry(clash, digits.offset(clash), layout->offset(clash));
    }
    seen |= basis;
  }
  return layout;
}

}  // namespace tessera
