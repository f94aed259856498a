// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decides questions about maps exactly: with a proof, a counterexample, or the limit that was reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera {

/// An answer to a question about maps: proved false, proved true, or not decided within the limits. The
/// struct with the verdict says what shows it, or which limit was reached.
enum class Verdict : std::uint8_t { no, yes, undecided };

/// How much work a question may cost before the answer is `undecided` or a bound. The limits count
/// operations, not time, so the answer is the same on every machine. By default a question takes a few
/// seconds at most.
struct JudgeLimits {
  /// Points to enumerate when each value is stored: about 1 us and 100 bytes each.
  Index points = Index{1} << 20;
  /// Operations of isl, if it is built in; 0 disables it. Operations on large systems take longer, so a
  /// system with several quotients gets fewer of them.
  unsigned long isl_operations = 2000000;
  /// Whether the simplifier may be part of the proof.
  bool normal_forms = true;
  /// Operations that evaluate single points during enumeration: about 1 ns each.
  std::uint64_t steps = std::uint64_t{1} << 29;
  /// Cells of a table with one bit per possible value; the default takes 16 MB.
  Index cells = Index{1} << 27;
};

/// A point where two maps differ, and their values there; empty for a map that is not defined at the point.
struct Difference {
  std::vector<Index> point;
  std::optional<std::vector<Index>> first = {};
  std::optional<std::vector<Index>> second = {};
};

/// The answer of `equal`. For `no`, `difference` is a point that shows it; if the maps have different numbers
/// of variables or results, there is no such point, and `reason` says what differs.
struct Equality {
  Verdict verdict = Verdict::undecided;
  std::optional<Difference> difference = {};  ///< for `no`, unless the variables differ
  bool smallest = true;                       ///< no smaller point differs (in lexicographic order)
  std::string reason = {};                    ///< a difference of another kind, or the limit that was reached
};

/// Whether the maps have the same number of variables of each kind, the same domain, and the same values on
/// it. Decided by structure, by enumeration of at most 4096 points, by normal form, by enumeration up to the
/// limit, then by samples (a `no` only) and isl. Normal forms and isl use unbounded arithmetic, so they prove
/// a `yes` only for maps that have a value at every point: without a division by 0, and in 64 bits (for an
/// unbounded variable, as far as both fit). For `no`, only one domain contains the point, only one map has a
/// value there, or the values differ. Exact. Thread-safe.
Equality equal(const IndexMap& a, const IndexMap& b, const JudgeLimits& limits = {});

/// The answer of is_empty. For `no`, a point that shows it.
struct Emptiness {
  Verdict verdict = Verdict::undecided;
  std::vector<Index> point = {};  ///< for `no`: a point of the domain, one value per variable
  std::string reason = {};        ///< the limit that was reached
};

/// Whether the domain has no point. Exact; for `undecided`, `reason` is the limit.
Emptiness is_empty(const IndexMap& map, const JudgeLimits& limits = {});

/// The answer of footprint_within. For `no`, a point and a value that show it.
struct Inclusion {
  Verdict verdict = Verdict::undecided;
  std::vector<Index> point = {};  ///< for `no`: dimensions and runtime variables of `a`
  std::vector<Index> value = {};  ///< for `no`: a value that `a` has there and `b` does not
  std::string reason = {};        ///< for `undecided`: why, such as the limit that was reached
};

/// Whether, for each dimension point and each value of the runtime variables, every value of `a` (over its
/// range variables) is a value of `b`. Both must have the same dimensions, runtime variables and number of
/// results, or the answer is `undecided`. Decided by enumeration up to the limit, then by isl. Exact.
Inclusion footprint_within(const IndexMap& a, const IndexMap& b, const JudgeLimits& limits = {});

/// True when isl is built in.
bool judge_has_isl();

}  // namespace tessera
