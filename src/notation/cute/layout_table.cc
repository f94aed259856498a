// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "notation/cute/algebra_diagnostic.h"
#include "notation/limits.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

/// The grid of `cell(m, n)`, a Result<std::string>; `width` is the minimum width of a cell, including
/// margins.
template <class Cell>
Result<std::string> table(const std::string& title, const StridedLayout& domain, std::size_t width,
                          Cell&& cell) {
  if (domain.rank() != 2) {
    return fail(Code::rank_mismatch, fmt::format("print_layout({}): the rank is {}, but a table needs rank 2",
                                                 title, domain.rank()));
  }
  const Index rows = domain.size_at(mode_at(domain.profile, 0));
  const Index columns = domain.size_at(mode_at(domain.profile, 1));
  if (rows > detail::kNotationLimits.cute.table_cells / columns) {
    return fail(Code::limit,
                fmt::format("print_layout({}): {} x {} cells are too many: at most {} are printed", title,
                            rows, columns, detail::kNotationLimits.cute.table_cells));
  }
  std::vector<std::string> cells;
  for (Index m = 0; m < rows; ++m) {
    for (Index n = 0; n < columns; ++n) {
      Result<std::string> text = cell(make_tuple(m, n));
      if (!text) return text;
      width = std::max(width, text->size() + 2);
      cells.push_back(*std::move(text));
    }
  }
  std::string separator = "    ";
  std::string out = title + "\n    ";
  for (Index n = 0; n < columns; ++n) {
    fmt::format_to(std::back_inserter(out), "  {:>{}} ", n, width - 2);
    separator += "+" + std::string(width, '-');
  }
  separator += "+\n";
  out += "\n";
  auto next = cells.cbegin();
  for (Index m = 0; m < rows; ++m) {
    fmt::format_to(std::back_inserter(out), "{}{:>2}  ", separator, m);
    for (Index n = 0; n < columns; ++n)
      fmt::format_to(std::back_inserter(out), "| {:>{}} ", *next++, width - 2);
    out += "|\n";
  }
  return out + separator;
}

Result<std::string> number(const detail::Outcome<Index>& value, const std::string& title) {
  if (!value) return fail(detail::algebra_diagnostic(value.error, "print_layout", {title}));
  return std::to_string(*value);
}

std::size_t cute_width(const StridedLayout& l) { return std::to_string(*detail::cosize(l)).size() + 2; }

}  // namespace

Result<std::string> print_layout(const StridedLayout& layout) {
  const std::string title = to_string(layout);
  const bool basis = layout.has_basis();
  return table(title, layout, basis ? 0 : cute_width(layout), [&](const IntTuple& at) -> Result<std::string> {
    const detail::Outcome<IntTuple> value = detail::evaluate(layout, at);
    if (!value) return fail(detail::algebra_diagnostic(value.error, "print_layout", {title}));
    return to_string(*value);
  });
}

Result<std::string> print_layout(const ComposedLayout& layout) {
  const std::string title = to_string(layout);
  if (!layout.has_domain())
    return fail(Code::rank_mismatch, fmt::format("print_layout({}): a swizzle alone has no shape", title));
  if (layout.domain().has_basis()) return number(detail::refuse(Code::unsupported_codomain), title);
  return table(title, layout.domain(), cute_width(layout.domain()),
               [&](const IntTuple& at) { return number(detail::offset(layout, at), title); });
}

}  // namespace tessera
