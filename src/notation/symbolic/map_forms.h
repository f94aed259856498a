// SPDX-License-Identifier: Apache-2.0
// Terms of a map with names for sizes as polynomials over its variables, its sizes and the quotients that no
// rule removes. Every rule is proved for all sizes of one case and all points of the domain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "notation/symbolic/symbolic_map.h"
#include "size/explore.h"

namespace tessera::symbolic {

class MapForms {
 public:
  /// What stays of a quotient or a minimum: it is the variable minus `shift`, and the variable is at least 0.
  struct Atom {
    SizeVariable variable;
    bool minimum = false;
    bool exact = false;  ///< b divides a
    Polynomial a = {};
    Polynomial b = {};
    Polynomial shift = {};
    Polynomial shown = {};  ///< over the space
    std::int64_t weight = 1;
  };
  struct Dim {
    std::string name;
    SizeVariable variable;
    Polynomial low;
    Polynomial high;
  };

  explicit MapForms(Recorder& run) : run_(run), sizes_(run.region()), points_(run.region()) {}

  /// Adds a variable between two forms of sizes.
  void declare(const std::string& name, const Polynomial& low, const Polynomial& high);
  /// Only points with form >= 0 are left.
  void assume(const Polynomial& form);

  /// The form of a term; unknown after `failed`.
  Polynomial of(const SizeTerm& term);
  /// floor(a / b), and the smaller of two forms.
  Polynomial quotient(const Polynomial& a, const Polynomial& b);
  Polynomial minimum(const Polynomial& a, const Polynomial& b);
  Polynomial maximum(const Polynomial& a, const Polynomial& b) { return a + b - minimum(a, b); }

  /// Whether form >= 0 is proved for all points and sizes of the case.
  bool proves(const Polynomial& form) const;
  /// The same, also by the least value of the form in the intervals of the variables.
  bool proves_by_ends(const Polynomial& form) const;
  /// Whether form >= 0, of sizes alone: a decision of the run where it is not proved.
  bool holds(const Polynomial& form);
  /// Whether q divides p for all sizes; only what is proved.
  bool divides(const Polynomial& q, const Polynomial& p) const;
  /// Whether the form has no variable of the map.
  bool is_of_sizes(const Polynomial& form) const;
  /// A number that the form is never below, as a form of sizes, if one is found.
  std::optional<Polynomial> lower_bound(const Polynomial& form) const;

  /// The form over parameters, quotients and minima of the space.
  Polynomial displayed(const Polynomial& form) const;
  /// The form as a term.
  SizeTerm term(const Polynomial& form) const;

  const std::vector<Dim>& dims() const { return dims_; }
  const std::vector<Atom>& atoms() const { return atoms_; }
  const std::vector<std::string>& names() const { return names_; }
  Recorder& run() const { return run_; }

  /// The case has no answer: these sizes are outside the question, or something is not decided.
  bool failed() const { return !outside_.empty() || !undecided_.empty(); }
  Leaf failure() const;
  Polynomial fail_undecided(std::string why);
  Polynomial fail_outside(std::string why);

 private:
  /// The form with a for b * (a / b), where the quotient is exact: for texts.
  Polynomial reduced(const Polynomial& given) const;
  /// The form with b * (a / b) for a name a, where the quotient is exact: products cancel then.
  Polynomial expanded(const Polynomial& given) const;
  bool proves_once(const Polynomial& form) const;
  const Atom* atom_of(SizeVariable v) const;
  Polynomial new_atom(bool minimum, const Polynomial& a, const Polynomial& b);
  void add(const SizeCondition& c, bool of_sizes);
  bool settles_divisor(const Polynomial& b);
  /// floor(a / b), if it is proved to be one of a few numbers.
  std::optional<Polynomial> between(const Polynomial& a, const Polynomial& b) const;
  void take_whole_multiples(Polynomial& num, const Polynomial& den, Polynomial& out);
  /// g with num = g*x + s, den = g*y and 0 <= s < g.
  std::optional<Polynomial> common_factor(const Polynomial& num, const Polynomial& den) const;

  Recorder& run_;
  SizeRegion sizes_;
  SizeRegion points_;
  std::vector<Dim> dims_ = {};
  std::vector<std::string> names_ = {};
  std::vector<Atom> atoms_ = {};
  int nested_ = 0;  // quotients in quotients that are read as one
  std::string outside_ = {};
  std::string undecided_ = {};
};

/// The domain of a map: its variables are declared, and each constraint that is not implied is assumed. The
/// intervals and the constraints that are left, with simple terms.
std::vector<SizedInterval> declare_domain(const SymbolicMap& map, MapForms& forms);

/// The map with simple terms, in one case.
SymbolicMap simplified(const SymbolicMap& map, MapForms& forms);

/// Its text, as a leaf.
Leaf simplified_leaf(const SymbolicMap& map, Recorder& run);

/// `(d0) -> (d0 * N), domain: d0 in [0, M - 1]`.
std::string map_text(const SymbolicMap& map);

}  // namespace tessera::symbolic
