// SPDX-License-Identifier: Apache-2.0
/// \file
/// The state of one simplification: memory, intern tables and the environment.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "expr/arena.h"
#include "expr/bits.h"
#include "expr/form.h"
#include "expr/hash_table.h"

namespace tessera::detail {

/// The facts about one variable. With modulus > 1 it equals `residue` modulo `modulus` and is written as
/// modulus * scaled + residue.
struct VariableState {
  Interval bounds;
  Index modulus = 1;
  Index residue = 0;
  bool keep_point = false;  // the variable stays visible even if it has one value (Points::preserve)
  const Form* form = nullptr;
  std::uint32_t form_stamp = 0;
};

/// `form` (no constant, coefficients without a common factor) lies in `range` on the domain.
struct Fact {
  const Form* form;
  Interval range;
};

/// The result of `divide` for one divisor of a form, in the list Form::divisions.
struct DivisionMemo {
  Index divisor;
  std::uint32_t generation;
  const Form* result;
  const DivisionMemo* next;
};

/// The facts and the limits of one simplification. Each simplification starts with a new environment.
struct Environment {
  std::vector<VariableState> variables;
  std::vector<Fact> facts;
  std::uint32_t generation = 1;      // of valid memos, see `changed`
  std::uint64_t kept_points = 0;     // a bit for each variable with keep_point: its number modulo 64
  int variable_bits = kTooManyBits;  // bits of the variables' original bounds

  int division_depth = 0;  // canonical quotients inside each other

  bool infeasible = false;  // two sound ranges of one form are disjoint: the domain is empty
  bool partial = false;     // a divisor may be 0
  bool may_fold = false;    // there is an operation on constants, which an expression may fold
  bool overflowed = false;  // a number that must be exact overflowed 64 bits: later results must not be used
  bool exhausted = false;   // the fuel ran out: later results must not be used, and loops end early
  std::uint64_t fuel = 0;   // remaining steps, in units of one visited term

  /// Makes a new environment in the memory of this one.
  void begin(std::size_t variable_count, std::uint64_t work) {
    variables.assign(variable_count, VariableState{});
    facts.clear();
    generation = 1;
    kept_points = 0;
    variable_bits = kTooManyBits;
    division_depth = 0;
    infeasible = partial = may_fold = overflowed = exhausted = false;
    fuel = work;
  }
  /// Uses up fuel; sets `exhausted` if there is not enough.
  void spend(std::uint64_t steps) {
    if (fuel < steps) [[unlikely]] {
      fuel = 0;
      exhausted = true;
    } else {
      fuel -= steps;
    }
  }
  /// Whether results are unusable.
  bool stopped() const { return overflowed || exhausted; }
  /// Invalidates every memo. Call it after changing the variables or the facts.
  void changed() { ++generation; }
};

/// Replaces the facts of the environment by an empty list during its lifetime. Invalidates every memo at its
/// beginning and its end.
class ScopedFacts {
 public:
  explicit ScopedFacts(Environment& env) : env_(env) {
    std::swap(facts_, env_.facts);
    env_.changed();
  }
  ~ScopedFacts() {
    std::swap(facts_, env_.facts);
    env_.changed();
  }
  ScopedFacts(const ScopedFacts&) = delete;
  ScopedFacts& operator=(const ScopedFacts&) = delete;

 private:
  Environment& env_;
  std::vector<Fact> facts_;
};

/// Increments a depth counter during its lifetime.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

/// The environment of one simplification, and the memory that all simplifications of a thread reuse. `start`
/// makes a new environment and empties the memory, which invalidates every Form and Atom.
class Workspace : public Environment {
 public:
  /// The calling thread's workspace, for one simplification at a time.
  static Workspace& local();

  /// Begins a simplification with an empty memory. `work` is the fuel of the new environment.
  void start(std::size_t variable_count, std::uint64_t work);

  /// The fuel that the thread has used since it began. A computation with many simplifications limits itself
  /// by the difference of two readings, which depends only on the computation.
  std::uint64_t steps_taken() const { return earlier_steps_ + (given_ - fuel); }

  const Form* intern(Index constant, std::span<const Term> terms);
  const Form* constant(Index value) {
    const auto at = static_cast<std::uint64_t>(value) + kFewConstants / 4;
    if (at >= kFewConstants) return intern(value, {});
    FewConstants& known = constants_[at];
    if (known.run != run) known = {run, intern(value, {})};
    return known.form;
  }
  const Form* form_of(const Atom* atom);
  /// The form of a value that overflowed 64 bits. Its sums, products and quotients are this form again; its
  /// range is unbounded, and it equals no other form. A caller that gets it keeps the operation as written.
  const Form* overflow();

  const Atom* variable(std::uint32_t number);
  /// floor(form / divisor) as an atom; `divide` (floor_div.h) makes it canonical.
  const Atom* quotient(const Form* form, Index divisor);
  const Atom* max0(const Form* form);
  const Atom* product(const Atom* left, const Atom* right);
  const Atom* scaled(std::uint32_t number, Index modulus, Index residue);
  const Atom* operation(ExprKind op, const Form* left, const Form* right);

  // Looked up by structure, so that answers are the same if a map has equal nodes from several threads.
  struct ConversionMemo {
    std::uint64_t hash;
    Expr expr;
    std::uint32_t generation;
    const Form* form;  // the normal form
    Text text;         // the cheapest text found for the node, null until requested
  };
  HashTable<ConversionMemo> conversions;

  std::vector<Expr> texts;  // see Form::expr_index

  /// The number of bits of the values of an expression (overflow.cc).
  struct BitsMemo {
    std::uint64_t hash;
    Expr expr;
    std::uint64_t run;
    int bits;
  };
  HashTable<BitsMemo> bits;
  std::uint64_t run = 0;  // the number of calls of `start`

  Arena arena;

  /// The seed of hashes. No result depends on it; tests use several.
  std::uint64_t hash_seed = 0;

 private:
  const Atom* intern_atom(const AtomContent& content);

  // The forms of small constants, which nearly every operation uses.
  static constexpr std::uint64_t kFewConstants = 128;
  struct FewConstants {
    std::uint64_t run = 0;
    const Form* form = nullptr;
  };
  std::array<FewConstants, kFewConstants> constants_{};

  HashTable<const Form> forms_;
  HashTable<const Atom> atoms_;
  std::vector<const Atom*> variable_atoms_;
  const Form* overflow_ = nullptr;   // null until requested
  std::uint64_t earlier_steps_ = 0;  // fuel used by earlier environments
  std::uint64_t given_ = 0;          // initial fuel of this environment
};

}  // namespace tessera::detail
