// SPDX-License-Identifier: Apache-2.0
// The inverse of a map with names for sizes: each result is a number in mixed radix whose digits are digits
// of the variables, and the variables are made of them again.
#include "notation/symbolic/map_inverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "notation/symbolic/map_terms.h"
#include "text/character_class.h"

namespace tessera::symbolic {
namespace {

using Kind = SizeTerm::Kind;

bool is(const SizeTerm& t, Integer number) { return t.is_number() && t.number == number; }
SizeTerm plus(SizeTerm a, SizeTerm b) {
  if (is(a, 0)) return b;
  return is(b, 0) ? a : combined(Kind::plus, std::move(a), std::move(b));
}
SizeTerm minus(SizeTerm a, SizeTerm b) {
  return is(b, 0) ? a : combined(Kind::minus, std::move(a), std::move(b));
}
SizeTerm times(SizeTerm a, SizeTerm b) {
  return is(b, 1) ? a : combined(Kind::times, std::move(a), std::move(b));
}

class Inverter {
 public:
  Inverter(const SymbolicMap& map, Recorder& run)
      : map_(map), forms_(run), prefix_(unused_prefix('d', map)) {}

  MapInverse invert() {
    const std::vector<SizedInterval> domain = declare_domain(map_, forms_);
    if (forms_.failed()) return {.leaf = forms_.failure()};
    for (const MapForms::Dim& dim : forms_.dims()) {
      if (!forms_.holds(dim.high - dim.low)) forms_.fail_outside("the domain is empty");
    }
    constrained_ = domain.size() > map_.dims().size();
    std::vector<Polynomial> results;
    for (const SizeTerm& t : map_.results()) results.push_back(forms_.of(t));
    if (!forms_.failed()) parts_ = digits_of(results, forms_);
    if (forms_.failed()) return {.leaf = forms_.failure()};
    solved_.resize(parts_.digits.size());
    if (!solve()) return {.leaf = forms_.failed() ? forms_.failure() : std::move(leaf_)};
    return {.map = assembled(domain)};
  }

 private:
  SizeTerm term(const Polynomial& form) const { return forms_.term(form); }
  SizeTerm result(std::size_t r) const { return named(fmt::format("{}{}", prefix_, r)); }

  std::vector<std::size_t> unsolved(std::size_t r) {
    std::vector<std::size_t> out;
    for (std::size_t j = 0; j < parts_.digits.size(); ++j) {
      if (!solved_[j] && sign_of(parts_.sums[r].factors[j], forms_) != 0) out.push_back(j);
    }
    return out;
  }

  bool solve() {
    std::vector<bool> used(parts_.sums.size(), false);
    for (std::size_t n = 0; n < parts_.sums.size(); ++n) {
      std::size_t best = parts_.sums.size();
      std::vector<std::size_t> open;
      for (std::size_t r = 0; r < parts_.sums.size(); ++r) {
        if (used[r]) continue;
        std::vector<std::size_t> own = unsolved(r);
        if (best == parts_.sums.size() || own.size() < open.size()) {
          best = r;
          open = std::move(own);
        }
      }
      used[best] = true;
      if (forms_.failed() || !solve(best, open)) return false;
    }
    for (std::size_t j = 0; j < parts_.digits.size(); ++j) {
      if (solved_[j]) continue;
      if (forms_.holds(parts_.digits[j].last - 1)) return collides(j, {});
      solved_[j] = SizeTerm::of(0);
    }
    return !forms_.failed();
  }

  /// The digits of one result, from the largest factor on.
  bool solve(std::size_t r, const std::vector<std::size_t>& open) {
    const DigitSum& sum = parts_.sums[r];
    SizeTerm rest = minus(result(r), term(sum.constant));
    Polynomial low = sum.constant;
    Polynomial high = sum.constant;
    bool alone = true;
    for (std::size_t j = 0; j < parts_.digits.size(); ++j) {
      const int sign = sign_of(sum.factors[j], forms_);
      if (sign == 0) continue;
      const Polynomial end = sum.factors[j] * parts_.digits[j].last;
      (sign > 0 ? high : low) = (sign > 0 ? high : low) + end;
      if (solved_[j]) {
        rest = minus(std::move(rest), times(term(sum.factors[j]), *solved_[j]));
        alone = false;
      } else if (sign < 0) {
        rest = minus(std::move(rest), term(end));
      }
    }
    ends_.push_back({result(r), term(low), term(high)});
    place_of_end_.push_back(r);
    if (open.empty()) {
      if (!alone || !sum.constant.is_constant() || !(low == high)) equal_to_0(rest);
      return !forms_.failed();
    }
    const std::vector<std::size_t> order = by_factor(sum, open, forms_);
    Polynomial reach;
    std::vector<std::size_t> kept;
    const auto factor = [&](std::size_t j) {
      return sign_of(sum.factors[j], forms_) < 0 ? -sum.factors[j] : sum.factors[j];
    };
    for (const std::size_t j : order) {
      if (forms_.failed()) return false;
      if (!forms_.holds(factor(j) - reach - 1)) {
        if (forms_.holds(parts_.digits[j].last - 1)) return collides(j, kept, &sum);
        solved_[j] = SizeTerm::of(0);
        continue;
      }
      reach = reach + factor(j) * parts_.digits[j].last;
      kept.push_back(j);
    }
    for (std::size_t i = kept.size(); i-- > 0;) {
      const std::size_t j = kept[i];
      const SizeTerm over = term(factor(j));
      SizeTerm digit = is(over, 1) ? rest : combined(Kind::over, rest, over);
      rest = is(over, 1) ? SizeTerm::of(0) : combined(Kind::modulo, std::move(rest), over);
      constraints_.push_back({digit, SizeTerm::of(0), term(parts_.digits[j].last)});
      solved_[j] = sign_of(sum.factors[j], forms_) < 0 ? minus(term(parts_.digits[j].last), digit) : digit;
    }
    equal_to_0(rest);
    return !forms_.failed();
  }

  void equal_to_0(SizeTerm value) {
    constraints_.push_back({std::move(value), SizeTerm::of(0), SizeTerm::of(0)});
  }

  /// Whether the digits of one result occur in no other, and all their values are in the domain.
  bool independent(const std::vector<std::size_t>& digits, const DigitSum* sum) {
    if (constrained_) return false;
    return std::ranges::all_of(digits, [&](std::size_t j) {
      return parts_.whole[parts_.digits[j].dim] &&
             std::ranges::all_of(parts_.sums, [&](const DigitSum& other) {
               return &other == sum || other.factors[j].is_zero();
             });
    });
  }

  /// Two points with one value, if it is proved that there are: digit j has the values 0 and 1, which the
  /// smaller digits make up for.
  bool collides(std::size_t j, std::vector<std::size_t> smaller, const DigitSum* sum = nullptr) {
    const Leaf error{.kind = Leaf::Kind::error, .frame = std::string(to_string(Code::not_invertible))};
    const auto answer = [&](bool proved) {
      leaf_ =
          proved ? error
                 : Leaf{.kind = Leaf::Kind::undecided, .reason = "whether two indices have the same results"};
      return false;
    };
    if (sum == nullptr) return answer(!constrained_);
    smaller.push_back(j);
    const bool known = independent(smaller, sum);
    smaller.pop_back();
    if (!known) return answer(false);
    const auto factor = [&](std::size_t i) {
      return sign_of(sum->factors[i], forms_) < 0 ? -sum->factors[i] : sum->factors[i];
    };
    Polynomial reach;
    bool dense = true;
    for (const std::size_t i : smaller) {
      dense = dense && factor(i) == reach + 1;
      reach = reach + factor(i) * parts_.digits[i].last;
      if (!forms_.divides(factor(i), factor(j))) continue;
      if (forms_.holds(parts_.digits[i].last - forms_.quotient(factor(j), factor(i)))) return answer(true);
    }
    return answer(dense);
  }

  SymbolicMap assembled(const std::vector<SizedInterval>& domain) {
    const std::size_t rank = map_.dims().size();
    std::vector<std::string> dims;
    std::vector<SizedInterval> intervals(parts_.sums.size());
    for (std::size_t r = 0; r < parts_.sums.size(); ++r) dims.push_back(result(r).name);
    for (std::size_t i = 0; i < ends_.size(); ++i) intervals[place_of_end_[i]] = ends_[i];
    std::vector<SizeTerm> back;
    std::map<std::string, SizeTerm> names;
    for (std::size_t d = 0; d < rank; ++d) {
      std::optional<SizeTerm> x;
      for (std::size_t j = 0; j < parts_.digits.size(); ++j) {
        if (parts_.digits[j].dim != d) continue;
        SizeTerm part = times(*solved_[j], term(parts_.digits[j].div));
        x = x ? plus(*std::move(x), std::move(part)) : std::move(part);
      }
      const SizeTerm offset = plus(*x, term(forms_.dims()[d].low));
      constraints_.push_back({*x, SizeTerm::of(0), term(forms_.dims()[d].high - forms_.dims()[d].low)});
      names[map_.dims()[d]] = offset;
      back.push_back(offset);
    }
    for (SizedInterval& c : constraints_) intervals.push_back(std::move(c));
    for (std::size_t c = rank; c < domain.size(); ++c)
      intervals.push_back({replaced(domain[c].value, names), replaced(domain[c].low, names),
                           replaced(domain[c].high, names)});
    return SymbolicMap::make(std::move(dims), std::move(intervals), std::move(back), map_.where());
  }

  const SymbolicMap& map_;
  MapForms forms_;
  std::string prefix_;
  MapDigits parts_ = {};
  bool constrained_ = false;
  std::vector<std::optional<SizeTerm>> solved_ = {};
  std::vector<SizedInterval> ends_ = {};
  std::vector<std::size_t> place_of_end_ = {};
  std::vector<SizedInterval> constraints_ = {};
  Leaf leaf_ = {};
};

}  // namespace

std::string unused_prefix(char letter, const SymbolicMap& map) {
  const std::vector<std::string> sizes = map.where().names(map.sizes());
  std::string out(1, letter);
  const auto is_used = [&](const std::string& n) {
    return n.starts_with(out) && n.size() > out.size() &&
           std::ranges::all_of(n.substr(out.size()), detail::is_digit);
  };
  while (std::ranges::any_of(sizes, is_used)) out += letter;
  return out;
}

MapInverse inverse_of(const SymbolicMap& map, Recorder& run) { return Inverter(map, run).invert(); }

Leaf inverse_leaf(const SymbolicMap& map, Recorder& run) {
  const MapInverse back = inverse_of(map, run);
  return back.map ? simplified_leaf(*back.map, run) : back.leaf;
}

}  // namespace tessera::symbolic
