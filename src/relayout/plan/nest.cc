// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/nest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera::moving {
namespace {

// Sorts the entries by destination and shifts them so that the first is at 0. Returns whether that changed
// their order.
bool sort_table(Nest& nest, Term& term) {
  const auto n = static_cast<std::size_t>(term.ext);
  const bool sorted = std::is_sorted(term.dst_table, term.dst_table + n);
  if (!sorted) {
    std::vector<std::pair<Index, Index>> entries(n);
    for (std::size_t i = 0; i < n; ++i) entries[i] = {term.dst_table[i], term.src_table[i]};
    std::ranges::sort(entries);
    for (std::size_t i = 0; i < n; ++i) {
      term.dst_table[i] = entries[i].first;
      term.src_table[i] = entries[i].second;
    }
  }
  const Index src = term.src_table[0];
  const Index dst = term.dst_table[0];
  nest.src += src;
  nest.dst += dst;
  for (std::size_t i = 0; i < n; ++i) {
    term.src_table[i] -= src;
    term.dst_table[i] -= dst;
  }
  return !sorted;
}

// The largest n such that the table consists of affine runs of n entries with the same steps; 1 if none.
Index affine_length(const Term& term) {
  const Index src = term.src_table[1];
  const Index dst = term.dst_table[1];
  Index length = 2;
  while (length < term.ext && term.src_table[length] == length * src &&
         term.dst_table[length] == length * dst)
    ++length;
  if (length < term.ext) length = std::gcd(length, term.ext);
  Index start = 0;
  for (Index i = 0; i < term.ext && length > 1; ++i) {
    if (i - start == length) start = i;
    const Index step = i - start;
    if (term.src_table[i] != term.src_table[start] + step * src ||
        term.dst_table[i] != term.dst_table[start] + step * dst) {
      length = std::gcd(length, step);
      start = i;
    }
  }
  return length;
}

void simplify_tables(Nest& nest) {
  for (std::size_t k = 0; k < nest.terms.size(); ++k) {
    Term& term = nest.terms[k];
    if (!term.has_table()) continue;
    const bool whole = sort_table(nest, term) && term.repeats;
    while (term.ext > 1 && !whole) {
      const Index length = affine_length(term);
      if (length == 1) break;
      nest.terms.push_back({length, term.src_table[1], term.dst_table[1]});
      term.ext /= length;
      for (Index i = 0; i < term.ext; ++i) {
        term.src_table[i] = term.src_table[i * length];
        term.dst_table[i] = term.dst_table[i * length];
      }
    }
    if (term.ext > 1) {
      term.dst = term.dst_table[1];
    } else {
      nest.terms.erase(k--);
    }
  }
}

bool fuse_once(Nest& nest) {
  for (std::size_t inner = 0; inner < nest.terms.size(); ++inner) {
    Term& a = nest.terms[inner];
    if (a.has_table()) continue;
    for (std::size_t outer = inner + 1; outer < nest.terms.size(); ++outer) {
      const Term& b = nest.terms[outer];
      // Both products are spans inside the buffers, which were checked to fit.
      if (b.has_table() || b.dst != a.ext * a.dst || b.src != a.ext * a.src) continue;
      a.ext *= b.ext;
      nest.terms.erase(outer);
      return true;
    }
  }
  return false;
}

}  // namespace

void normalize(Nest& nest, bool fixed_run) {
  simplify_tables(nest);
  for (Term& term : nest.terms) {
    if (term.has_table() || term.dst >= 0) continue;
    nest.src += (term.ext - 1) * term.src;
    nest.dst += (term.ext - 1) * term.dst;
    term.src = -term.src;
    term.dst = -term.dst;
  }
  std::sort(nest.terms.begin(), nest.terms.end(), [](const Term& a, const Term& b) { return a.dst < b.dst; });
  while (fuse_once(nest)) {
  }
  if (fixed_run) return;
  for (std::size_t k = 0; k < nest.terms.size();) {
    const Term& term = nest.terms[k];
    if (!term.has_table() && term.src == nest.run && term.dst == nest.run) {
      nest.run *= term.ext;
      nest.terms.erase(k);
      k = 0;
    } else {
      ++k;
    }
  }
}

}  // namespace tessera::moving
