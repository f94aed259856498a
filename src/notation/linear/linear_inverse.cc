// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "algebra/xor_rows.h"
#include "notation/limits.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/linear_layout.h"

namespace tessera {
namespace {

using detail::XorRows;

// The index whose bits, of all dimensions one after another, are `bits`.
std::vector<Index> index_of(const LinearLayout& layout, Index bits) {
  std::vector<Index> index;
  for (const auto& own : layout.bases()) {
    index.push_back(bits & ((Index{1} << own.size()) - 1));
    bits >>= own.size();
  }
  return index;
}

// The function of d0 with these bases.
Expr linear_function(std::vector<Index> bases) {
  return (*LinearLayout::make({std::move(bases)})).to_index_map().results()[0];
}

}  // namespace

Result<IndexMap> inverse(const LinearLayout& layout) {
  XorRows rows;
  Index used = 0;
  for (const auto& own : layout.bases()) {
    for (const Index basis : own) {
      used |= basis;
      const XorRows::Row row = rows.add(basis);
      if (row.value != 0) continue;
      Diagnostic no{.code = Code::not_invertible,
                    .message = "the layout has no inverse: two indices have the same offset"};
      no.witness = fmt::format("({}) and ({}) both give 0", fmt::join(index_of(layout, 0), ", "),
                               fmt::join(index_of(layout, row.added), ", "));
      return fail(std::move(no));
    }
  }
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(used)));
  if (width > detail::kNotationLimits.linear.bits)
    return fail(Code::limit, fmt::format("the offsets have {} bits, but at most {} are possible", width,
                                         detail::kNotationLimits.linear.bits));
  std::vector<std::vector<Index>> digits(
      layout.bases().size());  // of each dimension, for each bit of the offset
  std::vector<Index> outside;  // what is left of the bit: 0 for every offset of the layout
  for (int bit = 0; bit < width; ++bit) {
    const XorRows::Row row = rows.reduced({Index{1} << bit, 0});
    const std::vector<Index> index = index_of(layout, row.added);
    for (std::size_t i = 0; i < index.size(); ++i) digits[i].push_back(index[i]);
    outside.push_back(row.value);
  }
  Domain domain = Domain::box(std::vector<Index>{Index{1} << width});
  if (rows.rank() < outside.size()) domain.constrain(linear_function(std::move(outside)), {0, 0});
  std::vector<Expr> results;
  for (std::vector<Index>& of : digits) results.push_back(linear_function(std::move(of)));
  return simplify(IndexMap::make_unchecked(std::move(domain), std::move(results)));
}

}  // namespace tessera
