// SPDX-License-Identifier: Apache-2.0
#include "access/linear_swizzle.h"

#include <algorithm>
#include <bit>

// Only one subspace matters. A swizzle permutes the aligned blocks of 2^m bytes of a tile of 2^n bytes by an
// invertible map Q of the address bits H = m ... n-1. The line bits are the bits from b on. Two words of a
// phase share a bank iff Q maps their difference into the line bits. Let N = Q^-1(line bits), which has
// dimension n - b. An access whose differences span S costs 2^dim(S meet N) times its ideal. So the searches
// look for N, and the map follows from N.

namespace tessera::detail {
namespace {

constexpr int kMostNodes = 2'000'000;

std::uint64_t bits_between(int low, int high) {
  return high <= low ? 0 : ((std::uint64_t{1} << high) - 1) & ~((std::uint64_t{1} << low) - 1);
}

struct Search {
  int m = 0;     // blocks have 2^m bytes
  int n = 0;     // the tile has 2^n bytes
  int b = 0;     // the line bits begin here, for the access with the most banks
  BitSpace all;  // H
  struct One {
    BitSpace span;  // S within H
    int beta;       // bank bits at or above bit m
    Index cost;
  };
  std::vector<One> accesses;
};

// The subspace that N must avoid for the access to reach its own bound: a subspace of S of dimension beta, or
// one that contains S.
BitSpace to_avoid(const Search::One& access, const BitSpace& all) {
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
std::optional<BitSpace> greedy(const Search& search, const BitSpace* extra) {
  BitSpace out;
  std::vector<BitSpace> avoided;
  std::vector<int> most;  // the dimension up to which each access still matters
  for (const Search::One& access : search.accesses) {
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

Index cost_of(const Search& search, const BitSpace& n) {
  Index out = 0;
  for (const Search::One& access : search.accesses) out += access.cost << access.span.meet(n).dim();
  return out;
}

// Depth-first search over the bank maps: beta functionals on the span of all accesses, in reduced row echelon
// form. Functionals and vectors are coordinates in the basis of that span.
class ExactSearch {
 public:
  explicit ExactSearch(const Search& search) : search_(search), beta_(search.b - search.m) {
    BitSpace sum;
    for (const Search::One& access : search.accesses) sum.add(access.span);
    basis_.assign(sum.basis().begin(), sum.basis().end());
    for (const Search::One& access : search.accesses) {
      std::vector<std::uint64_t> coordinates;
      for (const std::uint64_t v : access.span.basis()) coordinates.push_back(coordinate(v));
      spans_.push_back(std::move(coordinates));
    }
  }

  // The best subspace with a cost below `bound`, if there is one. It is optimal if `complete` is set.
  std::optional<BitSpace> run(Index bound, Index floor) {
    best_ = bound;
    floor_ = floor;
    std::vector<std::uint64_t> rows;
    descend(rows, static_cast<int>(basis_.size()));
    if (best_rows_.empty()) return std::nullopt;
    return null_space(best_rows_);
  }
  bool complete() const { return nodes_ <= kMostNodes; }

 private:
  // The basis is in reduced row echelon form: the leading bit of each vector is 0 in all others.
  std::uint64_t coordinate(std::uint64_t v) const {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      const int lead = 63 - std::countl_zero(basis_[i]);
      if ((v >> lead & 1) != 0) out |= std::uint64_t{1} << i;
    }
    return out;
  }

  int rank_on(const std::vector<std::uint64_t>& rows, const std::vector<std::uint64_t>& span) const {
    BitSpace images;
    for (const std::uint64_t row : rows) {
      std::uint64_t image = 0;
      for (std::size_t i = 0; i < span.size(); ++i)
        image |= static_cast<std::uint64_t>(std::popcount(row & span[i]) & 1) << i;
      images.add(image);
    }
    return images.dim();
  }

  Index bound_of(const std::vector<std::uint64_t>& rows, int left) const {
    Index out = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const int kept = static_cast<int>(spans_[i].size()) - rank_on(rows, spans_[i]) - left;
      out += search_.accesses[i].cost << std::max(0, kept);
    }
    return out;
  }

  // All rows so far have leading bits at or above `below`. The next row has a lower leading bit, at which all
  // earlier rows are 0.
  void descend(std::vector<std::uint64_t>& rows, int below) {
    if (best_ <= floor_ || ++nodes_ > kMostNodes) return;
    const int left = std::min(beta_ - static_cast<int>(rows.size()), below);
    if (bound_of(rows, left) >= best_) return;
    if (left == 0) {
      best_ = bound_of(rows, 0);
      best_rows_ = rows;
      return;
    }
    std::uint64_t used = 0;
    for (const std::uint64_t row : rows) used |= row;
    for (int lead = below; lead-- > 0;) {
      if ((used >> lead & 1) != 0) continue;
      const std::uint64_t top = std::uint64_t{1} << lead;
      for (std::uint64_t low = 0; low < top; ++low) {
        rows.push_back(top | low);
        descend(rows, lead);
        rows.pop_back();
        if (best_ <= floor_ || nodes_ > kMostNodes) return;
      }
    }
    // If there are fewer rows than bank bits, the remaining rows may depend only on vectors that no access
    // uses.
    if (bound_of(rows, 0) < best_) {
      best_ = bound_of(rows, 0);
      best_rows_ = rows;
    }
  }

  // All vectors of H on which the rows are 0, reduced to dimension n - b by vectors outside the span of the
  // accesses.
  BitSpace null_space(const std::vector<std::uint64_t>& rows) const {
    BitSpace span;
    for (const std::uint64_t v : basis_) span.add(v);
    BitMap values;  // for each coordinate, the values of all rows
    for (std::size_t i = 0; i < basis_.size(); ++i)
      for (std::size_t r = 0; r < rows.size(); ++r) values.image[i] |= (rows[r] >> i & 1) << r;
    BitSpace out;
    const std::uint64_t whole = basis_.empty() ? 0 : (std::uint64_t{1} << basis_.size()) - 1;
    const BitSpace zeros = kernel(BitSpace::of_bits(whole), values);
    for (const std::uint64_t c : zeros.basis()) {
      std::uint64_t v = 0;
      for (std::size_t i = 0; i < basis_.size(); ++i)
        if ((c >> i & 1) != 0) v ^= basis_[i];
      out.add(v);
    }
    for (const std::uint64_t v : search_.all.basis())
      if (out.dim() < search_.n - search_.b && span.add(v)) out.add(v);
    return out;
  }

  const Search& search_;
  int beta_;
  std::vector<std::uint64_t> basis_;
  std::vector<std::vector<std::uint64_t>> spans_;
  Index best_ = 0;
  Index floor_ = 0;
  int nodes_ = 0;
  std::vector<std::uint64_t> best_rows_;
};

// The images of the address bits under an invertible map that sends N to the line bits.
BitMap map_of(const Search& search, const BitSpace& n) {
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
  std::vector<std::uint64_t> from;
  std::vector<std::uint64_t> to;
  BitSpace grown = n;
  int bank = search.m;
  for (const std::uint64_t v : search.all.basis())
    if (bank < search.b && grown.add(v)) {
      from.push_back(v);
      to.push_back(std::uint64_t{1} << bank++);
    }
  int line = search.b;
  for (const std::uint64_t v : n.basis()) {
    from.push_back(v);
    to.push_back(std::uint64_t{1} << line++);
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    const int lead = 63 - std::countl_zero(from[i]);
    for (std::size_t j = 0; j < from.size(); ++j)
      if (j != i && (from[j] >> lead & 1) != 0) {
        from[j] ^= from[i];
        to[j] ^= to[i];
      }
  }
  for (std::size_t i = 0; i < from.size(); ++i)
    out.image[static_cast<std::size_t>(63 - std::countl_zero(from[i]))] = to[i];
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
  const auto bits = static_cast<std::uint64_t>(problem.cosize * problem.element_bits);
  if (!problem.is_linear() || problem.accesses.empty() || !std::has_single_bit(bits) || bits < 8)
    return std::nullopt;
  const std::uint64_t tile = bits / 8;
  const ElementShift element(problem.element_bits);
  Search search;
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
  ExactSearch exact(search);
  const std::optional<BitSpace> better = exact.run(before, floor);
  return answer(better ? *better : lines, exact.complete());
}

}  // namespace tessera::detail
