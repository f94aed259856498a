// SPDX-License-Identifier: Apache-2.0
#include "transfer/bit_bands.h"

#include <algorithm>
#include <numeric>

namespace tessera::transfer {
namespace {

using moving::BitDigit;
using moving::BitDim;
using moving::BitForm;
using moving::BitPart;

// The least and greatest sum over the digits and the table for lo <= index < hi.
BitSpan range_of(const BitDim& dim, Index lo, Index hi) {
  lo -= dim.origin;
  hi -= dim.origin;
  BitSpan out;
  if (!dim.table.empty()) {
    const Index size = std::ssize(dim.table);
    const Index count = std::min(size, hi - lo);
    out = {kIndexMax, 0};
    for (Index i = 0; i < count; ++i) {
      const Index value = dim.table[static_cast<std::size_t>((lo + i) % size)];
      out.begin = std::min(out.begin, value);
      out.end = std::max(out.end, value);
    }
  }
  for (const BitDigit& digit : dim.digits) {
    Index first = lo / digit.div;
    Index last = (hi - 1) / digit.div;
    if (digit.ext != 0) {
      const bool wraps = first / digit.ext != last / digit.ext;
      first = wraps ? 0 : first % digit.ext;
      last = wraps ? digit.ext - 1 : last % digit.ext;
    }
    out.begin += std::min(first * digit.stride, last * digit.stride);
    out.end += std::max(first * digit.stride, last * digit.stride);
  }
  return out;
}

class ByteBandCutter {
 public:
  ByteBandCutter(const BitForm& form, Index most, std::vector<Band>& bands)
      : form_(form), most_(most), bands_(bands) {}

  bool cut(const IndexBox& box) {
    const BitSpan all = bits_of(form_, box);
    const Index begin = all.begin / 8 * 8;
    if (all.end - begin <= most_) return add(begin, all.end, box);
    const auto step = widest_step(box);
    if (!step) return false;
    const auto& [dim, digit] = *step;
    const Index lo = box.lo[dim];
    const Index hi = box.hi[dim];
    const Index origin = origin_;
    const auto after = [&](Index x, Index block) {
      return std::min(hi, ((x - origin) / block + 1) * block + origin);
    };
    IndexBox one = box;
    one.hi[dim] = after(lo, digit.div);
    const BitSpan inner = bits_of(form_, one);
    const Index span = inner.end - inner.begin;
    Index group = span > most_ ? 1 : (most_ - span) / digit.stride + 1;
    // A band begins with a whole byte.
    const Index bytes = 8 / std::gcd(digit.stride, Index{8});
    group = group < bytes ? bytes : group / bytes * bytes;
    if (after(lo, digit.div * group) == hi) group = 1;
    IndexBox part = box;
    for (part.hi[dim] = lo; part.hi[dim] < hi;) {
      part.lo[dim] = part.hi[dim];
      part.hi[dim] = after(part.lo[dim], digit.div * group);
      if (!cut(part)) return false;
    }
    return true;
  }

 private:
  bool add(Index begin, Index end, const IndexBox& box) {
    if (!bands_.empty() && begin < bands_.back().end) return false;
    bands_.push_back({begin, end, box});
    return true;
  }

  // The digit with the greatest stride that has more than one value in the box.
  std::optional<std::pair<std::size_t, BitDigit>> widest_step(const IndexBox& box) {
    std::optional<std::pair<std::size_t, BitDigit>> best;
    for (const BitPart& part : form_) {
      for (std::size_t d = 0; d < part.dims.size(); ++d) {
        const Index origin = part.dims[d].origin;
        for (const BitDigit& digit : part.dims[d].digits) {
          if (digit.stride <= 0 || (box.lo[d] - origin) / digit.div == (box.hi[d] - 1 - origin) / digit.div)
            continue;
          if (best && best->second.stride >= digit.stride) continue;
          best = {d, digit};
          origin_ = origin;
        }
      }
    }
    return best;
  }

  const BitForm& form_;
  Index most_;
  std::vector<Band>& bands_;
  Index origin_ = 0;
};

}  // namespace

BitSpan bits_of(const BitForm& form, const IndexBox& box) {
  BitSpan out{kIndexMax, 0};
  for (const BitPart& part : form) {
    BitSpan here{part.base, part.base + part.width};
    for (std::size_t d = 0; d < part.dims.size(); ++d) {
      const BitSpan one = range_of(part.dims[d], box.lo[d], box.hi[d]);
      here.begin += one.begin;
      here.end += one.end;
    }
    out.begin = std::min(out.begin, here.begin);
    out.end = std::max(out.end, here.end);
  }
  return out;
}

std::optional<std::vector<Band>> cut_into_byte_bands(std::span<const moving::FormPiece> pieces,
                                                     std::span<const Index> shape, Index buffer_bits,
                                                     Index most_bits) {
  std::vector<Band> bands;
  for (const moving::FormPiece& piece : pieces) {
    IndexBox box = IndexBox::whole(shape);
    if (!box.lo.empty()) {
      box.lo[piece.dim] = std::max(box.lo[piece.dim], piece.begin);
      box.hi[piece.dim] = std::min(box.hi[piece.dim], piece.end);
    }
    if (box.empty()) continue;
    if (!ByteBandCutter(piece.form, most_bits, bands).cut(box)) return std::nullopt;
  }
  if (bands.empty()) return std::nullopt;
  if (bands.front().begin > 0) bands.insert(bands.begin(), {0, 0, std::nullopt});
  for (std::size_t i = 0; i < bands.size(); ++i) {
    bands[i].end = i + 1 < bands.size() ? bands[i + 1].begin : buffer_bits;
    // Padding belongs to the band before it.
    if (bands[i].end - bands[i].begin > 2 * most_bits) return std::nullopt;
  }
  return bands;
}

}  // namespace tessera::transfer
