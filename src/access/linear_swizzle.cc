// SPDX-License-Identifier: Apache-2.0
#include "access/linear_swizzle.h"

#include <algorithm>
#include <bit>

#include "access/bank_map_search.h"
#include "algebra/xor_rows.h"

// Only one subspace matters. A swizzle permutes the aligned blocks of 2^m bytes of a tile of 2^n bytes by an
// invertible map Q of the address bits H = m ... n-1. The line bits are the bits from b on. Two words of a
// phase share a bank iff Q maps their difference into the line bits. Let N = Q^-1(line bits), which has
// dimension n - b. An access whose differences span S costs 2^dim(S meet N) times its ideal. So the searches
// look for N, and the map follows from N.

namespace tessera::detail {
namespace {

std::uint64_t bits_between(int low, int high) {
  return high <= low ? 0 : ((std::uint64_t{1} << high) - 1) & ~((std::uint64_t{1} << low) - 1);
}

// The subspace that N must avoid for the access to reach its own bound: a subspace of S of dimension beta, or
// one that contains S.
BitSpace to_avoid(const BankMapProblem::One& access, const BitSpace& all) {
  BitSpace out;
  for (const std::uint64_t v : access.span.basis())
    if (out.dim() < access.beta) out.add(v);
  for (const std::uint64_t v : all.basis())
    if (out.dim() < access.beta) out.add(v);
  return out;
}

// A vector of `all` that is in none of the spaces. Tries unit vectors, then sums of two of them, then all
// vectors of a small space.
std::optional<std::uint64_t> outside(const std::vector<BitSpace>& spaces, const BitSpace& all) {
  const auto good = [&](std::uint64_t v) {
    return std::none_of(spaces.begin(), spaces.end(), [v](const BitSpace& s) { return s.contains(v); });
  };
  const auto units = all.basis();
  // For two spaces one of the vectors below always works.
  if (spaces.size() == 2) {
    const auto first =
        std::find_if(units.begin(), units.end(), [&](auto v) { return !spaces[0].contains(v); });
    const auto second =
        std::find_if(units.begin(), units.end(), [&](auto v) { return !spaces[1].contains(v); });
    if (first != units.end() && second != units.end())
      for (const std::uint64_t v : {*first, *second, *first ^ *second})
        if (good(v)) return v;
  }
  for (const std::uint64_t v : units)
    if (good(v)) return v;
  for (std::size_t i = 0; i < units.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (good(units[i] ^ units[j])) return units[i] ^ units[j];
  constexpr std::size_t kSmall = 16;
  if (units.size() > kSmall) return std::nullopt;
  for (std::uint64_t choice = 1; choice < std::uint64_t{1} << units.size(); ++choice) {
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < units.size(); ++i)
      if ((choice >> i & 1) != 0) v ^= units[i];
    if (good(v)) return v;
  }
  return std::nullopt;
}

// Extends N by vectors outside the spaces that each access must avoid. Empty if some step finds no such
// vector.
std::optional<BitSpace> greedy(const BankMapProblem& search, const BitSpace* extra) {
  BitSpace out;
  std::vector<BitSpace> avoided;
  std::vector<int> most;  // the dimension up to which each access still matters
  for (const BankMapProblem::One& access : search.accesses) {
    avoided.push_back(to_avoid(access, search.all));
    most.push_back(search.all.dim() - access.beta);
  }
  const int size = search.n - search.b;
  while (out.dim() < size) {
    std::vector<BitSpace> now;
    for (std::size_t i = 0; i < avoided.size(); ++i)
      if (out.dim() < most[i]) now.push_back(avoided[i].sum(out));
    if (extra != nullptr) now.push_back(extra->sum(out));
    const std::optional<std::uint64_t> v = outside(now, search.all);
    if (!v) return std::nullopt;
    out.add(*v);
  }
  return out;
}

Index cost_of(const BankMapProblem& search, const BitSpace& n) {
  Index out = 0;
  for (const BankMapProblem::One& access : search.accesses) out += access.cost << access.span.meet(n).dim();
  return out;
}

// The images of the address bits under an invertible map that sends N to the line bits.
BitMap map_of(const BankMapProblem& search, const BitSpace& n) {
  BitMap out;
  out.size = search.n;
  for (int k = 0; k < search.n; ++k) out.image[static_cast<std::size_t>(k)] = std::uint64_t{1} << k;
  const std::uint64_t bank_bits = bits_between(search.m, search.b);
  // If N has, for each line bit, one vector that differs from the line bit only in bank bits, the map adds
  // these bank bits to the line bit.
  BitSpace low = BitSpace::of_bits(bank_bits);
  if (low.meet(n).dim() == 0) {
    for (int k = search.b; k < search.n; ++k) {
      // Eliminate all line bits except bit k.
      const std::uint64_t unit = std::uint64_t{1} << k;
      for (const std::uint64_t v : n.basis()) {
        // The leading bits of the echelon form are line bits, and no vector has the leading bit of another.
        if ((63 - std::countl_zero(v)) == k) out.image[static_cast<std::size_t>(k)] = unit ^ (v & bank_bits);
      }
    }
    return out;
  }
  // Otherwise the map sends N to the line bits, and a complement of N to the bank bits. Elimination gives the
  // images of the unit vectors.
  XorRows images;
  BitSpace grown = n;
  int bank = search.m;
  for (const std::uint64_t v : search.all.basis())
    if (bank < search.b && grown.add(v)) images.add({static_cast<Index>(v), Index{1} << bank++});
  int line = search.b;
  for (const std::uint64_t v : n.basis()) images.add({static_cast<Index>(v), Index{1} << line++});
  for (int k = search.m; k < search.n; ++k)
    out.image[static_cast<std::size_t>(k)] =
        static_cast<std::uint64_t>(images.reduced({Index{1} << k, 0}).added);
  return out;
}

// The map of element offsets. The bits inside a block do not change.
BitMap on_elements(const BitMap& bytes, const ElementShift& element) {
  BitMap out;
  out.size = 62;
  for (int k = 0; k < 62; ++k) out.image[static_cast<std::size_t>(k)] = std::uint64_t{1} << k;
  for (int k = std::max(0, element.shift); k < bytes.size; ++k)
    out.image[static_cast<std::size_t>(k - element.shift)] =
        element.to_elements(bytes.image[static_cast<std::size_t>(k)]);
  return out;
}

}  // namespace

std::optional<LinearSwizzle> best_linear_swizzle(const AccessedLayout& problem, Index floor) {
  Index bits = 0;
  if (mul_overflows(problem.cosize, problem.element_bits, bits)) return std::nullopt;
  if (!problem.is_linear() || problem.accesses.empty() || bits < 8 || bits > (Index{1} << 61))
    return std::nullopt;
  const std::uint64_t tile = std::bit_ceil(static_cast<std::uint64_t>(bits)) / 8;
  const ElementShift element(problem.element_bits);
  BankMapProblem search;
  search.m = std::countr_zero(static_cast<std::uint64_t>(problem.block_bytes()));
  search.n = std::countr_zero(tile);
  for (const CountedAccess& access : problem.accesses)
    search.b = std::max(search.b, access.linear->bank_bits);
  search.all = BitSpace::of_bits(bits_between(search.m, search.n));
  bool one_number_of_banks = true;
  for (const CountedAccess& access : problem.accesses) {
    const LinearAccess& linear = *access.linear;
    one_number_of_banks = one_number_of_banks && linear.bank_bits == search.b;
    search.accesses.push_back({linear.served.sum(BitSpace::of_bits(linear.vector_bits)).meet(search.all),
                               std::max(0, linear.bank_bits - search.m), linear.cost});
  }
  BitMap identity;
  if (search.n <= search.b) return LinearSwizzle{on_elements(identity, element), true};
  const auto answer = [&](const BitSpace& n, bool optimal) {
    return LinearSwizzle{on_elements(map_of(search, n), element), optimal};
  };
  const BitSpace banks = BitSpace::of_bits(bits_between(search.m, search.b));
  std::optional<BitSpace> found = greedy(search, &banks);
  if (!found) found = greedy(search, nullptr);
  if (found) return answer(*found, true);
  // Three or more accesses may not all reach their bounds with one map.
  BitSpace lines = BitSpace::of_bits(bits_between(search.b, search.n));
  const Index before = cost_of(search, lines);
  if (!one_number_of_banks) return answer(lines, false);
  const BestBankMap best = best_bank_map(search, before, floor);
  return answer(best.lines ? *best.lines : lines, best.complete);
}

}  // namespace tessera::detail
