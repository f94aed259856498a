// SPDX-License-Identifier: Apache-2.0
#include "size/sized_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
  const auto said = where.holds(at) ? say(at) : std::nullopt;
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

std::string equalities(const Sizes& at) {
  std::string out;
  for (const auto& [name, value] : at)
    out += fmt::format("{}{} == {}", out.empty() ? "" : " and ", name, to_string(value));
  return out;
}

/// Puts answers about numbers in place of an undecided case, one for each of few sizes.
std::vector<SizedCase> enumerated(const Case& c, const AssumptionList& where,
                                  const std::vector<std::string>& names, const SayAtSizes& say) {
  std::vector<SizedCase> out;
  const bool all = visit_case(c, where, names, [&](const Sizes& at) {
    const auto said = say(at);
    if (!said || out.size() >= kSizeLimits.enumerated_cases) return false;
    SizedCase one{.condition = equalities(at)};
    if (said->error) {
      one.kind = SizedCase::Kind::error;
      one.code = said->error->code;
      one.reason = said->error->reason;
      one.witness = said->error->witness;
      one.sizes = size_map(at);
      if (one.code == Code::undecided || one.code == Code::limit) return false;
    } else {
      one.text = said->text;
    }
    out.push_back(std::move(one));
    return true;
  });
  return all ? out : std::vector<SizedCase>{};
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
      const std::vector<SizedCase> each = enumerated(c, where, names, say);
      out.insert(out.end(), each.begin(), each.end());
      if (!each.empty()) continue;
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
