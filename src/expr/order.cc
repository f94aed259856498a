// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expr/form.h"

namespace tessera::detail {
namespace {

template <class T>
int compare(T a, T b) {
  return a == b ? 0 : a < b ? -1 : 1;
}

}  // namespace

int compare_content(const Form* a, const Form* b) {
  if (a == b) return 0;
  if (a == nullptr || b == nullptr) return a == nullptr ? -1 : 1;
  const auto [s, t] = std::ranges::mismatch(a->terms(), b->terms());
  const bool a_ends = s == a->terms().end();
  const bool b_ends = t == b->terms().end();
  if (a_ends && b_ends) return compare(a->constant, b->constant);
  if (a_ends || b_ends) return a_ends ? -1 : 1;
  return s->atom == t->atom ? compare(s->coefficient, t->coefficient) : compare_content(s->atom, t->atom);
}

int compare_content(const Atom* a, const Atom* b) {
  if (a == b) return 0;
  if (a == nullptr || b == nullptr) return a == nullptr ? -1 : 1;
  if (const int c = compare(a->order, b->order)) return c;
  if (const int c = compare(a->number, b->number)) return c;
  if (const int c = compare(a->residue, b->residue)) return c;
  if (const int c = compare_content(a->form, b->form)) return c;
  if (const int c = compare_content(a->right_form, b->right_form)) return c;
  if (const int c = compare_content(a->left, b->left)) return c;
  return compare_content(a->right, b->right);
}

std::uint64_t order_key(AtomKind kind, std::uint64_t number, const Form* form) {
  constexpr std::uint64_t kMostNumber =
      (std::uint64_t{1} << 45) - 1;  // larger numbers are compared by content
  constexpr std::uint64_t kMostFirst = (std::uint64_t{1} << 16) - 1;
  const std::uint64_t own = std::min(number, kMostNumber);
  std::uint64_t first = 0;
  if (form != nullptr && form->size != 0 && own != kMostNumber) {
    first = std::min(form->terms()[0].atom->order, kMostFirst);
  }
  return static_cast<std::uint64_t>(kind) << 61 | own << 16 | first;
}

}  // namespace tessera::detail
