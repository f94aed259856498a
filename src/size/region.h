// SPDX-License-Identifier: Apache-2.0
// A set of sizes, described exactly, and what is proved about all of its elements.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "size/space.h"

namespace tessera::symbolic {

/// The sizes that satisfy a list of conditions. Every parameter is a polynomial over cores, which range over
/// a box; a condition that cannot be solved for a core is kept as a fact:
///
///   N % 8 == 3     N = 8*n + 3
///   N % T == 0     N = T*n
///   M <= N         N = M + d, d >= 0
///   N == 4*K       N = 4*K
///
/// The set is exact: no size is added and none is lost. Decisions are sound: true or false only if proved for
/// every element of the set. Immutable but for quotients, which get their polynomials when they are first
/// needed (settle); this does not change the set.
class SizeRegion {
 public:
  struct Range {
    Integer low = 1;
    std::optional<Integer> high = {};
  };

  explicit SizeRegion(std::shared_ptr<Space> space) : space_(std::move(space)) {}

  Space& space() const { return *space_; }
  const std::shared_ptr<Space>& shared_space() const { return space_; }

  /// Adds a parameter with an interval that is not empty, if it is new.
  void declare(SizeVariable parameter, const Range& range);
  const std::map<SizeVariable, Range>& declared() const { return declared_; }
  /// The conditions that were added and not implied, over parameters and quotients.
  const std::vector<SizeCondition>& conditions() const { return conditions_; }
  const std::map<SizeVariable, Range>& cores() const { return cores_; }
  /// Parameters, and settled quotients, over cores.
  const std::map<SizeVariable, Polynomial>& values() const { return values_; }

  /// The elements that satisfy a settled condition, too; nothing if there are certainly none.
  std::optional<SizeRegion> with(const SizeCondition& c) const;
  /// True if the settled condition holds for all elements, false for none; nothing if neither is proved.
  std::optional<bool> decide(const SizeCondition& c) const;

  /// Gives each quotient and minimum of the condition a polynomial over cores. `split`: a condition to split
  /// on first. `failed`: a divisor is not proved to be at least 1, or a number, a term or the space is too
  /// large.
  struct Settled {
    std::optional<SizeCondition> split = {};
    bool failed = false;
    bool ok() const { return !split && !failed; }
  };
  Settled settle(const SizeCondition& c);
  Settled settle(const Polynomial& p);

  /// Settles the condition and decides it. An equality with one quotient becomes two comparisons, which have
  /// none.
  struct Verdict {
    std::optional<bool> holds = {};
    std::optional<SizeCondition> split = {};  ///< without a decision: what to split on
    bool failed = false;
  };
  Verdict judge(const SizeCondition& c);
  /// Whether the condition is proved to hold nowhere, or everywhere, without a split.
  bool refutes(const SizeCondition& c) const;
  bool proves(const SizeCondition& c) const;

  /// The polynomial over cores. Requires that all of its variables are settled.
  Polynomial core(const Polynomial& p) const { return p.substituted(values_); }
  /// Whether a polynomial over cores is proved to be at least 0.
  bool nonnegative(const Polynomial& p) const;
  /// True or false if a polynomial over cores is proved to be 0, or never 0.
  std::optional<bool> zero(const Polynomial& p) const;
  /// True or false if q divides p always, or never. Polynomials over cores.
  std::optional<bool> divides(Polynomial p, Polynomial q) const;
  /// The polynomial over cores that is floor(p / q), if one is proved to be. q >= 1 must be proved.
  std::optional<Polynomial> floor_quotient(const Polynomial& p, const Polynomial& q) const;

  /// Parameters that satisfy everything: nothing if none is found. `generic_sample` tries a few, which no
  /// limit counts, `sample` many others.
  std::optional<std::map<SizeVariable, Integer>> generic_sample() const;
  std::optional<std::map<SizeVariable, Integer>> sample() const;
  /// Whether these parameters satisfy the declared intervals and every condition.
  bool contains(const std::map<SizeVariable, Integer>& sizes) const;

  /// The condition with the same meaning here in lowest terms: without common factors, comparisons of one
  /// quotient without it.
  SizeCondition reduced(SizeCondition c) const;

 private:
  /// A number for each of some cores, which ascend.
  struct Point {
    Monomial cores = {};
    std::vector<Integer> values = {};
    std::optional<Integer> operator()(SizeVariable v) const {
      const std::size_t n = cores.find(v);
      return n == Monomial::npos ? std::nullopt : std::optional(values[n]);
    }
  };

  // Construction; false: no element is left.
  bool add(const SizeCondition& c);
  bool add_nonnegative(const Polynomial& p);
  bool add_zero(const Polynomial& p);
  bool add_nonzero(const Polynomial& p);
  bool add_divides(Polynomial p, Polynomial q);
  bool add_not_divides(Polynomial p, Polynomial q);
  bool add_pending();
  bool simplify_facts();
  bool replace(SizeVariable core, const Polynomial& value);
  bool narrow(SizeVariable core, const Range& range);
  bool tighten();
  bool consistent() const;
  SizeVariable new_core(const Range& range);
  Settled resolve(SizeVariable derived);
  void forget() const;

  // Proofs
  /// The largest value of a polynomial over cores in their intervals; nothing if it has none or is too large.
  std::optional<Integer> largest(const Polynomial& p) const;
  std::optional<bool> decide_plain(const SizeCondition& c) const;
  bool nonnegative_as_written(const Polynomial& p) const;
  Polynomial without_positive_factors(Polynomial p) const;
  void cancel(Polynomial& p, Polynomial& q) const;
  /// Over cores from 0 on, in place of those from their lower ends on; the facts as well.
  Polynomial shifted(const Polynomial& p) const;
  const std::vector<Polynomial>& shifted_facts() const;
  bool prove(const Polynomial& p, int depth) const;
  bool prove_by_ends(const Polynomial& p, int depth, bool& applied) const;
  bool prove_univariate(const Polynomial& p, SizeVariable v) const;
  bool prove_by_facts(const Polynomial& s, int depth) const;
  bool prove_by_order(const Polynomial& p) const;
  bool prove_by_split(const Polynomial& p, int depth) const;
  /// Whether `test` is true at each point of the box of some cores; false if there are too many points. Facts
  /// may exclude points.
  bool every(const Monomial& cores, const std::function<bool(const Point&)>& test) const;
  /// The answer of `test` at all of these points that no fact excludes; nothing if there are too many points,
  /// none, or two answers.
  std::optional<bool> common(const Monomial& cores,
                             const std::function<std::optional<bool>(const Point&)>& test) const;
  /// Whether a polynomial is below 0 at one of a few points of all cores, which no fact excludes: no proof
  /// that it is at least 0 is tried then.
  bool refuted(const Polynomial& p) const;
  std::optional<Point> witness(std::size_t pattern) const;
  bool satisfies_facts(const Point& point) const;
  std::optional<std::map<SizeVariable, Integer>> sample_parameters(Integer least, Integer most) const;
  std::optional<std::map<SizeVariable, Integer>> sample_at(const Point& point) const;

  std::shared_ptr<Space> space_;
  std::map<SizeVariable, Range> declared_ = {};
  std::vector<SizeCondition> conditions_ = {};
  std::map<SizeVariable, Polynomial> values_ = {};
  std::map<SizeVariable, Range> cores_ = {};
  std::vector<Polynomial> facts_ = {};        // >= 0
  std::vector<Polynomial> nonzero_ = {};      // != 0
  std::vector<SizeCondition> divisors_ = {};  // divides or not_divides, over cores
  std::vector<Polynomial> pending_ = {};      // >= 0, not yet added
  mutable std::map<Polynomial, bool> proved_ = {};
  mutable std::optional<std::vector<Polynomial>> shifted_facts_ = {};
  mutable std::vector<Point> witnesses_ = {};  // of the first patterns, made when they are asked for
  mutable std::size_t witness_patterns_ = 0;
  mutable int steps_ = 0;
  mutable int active_ = 0;
};

/// Whether the number is a power of two for no element: its coefficients share an odd factor.
bool is_never_power_of_two(const Polynomial& p, const SizeRegion& region);

}  // namespace tessera::symbolic
