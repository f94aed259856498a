// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/plural.h"
#include "notation/symbolic/map_terms.h"
#include "notation/symbolic/symbolic_layout.h"
#include "text/character_class.h"

namespace tessera::symbolic {
namespace {

/// Where the term has the name; nothing if it does not.
Span place_of(const std::string& name, const SizeTerm& term) {
  if (term.kind == SizeTerm::Kind::name && term.name == name) return term.span;
  for (const SizeTerm& part : term.parts) {
    if (const Span place = place_of(name, part); place.end > place.begin) return place;
  }
  return {};
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Reads the parts of a map and checks their names.
class MapReader {
 public:
  MapReader(std::string_view text, const std::vector<std::string>& declared)
      : text_(text), reader_(text), declared_(declared) {}

  TermReader& reader() { return reader_; }
  std::vector<std::string>& dims() { return dims_; }

  Result<SizeTerm> term() {
    const std::uint32_t begin = reader_.span().begin;
    Result<SizeTerm> out = reader_.term();
    if (!out) return out;
    std::uint32_t end =
        std::min<std::uint32_t>(reader_.span().begin, static_cast<std::uint32_t>(text_.size()));
    while (end > begin && detail::is_white_space(text_[end - 1])) --end;
    out->span = {begin, end};
    std::vector<std::string> names;
    add_names(*out, names);
    for (const std::string& name : names) {
      if (contains(dims_, name) || contains(declared_, name)) continue;
      return fail(Code::unknown_name, fmt::format("'{}' is neither a variable nor a declared size", name),
                  place_of(name, *out), fmt::format("declare it: where {}", name));
    }
    return out;
  }

  Result<SizedInterval> interval(SizeTerm value) {
    if (!reader_.accept("[")) return reader_.expected("'['");
    Result<SizeTerm> low = term();
    if (!low) return fail(low.error());
    if (!reader_.accept(",")) return reader_.expected("','");
    Result<SizeTerm> high = term();
    if (!high) return fail(high.error());
    if (!reader_.accept("]")) return reader_.expected("']'");
    return SizedInterval{std::move(value), *std::move(low), *std::move(high)};
  }

  std::string_view slice(const SizeTerm& term) const {
    return text_.substr(term.span.begin, term.span.end - term.span.begin);
  }

 private:
  std::string_view text_;
  TermReader reader_;
  const std::vector<std::string>& declared_;
  std::vector<std::string> dims_;
};

/// `1 <= x, x <= N`; remainders are only compared with == .
std::string assumed(const MapReader& r, const SizedInterval& i, bool variable) {
  const std::string_view value = r.slice(i.value);
  if (variable) return fmt::format("{} in [{}, {}]", value, r.slice(i.low), r.slice(i.high));
  if (r.slice(i.low) == r.slice(i.high)) return fmt::format("0 + ({}) == {}", value, r.slice(i.low));
  return fmt::format("0 + ({}) >= {}, 0 + ({}) <= {}", value, r.slice(i.low), value, r.slice(i.high));
}

}  // namespace

std::vector<std::string> declared_names(std::string_view text) {
  const std::size_t split = assumptions_at(text);
  if (split == text.size()) return {};
  const auto list = AssumptionList::parse(text.substr(split + 5));
  return list ? list->names() : std::vector<std::string>{};
}

bool has_sizes(std::string_view text) {
  const std::string_view map = text.substr(0, assumptions_at(text));
  const std::size_t arrow = map.find("->");
  const auto words = [](std::string_view part) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < part.size();) {
      std::size_t end = at;
      while (end < part.size() && detail::is_word(part[end])) ++end;
      if (end > at && detail::is_letter(part[at])) out.emplace_back(part.substr(at, end - at));
      at = std::max(end, at + 1);
    }
    return out;
  };
  if (arrow == std::string_view::npos) return false;
  std::vector<std::string> names = words(map.substr(arrow));
  const std::vector<std::string> dims = words(map.substr(0, map.find(')')));
  std::erase_if(names, [&](const std::string& n) { return contains(dims, n) || is_size_word(n); });
  const Result<SymbolicMap> read = SymbolicMap::parse(map, names);
  if (!read) return false;
  // A map of numbers has its runtime variables in results and constraints, and no name in an interval.
  std::vector<std::string> sizes = read->sizes();
  const std::vector<std::string> variables = words(map.substr(0, arrow));
  std::erase_if(sizes, [&](const std::string& n) { return contains(variables, n); });
  for (const auto* const intervals : {&read->domain(), &read->given()}) {
    for (const SizedInterval& i : *intervals) {
      add_names(i.low, sizes);
      add_names(i.high, sizes);
    }
  }
  return !sizes.empty();
}

Result<SymbolicMap> SymbolicMap::parse(std::string_view text, const std::vector<std::string>& declared) {
  SymbolicMap out;
  const std::size_t split = assumptions_at(text);
  std::vector<std::string> sizes = declared;
  if (split != text.size()) {
    const auto begin = static_cast<std::uint32_t>(split + 5);
    Result<AssumptionList> where = AssumptionList::parse(text.substr(begin), begin);
    if (!where) return fail(where.error());
    out.where_ = *std::move(where);
    for (const std::string& name : out.where_.names()) sizes.push_back(name);
  }
  const std::string_view whole = text.substr(0, split);
  MapReader r(whole, sizes);
  TermReader& reader = r.reader();
  if (!reader.accept("(")) return reader.expected("'(' and the variables of a map");
  while (!reader.at(")")) {
    const Span place = reader.span();
    const std::string name(reader.peek());
    if (name.empty() || !detail::is_letter(name[0]) || is_size_word(name))
      return reader.expected("the name of a variable");
    const bool numbered =
        name.size() > 1 && name[0] == 'd' && std::ranges::all_of(name.substr(1), detail::is_digit);
    if (numbered && contains(out.where_.names(), name))
      return fail(Code::syntax, fmt::format("{} is a variable, and 'where' is about sizes", name), place,
                  fmt::format("a constraint on {0} belongs to the domain: {0} in [2, 7]", name));
    if (contains(out.dims_, name) || contains(sizes, name))
      return fail(Code::duplicate_name, fmt::format("'{}' is declared twice", name), place);
    reader.accept(name);
    out.dims_.push_back(name);
    if (!reader.accept(",")) break;
  }
  if (!reader.accept(")")) return reader.expected("',' or ')'");
  if (reader.at("["))
    return fail(Code::not_applicable, "maps with names for sizes have no range variables", reader.span());
  // A runtime variable that is declared as a size has one value in all maps of the question.
  std::vector<std::string> runtime;
  if (reader.accept("{")) {
    while (!reader.at("}")) {
      const Span place = reader.span();
      const std::string name(reader.peek());
      if (name.empty() || !detail::is_letter(name[0]) || is_size_word(name))
        return reader.expected("the name of a variable");
      if (contains(out.dims_, name) || contains(runtime, name))
        return fail(Code::duplicate_name, fmt::format("'{}' is declared twice", name), place);
      if (!contains(sizes, name))
        return fail(
            Code::not_applicable,
            fmt::format("a map with names for sizes has no runtime variables, but '{}' may be a size", name),
            place, fmt::format("declare it: where {}", name));
      reader.accept(name);
      runtime.push_back(name);
      if (!reader.accept(",")) break;
    }
    if (!reader.accept("}")) return reader.expected("',' or '}'");
  }
  r.dims() = out.dims_;
  if (!reader.accept("-") || !reader.accept(">")) return reader.expected("'->'");
  if (!reader.accept("(")) return reader.expected("'(' and the results");
  while (!reader.at(")")) {
    Result<SizeTerm> term = r.term();
    if (!term) return fail(term.error());
    out.results_.push_back(*std::move(term));
    if (!reader.accept(",")) break;
  }
  if (!reader.accept(")")) return reader.expected("',' or ')'");
  std::vector<std::optional<SizedInterval>> own(out.dims_.size());
  std::vector<SizedInterval> constraints;
  std::string assumptions;
  if (reader.accept(",")) {
    if (!reader.accept("domain") || !reader.accept(":")) return reader.expected("'domain:'");
    do {
      Result<SizeTerm> value = r.term();
      if (!value) return fail(value.error());
      if (!reader.accept("in")) return reader.expected("'in' and an interval");
      Result<SizedInterval> interval = r.interval(*std::move(value));
      if (!interval) return fail(interval.error());
      const auto dim = std::ranges::find(out.dims_, interval->value.name);
      const bool variable = interval->value.kind == SizeTerm::Kind::name && dim != out.dims_.end() &&
                            !own[static_cast<std::size_t>(dim - out.dims_.begin())];
      const auto size = std::ranges::find(runtime, interval->value.name);
      const bool known = interval->value.kind == SizeTerm::Kind::name && size != runtime.end();
      if (variable || known) {
        for (const SizeTerm* end : {&interval->low, &interval->high}) {
          std::vector<std::string> names;
          add_names(*end, names);
          const auto other =
              std::ranges::find_if(names, [&](const std::string& n) { return contains(out.dims_, n); });
          if (other == names.end()) continue;
          return fail(
              Code::not_applicable,
              fmt::format("the interval of {} depends on the variable {}", interval->value.name, *other),
              end->span,
              fmt::format("give {0} an interval of sizes, and add a constraint: {0} - {1} in [0, N]",
                          interval->value.name, *other));
        }
      }
      if (known) {
        const std::uint32_t begin = interval->value.span.begin;
        const std::size_t end = whole.find(']', interval->high.span.end) + 1;
        Result<AssumptionList> range = AssumptionList::parse(whole.substr(begin, end - begin), begin);
        if (!range) return fail(range.error());
        out.where_.append(*range);
        out.given_.push_back(*std::move(interval));
        runtime.erase(size);
        continue;
      }
      assumptions += (assumptions.empty() ? "" : ", ") + assumed(r, *interval, variable);
      if (variable) {
        own[static_cast<std::size_t>(dim - out.dims_.begin())] = *std::move(interval);
      } else {
        constraints.push_back(*std::move(interval));
      }
    } while (reader.accept(","));
  }
  if (!reader.at_end()) return reader.expected("',' or the end");
  if (!runtime.empty())
    return fail(Code::syntax, fmt::format("the variable {} has no interval", runtime[0]), {},
                fmt::format("add it to the domain: {} in [0, N - 1]", runtime[0]));
  for (std::size_t d = 0; d < out.dims_.size(); ++d) {
    if (!own[d])
      return fail(Code::syntax, fmt::format("the variable {} has no interval", out.dims_[d]), {},
                  fmt::format("add it to the domain: {} in [0, N - 1]", out.dims_[d]));
    out.domain_.push_back(*std::move(own[d]));
  }
  for (SizedInterval& c : constraints) out.domain_.push_back(std::move(c));
  if (!assumptions.empty()) {
    Result<AssumptionList> list = AssumptionList::parse(assumptions);
    if (!list) return fail(Code::syntax, list.error().message);
    out.in_domain_ = *std::move(list);
  }
  return out;
}

SymbolicMap SymbolicMap::make(std::vector<std::string> dims, std::vector<SizedInterval> domain,
                              std::vector<SizeTerm> results, AssumptionList where) {
  SymbolicMap out;
  out.dims_ = std::move(dims);
  out.domain_ = std::move(domain);
  out.results_ = std::move(results);
  out.where_ = std::move(where);
  std::string assumptions;
  for (std::size_t i = 0; i < out.domain_.size(); ++i) {
    const SizedInterval& one = out.domain_[i];
    const std::string value = in_map(one.value);
    const std::string low = in_map(one.low);
    const std::string high = in_map(one.high);
    assumptions += assumptions.empty() ? "" : ", ";
    assumptions += i < out.dims_.size() ? fmt::format("{} in [{}, {}]", value, low, high)
                                        : fmt::format("0 + ({0}) >= {1}, 0 + ({0}) <= {2}", value, low, high);
  }
  if (!assumptions.empty()) out.in_domain_ = AssumptionList::parse(assumptions).value_or(AssumptionList());
  return out;
}

std::optional<std::string> SymbolicMap::text_at(const Sizes& sizes) const {
  std::vector<std::string> intervals;
  for (const SizedInterval& i : domain_) {
    const auto low = evaluate(i.low, sizes);
    const auto high = evaluate(i.high, sizes);
    if (!low || !high) return std::nullopt;
    intervals.push_back(fmt::format("{} in [{}, {}]", in_map(with_numbers(i.value, sizes)), to_string(*low),
                                    to_string(*high)));
  }
  std::vector<std::string> results;
  for (const SizeTerm& t : results_) results.push_back(in_map(with_numbers(t, sizes)));
  return fmt::format("({}) -> ({}){}{}", fmt::join(dims_, ", "), fmt::join(results, ", "),
                     intervals.empty() ? "" : ", domain: ", fmt::join(intervals, ", "));
}

std::vector<std::string> SymbolicMap::sizes() const {
  std::vector<std::string> names;
  for (const SizedInterval& i : domain_) {
    for (const SizeTerm* t : {&i.value, &i.low, &i.high}) add_names(*t, names);
  }
  for (const SizeTerm& t : results_) add_names(t, names);
  std::erase_if(names, [&](const std::string& n) { return contains(dims_, n); });
  return names;
}

Result<std::vector<SizedInterval>> parse_box(std::string_view text, const SymbolicMap& map,
                                             const std::vector<std::string>& declared) {
  std::vector<std::string> names = declared;
  for (const std::string& n : map.where().names()) names.push_back(n);
  MapReader r(text, names);
  std::vector<SizedInterval> out;
  do {
    Result<SizedInterval> interval = r.interval({});
    if (!interval) return fail(interval.error());
    out.push_back(*std::move(interval));
  } while (r.reader().accept(","));
  if (!r.reader().at_end()) return r.reader().expected("',' or the end");
  if (out.size() != map.results().size())
    return fail(Code::value_count, fmt::format("the box has {}, but the map has {}",
                                               tessera::detail::plural(std::ssize(out), "interval"),
                                               tessera::detail::plural(std::ssize(map.results()), "result")));
  return out;
}

}  // namespace tessera::symbolic
