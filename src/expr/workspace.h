// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything one simplification works with: memory, intern tables and the environment.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "expr/arena.h"
#include "expr/form.h"
#include "expr/hash_table.h"

namespace tessera::detail {

/// What is known of a variable. With modulus > 1 it equals `residue` modulo `modulus` and is written
/// modulus * scaled + residue.
struct VariableState {
  Interval bounds;
  Index modulus = 1;
  Index residue = 0;
  bool keep_point = false;  // a point stays visible (Points::preserve)
  const Form* form = nullptr;
  std::uint32_t form_stamp = 0;
};

/// `form` (no constant, coefficients without a common factor) lies in `range` on the domain.
struct Fact {
  const Form* form;
  Interval range;
};

/// floor(form / divisor) as `divide` found it for the form that holds the list.
struct DivisionMemo {
  Index divisor;
  std::uint32_t generation;
  const Form* result;
  const DivisionMemo* next;
};

/// More bits than a value has.
inline constexpr int kTooManyBits = 64;

/// See measure.h.
struct Measure {
  int growth = 0;           ///< every step is below 2^(growth + bits of the variables); at most kTooManyBits
  std::uint32_t signs = 0;  ///< factors of -1, which are no operators
};

/// One a thread. `start` empties it; every Form and Atom dies with that.
class Workspace {
 public:
  /// The calling thread's workspace. Not for two simplifications at once; the driver never nests.
  static Workspace& local();

  /// Forgets everything. `work` bounds the steps that follow (fuel), in units of one term touched.
  void start(std::size_t variable_count, std::uint64_t work);

  const Form* intern(Index constant, std::span<const Term> terms);
  const Form* constant(Index value) {
    const auto at = static_cast<std::uint64_t>(value) + kFewConstants / 4;
    if (at >= kFewConstants) return intern(value, {});
    FewConstants& known = constants_[at];
    if (known.run != run) known = {run, intern(value, {})};
    return known.form;
  }
  const Form* form_of(const Atom* atom);

  const Atom* variable(std::uint32_t number);
  /// floor(form / divisor) as it stands; `divide` (floor_div.h) makes it canonical.
  const Atom* quotient(const Form* form, Index divisor);
  const Atom* max0(const Form* form);
  const Atom* product(const Atom* left, const Atom* right);
  const Atom* scaled(std::uint32_t number, Index modulus, Index residue);
  const Atom* operation(ExprKind op, const Form* left, const Form* right);

  /// Takes fuel; throws OutOfFuel when there is none.
  void spend(std::uint64_t steps) {
    if (fuel_ < steps) throw OutOfFuel{};
    fuel_ -= steps;
  }

  /// The environment. Whoever changes it calls `changed`, which outdates every memo.
  std::vector<VariableState> variables;
  std::vector<Fact> facts;
  std::uint32_t generation = 1;
  int depth = 0;
  std::uint64_t kept_points = 0;  // variables with keep_point, number modulo 64
  bool infeasible = false;        // two sound ranges of one form did not meet: the domain is empty
  bool partial = false;           // a divisor was met that may be 0
  void changed() { ++generation; }

  struct ConversionMemo {
    std::uint64_t hash;
    const void* id;
    std::uint32_t generation;
    const Form* form;     // the normal form
    const Form* written;  // the cheapest text found for the node, as a written form; null until asked for
  };
  HashTable<ConversionMemo> conversions;

  std::vector<Expr> texts;  // see Form::text

  /// How large the values of an expression get (fits.cc).
  struct BitsMemo {
    std::uint64_t hash;
    const void* id;
    std::uint64_t run;
    int bits;
  };
  HashTable<BitsMemo> bits;
  std::uint64_t run = 0;  // counts `start`

  /// Nodes live as long as the process, so a measure holds for every simplification. A later entry may push
  /// out an earlier one.
  struct MeasureMemo {
    const void* id;
    Measure measure;
  };
  std::array<MeasureMemo, 256> measures{};
  int variable_bits = kTooManyBits;  // of the bounds that the variables came with

  Arena arena;

  /// Where hashes start. No result depends on it; tests give others.
  std::uint64_t hash_seed = 0;

 private:
  const Atom* intern_atom(const AtomContent& content);

  // Small constants, which nearly every operation asks for.
  static constexpr std::uint64_t kFewConstants = 128;
  struct FewConstants {
    std::uint64_t run = 0;
    const Form* form = nullptr;
  };
  std::array<FewConstants, kFewConstants> constants_{};

  HashTable<const Form> forms_;
  HashTable<const Atom> atoms_;
  std::vector<const Atom*> variable_atoms_;
  std::uint64_t fuel_ = 0;
};

}  // namespace tessera::detail
