// SPDX-License-Identifier: Apache-2.0
#include "code/lower.h"

#include <bit>
#include <unordered_map>

#include "algebra/xor_rows.h"
#include "code/bits.h"
#include "tessera/algebra/composed_layout.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::coding {
namespace {

class ExprToTerms {
 public:
  ExprToTerms(Terms& terms, std::span<const TermId> variables) : terms_(terms), variables_(variables) {}

  Result<TermId> operator()(Expr e) {
    if (e.is_constant()) return terms_.constant(e.value());
    if (e.is_variable()) return variables_[static_cast<std::size_t>(e.value())];
    if (const auto known = known_.find(e.id()); known != known_.end()) return known->second;
    const Result<TermId> term = e.kind() == ExprKind::add ? sum(e) : binary(e);
    if (term) known_.emplace(e.id(), *term);
    return term;
  }

 private:
  // Positive terms before negative ones, so that differences do not start with a minus.
  Result<TermId> sum(Expr e) {
    std::vector<Expr> plus;
    std::vector<Expr> minus;
    Index constant = 0;
    if (!collect(e, plus, minus, constant)) return fail(Code::overflow, "a constant does not fit in 64 bits");
    std::optional<TermId> total;
    for (const Expr term : plus) {
      const Result<TermId> value = (*this)(term);
      if (!value) return value;
      total = total ? terms_.add(*total, *value) : *value;
    }
    if (!total && constant != 0 && !minus.empty()) {
      total = terms_.constant(constant);
      constant = 0;
    }
    for (const Expr term : minus) {
      const Result<TermId> value = (*this)(term);
      if (!value) return value;
      total = total ? terms_.subtract(*total, *value) : terms_.negate(*value);
    }
    const TermId last = terms_.constant(constant);
    return total ? terms_.add(*total, last) : last;
  }

  static bool collect(Expr e, std::vector<Expr>& plus, std::vector<Expr>& minus, Index& constant) {
    if (e.kind() == ExprKind::add)
      return collect(e.lhs(), plus, minus, constant) && collect(e.rhs(), plus, minus, constant);
    if (e.is_constant()) return !add_overflows(constant, e.value(), constant);
    if (e.kind() == ExprKind::mul && e.rhs().is_constant() && e.rhs().value() < 0 &&
        e.rhs().value() != kIndexMin) {
      minus.push_back(e.lhs() * -e.rhs().value());
    } else {
      plus.push_back(e);
    }
    return true;
  }

  Result<TermId> binary(Expr e) {
    const Result<TermId> a = (*this)(e.lhs());
    if (!a) return a;
    switch (e.kind()) {
      case ExprKind::mod:
      case ExprKind::floor_div:
      case ExprKind::ceil_div:
        return division(e.kind(), *a, e.rhs());
      default:
        break;
    }
    const Result<TermId> b = (*this)(e.rhs());
    if (!b) return b;
    if (e.kind() == ExprKind::mul) return terms_.multiply(*a, *b);
    return e.kind() == ExprKind::max ? terms_.max(*a, *b) : terms_.min(*a, *b);
  }

  Result<TermId> division(ExprKind kind, TermId a, Expr by) {
    if (!by.is_constant())
      return fail(Code::not_applicable, "code for a division by a variable is not supported", {},
                  "give the variable a value: tessera map eval");
    Index n = by.value();
    if (n == 0) return fail(Code::undefined_value, "the map divides by 0");
    if (n == kIndexMin)
      return fail(Code::overflow,
                  "the divisor -2^63 is not supported: its magnitude does not fit in 64 bits");
    if (n < 0) {
      n = -n;
      if (kind != ExprKind::mod) a = terms_.negate(a);
    }
    if (kind == ExprKind::mod) return terms_.mod(a, n);
    // ceil(a / n) = floor((a + n - 1) / n).
    return terms_.floor_div(kind == ExprKind::ceil_div ? terms_.add(a, terms_.constant(n - 1)) : a, n);
  }

  Terms& terms_;
  std::span<const TermId> variables_;
  std::unordered_map<const void*, TermId> known_;
};

Result<TermId> lower_map(Terms& terms, const IndexMap& map, std::span<const TermId> variables) {
  const IndexMap simple = simplify(map);
  const Expr result = simple.results()[0];
  const Result<TermId> value = lower(terms, result, variables);
  if (!value) return value;
  // The range of the simplified sum may be narrower, because its terms may depend on each other.
  return terms.assume(*value, range(result, simple.domain()));
}

// Lowers the chain from right to left: first the layout on the index, then each part on the value so far.
Result<TermId> lower_chain(Terms& terms, const Layout& layout, const ComposedLayout& chain,
                           std::span<const TermId> index) {
  const std::span<const Index> shape = layout.shape();
  const Result<Layout> last = Layout::make(chain.last().layout, {shape.begin(), shape.end()});
  if (!last) return fail(last.error());
  Result<TermId> value = lower(terms, *last, index);
  for (int i = chain.parts - 1; value && i-- > 0;) {
    const ComposedPart& part = chain.part[i];
    // The value is not negative: a chain whose swizzles receive negative values is refused as a layout.
    const TermId shifted = terms.add(*value, terms.constant(part.offset));
    value = swizzled(terms, part.swizzle, terms.assume(shifted, {0, kPosInf}));
  }
  return value;
}

// True if the chain has only swizzles and offsets before its layout.
bool simple_chain(const ComposedLayout& chain) {
  for (int i = 0; i + 1 < chain.parts; ++i) {
    if (chain.part[i].kind == ComposedPart::Kind::layout) return false;
  }
  return chain.has_domain();
}

// True if the digits follow from the structure or are quickly found from a table. Such layouts need no bit
// operations.
bool has_digits(const Layout& layout) {
  return layout.known_digits() != nullptr || (layout.size() <= 4096 && to_digits(layout));
}

constexpr std::size_t kOffsetBits = 63;

// For each bit of an offset, the index bits to XOR, with the bits of all dimensions concatenated. Empty if
// the bases are linearly dependent over F2.
std::optional<std::vector<std::uint64_t>> inverse_bases(std::span<const std::uint64_t> bases) {
  // The last bit first, so that low bits of an offset determine the index where there is a choice.
  const auto reversed = [](std::uint64_t bits) {
    Index out = 0;
    for (; bits != 0; bits &= bits - 1)
      out |= Index{1} << (kOffsetBits - 1 - static_cast<std::size_t>(std::countr_zero(bits)));
    return out;
  };
  detail::XorRows rows;
  for (const std::uint64_t basis : bases) {
    if (rows.add(reversed(basis)).value == 0) return std::nullopt;
  }
  std::vector<std::uint64_t> inverse;
  for (std::size_t bit = 0; bit < kOffsetBits; ++bit)
    inverse.push_back(static_cast<std::uint64_t>(rows.reduced({reversed(std::uint64_t{1} << bit), 0}).added));
  return inverse;
}

// Empty if two indices share an offset.
std::optional<InverseTerms> invert_linear(Terms& terms, const LinearLayout& linear, TermId offset) {
  std::vector<std::uint64_t> bases;
  std::vector<std::size_t> bits;
  for (const std::vector<Index>& of : linear.bases()) {
    bits.push_back(of.size());
    for (const Index basis : of) bases.push_back(static_cast<std::uint64_t>(basis));
  }
  const auto inverse = inverse_bases(bases);
  if (!inverse) return std::nullopt;
  // If the offsets are not all of [0, 2^n), the bits that are not pivots must agree too.
  std::uint64_t used = 0;
  for (const std::uint64_t basis : bases) used |= basis;
  InverseTerms out{.check = static_cast<std::size_t>(std::bit_width(used)) > bases.size()};
  int from = 0;
  for (const std::size_t count : bits) {
    std::vector<Index> of;
    for (const std::uint64_t basis : *inverse)
      of.push_back(static_cast<Index>((basis >> from) & ((std::uint64_t{1} << count) - 1)));
    const std::vector<Index> one[] = {of};
    out.index.push_back(lower_linear(terms, one, std::span(&offset, 1)));
    from += static_cast<int>(count);
  }
  return out;
}

// The bases of a layout over F2.
std::optional<LinearLayout> bases_of(const Layout& layout) {
  if (const LinearLayout* linear = layout.linear()) return *linear;
  return layout.as<TritonLayout>() != nullptr ? linear_form(layout) : std::nullopt;
}

}  // namespace

Result<TermId> lower(Terms& terms, Expr expr, std::span<const TermId> variables) {
  return ExprToTerms(terms, variables)(expr);
}

Result<TermId> lower(Terms& terms, const Layout& layout, std::span<const TermId> index) {
  if (terms.rules().bits && !has_digits(layout)) {
    if (const ComposedLayout* chain = layout.composed(); chain != nullptr && simple_chain(*chain))
      return lower_chain(terms, layout, *chain, index);
    if (const auto linear = bases_of(layout)) return lower_linear(terms, linear->bases(), index);
  }
  return lower_map(terms, tessera::lower(layout), index);
}

Result<InverseTerms> invert(Terms& terms, const Layout& layout, TermId offset) {
  if (!has_digits(layout)) {
    if (const auto linear = bases_of(layout)) {
      if (auto index = invert_linear(terms, *linear, offset)) return *std::move(index);
    }
    if (const ComposedLayout* chain = layout.composed(); chain != nullptr && simple_chain(*chain)) {
      // Undo the parts from left to right. A swizzle is its own inverse.
      TermId value = offset;
      for (int i = 0; i + 1 < chain->parts; ++i) {
        value = swizzled(terms, chain->part[i].swizzle, value);
        value = terms.subtract(value, terms.constant(chain->part[i].offset));
      }
      const std::span<const Index> shape = layout.shape();
      const Result<Layout> last = Layout::make(chain->last().layout, {shape.begin(), shape.end()});
      if (!last) return fail(last.error());
      return invert(terms, *last, value);
    }
  }
  const Result<IndexMap> map = inverse(simplify(tessera::lower(layout), Points::preserve));
  if (!map) return fail(map.error());
  if (map->domain().symbol_count() != 0)
    return fail(Code::undecided, "the index at an offset has no closed form", {},
                "'tessera at' finds the index at one offset");
  if (map->known_empty()) return fail(Code::bad_extent, "the layout has no elements");
  InverseTerms out;
  const TermId variables[] = {offset};
  for (const Expr result : map->results()) {
    const Result<TermId> term = lower(terms, result, variables);
    if (!term) return fail(term.error());
    out.index.push_back(*term);
  }
  out.conditions.push_back({offset, map->variables()[0].bounds});
  for (const Constraint& constraint : map->constraints()) {
    const Result<TermId> term = lower(terms, constraint.expr, variables);
    if (!term) return fail(term.error());
    out.conditions.push_back({*term, constraint.range});
  }
  return out;
}

}  // namespace tessera::coding
