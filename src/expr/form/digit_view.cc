// SPDX-License-Identifier: Apache-2.0
#include "expr/form/digit_view.h"

#include <algorithm>
#include <cstdlib>

#include "expr/form/floor_div.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

class Splitter {
 public:
  Splitter(Workspace& ws, const Form* form, std::size_t most_quotients)
      : ws_(ws), rest_(ws, form), most_(std::min<std::size_t>(form->quotients, most_quotients)) {
    quotients_ = ws.arena.array<const FormAtom*>(most_);
    digits_ = ws.arena.array<ViewItem>(most_);
    for (const Term& t : form->terms()) {
      if (t.atom->kind != FormAtomKind::quotient || quotient_count_ == most_) continue;
      std::size_t at = quotient_count_++;
      for (; at > 0 && quotients_[at - 1]->number > t.atom->number; --at) quotients_[at] = quotients_[at - 1];
      quotients_[at] = t.atom;
    }
  }

  // Splits off the digits that cancel the most terms.
  void run() {
    for (std::size_t i = 0; i < quotient_count_; ++i) split_at(quotients_[i]);
  }

  // Whether a digit was split off.
  bool any() const { return digit_count_ > 0; }

  DigitView take() {
    DigitView view{.constant = rest_.constant(),
                   .size = static_cast<std::uint32_t>(rest_.size() + digit_count_),
                   .split = digit_count_ > 0,
                   .items = nullptr};
    auto* items = ws_.arena.array<ViewItem>(view.size);
    view.items = items;
    for (std::size_t i = 0; i < digit_count_; ++i) new (items++) ViewItem(digits_[i]);
    for (const Term& t : rest_.terms())
      new (items++) ViewItem{t.coefficient, t.atom, nullptr, range(ws_, t.atom)};
    return view;
  }

 private:
  void split_at(const FormAtom* q) {
    const Index n = q->number;
    if (rest_.coefficient(q) == 0) return;
    if (try_split(q, q->form, n)) return;
    for (std::size_t i = 0; i < quotient_count_; ++i) {
      const FormAtom* p = quotients_[i];
      if (p == q || rest_.coefficient(p) == 0) continue;
      if (n % p->number == 0 && n > p->number) {
        const Form* finer = divide(ws_, q->form, p->number);
        if (coefficient(finer, p) != 0 && try_split(q, finer, n / p->number)) return;
      }
    }
    for (std::size_t i = 0; i < quotient_count_; ++i) {
      const Index t = rest_.coefficient(quotients_[i]);
      const Index r = t == 0 ? 0 : opposite_multiple(t, rest_.coefficient(q));
      if (r != 0 && is_quotient_of(ws_, q, Sum(ws_), quotients_[i], r) &&
          try_split(q, ws_.form_of(quotients_[i]), r)) {
        return;
      }
    }
  }

  bool try_split(const FormAtom* q, const Form* finer, Index r) {
    if (digit_count_ == most_) return false;
    const Index own = rest_.coefficient(q);
    const auto [t, cancelled] = best_factor(finer, own % r == 0 ? -(own / r) : 0);
    if (t == 0) return false;
    const bool cancels = cancelled == finer->size || cancelled * 2 > finer->size;
    Sum next = rest_;
    Index tr = 0;
    if (t == kIndexMin || mul_overflows(t, r, tr)) return false;
    next.add(-t, finer);
    next.add(tr, q);
    if (next.overflowed()) return false;
    if (!cancels && next.size() + 1 > rest_.size()) return false;
    Sum digit(ws_, finer);
    digit.add(-r, q);
    if (digit.overflowed()) return false;
    const Form* form = digit.intern();
    new (digits_ + digit_count_++) ViewItem{t, nullptr, form, Interval{0, r - 1}, finer, r};
    rest_ = next;
    return true;
  }

  struct Cancelled {
    Index factor = 0;
    std::size_t terms = 0;
  };

  // The factor that cancels the most terms of `finer`, 0 if none does. On ties it is `preferred`, which
  // cancels the quotient, or else the smallest.
  Cancelled best_factor(const Form* finer, Index preferred) const {
    const std::span<const Term> terms = finer->terms();
    auto* const own = ws_.arena.array<Index>(terms.size());  // the coefficients in the rest
    bool any = false;
    for (std::size_t i = 0; i < terms.size(); ++i) any |= (own[i] = rest_.coefficient(terms[i].atom)) != 0;
    Cancelled best;
    for (std::size_t i = 0; any && i < terms.size(); ++i) {
      const Index k = own[i];
      if (k == 0 || k % terms[i].coefficient != 0) continue;
      const Index t = k / terms[i].coefficient;
      if (t == best.factor) continue;
      std::size_t count = 0;
      for (std::size_t j = 0; j < terms.size(); ++j) {
        Index product = 0;
        if (!mul_overflows(t, terms[j].coefficient, product) && own[j] == product) ++count;
      }
      const bool better = best.factor != preferred && (t == preferred || std::abs(t) < std::abs(best.factor));
      if (count > best.terms || (count == best.terms && better)) best = {t, count};
    }
    return best;
  }

  Workspace& ws_;
  Sum rest_;
  std::size_t most_;
  const FormAtom** quotients_;
  std::size_t quotient_count_ = 0;
  ViewItem* digits_;
  std::size_t digit_count_ = 0;
};

// Whether the variables that occur once already have values that are k apart, which takes less time to see
// than the range.
bool wider(Workspace& ws, const Sum& sum, Index k) {
  std::uint64_t inside = 0;
  for (const Term& t : sum.terms()) inside |= t.atom->kind == FormAtomKind::variable ? 0 : t.atom->mask;
  WideRange width;
  for (const Term& t : sum.terms()) {
    if (t.atom->kind == FormAtomKind::variable && (t.atom->mask & inside) == 0)
      width.add(t.coefficient, range(ws, t.atom));
  }
  return !width.finite() || width.width() >= k;
}

}  // namespace

bool is_quotient_of(Workspace& ws, const FormAtom* q, const Sum& others, const FormAtom* p, Index r) {
  Index period = 0;
  if (mul_overflows(p->number, r, period) || period % q->number != 0) return false;
  const Index k = period / q->number;
  Sum below(ws, p->form);
  below.add(-k, q->form);
  if (others.size() > 0 || others.constant() != 0) below.add(p->number, others);
  if (below.overflowed() || wider(ws, below, k)) return false;
  const Interval values = range(ws, below.intern());
  return values.lower >= 0 && values.upper < k;
}

const DigitView& digit_view(Workspace& ws, const Form* form) {
  if (form->view_stamp == ws.generation) return *form->view;
  Splitter splitter(ws, form, kLimits.quotients);
  auto* const view = ws.arena.array<DigitView>(1);
  // While this view is being computed, a request for it gets the form's own terms.
  form->view = new (view) DigitView(splitter.take());
  form->view_stamp = ws.generation;
  if (form->quotients > 0 && form->size >= 2 && form->size <= kLimits.terms && !ws.exhausted) {
    splitter.run();
    if (splitter.any()) *view = splitter.take();
  }
  return *view;
}

DigitView finest_digits(Workspace& ws, const Form* form) {
  Splitter splitter(ws, form, form->quotients);
  if (form->size >= 2 && !ws.exhausted) splitter.run();
  return splitter.take();
}

}  // namespace tessera::detail
