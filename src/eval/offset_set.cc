// SPDX-License-Identifier: Apache-2.0
#include "eval/offset_set.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "algebra/xor_rows.h"
#include "notation/first_repeat.h"
#include "tessera/algebra/detail/linear.h"
#include "tessera/notation/layout.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

bool is_few(Index size) {
  Index limit = evaluation_limit();
  return size <= limit;
}

AlgebraError too_many(Index size) {
  Index limit = evaluation_limit();
  return refuse(Code::undecided, size, limit);
}

// The offsets of all coordinates in 1-D order.
Outcome<std::vector<Index>> offsets(const ComposedLayout& chain) {
  Outcome<std::vector<Index>> out;
  out.value.reserve(static_cast<std::size_t>(chain.size()));
  for (Index i = 0; i < chain.size(); ++i) {
    const Outcome<Index> value = offset(chain, i);
    if (!value) return value.error;
    out.value.push_back(*value);
  }
  return out;
}

// Two coordinates with the same offset; of several pairs, the pair with the smallest second coordinate.
Injectivity first_meeting(const std::vector<Index>& values) {
  const auto each = [&](const std::function<bool(Index)>& visit) {
    (void)std::ranges::all_of(values, visit);
  };
  const auto found = tessera::detail::first_repeat(std::ssize(values), each).found;
  return found ? Injectivity{false, found->first, found->second} : Injectivity{};
}

// The 1-D coordinate of a coordinate with one number for each top-level mode, the leftmost fastest.
Index coordinate(const Layout& layout, const std::vector<Index>& index) {
  Index sum = 0;
  for (std::size_t d = index.size(); d-- > 0;) sum = sum * layout.shape()[d] + index[d];
  return sum;
}

// The smallest offset that is not an XOR of bases. It is a power of two, because every bit below it is an XOR
// of bases.
Outcome<Index> outside_span(const LinearBases& bases) {
  tessera::detail::XorRows rows;
  for (int b = 0; b < bases.total(); ++b) rows.add(bases.basis[b]);
  Index bit = 1;
  while (rows.reduced({bit, 0}).value == 0)
    bit *= 2;  // ends, because 62 bases do not span all bits below 2^63
  return bit;
}

}  // namespace

Outcome<Injectivity> injectivity_of(const ComposedLayout& chain) {
  const StridedLayout& domain = chain.domain();
  if (chain.parts == 1) {
    const Outcome<Injectivity> answer = tessera::detail::injectivity(domain);
    if (answer || answer.error.code != Code::undecided) return answer;
  } else if (is_few(chain.size())) {
    const Outcome<std::vector<Index>> values = offsets(chain);
    if (!values) return values.error;
    return first_meeting(*values);
  }
  const auto layout = Layout::make(chain);
  if (!layout) return too_many(chain.size());
  const auto pair = collision(*layout);
  if (!pair) return too_many(chain.size());
  if (!*pair) return Injectivity{};
  // A braced list, because std::minmax of two values returns references to temporaries.
  const auto [a, b] =
      std::minmax({coordinate(*layout, (*pair)->first), coordinate(*layout, (*pair)->second)});
  return Injectivity{false, a, b};
}

Outcome<Index> smallest_missing_offset(const ComposedLayout& chain) {
  if (chain.parts == 1) {
    const Outcome<Index> missing = tessera::detail::first_missing_offset(chain.domain());
    if (missing || missing.error.code != Code::negative_stride) return missing;
  }
  if (is_few(chain.size())) {
    Outcome<std::vector<Index>> values = offsets(chain);
    if (!values) return values.error;
    std::ranges::sort(values.value);
    Index missing = 0;
    for (const Index value : *values) missing += value == missing ? 1 : 0;
    return missing;
  }
  const Outcome<LinearBases> bases = tessera::detail::to_linear(chain);
  if (!bases) return too_many(chain.size());
  return outside_span(*bases);
}

}  // namespace tessera::eval
