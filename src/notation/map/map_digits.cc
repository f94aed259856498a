// SPDX-License-Identifier: Apache-2.0
// Index maps as digits.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "expr/questions/view.h"
#include "map/values/enumerate.h"
#include "notation/not_representable.h"
#include "notation/structure.h"
#include "notation/to_digits.h"

namespace tessera::detail {
namespace {

// The terms as digits of the dimensions; empty if some term is not a digit.
std::optional<std::vector<Digit>> digits_of(const ExprView& offset) {
  std::vector<Digit> digits;
  for (const DigitTerm& term : offset.terms) {
    if (!term.base.is_variable() || term.at_least_zero) return std::nullopt;
    digits.push_back({term.base.value(), term.divisor, term.modulus, term.coefficient});
  }
  return digits;
}

// Completes the digits of each dimension to a chain that covers the box, filling gaps with digits of stride
// 0. An ext of 0 means that there is no mod. Empty if they do not form a chain.
std::optional<std::vector<Digit>> chains(std::vector<Digit> terms, std::span<const Index> box) {
  std::ranges::sort(terms, [](const Digit& a, const Digit& b) {
    return std::pair(a.dim, a.div) < std::pair(b.dim, b.div);
  });
  std::vector<Digit> digits;
  std::size_t i = 0;
  for (std::size_t d = 0; d < box.size(); ++d) {
    Index div = 1;
    for (; i < terms.size() && terms[i].dim == static_cast<Index>(d); ++i) {
      Digit term = terms[i];
      if (term.div < div || term.div % div != 0) return std::nullopt;
      if (term.div > div) digits.push_back({term.dim, div, term.div / div, 0});
      if (term.ext == 0) term.ext = std::max<Index>(1, ceil_div(box[d], term.div));
      digits.push_back(term);
      if (mul_overflows(term.div, term.ext, div)) return std::nullopt;
    }
    if (div < box[d]) digits.push_back({static_cast<Index>(d), div, ceil_div(box[d], div), 0});
  }
  return digits;
}

// Dimensions in the same term of the sum may interact. Joins the sets that terms connect.
DimGroups interacting(const ExprView& offset, std::size_t rank) {
  std::vector<std::size_t> parent = all_dims(rank);
  const auto find = [&](Index dim) {
    auto d = static_cast<std::size_t>(dim);
    while (parent[d] != d) d = parent[d];
    return d;
  };
  for (const DigitTerm& term : offset.terms) {
    for (const Index v : term.variables) parent[find(v)] = find(term.variables.front());
  }
  DimGroups by_root(rank);
  for (std::size_t d = 0; d < rank; ++d) by_root[find(static_cast<Index>(d))].push_back(d);
  std::erase_if(by_root, [](const auto& group) { return group.size() < 2; });
  return by_root;
}

// The view of a map's offset; if it takes too long to compute, a single term over all dimensions.
ExprView offset_view(const IndexMap& map) {
  const Expr offset = map.results()[0];
  if (auto seen = view(offset, box_of(map.domain()))) return *std::move(seen);
  ExprView whole;
  whole.terms.push_back({.base = offset, .opaque = true, .variables = variables(offset)});
  return whole;
}

Failure not_a_layout(std::string message) { return not_representable("not_a_layout", std::move(message)); }

std::optional<Digits> matched(const ExprView& offset, std::span<const Index> box) {
  auto terms = digits_of(offset);
  const auto digits = terms ? chains(*std::move(terms), box) : std::nullopt;
  if (!digits) return std::nullopt;
  return Digits::normalized({box.begin(), box.end()}, offset.constant, *digits);
}

}  // namespace

Result<std::vector<Index>> box_of(const IndexMap& map) {
  if (map.results().size() != 1)
    return not_a_layout(fmt::format("a layout has one result, but this map has {}", map.results().size()));
  if (map.domain().symbol_count() != 0) return not_a_layout("a layout has no range or runtime variables");
  if (map.known_empty() && map.dim_count() == 0) return not_a_layout("a map without points has no shape");
  if (map.known_empty()) return std::vector<Index>(map.dim_count(), 0);
  if (!map.constraints().empty()) return not_a_layout("a layout's domain is a box, without constraints");
  std::vector<Index> box;
  for (const Variable& v : map.variables()) {
    if (v.bounds.lower != 0 || v.bounds.upper == kPosInf)
      return not_a_layout("every dimension must start at 0 and be bounded");
    box.push_back(v.bounds.upper + 1);
  }
  return box;
}

std::optional<Digits> structural_digits(const IndexMap& map) {
  const auto box = box_of(map);
  if (!box) return std::nullopt;
  if (map.known_empty()) return Digits::normalized(*box, 0, {});
  return matched(offset_view(map), *box);
}

DimGroups interacting_dims(const IndexMap& map) { return interacting(offset_view(map), map.dim_count()); }

}  // namespace tessera::detail

namespace tessera {

Result<Digits> to_digits(const IndexMap& map) {
  auto box = detail::box_of(map);
  if (!box) return fail(box.error());
  if (map.known_empty()) return Digits::normalized(*std::move(box), 0, {});
  if (auto digits = detail::structural_digits(map)) return *std::move(digits);
  const auto groups = detail::interacting_dims(map);
  bool defined = true;
  const auto offset = [&](std::span<const Index> x) {
    const auto value = evaluate(map.results()[0], x);
    defined = defined && value.has_value();
    return value.value_or(0);
  };
  auto digits = digits_by_tables(*std::move(box), offset, groups);
  if (!defined) return detail::not_representable("not_a_layout", "the map has no value at some index");
  return digits;
}

}  // namespace tessera
