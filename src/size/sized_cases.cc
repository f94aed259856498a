// SPDX-License-Identifier: Apache-2.0
#include "size/sized_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "size/limits.h"
#include "size/question.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

/// `ceil_div(N,8)` as maps write it: `(N ceildiv 8)`.
std::string in_map(const std::string& text) {
  const std::size_t at = text.find("ceil_div(");
  if (at == std::string::npos) return text;
  const std::size_t begin = at + 9;
  std::size_t comma = begin;
  std::size_t end = begin;
  for (int depth = 1; end < text.size(); ++end) {
    if (text[end] == '(') ++depth;
    if (text[end] == ')' && --depth == 0) break;
    if (text[end] == ',' && depth == 1) comma = end;
  }
  const std::string over = in_map(text.substr(begin, comma - begin));
  const std::string under = in_map(text.substr(comma + 1, end - comma - 1));
  return fmt::format("{}({} ceildiv {}){}", text.substr(0, at), bracketed(over), bracketed(under),
                     in_map(text.substr(std::min(end + 1, text.size()))));
}

std::string value_text(const Leaf& leaf, const SizeRegion& region) {
  std::string out;
  std::size_t n = 0;
  const bool alone = leaf.frame.size() == 1;
  for (const char c : leaf.frame) {
    if (c != kCompactNumber && c != kOperandNumber && c != kBoundNumber && c != kSpacedNumber) {
      out += c;
      continue;
    }
    const std::string number = spelled(leaf.numbers[n++], region);
    if (alone || c == kSpacedNumber) {
      out += number;
    } else if (c == kOperandNumber) {
      out += bracketed(in_map(number));
    } else {
      out += c == kBoundNumber ? in_map(number) : compact(number);
    }
  }
  return out;
}

/// Calls `visit` for the sizes of a case in their order, until it returns false. Whether these are all.
bool visit_case(const Case& c, const AssumptionList& where, const std::vector<std::string>& names,
                const std::function<bool(const Sizes&)>& visit) {
  bool complete = false;
  const bool all = visit_sizes(
      where, names,
      [&](const Sizes& at) {
        std::map<SizeVariable, Integer> numbers;
        for (const auto& [name, value] : at) numbers[c.region->space().parameter(name)] = value;
        const bool here = std::ranges::all_of(c.conditions, [&](const SizeCondition& x) {
          return c.region->space().holds(x, numbers).value_or(false);
        });
        return !here || visit(at);
      },
      complete);
  return all && complete;
}

/// The first sizes at which the algorithms of numbers have the error of a case, with what they say.
void add_witness(SizedCase& out, const Case& c, const AssumptionList& where,
                 const std::vector<std::string>& names, const SayAtSizes& say) {
  int tries = 0;
  visit_case(c, where, names, [&](const Sizes& at) {
    const auto said = say(at);
    if (!said) return true;
    if (said->error && said->error->code == out.code) {
      out.sizes = size_map(at);
      out.witness = said->error->witness;
      out.smallest = visits_all_before(where, names, at);
      return false;
    }
    return ++tries < kSizeLimits.witness_tries;
  });
  if (!out.sizes.empty() || tries > 0) return;
  // No sizes of the case are among the first: those of a sample.
  const auto sample = c.region->sample();
  if (!sample) return;
  Sizes at;
  for (const auto& [v, value] : *sample) at[c.region->space()[v].name] = value;
  const bool inside = where.holds(at) && std::ranges::all_of(c.conditions, [&](const SizeCondition& x) {
                        return c.region->space().holds(x, *sample).value_or(false);
                      });
  const auto said = inside ? say(at) : std::nullopt;
  if (!said || !said->error || said->error->code != out.code) return;
  out.sizes = size_map(at);
  out.witness = said->error->witness;
  out.smallest = false;
}

SizedCase sized_case(const Case& c) {
  SizedCase out{.condition = spelled(c.conditions, c.region->space())};
  switch (c.leaf.kind) {
    case Leaf::Kind::value:
      out.text = value_text(c.leaf, *c.region);
      break;
    case Leaf::Kind::error:
      out.kind = SizedCase::Kind::error;
      out.code = parse_code(c.leaf.frame).value_or(Code::undecided);
      out.reason = c.leaf.reason;
      break;
    default:
      out.kind = SizedCase::Kind::undecided;
      out.reason = c.leaf.reason;
      out.assume = deciding_assumption(c);
  }
  return out;
}

/// Whether all parameters together have few values.
bool few_sizes(const AssumptionList& where, const std::vector<std::string>& names) {
  Integer count = 1;
  for (const std::string& name : names) {
    const SizeRegion::Range range = where.range(name);
    if (!range.high || *range.high - range.low >= kSizeLimits.residues) return false;
    count *= *range.high - range.low + 1;
    if (count > kSizeLimits.residues) return false;
  }
  return true;
}

/// Conditions that together hold exactly at some of few sizes; two of them hold nowhere at once. Runs of
/// sizes with one name become intervals.
class Enumerated {
 public:
  using Point = std::vector<Integer>;
  /// For each of all sizes that satisfy the assumptions, the number of its group.
  Enumerated(std::vector<std::string> names, std::map<Point, std::size_t> groups)
      : names_(std::move(names)), groups_(std::move(groups)) {}

  std::vector<std::string> conditions(std::size_t group) const {
    return below(0, groups_.begin(), groups_.end(), group);
  }

 private:
  using Iterator = std::map<Point, std::size_t>::const_iterator;

  /// The conditions about the names from `i` on. The points of the range agree in the names before.
  std::vector<std::string> below(std::size_t i, Iterator first, Iterator last, std::size_t group) const {
    if (i == names_.size())
      return first->second == group ? std::vector<std::string>{""} : std::vector<std::string>{};
    struct Run {
      Integer low;
      Integer high;
      std::vector<std::string> rest;
    };
    std::vector<Run> runs;
    while (first != last) {
      const Integer value = first->first[i];
      Iterator next = first;
      while (next != last && next->first[i] == value) ++next;
      std::vector<std::string> rest = below(i + 1, first, next, group);
      if (runs.empty() || runs.back().rest != rest) runs.push_back({value, value, std::move(rest)});
      runs.back().high = value;
      first = next;
    }
    std::vector<std::string> out;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Run& run = runs[r];
      std::string own;
      if (run.low == run.high && runs.size() > 1) {
        own = fmt::format("{} == {}", names_[i], to_string(run.low));
      } else {
        if (r > 0) own = fmt::format("{} >= {}", names_[i], to_string(run.low));
        if (r + 1 < runs.size())
          own += fmt::format("{}{} <= {}", own.empty() ? "" : " and ", names_[i], to_string(run.high));
      }
      for (const std::string& more : run.rest)
        out.push_back(own.empty() || more.empty() ? own + more : own + " and " + more);
    }
    return out;
  }

  std::vector<std::string> names_;
  std::map<Point, std::size_t> groups_;
};

/// Puts answers about numbers in place of an undecided case of few sizes: sizes with one answer are cases
/// together. Nothing if they are too many, or if one has no answer.
std::optional<std::vector<SizedCase>> enumerated(const Case& c, const AssumptionList& where,
                                                 const std::vector<std::string>& names,
                                                 const SayAtSizes& say) {
  const auto point = [&](const Sizes& at) {
    Enumerated::Point out;
    for (const std::string& name : names) out.push_back(at.at(name));
    return out;
  };
  std::vector<SizedCase> kinds;                                    // without conditions
  std::vector<std::vector<std::pair<Sizes, std::string>>> errors;  // of each kind: sizes and witnesses
  std::map<Enumerated::Point, std::size_t> groups;
  bool complete = false;
  constexpr std::size_t other = kSizeLimits.enumerated_cases;
  visit_sizes(
      where, names,
      [&](const Sizes& at) {
        groups.emplace(point(at), other);
        return true;
      },
      complete);
  const bool all = visit_case(c, where, names, [&](const Sizes& at) {
    const auto said = say(at);
    if (!said) return false;
    SizedCase one;
    if (said->error) {
      one.kind = SizedCase::Kind::error;
      one.code = said->error->code;
      one.reason = said->error->reason;
      if (one.code == Code::undecided || one.code == Code::limit) return false;
    } else {
      one.text = said->text;
    }
    const auto same = std::ranges::find_if(kinds, [&](const SizedCase& x) {
      return x.kind == one.kind && x.code == one.code && x.reason == one.reason && x.text == one.text;
    });
    const auto kind = static_cast<std::size_t>(same - kinds.begin());
    groups[point(at)] = kind;
    if (same == kinds.end()) kinds.push_back(std::move(one));
    errors.resize(kinds.size());
    if (said->error) errors[kind].emplace_back(at, said->error->witness);
    return kinds.size() <= kSizeLimits.enumerated_cases;
  });
  if (!all || !complete) return std::nullopt;
  const Enumerated sizes(names, std::move(groups));
  std::vector<SizedCase> out;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (std::string& condition : sizes.conditions(k)) {
      if (out.size() == kSizeLimits.enumerated_cases) return std::nullopt;
      out.push_back(kinds[k]);
      const auto here = AssumptionList::parse(condition);
      const auto first = std::ranges::find_if(errors[k], [&](const auto& error) {
        return condition.empty() || (here && here->holds(error.first));
      });
      if (first != errors[k].end()) {
        out.back().sizes = size_map(first->first);
        out.back().witness = first->second;
      }
      out.back().condition = std::move(condition);
    }
  }
  return out;
}

}  // namespace

std::vector<SizedParameter> parameters_of(const AssumptionList& where,
                                          const std::vector<std::string>& names) {
  std::vector<SizedParameter> out;
  for (const std::string& name : names) {
    const SizeRegion::Range range = where.range(name);
    out.push_back({name, to_string(range.low), range.high ? to_string(*range.high) : ""});
  }
  return out;
}

Result<std::vector<SizedCase>> sized_cases(const AssumptionList& where, const std::vector<std::string>& names,
                                           const SizedProgram& program, const SayAtSizes& say,
                                           std::vector<std::string>& notes, const WriteCase& write) {
  const Premises start = premises(where, names, std::make_shared<Space>());
  Exploration all{.empty = true};
  if (!start.empty) all = explore(start.region, start.conditions, program);
  if (all.empty) return fail(no_sizes(where));
  if (all.cases.empty()) {
    if (!all.outside.empty() && all.outside[0].leaf.reason.starts_with("a tile entry"))
      return fail(Code::tile_entry, "no sizes make every tile entry at least 1");
    return fail(Diagnostic{.code = Code::bad_extent,
                           .message = "no sizes make every extent at least 1",
                           .help = "assume sizes for which the operands are layouts, as in where N >= 8"});
  }
  for (const Case& c : all.outside) {
    std::string note = outside_note(c);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  std::ranges::stable_sort(all.cases, {}, [](const Case& c) { return c.conditions.size(); });
  std::vector<SizedCase> out;
  for (const Case& c : all.cases) {
    std::vector<SizedCase> written;
    if (write && c.leaf.kind == Leaf::Kind::value) written = write(c);
    const bool open =
        c.leaf.kind == Leaf::Kind::undecided ||
        std::ranges::any_of(written, [](const SizedCase& x) { return x.kind == SizedCase::Kind::undecided; });
    if (open && few_sizes(where, names)) {
      if (const auto each = enumerated(c, where, names, say)) {
        out.insert(out.end(), each->begin(), each->end());
        continue;
      }
    }
    if (write && c.leaf.kind == Leaf::Kind::value) {
      std::ranges::move(written, std::back_inserter(out));
      continue;
    }
    out.push_back(sized_case(c));
    if (c.leaf.kind == Leaf::Kind::error) add_witness(out.back(), c, where, names, say);
  }
  return out;
}

}  // namespace tessera::symbolic
