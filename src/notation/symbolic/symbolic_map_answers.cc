// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_map_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/plural.h"
#include "notation/limits.h"
#include "notation/symbolic/map_forms.h"
#include "notation/symbolic/symbolic_digits.h"
#include "size/few_values.h"
#include "size/limits.h"
#include "size/question.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

using tessera_tracing::Traced;

enum class Points : std::uint8_t { all, corners };

/// The points of the domain at some sizes in row-major order, the corners first if there are too many; calls
/// `visit` until it returns false. Whether all were visited, or nothing if a number does not exist.
std::optional<bool> visit_points(
    const SymbolicMap& map, Sizes at, Points which, std::int64_t& points,
    const std::function<bool(const Sizes&, const std::vector<Integer>&)>& visit) {
  const Integer most = detail::kNotationLimits.symbolic.points;
  const std::size_t rank = map.dims().size();
  std::vector<Integer> low(rank);
  std::vector<Integer> high(rank);
  Integer count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto a = evaluate(map.domain()[d].low, at);
    const auto b = evaluate(map.domain()[d].high, at);
    if (!a || !b) return std::nullopt;
    low[d] = *a;
    high[d] = *b;
    if (*b < *a) return true;
    count = std::min(count * std::min(*b - *a + 1, most + 1), most + 1);
  }
  const auto tried = [&](const std::vector<Integer>& index) -> std::optional<bool> {
    for (std::size_t d = 0; d < rank; ++d) at[map.dims()[d]] = index[d];
    ++points;
    for (std::size_t c = rank; c < map.domain().size(); ++c) {
      const auto value = evaluate(map.domain()[c].value, at);
      const auto a = evaluate(map.domain()[c].low, at);
      const auto b = evaluate(map.domain()[c].high, at);
      if (!value || !a || !b) return std::nullopt;
      if (*value < *a || *value > *b) return true;
    }
    return visit(at, index);
  };
  const bool all = count <= most;
  if (!all || which == Points::corners) {
    for (std::size_t corner = 0;
         corner < (std::size_t{1} << std::min(rank, detail::kNotationLimits.symbolic.corner_dims));
         ++corner) {
      std::vector<Integer> index(rank);
      for (std::size_t d = 0; d < rank; ++d)
        index[d] = ((corner >> std::min<std::size_t>(d, 63)) & 1U) != 0U ? high[d] : low[d];
      const auto more = tried(index);
      if (!more || !*more) return more;
    }
  }
  if (which == Points::corners) return true;
  std::vector<Integer> index = low;
  for (Integer n = 0; n < std::min(count, most); ++n) {
    const auto more = tried(index);
    if (!more || !*more) return more;
    std::size_t d = rank;
    while (d-- > 0) {
      if (++index[d] <= high[d]) break;
      index[d] = low[d];
    }
  }
  return all ? std::optional(true) : std::nullopt;
}

std::int64_t node_count(const SizeTerm& term) {
  std::int64_t out = 1;
  for (const SizeTerm& part : term.parts) out += node_count(part);
  return out;
}

/// Whether the term is linear in each of the indices, so that in a box it lies between its values at the
/// corners.
bool is_multilinear(const SizeTerm& term, const std::vector<std::string>& indices) {
  const auto has_one = [&](const SizeTerm& part, const std::vector<std::string>& of) {
    std::vector<std::string> names;
    add_names(part, names);
    return std::ranges::any_of(names,
                               [&](const std::string& n) { return std::ranges::find(of, n) != of.end(); });
  };
  switch (term.kind) {
    case SizeTerm::Kind::number:
    case SizeTerm::Kind::name:
      return true;
    case SizeTerm::Kind::times: {
      std::vector<std::string> left;
      add_names(term.parts[0], left);
      std::erase_if(left,
                    [&](const std::string& n) { return std::ranges::find(indices, n) == indices.end(); });
      if (has_one(term.parts[1], left)) return false;
      [[fallthrough]];
    }
    case SizeTerm::Kind::negative:
    case SizeTerm::Kind::plus:
    case SizeTerm::Kind::minus:
      return std::ranges::all_of(term.parts,
                                 [&](const SizeTerm& part) { return is_multilinear(part, indices); });
    default:
      return !has_one(term, indices);
  }
}

/// Whether the terms agree everywhere, or stay between bounds, if they do at the corners of the domain.
bool corners_decide(const SymbolicMap& map, const std::vector<SizeTerm>& other) {
  const auto simple = [&](const SizeTerm& t) { return is_multilinear(t, map.dims()); };
  return map.dims().size() <= detail::kNotationLimits.symbolic.corner_dims &&
         map.domain().size() == map.dims().size() && std::ranges::all_of(map.results(), simple) &&
         std::ranges::all_of(other, simple);
}

/// What a point costs in evaluations: more if the terms are long.
std::int64_t point_cost(const std::vector<SizeTerm>& a, const std::vector<SizeTerm>& b) {
  std::int64_t nodes = 0;
  for (const SizeTerm& term : a) nodes += node_count(term);
  for (const SizeTerm& term : b) nodes += node_count(term);
  return std::max<std::int64_t>(16, nodes / 4);
}

/// A question about every index of a map.
struct MapQuestion {
  const SymbolicMap& map;
  AssumptionList where;
  std::vector<std::string> names;  ///< sizes
  /// Whether the answer is true at an index, in a run.
  std::function<bool(Recording&, std::string& outside)> holds;
  /// The values that show that it is false; nothing if it is true.
  std::function<std::optional<std::vector<std::string>>(const Sizes&, bool& known)> differ;
  std::int64_t point_cost;
  bool corners_decide;
};

SizeQuestion question_of(const MapQuestion& q) {
  SizeQuestion out;
  out.where = q.where;
  out.names = q.names;
  out.indices = q.map.dims();
  out.domain = q.map.in_domain();
  out.program = [&q](Recorder& run) {
    Recording recording(run);
    std::string outside;
    const bool yes = q.holds(recording, outside);
    if (!outside.empty()) return Leaf{.kind = Leaf::Kind::outside, .reason = outside};
    return Leaf{.frame = yes ? "true" : "false"};
  };
  const auto try_points = [&q](const Sizes& at, Points which) {
    Trial trial;
    std::int64_t points = 0;
    bool known = true;
    const auto all =
        visit_points(q.map, at, which, points, [&](const Sizes& here, const std::vector<Integer>& index) {
          auto values = q.differ(here, known);
          if (!values) return known;
          trial.kind = Trial::Kind::fails;
          trial.index = index;
          trial.values = *std::move(values);
          return false;
        });
    trial.evaluations = std::max<std::int64_t>(1, points) * q.point_cost;
    if (trial.kind != Trial::Kind::fails && (!known || !all)) trial.kind = Trial::Kind::skipped;
    return trial;
  };
  out.try_at = [&q, try_points](const Sizes& at) {
    if (q.corners_decide) {
      Trial trial = try_points(at, Points::corners);
      if (trial.kind != Trial::Kind::fails) return trial;
    }
    // The first index that fails may be no corner.
    return try_points(at, Points::all);
  };
  return out;
}

/// A condition that may be the whole truth: true exactly where the answer is, at the sizes that were tried.
struct Guess {
  std::string yes;
  std::string no;
};

void add_constants(const SizeTerm& term, std::set<Integer>& out) {
  if (term.is_number() && term.number >= 2 && term.number <= (Integer{1} << 32)) out.insert(term.number);
  for (const SizeTerm& part : term.parts) add_constants(part, out);
}

std::vector<Guess> guesses(const MapQuestion& q, std::set<Integer> constants) {
  std::vector<Guess> out;
  const auto add = [&](const std::string& yes, const std::string& no) { out.push_back({yes, no}); };
  constants.insert(1);
  for (const std::string& n : q.names) {
    for (const Integer c : constants) {
      const std::string k = to_string(c);
      add(fmt::format("{} == {}", n, k), fmt::format("{} != {}", n, k));
      add(fmt::format("{} <= {}", n, k), fmt::format("{} > {}", n, k));
      if (c > 1) add(fmt::format("{} % {} == 0", n, k), fmt::format("{} % {} != 0", n, k));
    }
    for (const std::string& m : q.names) {
      if (m == n) continue;
      if (m < n) add(fmt::format("{} == {}", m, n), fmt::format("{} != {}", m, n));
      add(fmt::format("{} <= {}", m, n), fmt::format("{} > {}", m, n));
      add(fmt::format("{} % {} == 0", n, m), fmt::format("{} % {} != 0", n, m));
    }
  }
  if (out.size() > detail::kNotationLimits.symbolic.guesses)
    out.resize(detail::kNotationLimits.symbolic.guesses);
  // The truth at the first sizes; both must occur.
  struct Known {
    Sizes at;
    bool truth;
  };
  std::vector<Known> known;
  bool complete = false;
  std::int64_t spent = 0;
  const SizeQuestion question = question_of(q);
  visit_sizes(
      q.where, q.names,
      [&](const Sizes& at) {
        const Trial trial = question.try_at(at);
        spent += trial.evaluations;
        if (trial.kind == Trial::Kind::holds || trial.kind == Trial::Kind::fails)
          known.push_back({at, trial.kind == Trial::Kind::holds});
        return known.size() < detail::kNotationLimits.symbolic.guess_sizes &&
               spent < kSizeLimits.evaluations / 16;
      },
      complete);
  std::erase_if(out, [&](const Guess& g) {
    const auto condition = AssumptionList::parse(g.yes);
    return !condition ||
           std::ranges::any_of(known, [&](const Known& k) { return condition->holds(k.at) != k.truth; });
  });
  return out;
}

/// Whether `text` is true for all sizes.
bool is_true(const std::string& text, const SizeAssumptions& where) {
  const Result<SizeAnswer> out = compare_sizes(text, where);
  return out && out->kind == SizeAnswer::Kind::yes;
}

/// Whether the answer is false for each of the sizes: at one corner of the domain for all of them.
bool is_false_at_a_corner(const MapQuestion& q, const AssumptionList& where,
                          const std::set<Integer>& constants) {
  const Result<SizeAssumptions> sizes = SizeAssumptions::parse(where.text());
  if (!sizes) return false;
  // The places of each variable that are in its interval for all sizes.
  const std::size_t rank = q.map.dims().size();
  std::vector<std::vector<std::string>> places(rank);
  std::size_t corners = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string low = bracketed(canonical(q.map.domain()[d].low));
    const std::string high = bracketed(canonical(q.map.domain()[d].high));
    std::vector<std::string> all = {low, low + " + 1", high, high + " - 1"};
    for (const Integer c : constants) {
      if (c >= 2 && all.size() < 7) all.push_back(to_string(c));
    }
    for (const std::string& x : all) {
      if (is_true(x + " >= " + low, *sizes) && is_true(x + " <= " + high, *sizes)) places[d].push_back(x);
    }
    corners = std::min(corners * places[d].size(), detail::kNotationLimits.symbolic.corners);
  }
  std::vector<std::string> names = q.names;
  names.insert(names.end(), q.map.dims().begin(), q.map.dims().end());
  for (std::size_t corner = 0; corner < corners; ++corner) {
    AssumptionList at = where;
    std::size_t rest = corner;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::string& x = places[d][rest % places[d].size()];
      rest /= places[d].size();
      const auto here = AssumptionList::parse(
          fmt::format("{0} in [{1}, {2}], {0} >= {2}", q.map.dims()[d], canonical(q.map.domain()[d].low), x));
      if (!here) return false;
      at.append(*here);
    }
    const Premises start = premises(at, names, std::make_shared<Space>());
    if (start.empty) continue;
    const Exploration all = explore(start.region, start.conditions, [&](Recorder& run) {
      Recording recording(run);
      std::string outside;
      bool inside = true;
      for (std::size_t c = rank; c < q.map.domain().size() && inside; ++c) {
        const Traced value = term_value(q.map.domain()[c].value, recording, outside);
        inside = value >= term_value(q.map.domain()[c].low, recording, outside) &&
                 value <= term_value(q.map.domain()[c].high, recording, outside);
      }
      const bool yes = !inside || q.holds(recording, outside) || !outside.empty();
      return Leaf{.frame = yes ? "true" : "false"};
    });
    const bool false_everywhere =
        !all.empty && !all.cases.empty() && std::ranges::all_of(all.cases, [](const Case& c) {
          return c.leaf.kind == Leaf::Kind::value && c.leaf.frame == "false";
        });
    if (false_everywhere) return true;
  }
  return false;
}

/// The answer. Undecided if a variable has no least number, because its lower end has none.
Result<SizeAnswer> answered(const MapQuestion& q, const std::set<Integer>& constants,
                            std::function<bool()> proved) {
  AssumptionList all = q.where;
  all.append(q.map.in_domain());
  for (const std::string& dim : q.map.dims()) {
    if (all.range(dim).low != kUnboundedSize) continue;
    return SizeAnswer{.kind = SizeAnswer::Kind::undecided,
                      .reason = fmt::format("the lower end of {} has no least number", dim)};
  }
  SizeQuestion asked = question_of(q);
  asked.proved = std::move(proved);
  Result<SizeAnswer> out = answer(asked);
  if (!out || out->kind != SizeAnswer::Kind::no) return out;
  std::int64_t left = kSizeLimits.evaluations;  // of all guesses together
  for (const Guess& guess : guesses(q, constants)) {
    if (left <= 0) break;
    MapQuestion under = q;
    const auto yes = AssumptionList::parse(guess.yes);
    const auto no = AssumptionList::parse(guess.no);
    if (!yes || !no) continue;
    under.where.append(*yes);
    SizeQuestion question = question_of(under);
    question.try_at = [&left, try_at = std::move(question.try_at)](const Sizes& at) {
      if (left <= 0) return Trial{.kind = Trial::Kind::skipped, .evaluations = kSizeLimits.evaluations};
      Trial trial = try_at(at);
      left -= trial.evaluations;
      return trial;
    };
    const Result<SizeAnswer> there = answer(question);
    if (!there || there->kind != SizeAnswer::Kind::yes) continue;
    AssumptionList elsewhere = q.where;
    elsewhere.append(*no);
    if (!is_false_at_a_corner(q, elsewhere, constants)) continue;
    out->kind = SizeAnswer::Kind::iff;
    out->condition = yes->text();
    return out;
  }
  return out;
}

std::set<Integer> constants_of(const SymbolicMap& map) {
  std::set<Integer> out;
  for (const SizedInterval& i : map.domain()) {
    add_constants(i.value, out);
    add_constants(i.low, out);
    add_constants(i.high, out);
  }
  for (const SizeTerm& t : map.results()) add_constants(t, out);
  return out;
}

std::string tuple_text(const std::vector<std::optional<Integer>>& values) {
  std::string out;
  for (const auto& v : values) out += (out.empty() ? "" : ",") + to_string(v.value_or(0));
  return values.size() == 1 ? out : "(" + out + ")";
}

/// The results at a point; `known` is false if one has no number.
std::string results_text(const SymbolicMap& map, const Sizes& at, bool& known) {
  std::vector<std::optional<Integer>> values;
  for (const SizeTerm& t : map.results()) {
    values.push_back(evaluate(t, at));
    known = known && values.back().has_value();
  }
  return tuple_text(values);
}

/// The second map with the names of the variables of the first.
SizeTerm renamed(SizeTerm term, const SymbolicMap& from, const SymbolicMap& to) {
  if (term.kind == SizeTerm::Kind::name) {
    const auto found = std::ranges::find(from.dims(), term.name);
    if (found != from.dims().end())
      term.name = to.dims()[static_cast<std::size_t>(found - from.dims().begin())];
  }
  for (SizeTerm& part : term.parts) part = renamed(std::move(part), from, to);
  return term;
}

/// Whether something is proved of the forms of the map, for all sizes and points, without a case of indices.
bool proved_by_forms(const SymbolicMap& map, const MapQuestion& q,
                     const std::function<bool(MapForms&)>& holds) {
  const Premises start = premises(q.where, q.names, std::make_shared<Space>());
  if (start.empty) return false;
  const Exploration all = explore(start.region, start.conditions, [&](Recorder& run) {
    MapForms forms(run);
    declare_domain(map, forms);
    const bool yes = !forms.failed() && holds(forms);
    if (forms.failed()) return forms.failure();
    return Leaf{.frame = yes ? "true" : "false"};
  });
  return !all.empty && !all.cases.empty() && all.outside.empty() &&
         std::ranges::all_of(all.cases, [](const Case& c) {
           return c.leaf.kind == Leaf::Kind::value && c.leaf.frame == "true";
         });
}

/// Whether the answer is `yes` for each value of a size that has few.
bool proved_by_values(const MapQuestion& q) {
  return proved_for_each_value(q.where, q.names, [&](const AssumptionList& one) {
    MapQuestion here = q;
    here.where = one;
    const Result<SizeAnswer> out = answer(question_of(here));
    return out ? out->kind == SizeAnswer::Kind::yes : out.error().code == Code::empty_range;
  });
}

/// The answer, where what the cases leave open may still be proved of the forms, or for each of few values.
Result<SizeAnswer> answered(const SymbolicMap& map, const MapQuestion& q, const std::set<Integer>& constants,
                            const std::function<bool(MapForms&)>& holds) {
  Result<SizeAnswer> out = answered(q, constants, [&] { return proved_by_forms(map, q, holds); });
  if (out && out->kind == SizeAnswer::Kind::undecided && proved_by_values(q)) return SizeAnswer{};
  return out;
}

}  // namespace

Result<SizeAnswer> equal(const SymbolicMap& a, const SymbolicMap& b, const AssumptionList& where) {
  AssumptionList all = a.where();
  all.append(b.where());
  all.append(where);
  std::vector<std::string> names = a.sizes();
  for (const std::string& n : b.sizes()) names.push_back(n);
  if (a.dims().size() != b.dims().size() || a.results().size() != b.results().size()) {
    const auto shape = [](const SymbolicMap& m) {
      return fmt::format("{} and {}", tessera::detail::plural(std::ssize(m.dims()), "variable"),
                         tessera::detail::plural(std::ssize(m.results()), "result"));
    };
    SizeQuestion question{.where = all, .names = all.names(names)};
    question.program = [](Recorder&) { return Leaf{.frame = "false"}; };
    question.try_at = [&](const Sizes&) {
      return Trial{.kind = Trial::Kind::fails, .values = {shape(a), shape(b)}, .shapes_differ = true};
    };
    return answer(question);
  }
  std::vector<SizeTerm> second;
  for (const SizeTerm& t : b.results()) second.push_back(renamed(t, b, a));
  std::vector<SizedInterval> other;
  for (const SizedInterval& i : b.domain())
    other.push_back({renamed(i.value, b, a), renamed(i.low, b, a), renamed(i.high, b, a)});
  // One domain, written in one way.
  bool same = other.size() == a.domain().size();
  for (std::size_t i = 0; i < other.size() && same; ++i) {
    const SizedInterval& x = a.domain()[i];
    same = canonical(x.value) == canonical(other[i].value) && canonical(x.low) == canonical(other[i].low) &&
           canonical(x.high) == canonical(other[i].high);
  }
  if (!same)
    return SizeAnswer{.kind = SizeAnswer::Kind::undecided,
                      .reason = "the domains are written differently; maps are compared on one domain"};
  std::set<Integer> constants = constants_of(a);
  constants.merge(constants_of(b));
  const MapQuestion question{
      a,
      all,
      all.names(names),
      [&](Recording& recording, std::string& outside) {
        for (std::size_t i = 0; i < second.size(); ++i) {
          if (term_value(a.results()[i], recording, outside) != term_value(second[i], recording, outside))
            return false;
        }
        return true;
      },
      [&](const Sizes& at, bool& known) -> std::optional<std::vector<std::string>> {
        bool same_values = true;
        std::vector<std::optional<Integer>> values;
        for (std::size_t i = 0; i < second.size(); ++i) {
          values.push_back(evaluate(second[i], at));
          const std::optional<Integer> own = evaluate(a.results()[i], at);
          known = known && values.back() && own;
          same_values = same_values && own == values.back();
        }
        if (!known || same_values) return std::nullopt;
        return std::vector<std::string>{results_text(a, at, known), tuple_text(values)};
      },
      point_cost(a.results(), second),
      corners_decide(a, second)};
  return answered(a, question, constants, [&](MapForms& forms) {
    for (std::size_t i = 0; i < second.size(); ++i) {
      const Polynomial difference = forms.of(a.results()[i]) - forms.of(second[i]);
      if (!difference.known() || !forms.proves(difference) || !forms.proves(-difference)) return false;
    }
    return true;
  });
}

Result<SizeAnswer> within(const SymbolicMap& map, const std::vector<SizedInterval>& box,
                          const AssumptionList& where) {
  AssumptionList all = map.where();
  all.append(where);
  std::vector<std::string> names = map.sizes();
  std::set<Integer> constants = constants_of(map);
  std::vector<SizeTerm> bounds;
  for (const SizedInterval& i : box) {
    for (const SizeTerm& end : {i.low, i.high}) {
      add_names(end, names);
      add_constants(end, constants);
      bounds.push_back(end);
    }
  }
  const MapQuestion question{map,
                             all,
                             all.names(names),
                             [&](Recording& recording, std::string& outside) {
                               for (std::size_t i = 0; i < box.size(); ++i) {
                                 const Traced value = term_value(map.results()[i], recording, outside);
                                 if (value < term_value(box[i].low, recording, outside) ||
                                     value > term_value(box[i].high, recording, outside))
                                   return false;
                               }
                               return true;
                             },
                             [&](const Sizes& at, bool& known) -> std::optional<std::vector<std::string>> {
                               bool inside = true;
                               for (std::size_t i = 0; i < box.size() && inside; ++i) {
                                 const auto value = evaluate(map.results()[i], at);
                                 const auto low = evaluate(box[i].low, at);
                                 const auto high = evaluate(box[i].high, at);
                                 known = known && value && low && high;
                                 inside = !known || (*value >= *low && *value <= *high);
                               }
                               if (inside || !known) return std::nullopt;
                               return std::vector<std::string>{results_text(map, at, known)};
                             },
                             point_cost(map.results(), {}),
                             corners_decide(map, bounds)};
  return answered(map, question, constants, [&](MapForms& forms) {
    for (std::size_t i = 0; i < box.size(); ++i) {
      const Polynomial value = forms.of(map.results()[i]);
      const Polynomial low = forms.of(box[i].low);
      const Polynomial high = forms.of(box[i].high);
      if (forms.failed() || !forms.proves_by_ends(value - low) || !forms.proves_by_ends(high - value))
        return false;
    }
    return true;
  });
}

}  // namespace tessera::symbolic
