// SPDX-License-Identifier: Apache-2.0
/// \file
/// One simplification: its environment, and the forms and atoms that it makes.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "expr/form/arena.h"
#include "expr/form/environment.h"
#include "expr/form/hash_table.h"

namespace tessera::detail {

/// The result of `divide` for one divisor of a form, in the list Form::divisions.
struct DivisionMemo {
  Index divisor;
  std::uint32_t generation;
  const Form* result;
  const DivisionMemo* next;
};

/// What is known about an operation of an expression. Looked up by structure, so that answers are the same if
/// a map has equal nodes from several threads.
struct ConversionMemo {
  std::uint64_t hash;
  Expr expr;
  std::uint32_t generation;
  const Form* form;  // the normal form
  Text text;         // the cheapest text found for the node, null until requested
};

/// The number of bits of the values of an expression (overflow.cc).
struct BitsMemo {
  std::uint64_t hash;
  Expr expr;
  std::uint64_t run;
  int bits;
};

/// The environment of one simplification, with the tables of its forms and atoms. `start` makes a new
/// environment and empties the tables, which invalidates every Form and FormAtom.
class Workspace : public Environment {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Begins with empty tables. `work` is the fuel of the new environment.
  void start(std::size_t variable_count, std::uint64_t work);
  /// Ends the environment, which then knows nothing.
  void end() {
    begin(0, 0);
    earlier_steps_ = given_ = 0;
  }

  /// The fuel used by all environments since the last call of `end`.
  std::uint64_t steps_taken() const { return earlier_steps_ + (given_ - fuel); }

  const Form* intern(Index constant, std::span<const Term> terms);
  const Form* constant(Index value) {
    const auto at = static_cast<std::uint64_t>(value) + kFewConstants / 4;
    if (at >= kFewConstants) return intern(value, {});
    FewConstants& known = constants_[at];
    if (known.run != run) known = {run, intern(value, {})};
    return known.form;
  }
  const Form* form_of(const FormAtom* atom);
  /// The form of a value that overflowed 64 bits. Its sums, products and quotients are this form again; its
  /// range is unbounded, and it equals no other form. A caller that gets it keeps the operation as written.
  const Form* overflow();

  const FormAtom* variable(std::uint32_t number);
  /// floor(form / divisor) as an atom; `divide` (floor_div.h) makes it canonical.
  const FormAtom* quotient(const Form* form, Index divisor);
  const FormAtom* max0(const Form* form);
  const FormAtom* product(const FormAtom* left, const FormAtom* right);
  const FormAtom* scaled(std::uint32_t number, Index modulus, Index residue);
  const FormAtom* operation(ExprKind op, const Form* left, const Form* right);

  HashTable<ConversionMemo> conversions;
  std::vector<Expr> texts;  // see Form::expr_index
  HashTable<BitsMemo> bits;
  std::uint64_t run = 0;  // of valid `bits` and constants
  Arena arena;

  /// The seed of hashes. No result depends on it; tests use several.
  std::uint64_t hash_seed = 0;

 private:
  const FormAtom* intern_atom(const FormAtomContent& content);

  // The forms of small constants, which nearly every operation uses.
  static constexpr std::uint64_t kFewConstants = 128;
  struct FewConstants {
    std::uint64_t run = 0;
    const Form* form = nullptr;
  };
  std::array<FewConstants, kFewConstants> constants_{};

  HashTable<const Form> forms_;
  HashTable<const FormAtom> atoms_;
  std::vector<const FormAtom*> variable_atoms_;
  const Form* overflow_ = nullptr;   // null until requested
  std::uint64_t earlier_steps_ = 0;  // fuel used by earlier environments
  std::uint64_t given_ = 0;          // initial fuel of this environment
};

/// A workspace for as long as this object lives. Its tables are those that the thread keeps, because new ones
/// cost more than a small simplification, or new ones if the thread's are lent already. The environment ends
/// with this object, so nothing is known to the next one.
class BorrowedWorkspace {
 public:
  BorrowedWorkspace();
  ~BorrowedWorkspace();
  BorrowedWorkspace(const BorrowedWorkspace&) = delete;
  BorrowedWorkspace& operator=(const BorrowedWorkspace&) = delete;

  Workspace& operator*() const { return *workspace_; }
  Workspace* operator->() const { return workspace_; }

  /// The fuel that this thread has used in borrowed workspaces: a measure for tests.
  static std::uint64_t steps_of_thread();

 private:
  struct Kept;  // what the thread keeps

  Kept& kept_;
  std::unique_ptr<Workspace> own_;  // if the thread's is lent already
  Workspace* workspace_;
};

}  // namespace tessera::detail
