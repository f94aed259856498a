// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/to_digits.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

std::vector<std::size_t> all_dims(std::size_t rank) {
  std::vector<std::size_t> dims(rank);
  std::iota(dims.begin(), dims.end(), std::size_t{0});
  return dims;
}

}  // namespace

Result<Digits> to_digits(const Strides& strides) {
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < strides.shape.size(); ++i) {
    if (strides.shape[i] > 1)
      digits.push_back({static_cast<Index>(i), 1, strides.shape[i], strides.strides[i]});
  }
  return Digits::normalized(strides.shape, strides.offset, std::move(digits));
}

Result<Digits> to_digits(const PackedLayout& layout, std::span<const Index> shape) {
  const auto extents = expand(layout, shape);
  if (!extents) return fail(extents.error());
  std::vector<Digit> digits;
  std::vector<Index> covered(shape.size(), 1);
  Index alpha = 1;
  for (std::size_t k = extents->size(); k-- > 0;) {
    const PackedDim& entry = layout.dims()[k];
    const Index extent = (*extents)[k];
    Index& div = covered[static_cast<std::size_t>(entry.dim)];
    if (entry.kind == PackedDim::Kind::odd_even && extent > 1) {
      digits.push_back({entry.dim, div, 2, alpha * (extent / 2)});
      digits.push_back({entry.dim, div * 2, extent / 2, alpha});
    } else {
      digits.push_back({entry.dim, div, extent, alpha});
    }
    alpha *= extent;
    div *= extent;
  }
  return Digits::normalized({shape.begin(), shape.end()}, 0, std::move(digits));
}

Result<Digits> to_digits(const LinearLayout& layout) {
  Index seen = 0;
  bool disjoint = true;
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < layout.bases().size(); ++i) {
    for (std::size_t k = 0; k < layout.bases()[i].size(); ++k) {
      const Index basis = layout.bases()[i][k];
      disjoint = disjoint && (seen & basis) == 0;
      seen |= basis;
      digits.push_back({static_cast<Index>(i), Index{1} << k, 2, basis});
    }
  }
  // With disjoint bases XOR is addition.
  if (disjoint) return Digits::normalized(layout.shape(), 0, std::move(digits));
  const std::vector<std::vector<std::size_t>> groups = {all_dims(layout.bases().size())};
  return digits_by_tables(layout.shape(), [&](std::span<const Index> x) { return layout.offset(x); }, groups);
}

namespace {

// One term of an index map's result: coefficient * ((d floordiv div) mod ext), ext 0 for "no mod".
std::optional<Digit> match_atom(Expr e, Index stride) {
  Digit digit{.dim = 0, .div = 1, .ext = 0, .stride = stride};
  if (e.kind() == ExprKind::mod && e.rhs().is_constant() && e.rhs().value() > 1) {
    digit.ext = e.rhs().value();
    e = e.lhs();
  }
  if (e.kind() == ExprKind::floor_div && e.rhs().is_constant() && e.rhs().value() > 1) {
    digit.div = e.rhs().value();
    e = e.lhs();
    // (d mod m) floordiv v is (d floordiv v) mod (m / v) when v divides m.
    if (e.kind() == ExprKind::mod && digit.ext == 0 && e.rhs().is_constant() && e.rhs().value() > 0 &&
        e.rhs().value() % digit.div == 0) {
      digit.ext = e.rhs().value() / digit.div;
      e = e.lhs();
    }
  }
  if (!e.is_variable()) return std::nullopt;
  digit.dim = e.value();
  return digit;
}

// The result as a constant and digit terms; false where a term is none.
bool match_terms(Expr e, Index& base, std::vector<Digit>& terms) {
  if (e.kind() == ExprKind::add)
    return match_terms(e.lhs(), base, terms) && match_terms(e.rhs(), base, terms);
  if (e.is_constant()) return !add_overflows(base, e.value(), base);
  Index stride = 1;
  while (e.kind() == ExprKind::mul && e.rhs().is_constant()) {
    if (mul_overflows(stride, e.rhs().value(), stride)) return false;
    e = e.lhs();
  }
  const auto digit = match_atom(e, stride);
  if (!digit) return false;
  terms.push_back(*digit);
  return true;
}

// Digits of each dimension must be a chain that covers the box; a missing place has stride 0.
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

// Dimensions that occur in one term of the sum may interact; a union of what each term connects.
std::vector<std::vector<std::size_t>> interacting(Expr e, std::size_t rank) {
  std::vector<std::size_t> parent = all_dims(rank);
  const auto find = [&](std::size_t d) {
    while (parent[d] != d) d = parent[d];
    return d;
  };
  const auto join_term = [&](const auto& self, Expr term) -> void {
    if (term.kind() == ExprKind::add) {
      self(self, term.lhs());
      self(self, term.rhs());
      return;
    }
    const std::vector<Index> used = variables(term);
    for (std::size_t k = 1; k < used.size(); ++k) {
      parent[find(static_cast<std::size_t>(used[k]))] = find(static_cast<std::size_t>(used[0]));
    }
  };
  join_term(join_term, e);
  std::vector<std::vector<std::size_t>> by_root(rank);
  for (std::size_t d = 0; d < rank; ++d) by_root[find(d)].push_back(d);
  std::erase_if(by_root, [](const auto& group) { return group.size() < 2; });
  return by_root;
}

}  // namespace

Result<Digits> to_digits(const IndexMap& map) {
  const auto not_a_layout = [](std::string message) {
    return fail(
        Diagnostic{.code = Code::not_representable, .message = std::move(message), .reason = "not_a_layout"});
  };
  if (map.results().size() != 1) {
    return not_a_layout(fmt::format("a layout has one result, this map has {}", map.results().size()));
  }
  if (map.domain().symbol_count() != 0) return not_a_layout("a layout has no range and no runtime variables");
  if (!map.constraints().empty()) return not_a_layout("a layout's domain is a box, without constraints");
  std::vector<Index> box;
  for (const Variable& v : map.variables()) {
    if (map.known_empty()) {
      box.push_back(0);
      continue;
    }
    if (v.bounds.lower != 0 || v.bounds.upper == kPosInf)
      return not_a_layout("every dimension must start at 0 and end");
    box.push_back(v.bounds.upper + 1);
  }
  if (map.known_empty()) return Digits::normalized(std::move(box), 0, {});
  const Expr result = map.results()[0];
  Index base = 0;
  std::vector<Digit> terms;
  if (match_terms(result, base, terms)) {
    if (const auto digits = chains(std::move(terms), box))
      return Digits::normalized(std::move(box), base, *digits);
  }
  const auto groups = interacting(result, box.size());
  bool defined = true;
  const auto offset = [&](std::span<const Index> x) {
    const auto value = evaluate(result, x);
    defined = defined && value.has_value();
    return value.value_or(0);
  };
  auto digits = digits_by_tables(std::move(box), offset, groups);
  if (!defined) return not_a_layout("the map has no value at some index");
  return digits;
}

}  // namespace tessera
