// SPDX-License-Identifier: Apache-2.0
#include "expr/form/workspace.h"

#include <algorithm>

#include "expr/limits.h"

namespace tessera::detail {
namespace {

constexpr std::uint64_t mix_form(std::uint64_t z) {
  z ^= z >> 32;
  z *= 0xbf58476d1ce4e5b9u;
  return z ^ (z >> 29);
}

constexpr std::uint64_t combine_hash(std::uint64_t h, std::uint64_t v) {
  return mix_form(h + v * 0x9e3779b97f4a7c15u + 0x94d049bb133111ebu);
}

/// The kind, the divisor or operator, and the first variable of the form inside, as one number: an atom with
/// a larger key comes later; `compare_content` breaks ties.
std::uint64_t order_key(FormAtomKind kind, std::uint64_t number, const Form* form) {
  constexpr std::uint64_t kLargestNumber =
      (std::uint64_t{1} << 45) - 1;  // larger numbers are compared by content
  constexpr std::uint64_t kLargestFirst = (std::uint64_t{1} << 16) - 1;
  const std::uint64_t own = std::min(number, kLargestNumber);
  std::uint64_t first = 0;
  if (form != nullptr && form->size != 0 && own != kLargestNumber) {
    first = std::min(form->terms()[0].atom->order, kLargestFirst);
  }
  return static_cast<std::uint64_t>(kind) << 61 | own << 16 | first;
}

}  // namespace

void Workspace::start(std::size_t variable_count, std::uint64_t work) {
  earlier_steps_ = steps_taken();
  given_ = work;
  begin(variable_count, work);
  ++run;
  arena.reset();
  forms_.reset();
  atoms_.reset();
  conversions.reset();
  bits.reset();
  texts.clear();
  variable_atoms_.assign(variable_count, nullptr);
  overflow_ = nullptr;
}

struct BorrowedWorkspace::Kept {
  Workspace workspace;
  bool lent = false;
  std::uint64_t steps = 0;

  static Kept& local() {
    thread_local Kept kept;
    return kept;
  }
};

BorrowedWorkspace::BorrowedWorkspace()
    : kept_(Kept::local()),
      own_(kept_.lent ? std::make_unique<Workspace>() : nullptr),
      workspace_(own_ ? own_.get() : &kept_.workspace) {
  kept_.lent = true;
}

BorrowedWorkspace::~BorrowedWorkspace() {
  kept_.steps += workspace_->steps_taken();
  if (own_) return;
  workspace_->end();
  kept_.lent = false;
}

std::uint64_t BorrowedWorkspace::steps_of_thread() { return Kept::local().steps; }

const Form* Workspace::overflow() {
  if (overflow_ == nullptr) {
    FormAtomContent content{};
    content.kind = FormAtomKind::overflow;
    content.order = order_key(content.kind, 0, nullptr);
    content.hash = combine_hash(hash_seed, 0x6f766572);
    overflow_ = form_of(intern_atom(content));
  }
  return overflow_;
}

const Form* Workspace::intern(Index constant, std::span<const Term> terms) {
  if (constant == kIndexMin) return overflow();  // so that every number in a form can be negated
  // The form of one atom is stored in the atom, not in the table.
  const bool is_atom = terms.size() == 1 && constant == 0 && terms[0].coefficient == 1;
  if (is_atom && terms[0].atom->alone != nullptr) return terms[0].atom->alone;
  // The hashes of atoms are effectively random, so this sum is a good hash for any coefficients.
  std::uint64_t terms_hash = hash_seed;
  for (const Term& t : terms) {
    if (t.coefficient == kIndexMin) return overflow();
    terms_hash += t.atom->hash * static_cast<std::uint64_t>(t.coefficient);
  }
  const std::uint64_t hash = terms_hash + static_cast<std::uint64_t>(constant) * 0xff51afd7ed558ccdu;
  const auto make = [&] {
    spend(4 + terms.size());
    auto* f = static_cast<Form*>(arena.allocate(sizeof(Form) + terms.size() * sizeof(Term)));
    f->hash = hash;
    f->terms_hash = terms_hash;
    f->mask = 0;
    f->constant = constant;
    f->size = static_cast<std::uint32_t>(terms.size());
    f->quotients = 0;
    f->nesting = 0;
    f->has_max0 = false;
    f->overflow = is_atom && terms[0].atom->kind == FormAtomKind::overflow;
    f->forget();
    auto* out = reinterpret_cast<Term*>(f + 1);
    for (const Term& t : terms) {
      *out++ = t;
      const FormAtom* a = t.atom;
      f->mask |= a->mask;
      if (a->kind == FormAtomKind::variable) continue;
      if (a->kind == FormAtomKind::quotient && f->quotients != UINT16_MAX) ++f->quotients;
      f->nesting = std::max(f->nesting, a->nesting);
      f->has_max0 |= a->kind == FormAtomKind::max0;
    }
    exhausted |= f->nesting > kLimits.nesting;
    return f;
  };
  if (is_atom) return terms[0].atom->alone = make();
  const auto same = [&](const Form& f) {
    return f.constant == constant && std::ranges::equal(f.terms(), terms);
  };
  return forms_.find_or_insert(hash, same, make);
}

const Form* Workspace::form_of(const FormAtom* atom) {
  if (atom->alone != nullptr) return atom->alone;
  const Term term{1, atom};
  return intern(0, {&term, 1});
}

const FormAtom* Workspace::intern_atom(const FormAtomContent& content) {
  const auto same = [&](const FormAtom& a) {
    return a.kind == content.kind && a.op == content.op && a.number == content.number &&
           a.residue == content.residue && a.variable == content.variable && a.form == content.form &&
           a.right_form == content.right_form && a.left == content.left && a.right == content.right;
  };
  const auto make = [&] {
    auto* a = static_cast<FormAtom*>(arena.allocate(sizeof(FormAtom)));
    static_cast<FormAtomContent&>(*a) = content;
    a->nesting = 0;
    for (const Form* inner : {a->form, a->right_form}) {
      if (inner != nullptr) a->nesting = std::max(a->nesting, static_cast<std::uint16_t>(inner->nesting + 1));
    }
    a->forget();
    return a;
  };
  return atoms_.find_or_insert(content.hash, same, make);
}

const FormAtom* Workspace::variable(std::uint32_t number) {
  if (number >= variable_atoms_.size()) {
    variable_atoms_.resize(number + 1, nullptr);
    variables.resize(number + 1);
    variable_bits = kTooManyBits;
  }
  const FormAtom*& atom = variable_atoms_[number];
  if (atom == nullptr) {
    auto* a = static_cast<FormAtom*>(arena.allocate(sizeof(FormAtom)));
    static_cast<FormAtomContent&>(*a) = FormAtomContent{};
    a->nesting = 0;
    a->forget();
    a->kind = FormAtomKind::variable;
    a->variable = number;
    a->order = number;
    a->hash = combine_hash(hash_seed, number);
    a->mask = std::uint64_t{1} << (number % 64);
    atom = a;
  }
  return atom;
}

const FormAtom* Workspace::quotient(const Form* form, Index divisor) {
  FormAtomContent a{};
  a.kind = FormAtomKind::quotient;
  a.form = form;
  a.number = divisor;
  a.mask = form->mask;
  a.order = order_key(a.kind, static_cast<std::uint64_t>(divisor), form);
  a.hash = combine_hash(form->hash, static_cast<std::uint64_t>(divisor));
  return intern_atom(a);
}

const FormAtom* Workspace::max0(const Form* form) {
  FormAtomContent a{};
  a.kind = FormAtomKind::max0;
  a.form = form;
  a.mask = form->mask;
  a.order = order_key(a.kind, 0, form);
  a.hash = combine_hash(form->hash, 0x6d617830);
  return intern_atom(a);
}

const FormAtom* Workspace::product(const FormAtom* left, const FormAtom* right) {
  FormAtomContent a{};
  a.kind = FormAtomKind::product;
  a.left = left;
  a.right = right;
  a.mask = left->mask | right->mask;
  a.order = order_key(a.kind, 0, nullptr);
  a.hash = combine_hash(combine_hash(hash_seed + 0x70726f64, left->hash), right->hash);
  return intern_atom(a);
}

const FormAtom* Workspace::scaled(std::uint32_t number, Index modulus, Index residue) {
  FormAtomContent a{};
  a.kind = FormAtomKind::scaled;
  a.variable = number;
  a.number = modulus;
  a.residue = residue;
  a.mask = std::uint64_t{1} << (number % 64);
  a.order = order_key(a.kind, number, nullptr);
  a.hash = combine_hash(
      combine_hash(combine_hash(hash_seed + 0x7363616c, number), static_cast<std::uint64_t>(modulus)),
      static_cast<std::uint64_t>(residue));
  return intern_atom(a);
}

const FormAtom* Workspace::operation(ExprKind op, const Form* left, const Form* right) {
  may_fold |= left->is_constant() && right->is_constant();
  FormAtomContent a{};
  a.kind = FormAtomKind::operation;
  a.op = op;
  a.form = left;
  a.right_form = right;
  a.mask = left->mask | right->mask;
  a.order = order_key(a.kind, static_cast<std::uint64_t>(op), left);
  a.hash = combine_hash(combine_hash(left->hash + static_cast<std::uint64_t>(op), 0x6f70), right->hash);
  return intern_atom(a);
}

}  // namespace tessera::detail
