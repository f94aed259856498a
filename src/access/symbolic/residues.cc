// SPDX-License-Identifier: Apache-2.0
#include "access/symbolic/residues.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "access/limits.h"
#include "size/limits.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

std::vector<Integer> divisors_of(Integer n) {
  std::vector<Integer> out;
  for (Integer d = 1; d <= n; ++d) {
    if (n % d == 0) out.push_back(d);
  }
  return out;
}

/// The numbers that a size has in a region: `from + step * n`.
struct Steps {
  Integer from = 0;
  Integer step = 1;
};
Steps steps_of(const SizeRegion& region, SizeVariable v) {
  const auto found = region.values().find(v);
  if (found == region.values().end()) return {};
  Integer step = 0;
  for (const Polynomial::Term& t : found->second.terms()) {
    if (!t.monomial.empty()) step = gcd(step, t.factor);
  }
  return {found->second.constant(), step};
}

std::string condition(const std::string& name, Integer modulus, Integer residue, bool equal = true) {
  return fmt::format("{} % {} {} {}", name, to_string(modulus), equal ? "==" : "!=", to_string(residue));
}

}  // namespace

void Periods::add(const Polynomial& p, Integer modulus, const Space& space) {
  if (!p.known() || modulus > detail::kAccessLimits.sized_modulus) {
    refused = "a number is too large";
    return;
  }
  for (const Polynomial::Term& t : p.terms()) {
    const Integer own = modulus / gcd(modulus, t.factor);
    if (own == 1) continue;
    for (const SizeVariable v : t.monomial) {
      const VariableInfo& info = space[v];
      if (info.kind == VariableInfo::Kind::parameter) {
        Integer& known = moduli.emplace(v, 1).first->second;
        known = known / gcd(known, own) * own;
        if (known > detail::kAccessLimits.sized_modulus) refused = "a number is too large";
      } else if (info.kind == VariableInfo::Kind::quotient && info.b.is_constant()) {
        add(info.a, own * info.b.constant(), space);
      } else if (refused.empty()) {
        refused =
            fmt::format("the banks depend on {}, which has no period", spelled(Polynomial::of(v), space));
      }
      if (!refused.empty()) return;
    }
  }
}

std::optional<std::vector<std::vector<Integer>>> residues_of(const SizeRegion& region,
                                                             const std::map<SizeVariable, Integer>& moduli) {
  std::vector<std::vector<Integer>> out = {{}};
  for (const auto& [v, modulus] : moduli) {
    const Steps steps = steps_of(region, v);
    std::vector<Integer> own;
    const Integer period = modulus / gcd(modulus, steps.step);  // different residues
    if (period * static_cast<Integer>(out.size()) > kSizeLimits.residues) return std::nullopt;
    for (Integer n = 0; n < period; ++n) own.push_back(floor_mod(steps.from + n * steps.step, modulus));
    std::ranges::sort(own);
    std::vector<std::vector<Integer>> longer;
    for (const std::vector<Integer>& before : out) {
      for (const Integer r : own) {
        longer.push_back(before);
        longer.back().push_back(r);
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::optional<SizeRegion> with_residues(const SizeRegion& region,
                                        const std::map<SizeVariable, Integer>& moduli,
                                        const std::vector<Integer>& residues) {
  SizeRegion out = region;
  std::size_t i = 0;
  for (const auto& [v, modulus] : moduli) {
    const Integer residue = residues[i++];
    const SizeCondition c = divides(Polynomial(modulus), Polynomial::of(v) - Polynomial(residue));
    const std::optional<bool> known = out.decide(c);
    if (known && !*known) return std::nullopt;
    if (known) continue;
    std::optional<SizeRegion> next = out.with(c);
    if (!next) return std::nullopt;
    out = *std::move(next);
  }
  return out;
}

namespace {

/// Which classes of residues modulo `moduli` are inside as a whole; rows inside are removed from `left`.
using Rows = std::map<std::vector<Integer>, bool>;
std::vector<std::vector<Integer>> whole_classes(const Rows& rows, const std::vector<Integer>& moduli,
                                                std::set<std::vector<Integer>>& left) {
  std::map<std::vector<Integer>, std::vector<const std::vector<Integer>*>> inside;
  std::set<std::vector<Integer>> mixed;
  for (const auto& [residues, in] : rows) {
    std::vector<Integer> key = residues;
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = floor_mod(key[i], moduli[i]);
    if (in) {
      inside[std::move(key)].push_back(&residues);
    } else {
      mixed.insert(std::move(key));
    }
  }
  std::vector<std::vector<Integer>> out;
  for (const auto& [key, members] : inside) {
    if (mixed.contains(key)) continue;
    std::size_t removed = 0;
    for (const std::vector<Integer>* row : members) removed += left.erase(*row);
    if (removed > 0) out.push_back(key);
  }
  return out;
}

/// The moduli to try, smaller products first: all combinations of divisors, or the moduli alone if those are
/// too many.
std::vector<std::vector<Integer>> coarser(const std::vector<Integer>& moduli, std::size_t rows) {
  std::vector<std::vector<Integer>> out = {{}};
  for (const Integer m : moduli) {
    std::vector<std::vector<Integer>> longer;
    for (const std::vector<Integer>& before : out) {
      for (const Integer d : divisors_of(m)) {
        longer.push_back(before);
        longer.back().push_back(d);
      }
    }
    out = std::move(longer);
    if (out.size() * rows > detail::kAccessLimits.sized_moduli) return {moduli};
  }
  std::ranges::stable_sort(out, {}, [](const std::vector<Integer>& m) {
    return std::accumulate(m.begin(), m.end(), Integer{1}, std::multiplies<>());
  });
  return out;
}

/// Residue classes that together have exactly the rows inside, each with its moduli.
using Classes = std::vector<std::pair<std::vector<Integer>, std::vector<Integer>>>;
std::optional<Classes> cover(const ResidueTable<bool>& in, bool inside, std::size_t most,
                             std::size_t tables) {
  Rows rows;
  std::set<std::vector<Integer>> left;
  for (const auto& [residues, value] : in.rows) {
    rows.emplace(residues, value == inside);
    if (value == inside) left.insert(residues);
  }
  Classes out;
  for (const std::vector<Integer>& moduli : coarser(in.moduli, rows.size() * tables)) {
    if (left.empty()) break;
    for (std::vector<Integer>& key : whole_classes(rows, moduli, left)) {
      if (out.size() == most) return std::nullopt;
      out.emplace_back(moduli, std::move(key));
    }
  }
  return out;
}

}  // namespace

std::optional<std::vector<std::string>> conditions_of(const ResidueTable<bool>& in, std::size_t most,
                                                      std::size_t tables) {
  const std::optional<Classes> inside = cover(in, true, most, tables);
  const std::optional<Classes> outside = cover(in, false, 1, tables);
  if (outside && outside->size() == 1 && (!inside || inside->size() > 1)) {
    const auto& [moduli, key] = outside->front();
    const auto apart = [](Integer m) { return m > 1; };
    if (std::ranges::count_if(moduli, apart) == 1) {
      const auto i = static_cast<std::size_t>(std::ranges::find_if(moduli, apart) - moduli.begin());
      return std::vector<std::string>{condition(in.names[i], moduli[i], key[i], false)};
    }
  }
  if (!inside) return std::nullopt;
  std::vector<std::string> out;
  for (const auto& [moduli, key] : *inside) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (moduli[i] > 1) parts.push_back(condition(in.names[i], moduli[i], key[i]));
    }
    out.push_back(fmt::format("{}", fmt::join(parts, " and ")));
  }
  return out;
}

std::string gcd_formula(const ResidueTable<Integer>& table) {
  if (table.names.size() != 1 || table.rows.size() < 2) return "";
  const Integer m = table.moduli[0];
  std::set<Integer> values;
  for (const auto& [residues, value] : table.rows) values.insert(value);
  if (values.size() < 2) return "";
  // Small numbers first: N, N + 1, N - 1, N + 2, ...
  for (Integer k = 0; k < m; ++k) {
    const Integer a = k % 2 == 0 ? -(k / 2) : (k + 1) / 2;
    for (const Integer g : divisors_of(m)) {
      std::optional<std::pair<Integer, Integer>> factor;
      const bool fits = std::ranges::all_of(table.rows, [&](const auto& row) {
        const Integer d = gcd(row.first[0] + a, g);
        if (!factor) {
          const Integer common = gcd(row.second, d);
          factor = {row.second / common, d / common};
        }
        return row.second * factor->second == factor->first * d;
      });
      if (!fits || (factor->first != 1 && factor->second != 1)) continue;
      const std::string sum =
          a == 0 ? table.names[0]
                 : fmt::format("{} {} {}", table.names[0], a > 0 ? '+' : '-', to_string(a > 0 ? a : -a));
      return fmt::format("{}gcd({},{}){}", factor->first == 1 ? "" : to_string(factor->first) + "*", sum,
                         to_string(g), factor->second == 1 ? "" : "/" + to_string(factor->second));
    }
  }
  return "";
}

}  // namespace tessera::symbolic
