// SPDX-License-Identifier: Apache-2.0
#include "access/symbolic/sized_wavefronts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <iterator>

#include "access/limits.h"
#include "access/symbolic/residues.h"
#include "size/join.h"
#include "size/limits.h"
#include "size/question.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

/// What all sizes with some residues have.
struct Outcome {
  Index wavefronts = 0;
  bool misaligned = false;
  friend auto operator<=>(const Outcome&, const Outcome&) = default;
};
using OutcomeTable = std::map<std::vector<Integer>, Outcome>;

/// The sizes of some conditions, and what their residues have, or why that is open.
struct Part {
  std::vector<SizeCondition> conditions = {};
  OutcomeTable rows = {};
  std::string open = {};
};

/// What all cases of a question may cost together.
struct Budget {
  int steps = detail::kAccessLimits.sized_proofs;
  int parts = 2 * kSizeLimits.cases;
};

/// Counts the wavefronts of the addresses of one case.
class BankCounter {
 public:
  BankCounter(const SizedLanes& lanes, const AccessOptions& options, const std::vector<Polynomial>& offsets,
              const SizeRegion& whole, std::size_t given, Budget& budget)
      : lanes_(lanes),
        whole_(whole),
        given_(given),
        budget_(budget),
        rule_(options.target.rule(lanes.access.kind, lanes.width)),
        word_(options.target.word()) {
    period_ = Integer{rule_.banks} * word_;
    // Whether an address is a multiple of the width depends on its residue, too.
    period_ = period_ / gcd(period_, lanes.width) * lanes.width;
    for (const Polynomial& p : offsets) {
      bytes_.push_back(p * Polynomial(Integer{options.element_bits / 8}) +
                       Polynomial(Integer{lanes.access.base}));
      periodic_.push_back(bytes_.back().modulo(period_));
      if (periods_.refused.empty()) periods_.add(periodic_.back(), period_, whole.space());
    }
    for (const SizeVariable v : whole.space().parameters()) sizes_[v] = 1;
  }

  const Periods& periods() const { return periods_; }

  /// The parts of a region: one, or several where words are equal for some sizes only. Those sizes are named
  /// if they are few; else there are the sizes below the moduli, and the others.
  std::vector<Part> parts(const SizeRegion& region, const std::vector<SizeCondition>& conditions) {
    splits_ = detail::kAccessLimits.sized_splits;
    std::vector<Part> out = split(region, conditions);
    if (splits_ >= 0) return out;
    by_moduli_ = true;
    return split(region, conditions);
  }

 private:
  std::vector<Part> split(const SizeRegion& region, const std::vector<SizeCondition>& conditions) {
    if (!periods_.refused.empty()) return {{conditions, {}, periods_.refused}};
    if (--budget_.parts < 0) return {{conditions, {}, fmt::format("more than {} cases", kSizeLimits.cases)}};
    const auto residues = residues_of(region, periods_.moduli);
    if (!residues)
      return {{conditions,
               {},
               fmt::format("the banks depend on more than {} residues", to_string(kSizeLimits.residues))}};
    Part whole{.conditions = conditions};
    SizeRegion settled = region;
    std::map<Polynomial, std::optional<bool>> known;
    for (const std::vector<Integer>& row : *residues) {
      if (--budget_.steps < 0) return {{conditions, {}, too_many_steps()}};
      const std::optional<SizeRegion> here = with_residues(settled, periods_.moduli, row);
      if (!here) continue;
      open_.reset();
      const Outcome outcome = count(row, settled, *here, known);
      if (budget_.steps < 0) return {{conditions, {}, too_many_steps()}};
      if (!open_) {
        whole.rows.emplace(row, outcome);
        continue;
      }
      if (!by_moduli_ && --splits_ < 0) return {};
      const SizeCondition named = settled.reduced(*open_);
      std::vector<std::vector<Part>> sides;
      for (const SizeCondition& taken : {named, named.negated()}) {
        const std::optional<SizeRegion> side = settled.with(taken);
        if (!side) continue;
        // Without what the new one implies: K != 1 and K == 2 is K == 2.
        std::vector<SizeCondition> longer;
        for (std::size_t n = 0; n < conditions.size(); ++n) {
          if (n < given_ || !implies(whole_, {taken}, {conditions[n]})) longer.push_back(conditions[n]);
        }
        longer.push_back(taken);
        sides.push_back(split(*side, longer));
      }
      return joined(std::move(sides), conditions);
    }
    return {std::move(whole)};
  }

  static std::string too_many_steps() {
    return fmt::format("more than {} residues and proofs in all cases together",
                       detail::kAccessLimits.sized_proofs);
  }

  /// One part if both sides have the same for all residues that both have.
  static std::vector<Part> joined(std::vector<std::vector<Part>> sides,
                                  const std::vector<SizeCondition>& conditions) {
    if (sides.size() == 1) {
      // All sizes are on this side.
      if (sides[0].size() == 1) sides[0][0].conditions = conditions;
      return std::move(sides[0]);
    }
    if (sides.empty()) return {};
    if (sides[0].size() == 1 && sides[1].size() == 1 && sides[0][0].open.empty() &&
        sides[1][0].open.empty()) {
      Part both = sides[0][0];
      bool same = true;
      for (const auto& [row, outcome] : sides[1][0].rows)
        same = same && both.rows.emplace(row, outcome).first->second == outcome;
      both.conditions = conditions;
      if (same) return {std::move(both)};
    }
    std::vector<Part> out = std::move(sides[0]);
    std::ranges::move(sides[1], std::back_inserter(out));
    return out;
  }

  struct Touch {
    std::size_t lane;
    Integer word;  // of the residue of the address
  };

  Outcome count(const std::vector<Integer>& row, SizeRegion& region, const SizeRegion& here,
                std::map<Polynomial, std::optional<bool>>& known) {
    std::map<SizeVariable, Integer> sizes = sizes_;
    std::size_t i = 0;
    for (const auto& [v, modulus] : periods_.moduli) sizes[v] = row[i++];
    Outcome out;
    std::size_t next = 0;
    for (const SizedLanes::Instruction& one : lanes_.instructions) {
      std::vector<std::size_t> at(64, 0);
      for (std::uint64_t rest = one.active; rest != 0; rest &= rest - 1)
        at[static_cast<std::size_t>(std::countr_zero(rest))] = next++;
      for (const std::uint64_t phase : rule_.phases) {
        std::map<Integer, std::vector<Touch>> banks;  // different words of each
        for (std::uint64_t rest = phase & one.active; rest != 0; rest &= rest - 1) {
          const std::size_t lane = at[static_cast<std::size_t>(std::countr_zero(rest))];
          const std::optional<Integer> value = region.space().value(periodic_[lane], sizes);
          if (!value) {
            open_ = SizeCondition{};
            return out;
          }
          const Integer byte = floor_mod(*value, period_);
          out.misaligned = out.misaligned || byte % lanes_.width != 0;
          for (Integer word = byte / word_; word <= (byte + lanes_.width - 1) / word_; ++word) {
            std::vector<Touch>& others = banks[word % rule_.banks];
            const Touch touch{lane, word};
            bool found = false;
            for (const Touch& other : others) {
              const auto same = equal(touch, byte, other, residue_of(other.lane, sizes, region.space()),
                                      region, here, known);
              if (!same) return out;
              found = found || *same;
              if (found) break;
            }
            if (!found) others.push_back(touch);
          }
        }
        std::size_t ways = 0;
        for (const auto& [bank, words] : banks) ways = std::max(ways, words.size());
        out.wavefronts += static_cast<Index>(ways);
      }
    }
    return out;
  }

  Integer residue_of(std::size_t lane, const std::map<SizeVariable, Integer>& sizes,
                     const Space& space) const {
    return floor_mod(space.value(periodic_[lane], sizes).value_or(0), period_);
  }

  /// Whether two words of one bank are the same; nothing sets `open_`.
  std::optional<bool> equal(const Touch& a, Integer byte_a, const Touch& b, Integer byte_b,
                            SizeRegion& region, const SizeRegion& here,
                            std::map<Polynomial, std::optional<bool>>& known) {
    const Polynomial apart =
        bytes_[a.lane] - bytes_[b.lane] + Polynomial((byte_b - byte_a) + Integer{word_} * (a.word - b.word));
    if (!apart.known()) {
      open_ = SizeCondition{};
      return std::nullopt;
    }
    if (apart.is_constant()) return apart.is_zero();
    const SizeCondition zero{SizeCondition::Kind::zero, apart, {}};
    auto found = known.find(apart);
    if (found == known.end()) {
      const SizeRegion::Verdict verdict = region.judge(zero);
      found = known.emplace(apart, verdict.holds).first;
    }
    if (found->second) return found->second;
    if (--budget_.steps < 0) {
      open_ = SizeCondition{};
      return std::nullopt;
    }
    SizeRegion residues = here;
    const SizeRegion::Verdict verdict = residues.judge(zero);
    if (verdict.holds) return verdict.holds;
    // Below its modulus a size is its residue, and nothing is open.
    for (const auto& [v, modulus] : periods_.moduli) {
      const SizeCondition large = at_least(Polynomial::of(v), Polynomial(modulus));
      if (!by_moduli_ || !apart.has(v) || region.decide(large)) continue;
      open_ = large;
      return std::nullopt;
    }
    const SizeRegion::Verdict wide = region.judge(zero);
    open_ = wide.split.value_or(zero);
    return std::nullopt;
  }

  const SizedLanes& lanes_;
  const SizeRegion& whole_;  // the sizes of the case
  std::size_t given_;        // conditions of the case itself
  Budget& budget_;
  PhaseRule rule_;
  Integer word_;
  Integer period_ = 1;
  std::vector<Polynomial> bytes_ = {};
  std::vector<Polynomial> periodic_ = {};
  Periods periods_ = {};
  std::optional<SizeCondition> open_ = {};
  int splits_ = 0;                              // that may name sizes
  bool by_moduli_ = false;                      // there were more
  std::map<SizeVariable, Integer> sizes_ = {};  // of sizes without residues, which no bank depends on
};

std::string outcome_text(const Outcome& outcome) {
  return fmt::format("{}{}", outcome.wavefronts, outcome.misaligned ? ", misaligned" : "");
}

/// The cases of a part, in the order of their wavefronts; the conditions of one number are joined by `or`.
std::vector<SizedCase> cases_of(const Part& part, const std::map<SizeVariable, Integer>& moduli,
                                const Space& space) {
  const std::string base = spelled(part.conditions, space);
  const auto undecided = [&](std::string reason) {
    return std::vector<SizedCase>{
        {.kind = SizedCase::Kind::undecided, .condition = base, .reason = std::move(reason)}};
  };
  if (!part.open.empty()) return undecided(part.open);
  std::vector<Outcome> values;
  for (const auto& [row, outcome] : part.rows) values.push_back(outcome);
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  std::vector<SizedCase> out;
  for (const Outcome& value : values) {
    ResidueTable<bool> in;
    for (const auto& [v, modulus] : moduli) {
      in.names.push_back(space[v].name);
      in.moduli.push_back(modulus);
    }
    for (const auto& [row, outcome] : part.rows) in.rows.emplace(row, outcome == value);
    const auto conditions = conditions_of(in, detail::kAccessLimits.sized_conditions, values.size());
    if (!conditions)
      return undecided(fmt::format("a number of wavefronts needs more than {} conditions",
                                   detail::kAccessLimits.sized_conditions));
    std::string text;
    for (const std::string& c : *conditions) {
      const std::string both = base.empty() || c.empty() ? base + c : base + " and " + c;
      text += (text.empty() ? "" : " or ") + both;
    }
    out.push_back({.condition = std::move(text), .text = outcome_text(value)});
  }
  return out;
}

bool is_undecided(const SizedCase& c) { return c.kind == SizedCase::Kind::undecided; }

/// The multiples of a period of one size for which a case of the offsets is decided; empty if there are none.
std::string deciding_multiples(const SizedLanes& lanes, const AccessOptions& options, const Case& c,
                               const std::map<SizeVariable, Integer>& moduli, Budget& budget) {
  for (const auto& [v, modulus] : moduli) {
    if (modulus == 1) continue;
    const std::optional<SizeRegion> multiples = with_residues(*c.region, {{v, modulus}}, {0});
    if (!multiples) continue;
    const Space& space = multiples->space();
    BankCounter counter(lanes, options, c.leaf.numbers, *multiples, c.conditions.size(), budget);
    std::vector<SizedCase> cases;
    for (const Part& part : counter.parts(*multiples, c.conditions))
      std::ranges::move(cases_of(part, counter.periods().moduli, space), std::back_inserter(cases));
    if (!cases.empty() && std::ranges::none_of(cases, is_undecided))
      return fmt::format("{} % {} == 0", space[v].name, to_string(modulus));
  }
  return "";
}

std::string formula_of(const std::vector<Part>& parts, const std::map<SizeVariable, Integer>& moduli,
                       const Space& space) {
  if (parts.size() != 1 || !parts[0].open.empty() || moduli.size() != 1) return "";
  ResidueTable<Integer> table{.names = {space[moduli.begin()->first].name},
                              .moduli = {moduli.begin()->second}};
  for (const auto& [row, outcome] : parts[0].rows) {
    if (outcome.misaligned) return "";
    table.rows.emplace(row, outcome.wavefronts);
  }
  return gcd_formula(table);
}

Result<std::string> counted_at(const SymbolicLayout& layout, const std::string& text,
                               const AccessOptions& options, const Access& defaults, const Sizes& at) {
  const auto numbers = layout.text_at(at);
  if (!numbers) return fail(Code::bad_extent, "no layout");
  Result<Layout> read = parse_layout(*numbers);
  if (!read) return fail(std::move(read.error()));
  Access access = whole_layout(*read);
  access.base = defaults.base;
  access.vector = defaults.vector;
  if (!text.empty()) {
    Result<Access> parsed = parse_access(text, *read, options, defaults);
    if (!parsed) return fail(std::move(parsed.error()));
    access = *std::move(parsed);
  }
  const Result<AccessReports> reports = analyze_accesses(*read, std::vector{access}, options);
  if (!reports) return fail(reports.error());
  const AccessReport& one = reports->each[0];
  return outcome_text({one.shared->wavefronts, one.misaligned.has_value()});
}

}  // namespace

Result<SizedWavefronts> sized_wavefronts(const SymbolicLayout& layout,
                                         const std::vector<std::string>& threads, const AccessOptions& given,
                                         const Access& defaults, const AssumptionList& assumed) {
  AccessOptions options = given;
  options.shared = true;
  options.global = false;
  AssumptionList where = layout.where();
  where.append(assumed);
  const std::vector<std::string> names = where.names(layout.names());
  if (names.size() > kSizeLimits.parameters) return fail(too_many_parameters());
  SizedWavefronts out;
  out.answers.parameters = parameters_of(where, names);
  out.answers.where = where.text();
  const std::vector<std::string> texts = threads.empty() ? std::vector<std::string>{""} : threads;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Access own = defaults;
    own.name = std::string(1, static_cast<char>('a' + i % 26));
    const auto at_access = [&](Diagnostic error) {
      // An assumption knows its own.
      if (error.code != Code::empty_range) error.item = static_cast<std::uint32_t>(i);
      return fail(std::move(error));
    };
    const Result<SizedLanes> lanes = sized_lanes(texts[i], layout, options, own);
    if (!lanes) return at_access(lanes.error());
    SizedAccess access{.access = lanes->access, .instructions = lanes->instructions.size()};
    const PhaseRule rule = options.target.rule(access.access.kind, lanes->width);
    access.phases = std::ssize(rule.phases);
    for (const SizedLanes::Instruction& one : lanes->instructions) {
      for (const std::uint64_t phase : rule.phases) access.ideal += (phase & one.active) != 0 ? 1 : 0;
    }
    const auto program = [&](Recorder& run) {
      Recording recording(run);
      if (std::string why = not_a_layout(layout, recording); !why.empty())
        return Leaf{.kind = Leaf::Kind::outside, .reason = std::move(why)};
      const TracedDigits digits = digits_as_written(layout, recording);
      if (!digits.outside.empty()) return Leaf{.kind = Leaf::Kind::outside, .reason = digits.outside};
      if (!digits.refused.empty()) return Leaf{.kind = Leaf::Kind::undecided, .reason = digits.refused};
      const LaneOffsets offsets = lane_offsets(*lanes, digits);
      if (!offsets.undecided.empty()) return Leaf{.kind = Leaf::Kind::undecided, .reason = offsets.undecided};
      if (offsets.error)
        return Leaf{.kind = Leaf::Kind::error, .frame = std::string(to_string(*offsets.error))};
      Leaf leaf{.frame = std::string(offsets.offsets.size(), kCompactNumber)};
      for (const auto& n : offsets.offsets) leaf.numbers.push_back(recording.polynomial(n.number()));
      return leaf;
    };
    const auto said = [&](const Sizes& at) -> std::optional<SaidAtSizes> {
      Result<std::string> answer = counted_at(layout, texts[i], options, own, at);
      if (answer) return SaidAtSizes{.text = *std::move(answer)};
      Diagnostic error = std::move(answer.error());
      if (error.code == Code::bad_extent) return std::nullopt;
      if (error.witness.empty()) error.witness = error.message;
      return SaidAtSizes{.error = std::move(error)};
    };
    int cases_with_values = 0;
    Budget budget;
    Budget help{.steps = static_cast<int>(kSizeLimits.residues)};
    std::map<std::string, Integer> by;
    const auto write = [&](const Case& c) {
      BankCounter counter(*lanes, options, c.leaf.numbers, *c.region, c.conditions.size(), budget);
      const std::vector<Part> parts = counter.parts(*c.region, c.conditions);
      std::vector<SizedCase> cases;
      for (const Part& part : parts) {
        for (SizedCase& one : cases_of(part, counter.periods().moduli, c.region->space()))
          cases.push_back(std::move(one));
      }
      if (std::ranges::any_of(cases, is_undecided)) {
        const std::string assume = deciding_multiples(*lanes, options, c, counter.periods().moduli, help);
        for (SizedCase& one : cases) {
          if (is_undecided(one)) one.assume = assume;
        }
      }
      access.formula =
          ++cases_with_values == 1 ? formula_of(parts, counter.periods().moduli, c.region->space()) : "";
      for (const Part& part : parts) {
        ResidueTable<Outcome> table;
        for (const auto& [v, modulus] : counter.periods().moduli) {
          table.names.push_back(c.region->space()[v].name);
          table.moduli.push_back(modulus);
        }
        table.rows = part.rows;
        const std::vector<Integer> needed = needed_moduli(table);
        for (std::size_t k = 0; k < needed.size(); ++k) {
          Integer& known = by.emplace(table.names[k], 1).first->second;
          known = known / gcd(known, needed[k]) * needed[k];
        }
      }
      return cases;
    };
    Result<std::vector<SizedCase>> cases = sized_cases(where, names, program, said, out.answers.notes, write);
    if (!cases) return at_access(std::move(cases.error()));
    for (const auto& [name, modulus] : by) {
      if (modulus > 1) access.by.emplace_back(name, static_cast<Index>(modulus));
    }
    out.answers.answers.push_back({access.access.name, *std::move(cases)});
    out.accesses.push_back(std::move(access));
  }
  return out;
}

}  // namespace tessera::symbolic
