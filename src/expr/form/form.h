// SPDX-License-Identifier: Apache-2.0
/// \file
/// The normal form of an expression: an interned sum of integer multiples of atoms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "tessera/base/index.h"
#include "tessera/expr/expr.h"

namespace tessera::detail {

struct FormAtom;
struct DivisionMemo;
struct Form;
struct DigitView;

/// The part of a term that a coefficient multiplies. There is no remainder: x mod n is x - n * floor(x / n),
/// so that digits which are split and joined again cancel without a rule.
///   variable   x_i                      `variable`
///   scaled     (x_i - residue) / number exact: x_i = residue mod number on the domain
///   quotient   floor(form / number)     number >= 2
///   max0       max(0, form)
///   product    left * right             of atoms, right is not a product
///   operation  form `op` right_form     opaque to the normal form (an overflow, a variable
///                                       divisor), and the building block of texts (text.h)
///   overflow   beyond 64 bits           see Workspace::overflow
/// Atoms of an earlier kind come first in a sum.
enum class FormAtomKind : std::uint8_t { variable, scaled, quotient, max0, product, operation, overflow };

struct FormAtomContent {
  FormAtomKind kind;
  ExprKind op;
  std::uint32_t variable;  // for variable and scaled
  std::uint64_t order;     // the first key of the order of atoms, see order_key in workspace.cc
  std::uint64_t hash;      // only for hash tables
  std::uint64_t mask;      // a bit for each variable inside: its number modulo 64
  Index number;            // divisor, modulus
  Index residue;
  const Form* form;
  const Form* right_form;
  const FormAtom* left;
  const FormAtom* right;
};

/// A sum that will be printed, built from parts of a form (text.h). It has its own type so that texts and
/// normal forms cannot be confused.
struct Text {
  const Form* sum = nullptr;  // its atoms are variables and operations
  const Form* operator->() const { return sum; }
  explicit operator bool() const { return sum != nullptr; }
  friend bool operator==(Text, Text) = default;
};

/// Interned: equal content is the same pointer within one workspace. The fields are memos; each is valid when
/// its stamp is the environment's generation.
struct FormAtom : FormAtomContent {
  std::uint16_t nesting;      // depth of nested forms, including this atom
  mutable const Form* alone;  // 1 * this + 0, null until requested
  mutable std::uint32_t range_stamp;
  mutable std::uint32_t rebuilt_stamp;
  mutable std::uint32_t text_stamp;
  mutable std::uint32_t negative_text_stamp;
  mutable bool negative_text_flips;  // with a negative coefficient k, text is -k * negative_text
  mutable Interval range;
  mutable const Form* rebuilt;
  mutable Text text;           // cheapest text of a quotient (term_text.h)
  mutable Text negative_text;  // cheapest text of a quotient with a negative coefficient

  /// The memory is uninitialized; no memo is valid in generation 0.
  void forget() const {
    alone = nullptr;
    range_stamp = rebuilt_stamp = text_stamp = negative_text_stamp = 0;
  }
};

struct Term {
  Index coefficient;
  const FormAtom* atom;
  friend bool operator==(const Term&, const Term&) = default;
};

/// constant + sum of coefficient * atom. Terms are sorted by atom; no atom occurs twice, and no coefficient
/// is 0. Interned.
struct Form {
  std::uint64_t hash;        // only for hash tables
  std::uint64_t terms_hash;  // a hash without the constant
  std::uint64_t mask;
  Index constant;
  std::uint32_t size;
  std::uint16_t quotients;  // quotient terms, saturating
  std::uint16_t nesting;    // depth of nested atoms, which `intern` limits because functions recurse
  bool has_max0;            // among the terms
  bool overflow;            // true only for Workspace::overflow

  mutable std::uint32_t range_stamp;
  mutable std::uint32_t view_stamp;
  mutable std::uint32_t merged_stamp;
  mutable std::uint32_t rebuilt_stamp;
  mutable std::uint32_t text_stamp;
  mutable std::uint32_t expr_index;  // 1 + index in Workspace::texts; 0 if there is none
  mutable bool cost_known;
  mutable Interval range;
  mutable const DigitView* view;
  mutable const Form* merged;
  mutable const Form* rebuilt;
  mutable Text text;
  mutable std::uint64_t cost;
  mutable const DivisionMemo* divisions;  // requested quotients of this form, the latest first

  /// Like FormAtom::forget.
  void forget() const {
    range_stamp = view_stamp = merged_stamp = rebuilt_stamp = text_stamp = 0;
    expr_index = 0;
    cost_known = false;
    divisions = nullptr;
  }
  std::span<const Term> terms() const { return {reinterpret_cast<const Term*>(this + 1), size}; }
  bool is_constant() const { return size == 0; }
  /// Whether the form is exactly one term, with coefficient 1 and no constant.
  bool is_atom() const { return size == 1 && constant == 0 && terms()[0].coefficient == 1; }
};

/// Whether the forms are equal except for the constant.
inline bool same_terms(const Form* a, const Form* b) {
  return a->terms_hash == b->terms_hash && std::ranges::equal(a->terms(), b->terms());
}

inline bool is_linear(const FormAtom* a) {
  return a->kind == FormAtomKind::variable || a->kind == FormAtomKind::scaled;
}
/// Whether the form is a sum of multiples of variables.
inline bool is_linear(const Form* form) {
  return std::ranges::all_of(form->terms(), [](const Term& t) { return is_linear(t.atom); });
}

/// The order of atoms: by kind; variables by number, quotients by divisor, operations by operator; then by
/// the form inside. Forms are compared term by term, the atom before the coefficient, a form before its
/// extensions, the constant last. Only structure decides, never a hash, an address or age, so that results
/// do not depend on the order of input. Equal content is one object, so the comparison descends only into the
/// first difference.
int compare_content(const FormAtom* a, const FormAtom* b);
int compare_content(const Form* a, const Form* b);

inline bool before(const FormAtom* a, const FormAtom* b) {
  if (a->order != b->order) return a->order < b->order;
  return a != b && compare_content(a, b) < 0;
}

/// The coefficient of an atom; 0 if it is absent.
Index coefficient(const Form* form, const FormAtom* atom);

}  // namespace tessera::detail
