// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/map_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "notation/symbolic/map_terms.h"

namespace tessera::symbolic {
namespace {

/// The quotients of variables that a form has, also inside others.
void add_atoms(const Polynomial& form, const MapForms& forms, std::vector<SizeVariable>& out) {
  for (const MapForms::Atom& atom : forms.atoms()) {
    if (!form.has(atom.variable) || std::ranges::find(out, atom.variable) != out.end()) continue;
    if (forms.is_of_sizes(Polynomial::of(atom.variable))) continue;
    out.push_back(atom.variable);
  }
}

}  // namespace

MapDigits digits_of(const std::vector<Polynomial>& results, MapForms& forms) {
  MapDigits out;
  std::vector<SizeVariable> used;
  for (const Polynomial& r : results) add_atoms(r, forms, used);
  struct Split {
    Polynomial div;
    SizeVariable variable;
  };
  const std::size_t rank = forms.dims().size();
  std::vector<std::vector<Split>> splits(rank);
  for (const MapForms::Atom& atom : forms.atoms()) {
    if (std::ranges::find(used, atom.variable) == used.end()) continue;
    std::size_t dim = 0;
    while (dim < rank && !(atom.a == Polynomial::of(forms.dims()[dim].variable))) ++dim;
    if (atom.minimum || dim == rank || !forms.is_of_sizes(atom.b) || !atom.shift.is_zero() ||
        !forms.dims()[dim].low.is_zero()) {
      forms.fail_undecided(
          fmt::format("the results have {}, which is not a digit of one variable that begins at 0",
                      in_map(forms.term(Polynomial::of(atom.variable) - atom.shift))));
      return out;
    }
    std::vector<Split>& own = splits[dim];
    std::size_t at = 0;
    while (at < own.size() && forms.divides(own[at].div, atom.b)) ++at;
    if (at < own.size() && !forms.divides(atom.b, own[at].div)) {
      forms.fail_undecided(fmt::format("neither of the divisors {} and {} divides the other for all sizes",
                                       in_map(forms.term(atom.b)), in_map(forms.term(own[at].div))));
      return out;
    }
    own.insert(own.begin() + static_cast<std::ptrdiff_t>(at), {atom.b, atom.variable});
  }
  std::map<SizeVariable, Polynomial> in_digits;
  for (std::size_t d = 0; d < rank && !forms.failed(); ++d) {
    const MapForms::Dim& dim = forms.dims()[d];
    const Polynomial reach = dim.high - dim.low;
    const std::size_t first = out.digits.size();
    std::vector<Polynomial> divs = {1};
    for (const Split& s : splits[d]) divs.push_back(s.div);
    for (std::size_t i = 0; i < divs.size(); ++i) {
      const Polynomial most = forms.quotient(reach, divs[i]);
      const bool top = i + 1 == divs.size();
      const Polynomial last = top ? most : forms.minimum(forms.quotient(divs[i + 1], divs[i]) - 1, most);
      const SizeVariable v = forms.run().space().parameter(fmt::format("\x7f\x7f{}", out.digits.size()));
      out.digits.push_back({d, divs[i], last, v});
    }
    out.whole.push_back(divs.size() == 1 || forms.divides(divs.back(), reach + 1));
    for (std::size_t i = 0; i < divs.size(); ++i) {
      Polynomial sum = i == 0 ? dim.low : Polynomial();
      for (std::size_t j = i; j < divs.size(); ++j)
        sum = sum + forms.quotient(divs[j], divs[i]) * Polynomial::of(out.digits[first + j].variable);
      in_digits[i == 0 ? dim.variable : splits[d][i - 1].variable] = sum;
    }
  }
  if (forms.failed()) return out;
  for (const Polynomial& r : results) {
    Polynomial rest = r.substituted(in_digits);
    DigitSum sum;
    for (const MapDigit& digit : out.digits) {
      Polynomial factor;
      if (rest.has(digit.variable)) {
        const std::vector<Polynomial> parts = rest.coefficients(digit.variable);
        factor = parts.size() == 2 ? parts[1] : Polynomial::unknown();
        rest = parts[0];
      }
      const bool plain = factor.known() && std::ranges::none_of(out.digits, [&](const MapDigit& x) {
                           return factor.has(x.variable);
                         });
      if (!plain) {
        forms.fail_undecided("a result is not a sum of multiples of variables and their digits");
        return out;
      }
      sum.factors.push_back(std::move(factor));
    }
    sum.constant = rest;
    out.sums.push_back(std::move(sum));
  }
  return out;
}

int sign_of(const Polynomial& form, MapForms& forms) {
  if (form.is_zero()) return 0;
  if (forms.proves(-form - 1)) return -1;
  if (forms.holds(form - 1)) return 1;
  return forms.holds(-form - 1) ? -1 : 0;
}

std::vector<std::size_t> by_factor(const DigitSum& sum, std::vector<std::size_t> digits, MapForms& forms) {
  const auto size = [&](std::size_t j) {
    const Polynomial& f = sum.factors[j];
    return sign_of(f, forms) < 0 ? -f : f;
  };
  for (std::size_t i = 1; i < digits.size() && !forms.failed(); ++i) {
    for (std::size_t j = i; j > 0; --j) {
      const Polynomial below = size(digits[j - 1]);
      const Polynomial above = size(digits[j]);
      if (forms.proves(above - below)) break;
      if (!forms.proves(below - above) && forms.holds(above - below)) break;
      std::swap(digits[j - 1], digits[j]);
    }
  }
  return digits;
}

}  // namespace tessera::symbolic
