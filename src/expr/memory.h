// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory that the simplifications of a thread reuse.
#pragma once

#include <array>
#include <vector>

#include "expr/arena.h"
#include "expr/environment.h"
#include "expr/form.h"
#include "expr/hash_table.h"

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

/// The objects of a simplification, and tables of them. No answer depends on what an earlier simplification
/// left here.
struct Memory {
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  /// The calling thread's.
  static Memory& local();

  /// Empties everything, which invalidates every Form and Atom.
  void reset(std::size_t variable_count) {
    ++run;
    arena.reset();
    forms.reset();
    atoms.reset();
    conversions.reset();
    bits.reset();
    texts.clear();
    variable_atoms.assign(variable_count, nullptr);
    overflow = nullptr;
  }

  bool taken = false;  ///< by a workspace
  Arena arena;
  HashTable<const Form> forms;
  HashTable<const Atom> atoms;
  HashTable<ConversionMemo> conversions;
  HashTable<BitsMemo> bits;
  std::uint64_t run = 0;    ///< of valid `bits` and `constants`
  std::vector<Expr> texts;  ///< see Form::expr_index
  std::vector<const Atom*> variable_atoms;
  const Form* overflow = nullptr;  ///< null until requested

  /// The forms of small constants, which nearly every operation uses.
  static constexpr std::uint64_t kFewConstants = 128;
  struct FewConstants {
    std::uint64_t run = 0;
    const Form* form = nullptr;
  };
  std::array<FewConstants, kFewConstants> constants{};

  /// Of an environment that has ended, for the next.
  std::vector<VariableState> variables;
  std::vector<Fact> facts;

  /// The fuel that all simplifications of the thread have used: a measure for tests.
  std::uint64_t steps = 0;
  /// The seed of hashes. No result depends on it; tests use several.
  std::uint64_t hash_seed = 0;
};

}  // namespace tessera::detail
