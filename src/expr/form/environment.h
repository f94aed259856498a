// SPDX-License-Identifier: Apache-2.0
/// \file
/// What one simplification knows, and what it may still spend.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "expr/bits.h"
#include "expr/form/form.h"

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

/// The facts and the limits of one simplification.
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

}  // namespace tessera::detail
