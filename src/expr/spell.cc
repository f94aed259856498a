// SPDX-License-Identifier: Apache-2.0
#include "expr/spell.h"

#include <algorithm>
#include <numeric>

#include "expr/convert.h"
#include "expr/digit_view.h"
#include "expr/floor_div.h"

namespace tessera::detail {
namespace {

// One way to write a summand: factor * written.
struct Piece {
  Index factor;
  const Form* written;
};

Cost piece_cost(Piece p) {
  if (p.written->is_atom()) return add_costs(cost(p.written), factor_cost(p.factor));
  Cost total = cost(p.written);
  for (const Term& t : p.written->terms()) {
    Index k = 0;
    total = add_costs(total, mul_overflows(t.coefficient, p.factor, k)
                                 ? kHugeCost
                                 : factor_cost(k) - factor_cost(t.coefficient));
  }
  return total;
}

// Operands of mul, min and max in one order: constants to the right, as the construction rules want it, and
// otherwise by content.
const Form* ordered_operation(Workspace& ws, ExprKind op, const Form* a, const Form* b) {
  const bool swap = a->is_constant() != b->is_constant() ? a->is_constant() : compare_content(b, a) < 0;
  return swap ? written_operation(ws, op, b, a) : written_operation(ws, op, a, b);
}

const Form* divided(Workspace& ws, const Form* numerator, Index n) {
  return written_operation(ws, ExprKind::floor_div, spell(ws, numerator), n);
}

// All its variables are bounded and still the sum may leave 64 bits: as a text it would lose points.
bool leaves_64_bits(Workspace& ws, Index constant, std::span<const Term> terms) {
  const RangeSum total = plain_range(ws, constant, terms);
  return total.finite() && !total.interval().is_finite();
}

bool leaves_64_bits(Workspace& ws, const Form* form) {
  return leaves_64_bits(ws, form->constant, form->terms());
}

// The cheapest text of a quotient: as it is, or as a ceiling where adding n-1 leaves 64 bits. Memoised for
// the generation.
void spell_quotient(Workspace& ws, const Atom* q) {
  if (q->piece_stamp == ws.generation) return;
  const Form* m = q->form;
  const Index n = q->number;
  const bool as_ceiling = leaves_64_bits(ws, m);
  const Form* best = as_ceiling
                         ? written_operation(ws, ExprKind::ceil_div, spell(ws, affine(ws, 1, m, 1 - n)), n)
                         : divided(ws, m, n);
  if (m->has_scaled && !as_ceiling) {
    // fl(M/n) = fl(m*M/(m*n)), where m*scaled is x - r again.
    for (const Term& t : m->terms()) {
      Index product = 0;
      if (t.atom->kind != AtomKind::scaled || mul_overflows(n, t.atom->number, product)) continue;
      Sum scaled(ws, m);
      scaled.scale(t.atom->number);
      // All of it is a multiple of m, so up to m-1 more change nothing: x instead of x - r.
      Index residues = 0;
      for (const Term& part : scaled.terms()) {
        if (part.atom->kind == AtomKind::scaled && part.coefficient % part.atom->number == 0)
          residues += part.coefficient / part.atom->number * part.atom->residue;
      }
      const Index missing = residues - scaled.constant();
      if (missing > 0 && missing < t.atom->number) scaled.add_constant(missing);
      if (scaled.overflowed()) continue;
      const Form* other = divided(ws, scaled.intern(), product);
      if (cost(other) < cost(best)) best = other;
    }
  }
  q->piece = best;
  q->piece_stamp = ws.generation;
}

// The same below a negative coefficient: as -fl((-M + n-1)/n), or with the divisor -n.
void spell_negative_quotient(Workspace& ws, const Atom* q) {
  if (q->negative_piece_stamp == ws.generation) return;
  spell_quotient(ws, q);
  const Form* m = q->form;
  const Index n = q->number;
  q->negative_piece = q->piece;
  q->negative_piece_flips = false;
  // A ceiling gives way to an equally short floor.
  Cost least = add_costs(cost(q->piece), kOneSign + (leaves_64_bits(ws, m) ? 1 : 0));
  const auto consider = [&](const Form* numerator, Index divisor) {
    const Form* other = divided(ws, numerator, divisor);
    if (cost(other) >= least) return;
    least = cost(other);
    q->negative_piece = other;
    q->negative_piece_flips = true;
  };
  if (const Form* turned = affine(ws, -1, m, n - 1); !leaves_64_bits(ws, turned)) consider(turned, n);
  // fl(M/n) = -fl(M'/-n) with M' = M - (n-1) costs a sign for the divisor: only a constant that vanishes
  // pays.
  if (m->constant == n - 1) consider(affine(ws, 1, m, 1 - n), -n);
  q->negative_piece_stamp = ws.generation;
}

// A summand on its own.
Piece spell_term(Workspace& ws, Index factor, const Atom* a) {
  switch (a->kind) {
    case AtomKind::variable:
      return {factor, ws.form_of(a)};
    case AtomKind::quotient:
      if (factor > 0) {
        spell_quotient(ws, a);
        return {factor, a->piece};
      }
      spell_negative_quotient(ws, a);
      return {a->negative_piece_flips ? -factor : factor, a->negative_piece};
    case AtomKind::max0: {
      const Form* zero = ws.constant(0);
      const Piece best{factor, written_operation(ws, ExprKind::max, spell(ws, a->form), zero)};
      const Piece other{-factor,
                        written_operation(ws, ExprKind::min, spell(ws, affine(ws, -1, a->form)), zero)};
      return piece_cost(other) < piece_cost(best) ? other : best;
    }
    case AtomKind::product:
      return {factor, ordered_operation(ws, ExprKind::mul, spell(ws, ws.form_of(a->left)),
                                        spell(ws, ws.form_of(a->right)))};
    case AtomKind::scaled: {
      const Form* x = ws.form_of(ws.variable(a->variable));
      if (factor % a->number == 0) return {factor / a->number, affine(ws, 1, x, -a->residue)};
      return {factor, written_operation(ws, ExprKind::floor_div, x, a->number)};
    }
    case AtomKind::operation:
      return {factor, written_operation(ws, a->op, spell(ws, a->form), spell(ws, a->right_form))};
  }
  return {factor, ws.form_of(a)};
}

// The cost of a summand on its own, its sign and factor included.
Cost term_cost(Workspace& ws, const Term& t) {
  if (t.atom->kind == AtomKind::variable) return factor_cost(t.coefficient);
  return piece_cost(spell_term(ws, t.coefficient, t.atom));
}

// Costs add up over summands: what they are on their own, and an operator between any two.
struct SumCost {
  Cost parts = 0;
  std::uint64_t count = 0;

  void add(Cost part) {
    parts = add_costs(parts, part);
    ++count;
  }
  void add_constant(Index c) {
    if (c != 0) add(c < 0 ? kOneSign : 0);
  }
  Cost total() const { return count < 2 ? parts : add_costs(parts, (count - 1) * kOneOperator); }
};

// k*a + k*b + c -> (a + b) * k + c: terms with one coefficient (up to its sign) share the multiplication.
const Form* factored(Workspace& ws, const Form* plain) {
  if (plain->size < 2) return plain;
  const auto magnitude = [](Index k) { return k < 0 ? -k : k; };
  std::array<Index, 16> sizes;
  std::size_t count = 0;
  for (const Term& t : plain->terms()) {
    if (count == sizes.size()) break;
    if (magnitude(t.coefficient) > 1) sizes[count++] = magnitude(t.coefficient);
  }
  std::sort(sizes.begin(), sizes.begin() + count);
  if (std::adjacent_find(sizes.begin(), sizes.begin() + count) == sizes.begin() + count) return plain;
  Sum out(ws, plain);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Index k = sizes[i];
    if (sizes[i + 1] != k || (i > 0 && sizes[i - 1] == k)) continue;
    Sum group(ws);
    bool negative = true;
    for (const Term& t : plain->terms()) {
      if (magnitude(t.coefficient) != k) continue;
      group.append(t.coefficient / k, t.atom);
      out.take(t.atom);
      negative &= t.coefficient < 0;
    }
    if (negative) group.scale(-1);
    const Index factor = negative ? -k : k;
    if (out.size() == 0 && out.constant() % k == 0) {  // the constant goes along
      group.add_constant(out.constant() / factor);
      out.set_constant(0);
    }
    out.add(factor, written_group(ws, group.intern()));
  }
  return out.intern();
}

class Speller {
 public:
  Speller(Workspace& ws, const Form* form) : ws_(ws), rest_(ws, form), emitted_(ws), best_rest_(ws) {}

  const Form* run() {
    least_ = cost_of(rest_, 0).total();
    while (improve()) {
      rest_ = best_rest_;
      emitted_.add(best_.factor, best_.written);
      emitted_.add_constant(best_constant_);
      emitted_cost_ = SumCost{};
      for (const Term& t : emitted_.terms())
        emitted_cost_.add(add_costs(cost(ws_.form_of(t.atom)), factor_cost(t.coefficient)));
    }
    Sum out = emitted_;
    out.add_constant(rest_.constant());
    for (const Term& t : rest_.terms()) {
      const Piece p = spell_term(ws_, t.coefficient, t.atom);
      out.add(p.factor, p.written);
    }
    return factored(ws_, out.intern());
  }

 private:
  // What is emitted already and the rest, every summand on its own.
  SumCost cost_of(const Sum& rest, Index constant) {
    SumCost sum = emitted_cost_;
    for (const Term& t : rest.terms()) sum.add(term_cost(ws_, t));
    Index c = 0;
    if (add_overflows(rest.constant(), constant, c) || add_overflows(c, emitted_.constant(), c))
      sum.parts = kHugeCost;
    sum.add_constant(c);
    return sum;
  }

  // Offers the text factor * (numerator op divisor) + constant beside `rest`. The numerator is spelled only
  // when the rest leaves room for it.
  void offer(const Sum& rest, Index factor, ExprKind op, const Sum& numerator, Index divisor,
             Index constant = 0) {
    if (rest.overflowed() || numerator.overflowed()) return;
    ws_.spend(rest.size());
    SumCost sum = cost_of(rest, constant);
    Cost own = kOneDivision + kOneOperator + factor_cost(factor) + (divisor < 0 ? kOneSign : 0);
    const Form* written = nullptr;
    SumCost inside;
    bool linear = true;
    for (const Term& t : numerator.terms()) {
      linear &= t.atom->kind == AtomKind::variable;
      inside.add(factor_cost(t.coefficient));
    }
    inside.add_constant(numerator.constant());
    sum.add(own);
    if (linear) {
      if (add_costs(sum.total(), inside.total()) >= least_) return;
    } else if (sum.total() >= least_) {
      return;
    }
    if (leaves_64_bits(ws_, numerator.constant(), numerator.terms())) return;
    written = written_operation(ws_, op, spell(ws_, numerator.intern()), divisor);
    accept(rest, {factor, written}, constant);
  }

  void accept(const Sum& rest, Piece piece, Index constant = 0) {
    if (rest.overflowed()) return;
    SumCost sum = cost_of(rest, constant);
    sum.add(piece_cost(piece));
    if (sum.total() >= least_) return;
    least_ = sum.total();
    best_rest_ = rest;
    best_ = piece;
    best_constant_ = constant;
    improved_ = true;
  }

  bool improve() {
    improved_ = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const Term t = rest_.terms()[i];
      if (t.atom->kind == AtomKind::quotient) {
        try_mods(t.coefficient, t.atom);
        try_pull_in(t.coefficient, t.atom);
        try_half(t.coefficient, t.atom);
      } else if (t.atom->kind == AtomKind::max0) {
        try_max(t.coefficient, t.atom);
      }
    }
    return improved_;
  }

  void try_mods(Index c, const Atom* q) {
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
      if (p.atom->kind == AtomKind::quotient && p.atom->number < n && n % p.atom->number == 0)
        put(n / p.atom->number);
    }
    put(std::gcd(c, n));
    for (std::size_t i = 0; i < count; ++i) try_mod(c, q, radices[i]);
  }

  // With F = fl(M/(n/r)) and t = -c/r: L = (L - t*(F - r*Q)) + t*(F mod r), and F mod r = r-1 - (-F-1) mod r.
  void try_mod(Index c, const Atom* q, Index r) {
    const Index t = -(c / r);
    const Form* finer = divide(ws_, q->form, q->number / r);
    if (std::ranges::none_of(finer->terms(), [&](const Term& f) { return rest_.coefficient(f.atom) != 0; }))
      return;
    Sum rest = rest_;
    rest.take(q);
    rest.add(-t, finer);
    offer(rest, t, ExprKind::mod, reduced(finer, 1, 0, r), r);
    Index last = 0;
    if (!mul_overflows(t, r - 1, last)) offer(rest, -t, ExprKind::mod, reduced(finer, -1, -1, r), r, last);
  }

  // sign * form + c modulo r, with coefficients that are short to write.
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

  void try_pull_in(Index c, const Atom* q) {
    const Form* m = q->form;
    const Index n = q->number;
    const auto stands_beside = [this](const Term& f) { return rest_.coefficient(f.atom) != 0; };
    if (std::ranges::any_of(m->terms(), stands_beside)) pull_in_terms(c, m, q);
    if (rest_.constant() != 0) {
      Sum rest = rest_;
      rest.take(q);
      offer_with_constant(rest, c, Sum(ws_, m), n);
    }
  }

  // Terms of m = q->form that stand beside q too: each one, and all of them.
  void pull_in_terms(Index c, const Form* m, const Atom* q) {
    const Index n = q->number;
    Sum all_rest = rest_;
    all_rest.take(q);
    Sum all_inside(ws_, m);
    std::size_t pulled = 0;
    for (const Term& f : m->terms()) {
      const Index w = rest_.coefficient(f.atom);
      Index inside_factor = 0;
      if (w == 0 || w % c != 0 || mul_overflows(w / c, n, inside_factor)) continue;
      ++pulled;
      all_rest.take(f.atom);
      all_inside.add(inside_factor, f.atom);
      Sum rest = rest_;
      rest.take(q);
      rest.take(f.atom);
      Sum inside(ws_, m);
      inside.add(inside_factor, f.atom);
      offer_quotient(rest, c, inside, n);
    }
    if (pulled > 1) offer_quotient(all_rest, c, all_inside, n);
  }

  // c * (inside / n), the constant of the rest pulled in where c divides it.
  void offer_with_constant(const Sum& rest, Index c, const Sum& inside, Index n) {
    Index pulled = 0;
    if (rest.constant() == 0 || rest.constant() % c != 0 || mul_overflows(rest.constant() / c, n, pulled))
      return;
    Sum fewer = rest;
    fewer.set_constant(0);
    Sum more = inside;
    more.add_constant(pulled);
    offer_quotient(fewer, c, more, n, false);
  }

  void offer_quotient(const Sum& rest, Index c, const Sum& given, Index n, bool try_constant = true) {
    Sum inside = given;
    Index g = n;
    for (const Term& t : inside.terms()) g = std::gcd(g, t.coefficient);
    if (g > 1 && !inside.overflowed()) {  // fl((g*A + c)/(g*m)) = fl((A + fl(c/g))/m)
      inside.clear();
      for (const Term& t : given.terms()) inside.append(t.coefficient / g, t.atom);
      inside.set_constant(tessera::floor_div(given.constant(), g));
      n /= g;
    }
    if (try_constant) offer_with_constant(rest, c, inside, n);
    offer(rest, c, ExprKind::floor_div, inside, n);
    Sum other(ws_);
    other.add(-1, inside);
    other.add_constant(n - 1);
    offer(rest, -c, ExprKind::floor_div, other, n);
    if (inside.constant() == n - 1) {
      other = inside;
      other.set_constant(0);
      offer(rest, -c, ExprKind::floor_div, other, -n);
    }
  }

  void try_half(Index c, const Atom* q) {
    Index n = 0;
    if (mul_overflows(q->number, 2, n)) return;
    for (const Term& p : rest_.terms()) {
      if (p.coefficient != -c || p.atom->kind != AtomKind::quotient) continue;
      const Form* half = divide(ws_, q->form, n);
      if (!half->is_atom() || half->terms()[0].atom != p.atom) continue;
      Sum rest = rest_;
      rest.take(q);
      rest.take(p.atom);
      Sum inside(ws_, q->form);
      inside.add_constant(q->number);
      offer_quotient(rest, c, inside, n);
      return;
    }
  }

  // c > 0: c*max0(D) + c*b = c*max(D + b, b);  c < 0: |c|*b - |c|*max0(D) = |c|*min(b, b - D). The factor may
  // also go inside: |c|*max0(D) = max0(|c|*D).
  void try_max(Index c, const Atom* a) {
    const Index size = c < 0 ? -c : c;
    try_max(c > 0, size, a, a->form);
    if (size == 1) return;
    Sum larger(ws_);
    larger.add(size, a->form);
    if (!larger.overflowed()) try_max(c > 0, 1, a, larger.intern());
  }

  void try_max(bool is_max, Index size, const Atom* a, const Form* d) {
    const auto offer_base = [&](const Sum& base) {
      Sum rest = rest_;
      rest.take(a);
      rest.add(-size, base);
      Sum sum(ws_, d);
      sum.scale(is_max ? 1 : -1);
      sum.add(1, base);
      if (rest.overflowed() || sum.overflowed() || base.overflowed()) return;
      // Spelling the operands tries bases again, so only a base that cancels something is looked at.
      const auto count = [](const Sum& x) { return x.size() + (x.constant() != 0 ? 1 : 0); };
      const std::size_t plain = count(rest_) - 1 + d->size + (d->constant != 0 ? 1 : 0);
      const std::size_t slack = d->nesting < 2 && rest_.size() <= 4 ? 1 : 0;
      if (count(rest) + count(base) + count(sum) > plain + slack) return;
      const Form* left = spell(ws_, base.intern());
      const Form* right = spell(ws_, sum.intern());
      accept(rest, {size, ordered_operation(ws_, is_max ? ExprKind::max : ExprKind::min, left, right)});
    };
    // What D holds with a minus (max) or a plus (min): its terms, or the digits they form.
    Sum part(ws_);
    for (const Term& t : d->terms()) {
      if ((t.coefficient > 0) != is_max) part.append(is_max ? -t.coefficient : t.coefficient, t.atom);
    }
    if ((d->constant > 0) != is_max) part.add_constant(is_max ? -d->constant : d->constant);
    offer_base(part);
    if (d->quotients > 0 && digit_view(ws_, d).split) {
      const View& view = digit_view(ws_, d);
      Sum digits(ws_);
      for (const ViewItem& item : view.span()) {
        if ((item.factor > 0) != is_max) digits.add(is_max ? -item.factor : item.factor, item.form);
      }
      if ((view.constant > 0) != is_max) digits.add_constant(is_max ? -view.constant : view.constant);
      offer_base(digits);
    }
    Sum around(ws_);  // the other summands, as far as the factor divides them
    for (const Term& t : rest_.terms()) {
      if (t.atom != a && t.coefficient % size == 0) around.append(t.coefficient / size, t.atom);
    }
    if (around.size() != 0) offer_base(around);
    constexpr std::size_t kMostAlone = 6;
    for (std::size_t i = 0; i < std::min(around.size(), kMostAlone) && around.size() > 1; ++i) {
      Sum alone(ws_);
      alone.append(around.terms()[i].coefficient, around.terms()[i].atom);
      offer_base(alone);
    }
    Sum common(ws_);  // of what D holds and of what stands around
    for (const Term& t : part.terms()) {
      const Index k = around.coefficient(t.atom);
      if ((k < 0) == (t.coefficient < 0) && k != 0) {
        common.append(k < 0 ? std::max(k, t.coefficient) : std::min(k, t.coefficient), t.atom);
      }
    }
    if (rest_.constant() % size == 0) {
      const Index k = rest_.constant() / size;
      if ((k < 0) == (part.constant() < 0)) {
        common.set_constant(k < 0 ? std::max(k, part.constant()) : std::min(k, part.constant()));
      }
    }
    offer_base(common);
    if (rest_.constant() == 0 || rest_.constant() % size != 0) return;
    Sum constant(ws_);
    constant.set_constant(rest_.constant() / size);
    offer_base(constant);
    around.set_constant(rest_.constant() / size);
    if (around.size() != 0) offer_base(around);
  }

  Workspace& ws_;
  Sum rest_;
  Sum emitted_;
  SumCost emitted_cost_;
  Sum best_rest_;
  Piece best_{};
  Index best_constant_ = 0;
  Cost least_ = 0;
  bool improved_ = false;
};

// Every summand on its own with the coefficients of the form, which cannot overflow.
const Form* spell_plainly(Workspace& ws, const Form* form) {
  Sum out(ws);
  out.add_constant(form->constant);
  for (const Term& t : form->terms()) {
    const Atom* a = t.atom;
    const bool is_scaled = a->kind == AtomKind::scaled;
    const Form* x = is_scaled ? ws.form_of(ws.variable(a->variable)) : a->form;
    const Form* piece =
        is_scaled || a->kind == AtomKind::quotient
            ? written_operation(ws, ExprKind::floor_div, is_scaled ? x : spell(ws, x), a->number)
            : spell_term(ws, 1, a).written;
    out.add(t.coefficient, piece);
  }
  return out.intern();
}

// A quotient with nothing beside it: no move applies.
const Form* spell_alone(Workspace& ws, const Term& quotient) {
  const Piece p = spell_term(ws, quotient.coefficient, quotient.atom);
  return factored(ws, affine(ws, p.factor, p.written));
}

bool is_quotient_alone(const Form* form) {
  return form->size == 1 && form->quotients == 1 && form->constant == 0;
}

bool needs_spelling(const Form* form) {
  return std::ranges::any_of(form->terms(), [](const Term& t) { return t.atom->kind != AtomKind::variable; });
}

}  // namespace

const Form* spell(Workspace& ws, const Form* form) {
  if (form->spelled_stamp == ws.generation) return form->spelled;
  const Form* out = nullptr;
  if (!needs_spelling(form)) {
    out = factored(ws, form);
  } else {
    ws.spend(32 + form->size);
    try {
      // The moves look at every pair of summands, several times.
      constexpr std::uint32_t kMostTerms = 48;
      if (is_quotient_alone(form)) {
        out = spell_alone(ws, form->terms()[0]);
      } else {
        out = form->size <= kMostTerms ? Speller(ws, form).run() : spell_plainly(ws, form);
      }
    } catch (const Overflow&) {
      out = spell_plainly(ws, form);
    }
  }
  form->spelled = out;
  form->spelled_stamp = ws.generation;
  return out;
}

namespace {

// No text of the function is cheaper: exact for sums of variables, one division for anything with a quotient.
Cost least_cost(Workspace& ws, const Form* form) {
  if (!needs_spelling(form)) return cost(spell(ws, form));
  return form->quotients > 0 ? kOneDivision + kOneOperator : 0;
}

Cost least_own_cost(Workspace& ws, Expr e) {
  const Form* a = convert(ws, e.lhs());
  const Form* b = convert(ws, e.rhs());
  switch (e.kind()) {
    case ExprKind::add:
    case ExprKind::mul:  // sums and factors may cancel, but a quotient stays one
      return a->quotients + b->quotients > 0 ? kOneDivision + kOneOperator : 0;
    case ExprKind::min:
    case ExprKind::max:
      return least_cost(ws, a) + least_cost(ws, b) + kOneOperator;
    default:
      return least_cost(ws, a) + least_cost(ws, b) + kOneOperator + kOneDivision;
  }
}

// x mod c mod m = x mod m where m divides c.
const Form* without_finer_mod(const Form* x, const Form* m) {
  while (x->is_atom() && m->is_constant() && m->constant != 0) {
    const Atom* a = x->terms()[0].atom;
    const bool is_mod = a->kind == AtomKind::operation && a->op == ExprKind::mod;
    if (!is_mod || !a->right_form->is_constant() || a->right_form->constant % m->constant != 0) break;
    x = a->form;
  }
  return x;
}

}  // namespace

const Form* spell_like(Workspace& ws, Expr e, Fewer fewer, int& budget) {
  if (!e.is_binary() || --budget < 0) return spell(ws, convert(ws, e));
  // An operation that does nothing, such as a remainder whose operand is smaller, goes.
  Workspace::ConversionMemo& known = conversion(ws, e);
  for (const Expr operand : {e.lhs(), e.rhs()}) {
    if (convert(ws, operand) == known.form) return spell_like(ws, operand, fewer, budget);
  }
  const bool divisions_first = fewer == Fewer::divisions;
  if (divisions_first && known.written != nullptr) return known.written;
  const Form* best = spell(ws, known.form);
  if (divisions_first && least_own_cost(ws, e) >= cost(best)) return best;
  const Form* a = spell_like(ws, e.lhs(), fewer, budget);
  const Form* b = spell_like(ws, e.rhs(), fewer, budget);
  try {
    const Form* own = nullptr;
    switch (e.kind()) {
      case ExprKind::add:
        own = combine(ws, 1, a, 1, b);
        break;
      case ExprKind::mul:
        if (b->is_constant()) {
          own = affine(ws, b->constant, a);
        } else if (a->is_constant()) {
          own = affine(ws, a->constant, b);
        } else {
          own = ordered_operation(ws, ExprKind::mul, a, b);
        }
        break;
      default:
        // A constant operand that folds would be a constant normal form, which `best` has.
        if (e.kind() == ExprKind::min || e.kind() == ExprKind::max) {
          own = ordered_operation(ws, e.kind(), a, b);
        } else {
          if (e.kind() == ExprKind::mod) a = without_finer_mod(a, b);
          own = a->is_constant() && b->is_constant() ? best : written_operation(ws, e.kind(), a, b);
        }
    }
    if (!divisions_first) own = factored(ws, own);
    const bool smaller = divisions_first || operators(cost(own)) == operators(cost(best))
                             ? cost(own) < cost(best)
                             : operators(cost(own)) < operators(cost(best));
    if (smaller) best = own;
  } catch (const Overflow&) {
    // Nothing to do: the operation as it stands does not fit into a written form: keep the first candidate.
  }
  if (divisions_first) known.written = best;
  return best;
}

namespace {

// form - t * (F - v) for the equation F = v; null when it does not fit.
const Form* without_multiple(Workspace& ws, const Form* form, Index t, const Fact& equation) {
  Index value = 0;
  if (t == kIndexMin || mul_overflows(t, equation.range.lower, value)) return nullptr;
  Sum sum(ws, form);
  sum.add(-t, equation.form);
  sum.add_constant(value);
  return sum.overflowed() ? nullptr : sum.intern();
}

}  // namespace

const Form* spell_by_equations(Workspace& ws, const Form* form) {
  if (std::ranges::none_of(ws.facts, [](const Fact& fact) { return fact.range.is_point(); }))
    return spell(ws, form);
  constexpr std::size_t kMostForms = 16;
  std::array<const Form*, kMostForms> forms{form};
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    for (const Fact& fact : ws.facts) {
      if (!fact.range.is_point() || (fact.form->mask & form->mask) == 0) continue;
      for (const Term& f : fact.form->terms()) {
        const Index k = coefficient(forms[i], f.atom);
        if (k == 0) continue;
        // The multiples that leave the least of f's term.
        const Index t = tessera::floor_div(k, f.coefficient);
        for (const Index multiple : {t, t + 1}) {
          if (multiple == 0) continue;
          const Form* const other = without_multiple(ws, forms[i], multiple, fact);
          if (other == nullptr || count == kMostForms) continue;
          if (std::find(forms.begin(), forms.begin() + count, other) == forms.begin() + count) {
            forms[count++] = other;
          }
          if (k % f.coefficient == 0) break;
        }
      }
    }
  }
  const Form* best = spell(ws, form);
  const Form* from = form;
  for (std::size_t i = 1; i < count; ++i) {
    const Form* const text = spell(ws, forms[i]);
    if (cost(text) > cost(best) || (cost(text) == cost(best) && compare_content(forms[i], from) > 0))
      continue;
    best = text;
    from = forms[i];
  }
  return best;
}

Expr in_own_words(Workspace& ws, Expr e) {
  int budget = 40;
  return to_expr(ws, spell_like(ws, e, Fewer::operators, budget));
}

}  // namespace tessera::detail
