// SPDX-License-Identifier: Apache-2.0
#include "size/question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "size/join.h"
#include "size/limits.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

struct Counterexample {
  Sizes sizes;
  Trial trial;
  bool smallest = true;
};

/// The last value of a parameter that visit_sizes tries.
Integer last_tried(const SizeRegion::Range& range) {
  const Integer end = std::min(std::max(range.low, Integer{0}) + kSizeLimits.enumerated_size,
                               range.low + 2 * kSizeLimits.enumerated_size);
  return range.high ? std::min(*range.high, end) : end;
}

/// Whether an answer, whose numbers have 63 bits, can name the sizes and the index.
bool fits_an_answer(const Sizes& sizes, const Trial& trial) {
  const auto fits = [](Integer x) {
    return x >= std::numeric_limits<Index>::min() && x <= std::numeric_limits<Index>::max();
  };
  return std::ranges::all_of(trial.index, fits) &&
         std::ranges::all_of(sizes, [&](const auto& size) { return fits(size.second); });
}

/// The search for the smallest counterexample; `complete` without one is a proof.
std::optional<Counterexample> search(const SizeQuestion& q, bool& complete) {
  std::optional<Counterexample> found;
  bool held = false;
  bool skipped = false;
  std::int64_t spent = 0;
  const bool all = visit_sizes(
      q.where, q.names,
      [&](const Sizes& sizes) {
        Trial trial = q.try_at(sizes);
        spent += trial.evaluations;
        held = held || trial.kind == Trial::Kind::holds;
        const bool fails = trial.kind == Trial::Kind::fails;
        const bool named = fails && fits_an_answer(sizes, trial);
        if (trial.kind == Trial::Kind::skipped || (fails && !named)) skipped = true;
        if (named) {
          found =
              Counterexample{sizes, std::move(trial), !skipped && visits_all_before(q.where, q.names, sizes)};
          return false;
        }
        return spent <= kSizeLimits.evaluations;
      },
      complete);
  complete = complete && all && !skipped && held;
  return found;
}

/// Tries sizes, as long as evaluations are left.
class Shrinker {
 public:
  explicit Shrinker(const SizeQuestion& q) : q_(q) {
    for (const std::string& name : q.names) lows_[name] = q.where.tight_range(name).low;
  }

  std::optional<Trial> fails_at(const Sizes& sizes) {
    if (spent_ > kSizeLimits.evaluations / 2 || !q_.where.holds(sizes)) return std::nullopt;
    Trial trial = q_.try_at(sizes);
    spent_ += trial.evaluations;
    return trial.kind == Trial::Kind::fails ? std::optional(std::move(trial)) : std::nullopt;
  }

  /// The largest size of a counterexample, and then each one alone, as small as halving its interval finds.
  void shrink(Sizes& sizes, Trial& trial) {
    const auto halve = [&](Integer low, Integer high, const auto& sizes_with) {
      while (low < high) {
        const Integer middle = low + (high - low) / 2;
        Sizes smaller = sizes_with(middle);
        if (auto found = fails_at(smaller)) {
          sizes = std::move(smaller);
          trial = *std::move(found);
          high = middle;
        } else {
          low = middle + 1;
        }
      }
    };
    Integer largest = 0;
    for (const auto& [name, size] : sizes) largest = std::max(largest, size);
    halve(0, largest, [&](Integer top) {
      Sizes out = sizes;
      for (auto& [name, size] : out) size = std::min(size, std::max(top, lows_[name]));
      return out;
    });
    for (const std::string& name : q_.names) {
      halve(lows_[name], sizes[name], [&](Integer size) {
        Sizes out = sizes;
        out[name] = size;
        return out;
      });
    }
  }

 private:
  const SizeQuestion& q_;
  Sizes lows_;
  std::int64_t spent_ = 0;
};

/// The sample of a case as a counterexample, if the integer algorithms agree that it is one. The region of a
/// case may have more elements than satisfy the assumptions.
std::optional<Counterexample> sampled(const SizeQuestion& q, const Case& c,
                                      const std::vector<SizeCondition>& assumed) {
  const std::optional<SizeRegion> there = under(*c.region, assumed);
  const auto sample = there ? there->sample() : c.region->sample();
  if (!sample) return std::nullopt;
  Sizes sizes;
  for (const auto& [v, value] : *sample) sizes[c.region->space()[v].name] = value;
  for (const std::string& name : q.indices) sizes.erase(name);
  if (!q.where.holds(sizes)) return std::nullopt;
  Trial trial = q.try_at(sizes);
  if (trial.kind != Trial::Kind::fails || !fits_an_answer(sizes, trial)) return std::nullopt;
  Shrinker(q).shrink(sizes, trial);
  return Counterexample{std::move(sizes), std::move(trial), false};
}

/// A counterexample with parameters at the ends of their intervals or, without an end, at large powers of
/// two, as where a width of numbers is too small; then the largest of them, and each one alone, as small as
/// halving its interval finds.
std::optional<Counterexample> at_the_ends(const SizeQuestion& q) {
  std::vector<std::vector<Integer>> ends;
  std::size_t corners = 1;
  for (const std::string& name : q.names) {
    const SizeRegion::Range range = q.where.tight_range(name);
    std::vector<Integer>& own = ends.emplace_back();
    for (const Integer end :
         {range.high.value_or(Integer{1} << 32), range.high.value_or(Integer{1} << 16), range.low}) {
      if (end >= range.low && std::ranges::find(own, end) == own.end()) own.push_back(end);
    }
    if (own.empty()) return std::nullopt;
    if (corners * own.size() > kSizeLimits.corners) own.resize(1);
    corners *= own.size();
  }
  Shrinker shrinker(q);
  for (std::size_t corner = 0; corner < corners; ++corner) {
    Sizes sizes;
    std::size_t rest = corner;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      sizes[q.names[i]] = ends[i][rest % ends[i].size()];
      rest /= ends[i].size();
    }
    std::optional<Trial> trial = shrinker.fails_at(sizes);
    if (!trial) continue;
    shrinker.shrink(sizes, *trial);
    if (fits_an_answer(sizes, *trial)) return Counterexample{std::move(sizes), *std::move(trial), false};
  }
  return std::nullopt;
}

/// The groups without conditions that only exclude what another group has, too.
std::vector<std::vector<SizeCondition>> without_exclusions(std::vector<std::vector<SizeCondition>> groups,
                                                           const SizeRegion& root) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t n = 0; n < groups[g].size() && groups[g].size() > 1;) {
      std::vector<SizeCondition> rest = groups[g];
      std::vector<SizeCondition> added = groups[g];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(n));
      added[n] = added[n].negated();
      bool elsewhere = false;
      for (std::size_t h = 0; h < groups.size() && !elsewhere; ++h)
        elsewhere = h != g && implies(root, added, groups[h]);
      if (elsewhere) {
        groups[g] = std::move(rest);
      } else {
        ++n;
      }
    }
  }
  return groups;
}

/// False if no sizes satisfy the assumptions.
bool satisfiable(const AssumptionList& where, const std::vector<std::string>& names) {
  const Premises start = premises(where, names, std::make_shared<Space>());
  return !start.empty &&
         !explore(start.region, start.conditions, [](Recorder&) { return Leaf{.frame = "true"}; }).empty;
}

void put(SizeAnswer& out, const Counterexample& c) {
  out.sizes = size_map(c.sizes);
  for (const Integer x : c.trial.index) out.index.push_back(static_cast<Index>(x));
  out.values = c.trial.values;
  out.shapes_differ = c.trial.shapes_differ;
  out.smallest = c.smallest;
}

}  // namespace

std::string deciding_assumption(const Case& open) {
  if (open.conditions.empty()) return {};
  return spelled(open.conditions.back().negated(), open.region->space());
}

SizeMap size_map(const Sizes& sizes) {
  SizeMap out;
  for (const auto& [name, value] : sizes) out[name] = static_cast<Index>(value);
  return out;
}

Diagnostic no_sizes(const AssumptionList& where) {
  // Whether the first assumptions are possible is a question of its own, so few of these are asked.
  const std::vector<Assumption>& items = where.items();
  std::size_t first = 0;
  for (std::size_t end = items.empty() ? 0 : items.size() - 1; first < end;) {
    const std::size_t middle = (first + end) / 2;
    AssumptionList before;
    for (std::size_t i = 0; i <= middle; ++i) before.append(items[i]);
    if (satisfiable(before, before.names())) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  const Assumption wrong = items.empty() ? Assumption{} : items[first];
  return {.code = Code::empty_range,
          .message = fmt::format("no sizes satisfy the assumptions {}", where.text()),
          .span = wrong.span,
          .help = "a parameter without an interval ranges over 1, 2, 3, …",
          .field = wrong.field,
          .item = wrong.item};
}

Diagnostic too_many_parameters() {
  return {.code = Code::limit, .message = fmt::format("more than {} parameters", kSizeLimits.parameters)};
}

bool visits_all_before(const AssumptionList& where, const std::vector<std::string>& names, const Sizes& at) {
  Integer top = 0;
  for (const auto& [name, value] : at) top = std::max(top, value);
  return std::ranges::all_of(names, [&](const std::string& name) {
    const SizeRegion::Range range = where.range(name);
    return last_tried(range) >= (range.high ? std::min(*range.high, top) : top);
  });
}

bool visit_sizes(const AssumptionList& where, const std::vector<std::string>& names,
                 const std::function<bool(const Sizes&)>& visit, bool& complete) {
  complete = true;
  if (names.empty()) return visit({});
  std::vector<std::vector<Integer>> lists;
  std::set<Integer> tops;
  for (const std::string& name : names) {
    const SizeRegion::Range range = where.range(name);
    const AssumptionList own = where.about_only(name);
    const Integer last = last_tried(range);
    if (!range.high || last < *range.high) complete = false;
    std::vector<Integer> values;
    for (Integer x = range.low; x <= last; ++x) {
      if (own.satisfied({{name, x}})) values.push_back(x);
    }
    tops.insert(values.begin(), values.end());
    lists.push_back(std::move(values));
  }
  // Sizes of many names cost more.
  const int names_cost = 1 + static_cast<int>(names.size() / 16);
  int count = 0;
  for (const Integer top : tops) {
    std::vector<std::size_t> ends;
    for (const std::vector<Integer>& list : lists)
      ends.push_back(static_cast<std::size_t>(std::ranges::upper_bound(list, top) - list.begin()));
    if (std::ranges::find(ends, std::size_t{0}) != ends.end()) continue;
    std::vector<std::size_t> at(names.size(), 0);
    for (bool more = true; more;) {
      Integer largest = lists[0][at[0]];
      for (std::size_t i = 0; i < names.size(); ++i) largest = std::max(largest, lists[i][at[i]]);
      if (largest == top) {
        count += names_cost;
        if (count > kSizeLimits.tried_sizes) {
          complete = false;
          return true;
        }
        Sizes sizes;
        for (std::size_t i = 0; i < names.size(); ++i) sizes[names[i]] = lists[i][at[i]];
        if (where.holds(sizes) && !visit(sizes)) return false;
      }
      std::size_t digit = names.size();
      while (digit-- > 0) {
        if (++at[digit] < ends[digit]) break;
        at[digit] = 0;
      }
      more = digit < names.size();
    }
  }
  return true;
}

std::string disjunction(std::vector<std::vector<SizeCondition>> groups, const Space& space) {
  std::vector<SizeCondition> alone;
  for (const auto& g : groups) {
    if (g.size() == 1) alone.push_back(g[0]);
  }
  std::set<std::pair<std::size_t, std::string>> texts;
  for (auto& g : groups) {
    // A or (not A and B) is A or B.
    if (g.size() > 1)
      std::erase_if(
          g, [&](const SizeCondition& c) { return std::ranges::find(alone, c.negated()) != alone.end(); });
    std::vector<std::string> parts;
    for (const SizeCondition& c : g) parts.push_back(spelled(c, space));
    std::ranges::sort(parts);
    texts.emplace(g.size(), fmt::format("{}", fmt::join(parts, " and ")));
  }
  std::string out;
  for (const auto& [size, text] : texts) out += (out.empty() ? "" : " or ") + text;
  return out;
}

Result<SizeAnswer> answer(const SizeQuestion& q) {
  if (q.names.size() > kSizeLimits.parameters) return fail(too_many_parameters());
  SizeAnswer out;
  AssumptionList assumed = q.where;
  assumed.append(q.domain);
  std::vector<std::string> names = q.names;
  names.insert(names.end(), q.indices.begin(), q.indices.end());
  Premises start = premises(assumed, names, std::make_shared<Space>());
  Exploration all{.empty = true};
  if (!start.empty) all = explore(start.region, start.conditions, q.program);
  if (all.empty) {
    if (q.domain.empty() || !satisfiable(q.where, q.names)) return fail(no_sizes(q.where));
    return out;  // none of the sizes has an index
  }
  std::vector<std::vector<SizeCondition>> yes;
  std::vector<const Case*> no;
  std::vector<const Case*> open;
  std::vector<std::string> reasons;
  for (const Case& c : all.cases) {
    if (c.leaf.kind == Leaf::Kind::value && c.leaf.frame == "true") {
      yes.push_back(c.conditions);
    } else if (c.leaf.kind == Leaf::Kind::value) {
      no.push_back(&c);
    } else {
      open.push_back(&c);
      if (std::ranges::find(reasons, c.leaf.reason) == reasons.end()) reasons.push_back(c.leaf.reason);
    }
  }
  if (all.cases.empty()) return fail(q.outside, "for all sizes, " + all.outside[0].leaf.reason);
  for (const Case& c : all.outside) out.notes.push_back(outside_note(c));
  if (no.empty() && reasons.empty()) return out;
  if (q.proved && q.proved()) return SizeAnswer{};
  bool complete = false;
  std::optional<Counterexample> found = search(q, complete);
  for (std::size_t i = 0; i < no.size() && !found; ++i) found = sampled(q, *no[i], start.conditions);
  if (!found && !q.indices.empty()) found = at_the_ends(q);
  if (found) put(out, *found);
  // A condition on indices is none on sizes.
  if (reasons.empty() && !yes.empty() && q.indices.empty()) {
    out.kind = SizeAnswer::Kind::iff;
    const bool repeats = q.repeats && yes.size() == 1 && yes[0].size() == 1 && yes[0][0].p.degree() >= 2 &&
                         yes[0][0].p.terms().size() > 1;
    out.condition = disjunction(without_exclusions(std::move(yes), *all.root), *all.space);
    if (repeats && found) {
      out.kind = SizeAnswer::Kind::no;
      out.condition.clear();
    }
    return out;
  }
  if (found) {
    out.kind = SizeAnswer::Kind::no;
    return out;
  }
  if (complete && no.empty()) return out;  // the integer algorithms answered for each of the sizes
  out.kind = SizeAnswer::Kind::undecided;
  out.reason = reasons.empty() ? "no sizes of the cases that are false were found among those that were "
                                 "tried; not searched further"
                               : fmt::format("{}", fmt::join(reasons, "; "));
  if (open.size() == 1) out.assume = deciding_assumption(*open[0]);
  return out;
}

}  // namespace tessera::symbolic

namespace tessera {
namespace {

std::string counterexample(const SizeAnswer& a) {
  std::vector<std::string> sizes;
  for (const auto& [name, value] : a.sizes) sizes.push_back(fmt::format("{} = {}", name, value));
  std::string out = fmt::format("no: {}", fmt::join(sizes, ", "));
  if (a.shapes_differ) {
    out += ", shapes";
  } else if (!a.index.empty()) {
    out += fmt::format(", at ({})", fmt::join(a.index, ","));
  }
  if (!a.values.empty())
    out += fmt::format("{} {}", a.shapes_differ ? "" : ":", fmt::join(a.values, " and "));
  if (!a.smallest) out += "; smaller sizes may differ too";
  return out;
}

}  // namespace

std::string to_string(const SizeAnswer& answer) {
  switch (answer.kind) {
    case SizeAnswer::Kind::yes:
      return "yes";
    case SizeAnswer::Kind::iff:
      return fmt::format("yes iff {}{}", answer.condition,
                         answer.values.empty() ? "" : "\n" + counterexample(answer));
    case SizeAnswer::Kind::no:
      return counterexample(answer);
    case SizeAnswer::Kind::undecided:
      break;
  }
  return fmt::format(
      "undecided: {}{}", answer.reason,
      answer.assume.empty() ? "" : fmt::format("; assume {} to avoid this case", answer.assume));
}

}  // namespace tessera
