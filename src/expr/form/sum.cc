// SPDX-License-Identifier: Apache-2.0
#include "expr/form/sum.h"

namespace tessera::detail {

void Sum::grow(std::size_t count) {
  const auto capacity = static_cast<std::uint32_t>(count + count / 2);
  auto* const larger = workspace_->arena.array<Term>(capacity);
  std::memcpy(larger, terms_, size_ * sizeof(Term));
  terms_ = larger;
  capacity_ = capacity;
}

void Sum::add(Index factor, const Form* form) {
  overflowed_ |= form->overflow;
  add(factor, form->constant, form->terms());
}

void Sum::add(Index factor, const FormAtom* atom) {
  if (factor == 0) return;
  overflowed_ |= atom->kind == FormAtomKind::overflow || factor == kIndexMin;
  std::size_t at = size_;
  while (at > 0 && before(atom, terms_[at - 1].atom)) --at;
  if (at > 0 && terms_[at - 1].atom == atom) {
    Index& own = terms_[at - 1].coefficient;
    overflowed_ |= add_overflows(own, factor, own) || own == kIndexMin;
    if (own == 0) remove(at - 1);
    return;
  }
  reserve(size_ + 1);
  std::memmove(terms_ + at + 1, terms_ + at, (size_ - at) * sizeof(Term));
  terms_[at] = {factor, atom};
  ++size_;
}

void Sum::remove(std::size_t at) {
  std::memmove(terms_ + at, terms_ + at + 1, (size_ - at - 1) * sizeof(Term));
  --size_;
}

void Sum::add(Index factor, Index constant, std::span<const Term> terms) {
  if (factor == 0) return;
  Index product = 0;
  overflowed_ |= mul_overflows(factor, constant, product);
  add_constant(product);
  if (terms.empty()) return;
  if (size_ == 0 ||
      before(terms_[size_ - 1].atom, terms[0].atom)) {  // usually, all terms come after the others
    reserve(size_ + terms.size());
    for (const Term& t : terms) {
      overflowed_ |= mul_overflows(factor, t.coefficient, product) || product == kIndexMin;
      terms_[size_++] = {product, t.atom};
    }
    return;
  }
  if (terms.size() == 1) {
    overflowed_ |= mul_overflows(factor, terms[0].coefficient, product);
    return add(product, terms[0].atom);
  }
  workspace_->spend(size_ / 16 + terms.size() / 16);
  if (workspace_->exhausted) [[unlikely]] {
    overflowed_ = true;
    return;
  }
  // Merges in place, from the back: the result has at most size_ + terms.size() terms, so the write position
  // stays after the read position. Then closes the gap that merged and canceled terms leave at the front.
  reserve(size_ + terms.size());
  std::size_t own = size_;
  std::size_t other = terms.size();
  std::size_t out = own + other;
  while (other > 0) {
    const Term& t = terms[other - 1];
    if (own > 0 && terms_[own - 1].atom == t.atom) {
      Index sum = 0;
      overflowed_ |= mul_overflows(factor, t.coefficient, product);
      overflowed_ |= add_overflows(terms_[own - 1].coefficient, product, sum) || sum == kIndexMin;
      if (sum != 0) terms_[--out] = {sum, t.atom};
      --own;
      --other;
    } else if (own > 0 && before(t.atom, terms_[own - 1].atom)) {
      terms_[--out] = terms_[--own];
    } else {
      overflowed_ |= mul_overflows(factor, t.coefficient, product) || product == kIndexMin;
      terms_[--out] = {product, t.atom};
      --other;
    }
  }
  const std::size_t end = size_ + terms.size();
  if (out != own) std::memmove(terms_ + own, terms_ + out, (end - out) * sizeof(Term));
  size_ = static_cast<std::uint32_t>(own + end - out);
}

void Sum::scale(Index factor) {
  if (factor == 1) return;
  if (factor == 0) return clear();
  overflowed_ |= mul_overflows(constant_, factor, constant_) || constant_ == kIndexMin;
  for (Term& t : std::span(terms_, size_)) {
    overflowed_ |= mul_overflows(t.coefficient, factor, t.coefficient) || t.coefficient == kIndexMin;
  }
}

Index Sum::take(const FormAtom* atom) {
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (terms_[i].atom != atom) continue;
    const Index found = terms_[i].coefficient;
    remove(i);
    return found;
  }
  return 0;
}

Index Sum::coefficient(const FormAtom* atom) const {
  for (const Term& t : terms()) {
    if (t.atom == atom) return t.coefficient;
  }
  return 0;
}

Index multiple_of(std::span<const Term> form, const Form* f) {
  Index t = 0;
  auto at = form.begin();
  for (const Term& own : f->terms()) {
    while (at != form.end() && at->atom != own.atom) ++at;
    if (at == form.end()) return 0;
    if (t == 0) t = at->coefficient % own.coefficient == 0 ? at->coefficient / own.coefficient : 0;
    Index product = 0;
    if (t == 0 || mul_overflows(t, own.coefficient, product) || product != at->coefficient) return 0;
  }
  return t;
}

const Form* without_multiple(Workspace& ws, const Form* form, Index t, const Form* f, Index value) {
  Index constant = 0;
  if (t == kIndexMin || mul_overflows(t, value, constant)) return nullptr;
  Sum sum(ws, form);
  sum.add(-t, f);
  sum.add_constant(constant);
  return sum.overflowed() ? nullptr : sum.intern();
}

const Form* weighted_sum(Workspace& ws, Index a, const Form* x, Index b, const Form* y, Index c) {
  Sum sum(ws, x);
  sum.scale(a);
  sum.add(b, y);
  sum.add_constant(c);
  return sum.intern();
}

const Form* affine(Workspace& ws, Index a, const Form* x, Index c) {
  if (a == 1 && c == 0) return x;
  Sum sum(ws, x);
  sum.scale(a);
  sum.add_constant(c);
  return sum.intern();
}

}  // namespace tessera::detail
