// SPDX-License-Identifier: Apache-2.0
#include "access/bank_map_search.h"

#include <algorithm>
#include <bit>

#include "access/limits.h"

namespace tessera::detail {
namespace {

// Depth-first search over the bank maps: beta functionals on the span of all accesses, in reduced row echelon
// form. Functionals and vectors are coordinates in the basis of that span.
class ExactSearch {
 public:
  explicit ExactSearch(const BankMapProblem& search) : search_(search), beta_(search.b - search.m) {
    BitSpace sum;
    for (const BankMapProblem::One& access : search.accesses) sum.add(access.span);
    basis_.assign(sum.basis().begin(), sum.basis().end());
    for (const BankMapProblem::One& access : search.accesses) {
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
  bool complete() const { return nodes_ <= kAccessLimits.search_nodes; }

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
    if (best_ <= floor_ || ++nodes_ > kAccessLimits.search_nodes) return;
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
        if (best_ <= floor_ || nodes_ > kAccessLimits.search_nodes) return;
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

  const BankMapProblem& search_;
  int beta_;
  std::vector<std::uint64_t> basis_;
  std::vector<std::vector<std::uint64_t>> spans_;
  Index best_ = 0;
  Index floor_ = 0;
  int nodes_ = 0;
  std::vector<std::uint64_t> best_rows_;
};

}  // namespace

BestBankMap best_bank_map(const BankMapProblem& problem, Index bound, Index floor) {
  ExactSearch exact(problem);
  BestBankMap out{.lines = exact.run(bound, floor)};
  out.complete = exact.complete();
  return out;
}

}  // namespace tessera::detail
