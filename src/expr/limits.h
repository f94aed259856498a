// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of simplification and of questions about maps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every cap of the simplifier and of questions about maps, with its unit and its reason. A step beyond a
/// limit is left out: the answer is still right, but it may be longer, or a range wider. Beyond `fuel` or
/// `nesting`, the map is returned unchanged.
struct Limits {
  // Fuel. Steps on forms spend it, about one unit for each visited term; 12 units take a microsecond.
  std::uint64_t fuel = 2'000'000;  ///< of any simplification: 0.2 s; 10,000 random chains need 60,000 at most
  std::uint64_t fuel_of_a_node = 20;     ///< added for each node of the input, so that long inputs are read
  std::uint64_t fueled_nodes = 200'000;  ///< nodes that add fuel, together 0.3 s
  constexpr std::uint64_t fuel_for(std::uint64_t nodes) const {
    return fuel + fuel_of_a_node * (nodes < fueled_nodes ? nodes : fueled_nodes);
  }

  // Nesting, because functions recurse.
  std::uint16_t nesting = 300;  ///< nested forms: 1 MB of stack with the address sanitizer
  int division_depth = 64;      ///< nested canonical quotients; none of a million maps needed 20
  int tightening_depth = 8;     ///< forms through which one bound is propagated; later rounds go deeper

  // Terms of one form, where a step compares terms with terms.
  std::size_t terms = 48;          ///< searched for a short text, and for digits
  std::size_t quotients = 12;      ///< split off as digits, eliminated, or merged: each try is a division
  std::size_t product_terms = 64;  ///< of a product of two sums that is multiplied out
  std::size_t max0_terms = 8;      ///< next to a max(0, .) for exact bounds, which need two more forms each
  std::size_t max_operands = 6;    ///< summands tried as an operand of max or min, one by one
  std::size_t equivalents = 16;    ///< forms made from one by equations, each of which is written
  std::size_t redundancy = 12;     ///< constraints compared with each other as facts
  int division_memos = 32;         ///< remembered quotients of one form; a further one is computed again

  // Walks over trees that may visit shared parts repeatedly.
  std::uint32_t tree_nodes = 4096;      ///< of an expression that is searched for divisors
  int overflow_steps = 1 << 14;         ///< whose values are counted in bits
  std::uint64_t form_atoms = 1u << 20;  ///< of a constraint that is evaluated at points
  int form_terms = 256;                 ///< of a form, to count its variables or to find its slope
  // The largest input that may keep its structure. No larger chain of six operations got a shorter text that
  // way.
  std::uint32_t structured_nodes = 1000;
  int structured_parts = 40;  ///< distinct nodes of such an input: each compares its texts

  // Repetitions of steps that mostly settle after one or two.
  int normalizations = 64;  ///< of one constraint: each drops a factor, a constant or a quotient
  int rounds = 40;   ///< of normal form and propagation; bounds that still move approach a distant limit
  int restarts = 4;  ///< of the rounds, with the variables of such bounds frozen
  int passes = 12;   ///< over all steps of the constraints
  int simplifications = 3;  ///< of a map whose constraints changed once its text was known
  int rereadings = 4;       ///< of a text, until it does not change
  int substitutions = 8;    ///< of equations in one form

  // Points of boxes that are enumerated; a point takes about a nanosecond for each term.
  std::uint64_t points = 1u << 16;          ///< of a box
  std::uint64_t exact_work = 32'000;        ///< points * terms for exact intervals and redundancy: 30 us
  std::size_t point_constraints = 64;       ///< evaluated at points: a mask has a bit for each
  std::uint64_t emptiness_work = 1u << 24;  ///< points * terms to find one point: 0.1 s
  std::uint64_t fit_work = 8'000;           ///< points * terms to fit one result
  static constexpr std::size_t kFitVariables = 8;  ///< unknowns of the fit

  // Questions about maps.
  std::uint64_t inverse_steps = 1u << 23;  ///< fuel that one inverse may spend: several seconds
  int inverse_rounds = 64;                 ///< each adds an equation or a value; more mean a cycle
  int inverse_clearings = 4;      ///< of denominators in one equation: each multiplies its coefficients
  int inverse_eliminations = 16;  ///< of range variables, each of which simplifies the map three times
  std::uint64_t image_divisions = 10'000;  ///< of an expression, more of which leave isl nothing to spend
  std::size_t image_runs = 8;              ///< of one result, each of which is listed as a piece of the image
  std::size_t intersections = 1u << 14;    ///< of boxes that are counted by inclusion and exclusion
  Index line_period = Index{1} << 20;      ///< of the points of a line, each of which is visited
  Index collision_points = Index{1} << 20;  ///< searched for two with one value before isl looks at pairs
  std::uint64_t samples = 2000;             ///< points at which two maps are compared if the box is too large
  // Operations of isl on questions whose numbers grow. Twice as many take four times as long.
  unsigned long smallest_operations = 20'000;   ///< to find the smallest point of a set: one second
  unsigned long smaller_operations = 100'000;   ///< to find a difference that is smaller than a known one
  unsigned long collision_operations = 20'000;  ///< to find two points of a map that have one value
  Index quick_points = 4096;  ///< of a box; so few are enumerated faster than two maps are simplified
  std::size_t remembered_parts = 512;  ///< by each thread: nine of ten parts of the shared programs
  std::uint32_t quick_nodes = 64;      ///< of a tree that is searched; its parts may be shared
  // Fewer digits than this already have a shorter text than a remainder of all of them.
  static constexpr std::size_t kFewestDigits = 3;

  // Numbers, so that sums of a few of them fit in 64 bits.
  Index divisor = Index{1} << 62;  ///< of a flattened quotient
  Index modulus = Index{1} << 61;  ///< of a combined congruence
  Index scale = Index{1} << 62;    ///< of a form whose quotients are eliminated
  Index far = Index{1} << 40;      ///< in place of an infinite bound, where points are tried
};

inline constexpr Limits kLimits;

}  // namespace tessera::detail
