// SPDX-License-Identifier: Apache-2.0
#include "relayout/refine.h"

#include <algorithm>
#include <numeric>

namespace tessera::relayout {

const Digit* digit_at(std::span<const Digit> digits, Index unit) {
  const Digit* found = nullptr;
  for (const Digit& d : digits) {
    if (d.div <= unit) found = &d;
  }
  return found;
}

bool is_clean(std::span<const Digit> digits, Index unit) {
  const Digit* d = digit_at(digits, unit);
  if (d == nullptr) return true;
  if (unit % d->div != 0) return false;
  const bool top = d == &digits.back();
  return top || (d + 1)->div % unit == 0;
}

namespace {

Index value_at(std::span<const Digit> digits, Index x) {
  Index sum = 0;
  for (const Digit& d : digits) sum += d.stride * ((x / d.div) % d.ext);
  return sum;
}

// Where both chains may be cut, each a multiple of the one before.
void find_cuts(Index extent, std::span<const Digit> src, std::span<const Digit> dst,
               std::vector<Index>& cuts) {
  for (const Digit& d : src) cuts.push_back(d.div);
  for (const Digit& d : dst) cuts.push_back(d.div);
  for (const Digit& a : src) {
    for (const Digit& b : dst) {
      if (a.div % b.div == 0 || b.div % a.div == 0) continue;
      Index both = 0;
      if (!mul_overflows(a.div / std::gcd(a.div, b.div), b.div, both)) cuts.push_back(both);
    }
  }
  std::ranges::sort(cuts);
  std::size_t kept = 0;
  for (const Index cut : cuts) {
    if (cut >= extent || (kept > 0 && (cut == cuts[kept - 1] || cut % cuts[kept - 1] != 0))) continue;
    if (is_clean(src, cut) && is_clean(dst, cut)) cuts[kept++] = cut;
  }
  cuts.resize(kept);
}

}  // namespace

bool refine(Index extent, std::span<const Digit> src, std::span<const Digit> dst, Index element_bytes,
            Chain& chain) {
  std::vector<Index> cuts;
  find_cuts(extent, src, dst, cuts);
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const Index unit = cuts[k];
    const bool top = k + 1 == cuts.size();
    Segment segment = {.unit = unit, .count = top ? ceil_div(extent, unit) : cuts[k + 1] / unit};
    const Digit* s = digit_at(src, unit);
    const Digit* d = digit_at(dst, unit);
    // One digit on each side up to the next cut?
    const Index last = top ? extent - 1 : cuts[k + 1] - 1;
    if (s == digit_at(src, last) && d == digit_at(dst, last)) {
      segment.src = s == nullptr ? 0 : s->stride * (unit / s->div) * element_bytes;
      segment.dst = d == nullptr ? 0 : d->stride * (unit / d->div) * element_bytes;
    } else {
      if (segment.count > kMaxTable) return false;
      for (Index t = 0; t < segment.count; ++t) {
        segment.src_table.push_back(value_at(src, t * unit) * element_bytes);
        segment.dst_table.push_back(value_at(dst, t * unit) * element_bytes);
      }
    }
    chain.segments.push_back(std::move(segment));
  }
  cut_pieces(extent, chain);
  return true;
}

void cut_pieces(Index extent, Chain& chain) {
  if (chain.segments.empty()) {
    chain.pieces.push_back({});
    return;
  }
  Index rest = extent;
  Piece piece;
  for (std::size_t k = chain.segments.size(); k-- > 0 && rest > 0;) {
    const Segment& segment = chain.segments[k];
    const Index whole = rest / segment.unit;
    if (whole > 0) {
      piece.segment = k;
      piece.count = whole;
      chain.pieces.push_back(piece);
      if (!segment.src_table.empty()) {
        if (whole < segment.count) {
          piece.src += segment.src_table[static_cast<std::size_t>(whole)];
          piece.dst += segment.dst_table[static_cast<std::size_t>(whole)];
        }
      } else {
        piece.src += whole * segment.src;
        piece.dst += whole * segment.dst;
      }
    }
    rest -= whole * segment.unit;
  }
}

}  // namespace tessera::relayout
