// SPDX-License-Identifier: Apache-2.0
#include "reshard/parts/run_intersection.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/modular.h"
#include "expr/wide_range.h"

namespace tessera::detail {
namespace {

using Wide = __int128;

// Interval i of `a` and interval j of `b`, if they overlap.
void meet_intervals(const IndexRun& a, Index i, const IndexRun& b, Index j, std::vector<RunMeet>& out) {
  const Index a_begin = a.lower + i * a.step;
  const Index b_begin = b.lower + j * b.step;
  const Index lower = std::max(a_begin, b_begin);
  const Index upper = std::min(a_begin + a.length, b_begin + b.length);
  if (lower >= upper) return;
  RunMeet meet;
  meet.lower = lower;
  meet.length = upper - lower;
  meet.a = a.local + i * a.local_step + (lower - a_begin);
  meet.b = b.local + j * b.local_step + (lower - b_begin);
  out.push_back(meet);
}

// One interval and many intervals: a head, a loop of whole intervals and a tail.
void meet_one(const IndexRun& one, const IndexRun& many, bool swapped, std::vector<RunMeet>& out) {
  const Index begin = one.lower;
  const Index end = one.lower + one.length;
  Index first = std::max<Index>(0, floor_div(begin - many.lower - many.length, many.step) + 1);
  Index last = std::min(many.count - 1, floor_div(end - 1 - many.lower, many.step));
  const auto single = [&](Index k) {
    if (swapped) {
      meet_intervals(many, k, one, 0, out);
    } else {
      meet_intervals(one, 0, many, k, out);
    }
  };
  if (first > last) return;
  if (many.lower + first * many.step < begin) single(first++);
  if (first > last) return;
  const bool tail = many.lower + last * many.step + many.length > end;
  const Index whole = last - first + (tail ? 0 : 1);
  if (whole > 0) {
    RunMeet meet;
    meet.lower = many.lower + first * many.step;
    meet.length = many.length;
    meet.count = whole;
    meet.step = many.step;
    meet.a = one.local + (meet.lower - begin);
    meet.a_step = many.step;
    meet.b = many.local + first * many.local_step;
    meet.b_step = many.local_step;
    if (swapped) {
      std::swap(meet.a, meet.b);
      std::swap(meet.a_step, meet.b_step);
    }
    out.push_back(meet);
  }
  if (tail) single(last);
}

// Two loops of few intervals: walks over the intervals of both.
void meet_by_walk(const IndexRun& a, const IndexRun& b, std::vector<RunMeet>& out) {
  for (Index i = 0, j = 0; i < a.count && j < b.count;) {
    meet_intervals(a, i, b, j, out);
    if (a.lower + i * a.step + a.length <= b.lower + j * b.step + b.length) {
      ++i;
    } else {
      ++j;
    }
  }
}

// Two loops. Interval j of b starts `shift` after interval i of a if i * a.step - j * b.step = b.lower -
// a.lower - shift. Each shift at which the intervals overlap gives one loop, whose step is the least common
// multiple of both steps.
void meet_by_shift(const IndexRun& a, const IndexRun& b, Index gcd, std::vector<RunMeet>& out) {
  const Wide p = a.step;
  const Wide q = b.step;
  const Wide period = q / gcd;  // the period of i
  const Wide inverse = modular_inverse(a.step / gcd, b.step / gcd);
  const Index distance = mod(b.lower - a.lower, gcd);
  for (Index shift = -b.length + 1 + mod(distance - (-b.length + 1), gcd); shift < a.length; shift += gcd) {
    const Wide rest = Wide{b.lower} - a.lower - shift;
    const Wide residue = ((rest / gcd) % period * inverse % period + period) % period;
    const Wide least = std::max<Wide>(0, ceil_div_wide(rest, a.step));
    const Wide most = std::min<Wide>(a.count - 1, floor_div_wide(rest + (b.count - 1) * q, a.step));
    const Wide first = least + ((residue - least) % period + period) % period;
    if (first > most) continue;
    const Wide j = (first * p - rest) / q;
    const Index skip = std::max<Index>(0, shift);
    RunMeet meet;
    meet.lower = static_cast<Index>(a.lower + first * p) + skip;
    meet.length = std::min(a.length, shift + b.length) - skip;
    meet.count = static_cast<Index>((most - first) / period) + 1;
    meet.a = static_cast<Index>(a.local + first * a.local_step) + skip;
    meet.b = static_cast<Index>(b.local + j * b.local_step) + (skip - shift);
    if (meet.count > 1) {
      meet.step = static_cast<Index>(p * period);
      meet.a_step = static_cast<Index>(period * a.local_step);
      meet.b_step = static_cast<Index>(p / gcd * b.local_step);
    }
    out.push_back(meet);
  }
}

DimPart interval_part(Index lower, Index length) {
  DimPart part;
  if (length > 0) part.runs.push_back({lower, length, 1, 0, 0, 0});
  part.extent = std::max<Index>(0, length);
  return part;
}

DimPart cyclic_part(const DimCut& cut, Index s, Index count, Index n) {
  DimPart part;
  const Index blocks = ceil_div(n, cut.size);
  const Index first = mod(s - cut.start, count);
  if (first >= blocks) return part;
  const Index owned = (blocks - 1 - first) / count + 1;
  const Index last = first + (owned - 1) * count;
  const Index last_length = std::min(cut.size, n - last * cut.size);
  const bool short_block = last_length < cut.size;
  const Index whole = owned - (short_block ? 1 : 0);
  if (whole > 0) {
    part.runs.push_back(
        {first * cut.size, cut.size, whole, whole > 1 ? cut.size * count : 0, 0, whole > 1 ? cut.size : 0});
  }
  if (short_block) part.runs.push_back({last * cut.size, last_length, 1, 0, whole * cut.size, 0});
  part.extent = whole * cut.size + (short_block ? last_length : 0);
  return part;
}

DimPart strided_part(const DimCut& cut, Index s, Index count, Index n) {
  DimPart part;
  const Index piece = ceil_div(n, cut.size);
  const Index full = n / piece;
  const Index chunk = ceil_div(piece, count);
  const Index length = std::max<Index>(0, std::min(chunk, piece - std::min(piece, s * chunk)));
  if (length > 0) {
    part.runs.push_back({s * chunk, length, full, full > 1 ? piece : 0, 0, full > 1 ? length : 0});
    part.extent = length * full;
  }
  const Index rest = n - full * piece;
  if (rest == 0) return part;
  const Index rest_chunk = cut.rule == CutRule::strided_padded ? chunk : ceil_div(rest, count);
  const Index lower = std::min(rest, s * rest_chunk);
  const Index rest_length = std::min(rest_chunk, rest - lower);
  if (rest_length > 0) {
    part.runs.push_back({full * piece + lower, rest_length, 1, 0, part.extent, 0});
    part.extent += rest_length;
  }
  return part;
}

}  // namespace

void intersect(const IndexRun& a, const IndexRun& b, std::vector<RunMeet>& out) {
  if (a.count == 1 && b.count == 1) return meet_intervals(a, 0, b, 0, out);
  if (a.count == 1) return meet_one(a, b, /*swapped=*/false, out);
  if (b.count == 1) return meet_one(b, a, /*swapped=*/true, out);
  const Index gcd = std::gcd(a.step, b.step);
  if ((a.length + b.length) / gcd >= a.count + b.count) return meet_by_walk(a, b, out);
  meet_by_shift(a, b, gcd, out);
}

std::vector<RunMeet> intersect(const DimPart& a, const DimPart& b) {
  std::vector<RunMeet> out;
  for (const IndexRun& x : a.runs) {
    for (const IndexRun& y : b.runs) intersect(x, y, out);
  }
  if (out.size() > 1) std::ranges::sort(out, {}, &RunMeet::lower);
  return out;
}

void join_runs(std::vector<IndexRun>& runs) {
  for (IndexRun& run : runs) {
    if (run.count > 1 && run.step == run.length && run.local_step == run.length) {
      run = {run.lower, run.size(), 1, 0, run.local, 0};
    }
    if (run.count == 1) run.step = run.local_step = 0;
  }
  std::ranges::sort(runs, {}, &IndexRun::lower);
  std::vector<IndexRun> joined;
  for (const IndexRun& run : runs) {
    if (!joined.empty()) {
      IndexRun& last = joined.back();
      if (last.count == 1 && run.count == 1 && last.lower + last.length == run.lower &&
          last.local + last.length == run.local) {
        last.length += run.length;
        continue;
      }
    }
    joined.push_back(run);
  }
  runs = std::move(joined);
}

std::vector<DimPart> cut_parts(const DimCut& cut, Index count, Index n) {
  std::vector<DimPart> parts(static_cast<std::size_t>(count));
  if (n == 0) return parts;
  const Index chunk = ceil_div(n, count);
  Index prefix = 0;
  for (Index s = 0; s < count; ++s) {
    DimPart& part = parts[static_cast<std::size_t>(s)];
    switch (cut.rule) {
      case CutRule::ceil: {
        const Index lower = s <= n / chunk ? s * chunk : n;
        part = interval_part(lower, std::min(chunk, n - lower));
        break;
      }
      case CutRule::cyclic:
        part = cyclic_part(cut, s, count, n);
        break;
      case CutRule::sizes:
        part = interval_part(prefix, cut.sizes[static_cast<std::size_t>(s)]);
        prefix += cut.sizes[static_cast<std::size_t>(s)];
        break;
      case CutRule::strided:
      case CutRule::strided_padded:
        part = strided_part(cut, s, count, n);
        break;
    }
    join_runs(part.runs);
  }
  return parts;
}

std::vector<Index> indices_of(const DimPart& part) {
  std::vector<Index> out(static_cast<std::size_t>(part.extent));
  for (const IndexRun& run : part.runs) {
    for (Index k = 0; k < run.count; ++k) {
      for (Index i = 0; i < run.length; ++i) {
        out[static_cast<std::size_t>(run.local + k * run.local_step + i)] = run.lower + k * run.step + i;
      }
    }
  }
  return out;
}

DimPart nested_part(const DimPart& outer, const DimPart& inner) {
  std::vector<RunMeet> meets;
  for (const IndexRun& out : outer.runs) {
    const IndexRun by_local{out.local, out.length, out.count, out.local_step, out.lower, out.step};
    for (const IndexRun& in : inner.runs) intersect(by_local, in, meets);
  }
  DimPart part;
  for (const RunMeet& meet : meets) {
    part.runs.push_back({meet.a, meet.length, meet.count, meet.a_step, meet.b, meet.b_step});
  }
  join_runs(part.runs);
  part.extent = inner.extent;
  return part;
}

}  // namespace tessera::detail
