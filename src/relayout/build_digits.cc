// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "relayout/build.h"
#include "relayout/choose.h"

namespace tessera::relayout {
namespace {

constexpr std::size_t kMaxParts = 4096;

// Everything below a piece's segment, and the values of that segment.
void add_terms(State& state, Nest& nest, const Chain& chain, const Piece& piece) {
  nest.src += piece.src;
  nest.dst += piece.dst;
  for (std::size_t k = 0; k <= piece.segment && k < chain.segments.size(); ++k) {
    const Segment& segment = chain.segments[k];
    Term term = {k == piece.segment ? piece.count : segment.count, segment.src, segment.dst};
    if (term.ext == 1) continue;
    if (!segment.src_table.empty()) {
      // Parts sort and shorten their tables: each gets its own.
      term.src_table = state.new_table(term.ext);
      term.dst_table = state.new_table(term.ext);
      std::copy_n(segment.src_table.begin(), term.ext, term.src_table);
      std::copy_n(segment.dst_table.begin(), term.ext, term.dst_table);
    }
    nest.add(term);
  }
}

}  // namespace

std::optional<std::pair<Index, Index>> offset_range(const Digits& digits, Index element_bytes) {
  Index low = digits.base();
  Index high = digits.base();
  for (std::size_t dim = 0; dim < digits.box().size(); ++dim) {
    // The extremes of one dimension: for each piece of its extent the sum of extremes of its digits.
    Index rest = digits.box()[dim];
    Index base = 0;
    Index least = kIndexMax;
    Index most = kIndexMin;
    const auto chain = digits.digits(dim);
    if (chain.empty()) continue;
    for (std::size_t k = chain.size(); k-- > 0 && rest > 0;) {
      const Index whole = rest / chain[k].div;
      if (whole == 0) continue;
      Index piece_low = base;
      Index piece_high = base;
      for (std::size_t j = 0; j <= k; ++j) {
        Index reach = 0;
        if (mul_overflows((j == k ? whole : chain[j].ext) - 1, chain[j].stride, reach)) return std::nullopt;
        Index& end = reach < 0 ? piece_low : piece_high;
        if (add_overflows(end, reach, end)) return std::nullopt;
      }
      least = std::min(least, piece_low);
      most = std::max(most, piece_high);
      rest -= whole * chain[k].div;
      Index step = 0;
      if (rest > 0 && (mul_overflows(whole, chain[k].stride, step) || add_overflows(base, step, base)))
        return std::nullopt;
    }
    if (add_overflows(low, least, low) || add_overflows(high, most, high)) return std::nullopt;
  }
  Index end = 0;
  if (mul_overflows(low, element_bytes, low) || mul_overflows(high, element_bytes, high) ||
      add_overflows(high, element_bytes, end))
    return std::nullopt;
  return std::pair(low, high);
}

bool build_from_digits(State& state, const Digits& src, const Digits& dst) {
  const Index e = state.element_bytes;
  const std::size_t rank = src.box().size();
  std::vector<Chain> chains(rank);
  std::size_t parts = 1;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (!refine(src.box()[dim], src.digits(dim), dst.digits(dim), e, chains[dim])) return false;
    parts *= chains[dim].pieces.size();
    if (parts > kMaxParts) return false;
  }
  state.parts.reserve(parts);
  std::vector<std::size_t> piece(rank, 0);
  for (std::size_t part = 0; part < parts; ++part) {
    Nest nest(src.base() * e, dst.base() * e, e);
    for (std::size_t dim = 0; dim < rank; ++dim)
      add_terms(state, nest, chains[dim], chains[dim].pieces[piece[dim]]);
    normalize(nest);
    add_part(state, nest);
    for (std::size_t dim = rank; dim-- > 0;) {
      if (++piece[dim] < chains[dim].pieces.size()) break;
      piece[dim] = 0;
    }
  }
  return true;
}

}  // namespace tessera::relayout
