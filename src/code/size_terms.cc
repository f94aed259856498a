// SPDX-License-Identifier: Apache-2.0
#include "code/size_terms.h"

#include <fmt/format.h>

#include "base/try.h"

namespace tessera::coding {

using symbolic::SizeTerm;
using symbolic::SymbolicLayout;
using symbolic::TermTree;

Result<TermId> SizeTerms::quotient(TermId a, TermId b) {
  const CodeTerm divisor = terms_[b];
  if (divisor.op == Op::constant) {
    if (divisor.value < 1) return fail(Code::undefined_value, "a divisor is below 1 at all sizes");
    return terms_.floor_div(a, divisor.value);
  }
  terms_.assume(b, {1, kPosInf});  // elsewhere there is no layout
  const Interval dividend = terms_[a].range;
  if (dividend.lower >= 0 && dividend.upper < terms_[b].range.lower) return terms_.constant(0);
  if (!terms_.rules().floors && dividend.lower < 0)
    return fail(Code::not_applicable,
                "the sign of a dividend depends on the sizes, and division truncates here", {},
                "assume more with --where, or use --lang python");
  return terms_.divide(a, b);
}

Result<TermId> SizeTerms::remainder(TermId a, TermId b) {
  const CodeTerm divisor = terms_[b];
  if (divisor.op == Op::constant) {
    if (divisor.value < 1) return fail(Code::undefined_value, "a divisor is below 1 at all sizes");
    return terms_.mod(a, divisor.value);
  }
  TESSERA_TRY(turns, quotient(a, b));
  if (terms_[turns].op == Op::constant && terms_[turns].value == 0) return a;
  return terms_.rest(a, b);
}

Result<TermId> SizeTerms::ceil_quotient(TermId a, TermId b) {
  return quotient(terms_.subtract(terms_.add(a, b), terms_.constant(1)), b);
}

Result<TermId> SizeTerms::lower(const SizeTerm& term) {
  using TermKind = SizeTerm::Kind;
  if (term.kind == TermKind::number) {
    if (term.number > kIndexMax - 1 || term.number < -(kIndexMax - 1))
      return fail(Code::number_range, "a number does not fit in 64 bits");
    return terms_.constant(static_cast<Index>(term.number));
  }
  if (term.kind == TermKind::name) return sizes_.at(term.name);
  TESSERA_TRY(a, lower(term.parts[0]));
  if (term.kind == TermKind::negative) return terms_.negate(a);
  TESSERA_TRY(b, lower(term.parts[1]));
  switch (term.kind) {
    case TermKind::plus:
      return terms_.add(a, b);
    case TermKind::minus:
      return terms_.subtract(a, b);
    case TermKind::times:
      return terms_.multiply(a, b);
    case TermKind::over:
      return quotient(a, b);
    case TermKind::modulo:
      return remainder(a, b);
    case TermKind::ceil_over:
      return ceil_quotient(a, b);
    case TermKind::minimum:
      return terms_.min(a, b);
    default:
      return terms_.max(a, b);
  }
}

Result<TermId> SizeTerms::positive(const SizeTerm& term) {
  TESSERA_TRY(out, lower(term));
  return terms_.assume(out, {1, kPosInf});  // elsewhere there is no layout
}

Result<std::vector<TermId>> SizeTerms::extents(const SymbolicLayout& layout) {
  std::vector<TermId> out;
  if (!layout.crop().empty()) {
    for (const SizeTerm& t : layout.crop()) {
      TESSERA_TRY(extent, positive(t));
      out.push_back(extent);
    }
    return out;
  }
  for (const TermTree::Mode& mode : layout.shape().modes()) {
    TermId whole = terms_.constant(1);
    for (std::size_t leaf = mode.first; leaf < mode.last; ++leaf) {
      TESSERA_TRY(extent, positive(layout.shape().leaves[leaf]));
      whole = terms_.multiply(whole, extent);
    }
    out.push_back(whole);
  }
  return out;
}

// Every top-level mode is a dimension; its leaves are the digits of the index, the first one fastest.
Result<TermId> SizeTerms::strided(const SymbolicLayout& layout, const std::vector<TermId>& index) {
  const bool compact = layout.stride().leaves.empty();
  TermId sum = terms_.constant(0);
  TermId next = terms_.constant(1);
  const std::vector<TermTree::Mode> modes = layout.shape().modes();
  for (std::size_t d = 0; d < modes.size(); ++d) {
    TermId rest = index[d];
    for (std::size_t leaf = modes[d].first; leaf < modes[d].last; ++leaf) {
      TESSERA_TRY(extent, positive(layout.shape().leaves[leaf]));
      TermId stride = next;
      if (!compact) {
        TESSERA_TRY(own, lower(layout.stride().leaves[leaf]));
        stride = own;
      }
      TermId digit = rest;
      if (leaf + 1 < modes[d].last) {
        TESSERA_TRY(low, remainder(rest, extent));
        TESSERA_TRY(high, quotient(rest, extent));
        digit = low;
        rest = high;
      }
      sum = terms_.add(sum, terms_.multiply(digit, stride));
      if (compact) next = terms_.multiply(next, extent);
    }
  }
  if (layout.kind() != SymbolicLayout::Kind::strides) return sum;
  TESSERA_TRY(constant, lower(layout.offset()));
  return terms_.add(sum, constant);
}

// The index in each physical dimension; a tile splits the last ones into tiles and places inside a tile.
Result<TermId> SizeTerms::tiled(const SymbolicLayout& layout, const std::vector<TermId>& index) {
  struct Cell {
    TermId at;
    TermId count;
  };
  std::vector<Cell> cells;
  const std::vector<int>& order = layout.minor_to_major();
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(order[i]);
    TESSERA_TRY(extent, positive(layout.shape().leaves[d]));
    cells.push_back({index[d], extent});
  }
  for (const std::vector<SizeTerm>& tile : layout.tiles()) {
    while (cells.size() < tile.size()) cells.insert(cells.begin(), {terms_.constant(0), terms_.constant(1)});
    const std::size_t keep = cells.size() - tile.size();
    std::vector<Cell> inner;
    for (std::size_t i = 0; i < tile.size(); ++i) {
      TESSERA_TRY(entry, positive(tile[i]));
      Cell& outer = cells[keep + i];
      TESSERA_TRY(low, remainder(outer.at, entry));
      TESSERA_TRY(high, quotient(outer.at, entry));
      TESSERA_TRY(blocks, ceil_quotient(outer.count, entry));
      inner.push_back({low, entry});
      outer = {high, blocks};
    }
    cells.insert(cells.end(), inner.begin(), inner.end());
  }
  TermId sum = terms_.constant(0);
  TermId stride = terms_.constant(1);
  for (std::size_t i = cells.size(); i-- > 0;) {
    sum = terms_.add(sum, terms_.multiply(cells[i].at, stride));
    stride = terms_.multiply(stride, cells[i].count);
  }
  return sum;
}

// Entries from the fastest on; a pack takes the next digit of its dimension, other entries take the rest.
Result<TermId> SizeTerms::packed(const SymbolicLayout& layout, const std::vector<TermId>& index) {
  TESSERA_TRY(whole, extents(layout));
  std::vector<TermId> rest = index;
  std::vector<TermId> left = whole;
  TermId sum = terms_.constant(0);
  TermId stride = terms_.constant(1);
  for (std::size_t i = layout.entries().size(); i-- > 0;) {
    const auto& [dim, pack] = layout.entries()[i];
    const auto d = static_cast<std::size_t>(dim);
    if (!pack) {
      sum = terms_.add(sum, terms_.multiply(rest[d], stride));
      stride = terms_.multiply(stride, left[d]);
      rest[d] = terms_.constant(0);
      left[d] = terms_.constant(1);
      continue;
    }
    const TermId size = terms_.constant(static_cast<Index>(*pack));
    TESSERA_TRY(low, remainder(rest[d], size));
    TESSERA_TRY(high, quotient(rest[d], size));
    TESSERA_TRY(blocks, quotient(left[d], size));
    sum = terms_.add(sum, terms_.multiply(low, stride));
    stride = terms_.multiply(stride, size);
    rest[d] = high;
    left[d] = blocks;
  }
  return sum;
}

// Blocks from the last on, then the dimensions of the tag.
Result<TermId> SizeTerms::blocked(const SymbolicLayout& layout, const std::vector<TermId>& index) {
  TESSERA_TRY(whole, extents(layout));
  std::vector<TermId> rest = index;
  std::vector<Index> block(index.size(), 1);
  TermId sum = terms_.constant(0);
  TermId stride = terms_.constant(1);
  for (std::size_t i = layout.entries().size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(layout.entries()[i].dim);
    const auto size = static_cast<Index>(*layout.entries()[i].pack);
    sum = terms_.add(sum, terms_.multiply(terms_.mod(rest[d], size), stride));
    rest[d] = terms_.floor_div(rest[d], size);
    stride = terms_.multiply(stride, size);
    if (mul_overflows(block[d], size, block[d]))
      return fail(Code::overflow, "the blocks of a dimension do not fit in 64 bits");
  }
  for (std::size_t i = layout.outer().size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(layout.outer()[i]);
    sum = terms_.add(sum, terms_.multiply(rest[d], stride));
    TESSERA_TRY(blocks, ceil_quotient(whole[d], terms_.constant(block[d])));
    stride = terms_.multiply(stride, blocks);
  }
  return sum;
}

Result<TermId> SizeTerms::offset(const SymbolicLayout& layout, const std::vector<TermId>& index) {
  switch (layout.kind()) {
    case SymbolicLayout::Kind::cute:
    case SymbolicLayout::Kind::strides:
      return strided(layout, index);
    case SymbolicLayout::Kind::xla:
      return tiled(layout, index);
    case SymbolicLayout::Kind::morello:
      return packed(layout, index);
    case SymbolicLayout::Kind::format_tag:
      break;
  }
  return blocked(layout, index);
}

}  // namespace tessera::coding
