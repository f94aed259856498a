// SPDX-License-Identifier: Apache-2.0
/// \file
/// Exact questions about maps, answered with a proof, a counterexample, or the limit that was reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera {

enum class Verdict : std::uint8_t { no, yes, undecided };

/// How much work a question may cost before the answer is `undecided` or a bound. Counted, not timed: the
/// answer is the same on every machine. With these limits a question takes a few seconds at most.
struct JudgeLimits {
  /// Points of the variables' box that are enumerated if each value is stored: about 1 us and 100
  /// bytes each.
  Index points = Index{1} << 20;
  /// Operations of isl, where it is built in; 0 disables it. Operations on large systems take longer, so a
  /// system with several quotients gets only part of them.
  unsigned long isl_operations = 2000000;
  /// False: the simplifier takes no part in the proof.
  bool normal_forms = true;
  /// Operations at single points in an enumeration: about 1 ns each.
  std::uint64_t steps = std::uint64_t{1} << 29;
  /// Cells of a table with one bit for each value that may occur: 16 MB.
  Index cells = Index{1} << 27;
};

/// A point where two maps differ. A map that is not defined there has no values.
struct Difference {
  std::vector<Index> point;
  std::optional<std::vector<Index>> first = {};
  std::optional<std::vector<Index>> second = {};
};

struct Equality {
  Verdict verdict = Verdict::undecided;
  std::optional<Difference> difference = {};  ///< for `no`, unless the variables differ
  bool smallest = true;                       ///< no smaller point differs (in lexicographic order)
  std::string reason = {};                    ///< what differs otherwise, or the limit that was reached
};

/// Do the maps have the same number of variables of each kind, the same domain, and the same values on it? By
/// structure, by normal form, by enumeration up to the limit, then by isl. Without enumeration, arithmetic
/// has no limits: an intermediate result beyond 64 bits counts as a value. Exact. Thread-safe.
Equality equal(const IndexMap& a, const IndexMap& b, const JudgeLimits& limits = {});

struct Emptiness {
  Verdict verdict = Verdict::undecided;
  std::vector<Index> point = {};  ///< for `no`: a point of the domain
  std::string reason = {};        ///< the limit that was reached
};

/// Has the map no point? Exact; `undecided` carries the limit.
Emptiness is_empty(const IndexMap& map, const JudgeLimits& limits = {});

struct Inclusion {
  Verdict verdict = Verdict::undecided;
  std::vector<Index> point = {};  ///< for `no`: dimensions and runtime variables of `a`
  std::vector<Index> value = {};  ///< for `no`: a value that `a` has there and `b` does not
  std::string reason = {};
};

/// Is, for each dimension point and each value of the runtime variables, every value of `a` (over its range
/// variables) one of `b`? Both must have the same dimensions, runtime variables and number of results, else
/// `undecided`. By enumeration up to the limit, then by isl. Exact.
Inclusion footprint_within(const IndexMap& a, const IndexMap& b, const JudgeLimits& limits = {});

/// True when isl is built in.
bool judge_has_isl();

}  // namespace tessera
