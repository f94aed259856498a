// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/extremum_texts.h"

#include <algorithm>
#include <cstdlib>

#include "expr/limits.h"
#include "expr/spelling/spell.h"

namespace tessera::detail {
namespace {

class ExtremumTexts {
 public:
  explicit ExtremumTexts(TextSearch& search)
      : search_(search), ws_(search.workspace()), rest_(search.rest()) {}

  // c > 0: c*max0(D) + c*b = c*max(D + b, b);  c < 0: |c|*b - |c|*max0(D) = |c|*min(b, b - D). Also tries the
  // factor inside: |c|*max0(D) = max0(|c|*D).
  void try_max(Index c, const FormAtom* a) {
    const Index size = std::abs(c);
    try_max(c > 0, size, a, a->form);
    if (size == 1) return;
    Sum larger(ws_);
    larger.add(size, a->form);
    if (!larger.overflowed()) try_max(c > 0, 1, a, larger.intern());
  }

 private:
  void try_max(bool is_max, Index size, const FormAtom* a, const Form* d) {
    const auto propose_base = [&](const Sum& base) {
      Sum rest = rest_;
      rest.take(a);
      rest.add(-size, base);
      Sum sum(ws_, d);
      sum.scale(is_max ? 1 : -1);
      sum.add(1, base);
      if (rest.overflowed() || sum.overflowed() || base.overflowed()) return;
      // Only a base that cancels a term is tried, because spelling the operands tries bases recursively.
      const auto count = [](const Sum& x) { return x.size() + (x.constant() != 0 ? 1 : 0); };
      const std::size_t plain = count(rest_) - 1 + d->size + (d->constant != 0 ? 1 : 0);
      const std::size_t slack = d->nesting < 2 && rest_.size() <= 4 ? 1 : 0;
      if (count(rest) + count(base) + count(sum) > plain + slack) return;
      const Text left = spell(ws_, base.intern());
      const Text right = spell(ws_, sum.intern());
      search_.propose(rest, ScaledText{size, ordered_operation(ws_, is_max ? ExprKind::max : ExprKind::min,
                                                               left, right)});
    };
    // The terms of -D (max) or D (min) with positive coefficients.
    Sum part(ws_);
    for (const Term& t : d->terms()) {
      if ((t.coefficient > 0) != is_max) part.append(is_max ? -t.coefficient : t.coefficient, t.atom);
    }
    if ((d->constant > 0) != is_max) part.add_constant(is_max ? -d->constant : d->constant);
    propose_base(part);
    Sum around(ws_);  // the other summands that the factor divides
    for (const Term& t : rest_.terms()) {
      if (t.atom != a && t.coefficient % size == 0) around.append(t.coefficient / size, t.atom);
    }
    if (around.size() != 0) propose_base(around);
    for (std::size_t i = 0; i < std::min(around.size(), kLimits.max_operands) && around.size() > 1; ++i) {
      Sum alone(ws_);
      alone.append(around.terms()[i].coefficient, around.terms()[i].atom);
      propose_base(alone);
    }
    if (rest_.constant() == 0 || rest_.constant() % size != 0) return;
    Sum constant(ws_);
    constant.set_constant(rest_.constant() / size);
    propose_base(constant);
    around.set_constant(rest_.constant() / size);
    if (around.size() != 0) propose_base(around);
  }

  TextSearch& search_;
  Workspace& ws_;
  const Sum& rest_;
};

}  // namespace

void propose_extremum_texts(TextSearch& search, const Term& max0) {
  ExtremumTexts(search).try_max(max0.coefficient, max0.atom);
}

}  // namespace tessera::detail
