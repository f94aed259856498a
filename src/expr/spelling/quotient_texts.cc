// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/quotient_texts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "expr/form/digit_view.h"
#include "expr/form/floor_div.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

// The slope of a form in a variable, ignoring maxima and products. Counts `steps` down, because the walk
// visits shared parts repeatedly.
double slope(const Form* form, std::uint32_t variable, int& steps) {
  double sum = 0;
  for (const Term& t : form->terms()) {
    if (--steps < 0) break;
    const auto factor = static_cast<double>(t.coefficient);
    if (is_linear(t.atom)) {
      if (t.atom->variable == variable)
        sum += t.atom->kind == FormAtomKind::variable ? factor : factor / static_cast<double>(t.atom->number);
    } else if (t.atom->kind == FormAtomKind::quotient && (t.atom->mask >> (variable % 64) & 1) != 0) {
      sum += factor * slope(t.atom->form, variable, steps) / static_cast<double>(t.atom->number);
    }
  }
  return sum;
}

class QuotientTexts {
 public:
  explicit QuotientTexts(TextSearch& search)
      : search_(search), ws_(search.workspace()), rest_(search.rest()) {}

  void run(Index c, const FormAtom* q) {
    try_mods(c, q);
    try_whole_mod(c, q);
    try_mods_of_others(c, q);
    try_pull_in(c, q);
    try_half(c, q);
  }

 private:
  void try_mods(Index c, const FormAtom* q) {
    const Index n = q->number;
    std::array<Index, 16> radices;
    std::size_t count = 0;
    const auto put = [&](Index r) {
      if (r < 2 || c % r != 0 || count == radices.size()) return;
      if (std::find(radices.begin(), radices.begin() + count, r) == radices.begin() + count)
        radices[count++] = r;
    };
    put(n);
    for (const Term& p : rest_.terms()) {
      if (p.atom->kind == FormAtomKind::quotient && p.atom->number < n && n % p.atom->number == 0)
        put(n / p.atom->number);
    }
    put(std::gcd(c, n));
    for (std::size_t i = 0; i < count; ++i) try_mod(c, q, radices[i]);
  }

  // With F = fl(M/(n/r)) and t = -c/r: L = (L - t*(F - r*Q)) + t*(F mod r), and F mod r = r-1 - (-F-1) mod r.
  void try_mod(Index c, const FormAtom* q, Index r) {
    const Index t = -(c / r);
    const Form* finer = divide(ws_, q->form, q->number / r);
    if (std::ranges::none_of(finer->terms(), [&](const Term& f) { return rest_.coefficient(f.atom) != 0; }))
      return;
    Sum rest = rest_;
    rest.take(q);
    rest.add(-t, finer);
    search_.propose(rest, t, ExprKind::mod, reduced(finer, 1, 0, r), r);
    Index last = 0;
    if (!mul_overflows(t, r - 1, last))
      search_.propose(rest, -t, ExprKind::mod, reduced(finer, -1, -1, r), r, last);
  }

  // Writes the whole sum L = t*Y + c*Q as one remainder: with r = -c/t and fl(Y/r) = Q + Z, L is t*(Y mod r)
  // + t*r*Z.
  void try_whole_mod(Index c, const FormAtom* q) {
    Index t = 0;
    std::size_t quotients = 0;
    bool finer = false;  // there is a digit below Q; otherwise try_mod suffices
    for (const Term& f : rest_.terms()) {
      quotients += f.atom->kind == FormAtomKind::quotient ? 1 : 0;
      if (f.atom == q) continue;
      t = std::gcd(t, f.coefficient);
      finer |= f.atom->kind == FormAtomKind::quotient && q->number % f.atom->number == 0 &&
               q->number != f.atom->number;
    }
    if (quotients < Limits::kFewestDigits || !finer || c % t != 0 || rest_.constant() % t != 0) return;
    if (c > 0) t = -t;
    const Index r = -(c / t);
    if (r < 2) return;
    Sum whole(ws_);
    Sum turned(ws_);  // the terms whose coefficient r/2 is the same as -r/2 modulo r, with the opposite sign
    for (const Term& f : rest_.terms()) {
      if (f.atom == q) continue;
      const Index k = f.coefficient / t;
      whole.append(k, f.atom);
      turned.append(k == r / 2 || k == -(r / 2) ? (r % 2 == 0 ? -k : k) : k, f.atom);
    }
    whole.set_constant(rest_.constant() / t);
    turned.set_constant(rest_.constant() / t);
    // Quotients with different slopes differ. This cheap test excludes most candidates before a division.
    const Form* const y = whole.intern();
    const Term& first = q->form->terms()[0];
    if (!is_linear(first.atom)) return;
    int steps = kLimits.form_terms;
    const double expected = slope(q->form, first.atom->variable, steps) / static_cast<double>(q->number);
    const double own = slope(y, first.atom->variable, steps) / static_cast<double>(r);
    if (steps < 0) return;
    constexpr double kRounding = 1e-9;
    if (std::abs(own - expected) > kRounding * std::abs(expected)) return;
    const Form* const quotient = divide(ws_, y, r);
    if (coefficient(quotient, q) != 1) return;
    Sum rest(ws_);
    rest.add(-c, quotient);  // t * r = -c
    rest.take(q);
    search_.propose(rest, t, ExprKind::mod, whole, r);
    search_.propose(rest, t, ExprKind::mod, turned, r);
  }

  // t*Y + c*Q = t*(Y mod r) for r = -c/t if Q is fl(Y/r) on the domain, although its dividend is not that of
  // Y. For a quotient P = fl(M/n) with the coefficient t, Y is P, or the sum of P and all other multiples of
  // t. The sum has larger numbers, so it must save a division.
  void try_mods_of_others(Index c, const FormAtom* q) {
    for (const Term& p : rest_.terms()) {
      const Index t = p.coefficient;
      if (p.atom->kind != FormAtomKind::quotient) continue;
      const Index r = opposite_multiple(t, c);
      if (r == 0) continue;
      Sum others(ws_);
      if (is_quotient_of(ws_, q, others, p.atom, r)) {
        others.add(1, p.atom);
        search_.propose(without(q, others, t), t, ExprKind::mod, others, r);
      }
      if (q->form->quotients == 0) continue;  // there is no other division to save
      others = Sum(ws_);
      for (const Term& f : rest_.terms()) {
        if (f.atom != p.atom && f.atom != q && f.coefficient % t == 0)
          others.append(f.coefficient / t, f.atom);
      }
      if (rest_.constant() % t == 0) others.set_constant(rest_.constant() / t);
      if ((others.size() > 0 || others.constant() != 0) && is_quotient_of(ws_, q, others, p.atom, r)) {
        others.add(1, p.atom);
        search_.propose_fewer_divisions(without(q, others, t), t, ExprKind::mod,
                                        reduced(others.intern(), 1, 0, r), r);
      }
    }
  }

  // The rest without Q and t*Y.
  Sum without(const FormAtom* q, const Sum& y, Index t) const {
    Sum rest = rest_;
    rest.take(q);
    rest.add(-t, y);
    return rest;
  }

  // sign * form + c modulo r, with short coefficients.
  Sum reduced(const Form* form, Index sign, Index c, Index r) {
    Sum sum(ws_);
    sum.add_constant(tessera::mod(sign * form->constant + c, r));
    for (const Term& t : form->terms()) {
      Index k = tessera::mod(sign * t.coefficient, r);
      if (k == r - 1 && r > 2) k = -1;
      if (k != 0) sum.append(k, t.atom);
    }
    return sum;
  }

  void try_pull_in(Index c, const FormAtom* q) {
    const Form* m = q->form;
    const Index n = q->number;
    const auto is_beside = [this](const Term& f) { return rest_.coefficient(f.atom) != 0; };
    if (std::ranges::any_of(m->terms(), is_beside)) pull_in_terms(c, m, q);
    if (rest_.constant() != 0) {
      Sum rest = rest_;
      rest.take(q);
      propose_with_constant(rest, c, Sum(ws_, m), n);
    }
  }

  // Proposes to pull the terms of m = q->form that are also summands into the quotient.
  void pull_in_terms(Index c, const Form* m, const FormAtom* q) {
    const Index n = q->number;
    Sum rest = rest_;
    rest.take(q);
    Sum inside(ws_, m);
    bool pulled = false;
    for (const Term& f : m->terms()) {
      const Index w = rest_.coefficient(f.atom);
      Index inside_factor = 0;
      if (w == 0 || w % c != 0 || mul_overflows(w / c, n, inside_factor)) continue;
      pulled = true;
      rest.take(f.atom);
      inside.add(inside_factor, f.atom);
    }
    if (pulled) propose_quotient(rest, c, inside, n);
  }

  // Proposes c * (inside / n), with the constant of the rest pulled into the quotient if c divides it.
  void propose_with_constant(const Sum& rest, Index c, const Sum& inside, Index n) {
    Index pulled = 0;
    if (rest.constant() == 0 || rest.constant() % c != 0 || mul_overflows(rest.constant() / c, n, pulled))
      return;
    Sum fewer = rest;
    fewer.set_constant(0);
    Sum more = inside;
    more.add_constant(pulled);
    propose_quotient(fewer, c, more, n, false);
  }

  void propose_quotient(const Sum& rest, Index c, const Sum& inside, Index n, bool try_constant = true) {
    if (try_constant) propose_with_constant(rest, c, inside, n);
    search_.propose(rest, c, ExprKind::floor_div, inside, n);
    Sum other(ws_);
    other.add(-1, inside);
    other.add_constant(n - 1);
    search_.propose(rest, -c, ExprKind::floor_div, other, n);
  }

  // fl(X/m) - fl(X/(2*m)) = fl((X + m)/(2*m)), where q is one of the two quotients, and the other contains
  // the opposite of a term.
  void try_half(Index c, const FormAtom* q) {
    const auto is_opposite = [&](const Term& p) {
      return p.coefficient == -c && p.atom->kind == FormAtomKind::quotient;
    };
    for (const Term& p : rest_.terms()) {
      if (!is_opposite(p)) continue;
      Index n = 0;
      if (!mul_overflows(q->number, 2, n) && propose_half(c, q, p.atom, divide(ws_, q->form, n), c, n))
        return;
      n = q->number;
      if (n % 2 == 0 && propose_half(c, q, p.atom, divide(ws_, q->form, n / 2), -c, n)) return;
    }
  }

  // With c*q - c*p = c*q - c*other + c*(other - p), for c*q - c*other = factor * fl((X + n/2)/n). False if p
  // is not in `other`.
  bool propose_half(Index c, const FormAtom* q, const FormAtom* p, const Form* other, Index factor, Index n) {
    if (coefficient(other, p) != 1) return false;
    Sum rest = rest_;
    rest.take(q);
    rest.take(p);
    rest.add(c, other);
    rest.add(-c, p);
    Sum inside(ws_, q->form);
    inside.add_constant(n / 2);
    propose_quotient(rest, factor, inside, n);
    return true;
  }

  TextSearch& search_;
  Workspace& ws_;
  const Sum& rest_;
};

}  // namespace

void propose_quotient_texts(TextSearch& search, const Term& quotient) {
  QuotientTexts(search).run(quotient.coefficient, quotient.atom);
}

}  // namespace tessera::detail
