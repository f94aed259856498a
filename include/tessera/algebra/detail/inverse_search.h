// SPDX-License-Identifier: Apache-2.0
/// \file
/// The search for a layout with given values at given offsets: an inverse of a layout whose modes do not
/// chain.
#pragma once

#include <algorithm>

#include "tessera/algebra/detail/coalesce.h"

namespace tessera {

namespace detail {

/// The integer solutions x of linear equations: origin + Σ t_k · basis[k] for all integers t_k. The arrays
/// are not initialized: only the first `unknowns` columns of `free` rows have values.
struct IntegerSolutions {
  static constexpr int kMaxUnknowns = 64;
  int unknowns;
  int free;
  Index origin[kMaxUnknowns];
  Index basis[kMaxUnknowns][kMaxUnknowns];

  constexpr void clear() { unknowns = free = 0; }
  constexpr void copy(const IntegerSolutions& other) {
    unknowns = other.unknowns;
    free = other.free;
    for (int i = 0; i < unknowns; ++i) origin[i] = other.origin[i];
    for (int k = 0; k < free; ++k) {
      for (int i = 0; i < unknowns; ++i) basis[k][i] = other.basis[k][i];
    }
  }
  /// Appends an unknown of any value.
  constexpr void add_unknown() {
    for (int k = 0; k < free; ++k) basis[k][unknowns] = 0;
    for (int i = 0; i <= unknowns; ++i) basis[free][i] = i == unknowns ? 1 : 0;
    origin[unknowns++] = 0;
    ++free;
  }

  enum class Added : std::uint8_t { yes, contradiction, overflow };
  /// Keeps the solutions with Σ factor[i] · x_i == sum. The Euclidean algorithm on the rows of the basis
  /// leaves one row that changes the sum. O(free · unknowns · bits).
  constexpr Added add_equation(const Index* factor, Index sum) {
    Index step[kMaxUnknowns] = {};
    bool fits = true;
    const auto dot = [&](const Index* row) {
      Index total = 0;
      for (int i = 0; i < unknowns; ++i) fits = fits && add_product(total, factor[i], row[i]);
      return total;
    };
    fits = !sub_overflows(sum, dot(origin), sum) && fits;
    for (int k = 0; k < free; ++k) step[k] = dot(basis[k]);
    if (!fits) return Added::overflow;
    int last = -1;
    for (int k = 0; k < free; ++k) {
      if (step[k] == 0) continue;
      if (last < 0) {
        last = k;
        continue;
      }
      int other = k;
      while (step[other] != 0) {
        const Index times = step[last] / step[other];
        for (int i = 0; i < unknowns; ++i)
          fits = fits && add_product(basis[last][i], -times, basis[other][i]);
        step[last] -= times * step[other];
        const int swap = last;
        last = other;
        other = swap;
      }
      if (!fits) return Added::overflow;
    }
    if (last < 0) return sum == 0 ? Added::yes : Added::contradiction;
    if (sum % step[last] != 0) return Added::contradiction;
    for (int i = 0; i < unknowns; ++i)
      fits = fits && add_product(origin[i], sum / step[last], basis[last][i]);
    --free;
    for (int i = 0; i < unknowns; ++i) basis[last][i] = basis[free][i];
    return fits ? Added::yes : Added::overflow;
  }

 private:
  static constexpr bool add_product(Index& sum, Index a, Index b) {
    Index product = 0;
    return !mul_overflows(a, b, product) && !add_overflows(sum, product, sum);
  }
};

inline constexpr Index kLargestOffset = Index{1} << 62;

/// A value that a layout must have: layout(offset) == value.
struct Sample {
  Index offset = 0;
  Index value = 0;
};

/// Searches the layouts that have all values of `count` samples, by the extents of their modes, fastest
/// first. An extent may be taken as a prime, because a mode of extent a·b is two modes; the last mode is
/// unbounded. For given extents, the strides are the solutions of one linear equation for each sample.
/// Offsets that meet in one quotient give an equation between the strides found so far, which ends most
/// branches early.
class SampleLayouts {
 public:
  /// Requires distinct offsets from 1 to 2^62 in increasing order, and at least one.
  constexpr SampleLayouts(const Sample* samples, Index most_steps) : sample_(samples), steps_(most_steps) {}
  /// Whether some layout has the values of the first `count` samples. A no is certain unless at_limit().
  constexpr bool search(Index count) {
    Place* all = new Place[static_cast<std::size_t>(count)];
    for (Index i = 0; i < count; ++i) all[i] = {sample_[i].offset, i};
    IntegerSolutions* none = new IntegerSolutions;
    none->clear();
    const bool found = extend(all, count, *none);
    delete none;
    delete[] all;
    return found;
  }
  constexpr bool at_limit() const { return limited_; }
  constexpr const FlatModes& modes() const { return found_; }

 private:
  /// What the modes so far leave of the offset of a sample.
  struct Place {
    Index quotient = 0;
    Index sample = 0;
  };

  constexpr bool extend(const Place* place, Index count, const IntegerSolutions& before) {
    const Index largest = place[count - 1].quotient;
    Place* next = new Place[static_cast<std::size_t>(count)];
    IntegerSolutions* strides = new IntegerSolutions;
    const auto continues_with = [&](Index p) {
      strides->copy(before);
      strides->add_unknown();
      extent_[strides->unknowns - 1] = p;
      const Index rest = divide(place, count, p, *strides, next);
      if (rest == 0) keep(*strides);
      return rest == 0 || (rest > 0 && extend(next, rest, *strides));
    };
    // Without an end, the last mode needs no further one.
    bool found = continues_with(largest + 1);
    for (Index p = 2; !found && !limited_ && p <= largest; p = next_prime(p)) found = continues_with(p);
    delete strides;
    delete[] next;
    return found;
  }

  /// Divides the quotients by `p`, adds the equations of those that meet, and writes one place for each
  /// quotient above 0 to `next`. Returns their number, or -1 for a contradiction.
  constexpr Index divide(const Place* place, Index count, Index p, IntegerSolutions& strides, Place* next) {
    Index written = 0;
    Index factor[IntegerSolutions::kMaxUnknowns] = {};
    for (Index i = 0; i < count; ++i) {
      if (--steps_ < 0) {
        limited_ = true;
        return -1;
      }
      const Index quotient = place[i].quotient / p;
      const Sample& own = sample_[place[i].sample];
      if (quotient != 0 && (written == 0 || next[written - 1].quotient != quotient)) {
        next[written++] = {quotient, place[i].sample};
        continue;
      }
      const Sample met = quotient == 0 ? Sample{} : sample_[next[written - 1].sample];
      Index a = own.offset;
      Index b = met.offset;
      for (int m = 0; m < strides.unknowns; ++m) {
        factor[m] = a % extent_[m] - b % extent_[m];
        a /= extent_[m];
        b /= extent_[m];
      }
      const IntegerSolutions::Added added = strides.add_equation(factor, own.value - met.value);
      if (added == IntegerSolutions::Added::overflow) limited_ = true;
      if (added != IntegerSolutions::Added::yes) return -1;
    }
    return written;
  }

  constexpr void keep(const IntegerSolutions& strides) {
    found_.count = 0;
    for (int m = 0; m < strides.unknowns; ++m)
      push_merged(found_, extent_[m], strides.origin[m], 0, NoTrace{});
  }

  static constexpr Index next_prime(Index p) {
    for (++p;; ++p) {
      bool prime = true;
      for (Index d = 2; prime && d <= p / d; ++d) prime = p % d != 0;
      if (prime) return p;
    }
  }

  const Sample* sample_;
  Index steps_;
  bool limited_ = false;
  Index extent_[IntegerSolutions::kMaxUnknowns] = {};
  FlatModes found_ = {};
};

constexpr void sort(Sample* sample, Index count) {
  std::sort(sample, sample + count, [](const Sample& a, const Sample& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.value < b.value;
  });
}
/// Keeps the smallest value of each offset; returns the number of samples that are left. Reorders them.
constexpr Index drop_repeats(Sample* sample, Index count) {
  sort(sample, count);
  Index kept = 0;
  for (Index i = 0; i < count; ++i) {
    if (i == 0 || sample[i].offset != sample[kept - 1].offset) sample[kept++] = sample[i];
  }
  return kept;
}

/// How a search ended: with a layout; at two samples that no layout has both; after every shape was refuted;
/// or at its limit.
struct LayoutSearch {
  enum class End : std::uint8_t { found, contradiction, none, limit };
  End end = End::limit;
  StridedLayout layout = {};
  Sample first = {};   ///< of a contradiction, with an offset >= 0
  Sample second = {};  ///< of a contradiction: the same offset, another value
};

/// A layout R with R(sample.offset) == sample.value for all samples, where R(-x) = -R(x). Complete up to the
/// limit of steps: `none` is a proof. Reorders the samples. Offsets beyond 2^62 end it at once. O(steps ·
/// modes²). Example: offsets 0, 2, 3, 5 with values 0, 1, 2, 3 give (2,3):(1,1).
constexpr LayoutSearch find_layout(Sample* sample, Index count, Index most_steps) {
  LayoutSearch out;
  for (Index i = 0; i < count; ++i) {
    if (sample[i].offset < -kLargestOffset || sample[i].offset > kLargestOffset) return out;
    if (sample[i].offset < 0) sample[i] = {-sample[i].offset, -sample[i].value};
  }
  sort(sample, count);
  Index kept = 0;
  Sample before;
  for (Index i = 0; i < count; ++i) {
    if (sample[i].offset == before.offset && sample[i].value != before.value) {
      out.end = LayoutSearch::End::contradiction;
      out.first = before;
      out.second = sample[i];
      return out;
    }
    if (sample[i].offset == before.offset) continue;
    before = sample[kept++] = sample[i];
  }
  if (kept == 0) {
    out.end = LayoutSearch::End::found;
    return out;
  }
  SampleLayouts layouts(sample, most_steps);
  if (!layouts.search(kept)) {
    if (!layouts.at_limit()) out.end = LayoutSearch::End::none;
    return out;
  }
  LayoutBuilder build(out.layout);
  build_flat(layouts.modes(), build);
  if (!build.finish().failed) out.end = LayoutSearch::End::found;
  return out;
}

}  // namespace detail

}  // namespace tessera
