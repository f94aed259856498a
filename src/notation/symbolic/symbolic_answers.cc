// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/at_fault.h"
#include "notation/symbolic/symbolic_digits.h"
#include "notation/symbolic/symbolic_from_digits.h"
#include "notation/symbolic/symbolic_index.h"
#include "size/limits.h"
#include "size/question.h"
#include "size/spelling.h"
#include "tessera/notation/conversion.h"

namespace tessera::symbolic {
namespace {

using tessera_tracing::Traced;

/// The names of a term, each as often as it occurs.
void add_each_name(const SizeTerm& term, std::vector<std::string>& out) {
  if (term.kind == SizeTerm::Kind::name) out.push_back(term.name);
  for (const SizeTerm& part : term.parts) add_each_name(part, out);
}

/// Answers of one layout, one after another.
class Asker {
 public:
  Asker(const SymbolicLayout& layout, const AssumptionList& where, std::vector<std::string> others = {})
      : layout_(layout) {
    where_.append(layout.where());
    where_.append(where);
    std::vector<std::string> names = layout.names();
    names.insert(names.end(), others.begin(), others.end());
    names_ = where_.names(std::move(names));
    out_.parameters = parameters_of(where_, names_);
    out_.where = where_.text();
  }

  /// `write`: from the digits to a leaf. `say`: from the layout of numbers to what it answers. `normal`: the
  /// digits are in their normal form.
  template <class Write, class Say>
  Result<void> ask(std::string name, bool normal, const Write& write, const Say& say) {
    if (names_.size() > kSizeLimits.parameters) return fail(too_many_parameters());
    const auto program = [&](Recorder& run) {
      Recording recording(run);
      if (std::string why = not_a_layout(layout_, recording); !why.empty())
        return Leaf{.kind = Leaf::Kind::outside, .reason = std::move(why)};
      const TracedDigits digits =
          normal ? traced_digits(layout_, recording) : digits_as_written(layout_, recording);
      if (!digits.outside.empty()) return Leaf{.kind = Leaf::Kind::outside, .reason = digits.outside};
      if (!digits.refused.empty()) return Leaf{.kind = Leaf::Kind::undecided, .reason = digits.refused};
      return write(digits, recording);
    };
    const auto said = [&](const Sizes& at) -> std::optional<SaidAtSizes> {
      const auto text = layout_.text_at(at);
      if (!text) return std::nullopt;
      const Result<Layout> numbers = parse_layout(*text);
      if (!numbers) return std::nullopt;
      Result<std::string> answer = say(*numbers, at);
      if (answer) return SaidAtSizes{.text = *std::move(answer)};
      Diagnostic error = std::move(answer.error());
      if (error.witness.empty()) error.witness = error.message.substr(0, error.message.rfind(" ("));
      return SaidAtSizes{.error = std::move(error)};
    };
    Result<std::vector<SizedCase>> cases = sized_cases(where_, names_, program, said, out_.notes);
    if (!cases) return fail(std::move(cases.error()));
    out_.answers.push_back({std::move(name), *std::move(cases)});
    return {};
  }

  SizedAnswers& out() { return out_; }
  const std::vector<std::string>& names() const { return names_; }
  const AssumptionList& where() const { return where_; }

 private:
  const SymbolicLayout& layout_;
  AssumptionList where_;
  std::vector<std::string> names_;
  SizedAnswers out_;
};

Leaf number(Traced n, const Recording& recording) {
  return {.frame = std::string(1, kSpacedNumber), .numbers = {recording.polynomial(n.number())}};
}

Result<std::string> converted(const Layout& layout, std::optional<Notation> to) {
  if (!to) {
    const Result<Digits> digits = to_digits(layout);
    return digits ? Result<std::string>(to_string(*digits)) : fail(digits.error());
  }
  const Result<Conversion> out = tessera::convert(layout, *to);
  return out ? Result<std::string>(to_string(out->layout)) : fail(out.error());
}

/// The smallest or the largest offset: digits of the highest index, and all smaller ones.
struct Bounds {
  Traced low = 0;
  Traced high = 0;
};
Bounds offset_bounds(const TracedDigits& digits) {
  const auto hull = [](const Bounds& a, const Bounds& b) {
    return Bounds{a.low <= b.low ? a.low : b.low, a.high >= b.high ? a.high : b.high};
  };
  const auto reach = [](Traced most, Traced stride) {
    const Traced end = most * stride;
    return stride >= 0 ? Bounds{0, end} : Bounds{end, 0};
  };
  const auto sum = [](const Bounds& a, const Bounds& b) { return Bounds{a.low + b.low, a.high + b.high}; };
  Bounds out{digits.constant, digits.constant};
  for (std::size_t d = 0; d < digits.dims.size(); ++d) {
    Bounds capped;
    Bounds free;
    const std::vector<TracedDigit>& own = digits.dims[d];
    for (std::size_t i = 0; i < own.size(); ++i) {
      const TracedDigit& digit = own[i];
      const bool top = i + 1 == own.size();
      const Traced whole = (digits.extent[d] - 1) / digit.div;
      const Traced last = top ? whole : whole % digit.extent;
      const Bounds at_last = sum({last * digit.stride, last * digit.stride}, capped);
      capped = last == 0 ? at_last : hull(at_last, sum(reach(last - 1, digit.stride), free));
      free = sum(free, reach(digit.extent - 1, digit.stride));
    }
    out = sum(out, capped);
  }
  return out;
}

}  // namespace

AssumptionList assumptions_of(const std::vector<SizeRange>& sizes) {
  std::string text;
  for (const SizeRange& size : sizes) {
    text += text.empty() ? "" : ", ";
    if (size.count() == 1) {
      text += fmt::format("{} in [{}, {}]", size.name, size.first, size.first);
      continue;
    }
    text += fmt::format("{} in [{}, {}]", size.name, size.first, size.last);
    if (size.step > 1)
      text += fmt::format(", {} % {} == {}", size.name, size.step, tessera::mod(size.first, size.step));
  }
  if (text.empty()) return {};
  return AssumptionList::parse(text).value_or(AssumptionList());
}

Result<SizedAnswers> convert(const SymbolicLayout& layout, std::optional<Notation> to,
                             const AssumptionList& where) {
  Asker asker(layout, where);
  const Result<void> asked = asker.ask(
      "", to != Notation::map,
      [&](const TracedDigits& digits, Recording& recording) {
        return to ? written(digits, *to, layout, recording) : digits_text(digits, recording);
      },
      [&](const Layout& numbers, const Sizes&) { return converted(numbers, to); });
  if (!asked) return fail(asked.error());
  std::vector<std::string>& notes = asker.out().notes;
  const bool typed = to == Notation::xla || to == Notation::onednn;
  if (!typed && to && !layout.type().empty()) notes.push_back("dropped type " + layout.type());
  if (to == Notation::xla && layout.type().empty())
    notes.emplace_back("the source has no element type; f32 is assumed");
  return std::move(asker.out());
}

Result<SizedAnswers> offset_at(const SymbolicLayout& layout, const std::string& index,
                               const AssumptionList& where) {
  const Result<IndexTerms> read = detail::at_fault("index", index_terms(index, layout));
  if (!read) return fail(read.error());
  const std::vector<SizeTerm>* const terms = &read->terms;
  std::vector<std::string> names;
  for (const SizeTerm& t : *terms) add_names(t, names);
  Asker asker(layout, where, names);
  const int top = layout.shape().nesting[0];
  const std::size_t rank = top == TermTree::kLeaf ? 1 : static_cast<std::size_t>(top);
  const bool linear =
      terms->size() == 1 && rank > 1 && layout.kind() == SymbolicLayout::Kind::cute && layout.crop().empty();
  if (terms->size() != rank && !linear) {
    return fail(Diagnostic{
        .code = Code::value_count,
        .message = fmt::format("the index has {} term{}, but the layout has {} dimension{}", terms->size(),
                               terms->size() == 1 ? "" : "s", rank, rank == 1 ? "" : "s"),
        .span = {0, static_cast<std::uint32_t>(index.size())},
        .help = "with names, an index has one term for each dimension: 2,N - 1",
        .field = "index"});
  }
  const Result<void> asked = asker.ask(
      index, false,
      [&](const TracedDigits& digits, Recording& recording) {
        std::string outside;
        std::vector<Traced> at;
        const Leaf no{.kind = Leaf::Kind::error, .frame = std::string(to_string(Code::index_out_of_range))};
        for (const auto& [coordinate, extent] : read->inside) {
          const Traced n = term_value(coordinate, recording, outside);
          if (n < 0 || n >= term_value(extent, recording, outside)) return no;
        }
        for (const SizeTerm& t : *terms) at.push_back(term_value(t, recording, outside));
        if (!outside.empty()) return Leaf{.kind = Leaf::Kind::outside, .reason = outside};
        if (linear) {
          Traced rest = at[0];
          if (rest < 0) return no;
          at.clear();
          for (std::size_t d = 0; d < rank; ++d) {
            at.push_back(d + 1 == rank ? rest : rest % digits.extent[d]);
            rest = rest / digits.extent[d];
          }
        }
        for (std::size_t d = 0; d < rank; ++d) {
          if (at[d] < 0 || at[d] >= digits.extent[d]) return no;
        }
        return number(offset_of(digits, at), recording);
      },
      [&](const Layout& numbers, const Sizes& at) -> Result<std::string> {
        for (const auto& [coordinate, extent] : read->inside) {
          const auto n = evaluate(coordinate, at);
          if (!n || *n < 0 || *n >= evaluate(extent, at).value_or(0))
            return fail(Code::index_out_of_range, fmt::format("the coordinate {} is outside [0, {})",
                                                              canonical(coordinate), canonical(extent)));
        }
        std::vector<Index> values;
        for (const SizeTerm& t : *terms) {
          const auto value = evaluate(t, at);
          if (!value || *value < kIndexMin || *value > kIndexMax)
            return fail(Code::number_range, "the index does not fit in 64 bits");
          values.push_back(static_cast<Index>(*value));
        }
        if (linear) {
          Index rest = values[0];
          values.clear();
          for (std::size_t d = 0; d < rank; ++d) {
            values.push_back(d + 1 == rank ? rest : tessera::mod(rest, numbers.shape()[d]));
            rest = tessera::floor_div(rest, numbers.shape()[d]);
          }
        }
        for (std::size_t d = 0; d < rank; ++d) {
          if (values[d] < 0 || values[d] >= numbers.shape()[d])
            return fail(Code::index_out_of_range, fmt::format("index {} of dimension {} is outside [0, {}]",
                                                              values[d], d, numbers.shape()[d] - 1));
        }
        return std::to_string(numbers.offset(values));
      });
  if (!asked) return fail(asked.error());
  return std::move(asker.out());
}

AssumptionList index_ranges(const SymbolicLayout& layout, const std::vector<std::string>& indices,
                            const AssumptionList& where) {
  AssumptionList known = layout.where();
  known.append(where);
  const std::vector<std::string> taken = known.names(layout.names());
  std::vector<SizeTerm> extents = layout.crop();
  SizeTerm all = SizeTerm::of(1);
  if (extents.empty()) {
    const auto times = [](SizeTerm a, const SizeTerm& b) {
      return a.is_number() && a.number == 1
                 ? b
                 : SizeTerm{.kind = SizeTerm::Kind::times, .parts = {std::move(a), b}};
    };
    for (const TermTree::Mode& mode : layout.shape().modes()) {
      SizeTerm extent = SizeTerm::of(1);
      for (std::size_t leaf = mode.first; leaf < mode.last; ++leaf)
        extent = times(std::move(extent), layout.shape().leaves[leaf]);
      all = times(std::move(all), extent);
      extents.push_back(std::move(extent));
    }
  }
  // The extent that each name of an index is below; nothing if its place has none, or it has two places.
  std::map<std::string, std::optional<SizeTerm>> below;
  for (const std::string& index : indices) {
    const Result<IndexTerms> read = index_terms(index, layout);
    if (!read) continue;
    std::vector<std::string> counted;  // a name for each of its places
    std::vector<std::pair<SizeTerm, SizeTerm>> places = read->inside;
    for (std::size_t d = 0; d < read->terms.size(); ++d) {
      add_each_name(read->terms[d], counted);
      if (read->terms.size() == extents.size()) places.emplace_back(read->terms[d], extents[d]);
      // One number for all modes.
      else if (read->terms.size() == 1 && layout.crop().empty())
        places.emplace_back(read->terms[d], all);
    }
    std::map<std::string, SizeTerm> own;
    for (const auto& [term, extent] : places) {
      if (term.kind == SizeTerm::Kind::name && std::ranges::count(counted, term.name) == 1)
        own.emplace(term.name, extent);
    }
    for (const std::string& name : counted) {
      const auto here = own.find(name);
      const auto [place, first] =
          below.emplace(name, here == own.end() ? std::nullopt : std::optional(here->second));
      const bool same =
          here != own.end() && place->second && canonical(*place->second) == canonical(here->second);
      if (!first && !same) place->second = std::nullopt;
    }
  }
  AssumptionList out;
  for (const auto& [name, extent] : below) {
    if (!extent || std::ranges::find(taken, name) != taken.end()) continue;
    out.append({.kind = Assumption::Kind::interval,
                .name = name,
                .left = SizeTerm::of(0),
                .right = {.kind = SizeTerm::Kind::minus, .parts = {*extent, SizeTerm::of(1)}}});
  }
  return out;
}

Result<SizedAnswers> index_at(const SymbolicLayout& layout, const std::string& offset,
                              const AssumptionList& where) {
  TermReader r(offset);
  const Result<SizeTerm> term = r.term();
  if (!term) return detail::at_fault("index", fail(term.error()));
  if (!r.at_end()) return detail::at_fault("index", r.expected("an operator or the end"));
  std::vector<std::string> names;
  add_names(*term, names);
  Asker asker(layout, where, names);
  const Result<void> asked = asker.ask(
      offset, true,
      [&](const TracedDigits& digits, Recording& recording) {
        std::string outside;
        const Traced at = term_value(*term, recording, outside);
        if (!outside.empty()) return Leaf{.kind = Leaf::Kind::outside, .reason = outside};
        const FoundIndex found = find_index(digits, at);
        if (!found.undecided.empty()) return Leaf{.kind = Leaf::Kind::undecided, .reason = found.undecided};
        if (!found.index) {
          // Offsets below 0 are in no memory.
          const Bounds bounds = offset_bounds(digits);
          const bool has_memory = digits.allocated || bounds.low >= 0;
          const Traced end = digits.allocated ? *digits.allocated : bounds.high + 1;
          if (has_memory && at >= 0 && at < end) return Leaf{.frame = "padding"};
          return Leaf{.kind = Leaf::Kind::error, .frame = std::string(to_string(Code::index_out_of_range))};
        }
        Leaf out{.frame = "("};
        for (std::size_t d = 0; d < found.index->size(); ++d) {
          out.frame += d == 0 ? "" : ", ";
          out.frame += kSpacedNumber;
          out.numbers.push_back(recording.polynomial((*found.index)[d].number()));
        }
        out.frame += ")";
        return out;
      },
      [&](const Layout& numbers, const Sizes& at) -> Result<std::string> {
        const auto value = evaluate(*term, at);
        if (!value || *value < kIndexMin || *value > kIndexMax)
          return fail(Code::number_range, "the offset does not fit in 64 bits");
        const Result<Preimage> found = indices_at(numbers, static_cast<Index>(*value));
        if (!found) return fail(found.error());
        if (found->indices.empty()) return "padding";
        if (found->indices.size() > 1) return fail(Code::undecided, "several indices have the offset");
        return fmt::format("({})", fmt::join(found->indices[0], ", "));
      });
  if (!asked) return fail(asked.error());
  return std::move(asker.out());
}

Result<SizedAnswers> facts(const SymbolicLayout& layout, const AssumptionList& where) {
  Asker asker(layout, where);
  struct Fact {
    std::string_view name;
    bool normal;
    std::function<Leaf(const TracedDigits&, Recording&)> write;
    std::function<Result<std::string>(const Layout&)> say;
  };
  const auto undecided = [](const Layout&) -> Result<std::string> {
    return fail(Code::undecided, "not decided for numbers");
  };
  const Fact all[] = {
      {"shape", false,
       [](const TracedDigits& digits, Recording& recording) {
         Leaf out{.frame = "("};
         for (std::size_t d = 0; d < digits.extent.size(); ++d) {
           out.frame += d == 0 ? "#" : ",#";
           out.numbers.push_back(recording.polynomial(digits.extent[d].number()));
         }
         out.frame += ")";
         return out;
       },
       undecided},
      {"elements", false,
       [](const TracedDigits& digits, Recording& recording) {
         Traced product = 1;
         for (const Traced n : digits.extent) product *= n;
         return number(product, recording);
       },
       [](const Layout& numbers) -> Result<std::string> { return std::to_string(numbers.size()); }},
      {"memory", false,
       [](const TracedDigits& digits, Recording& recording) {
         if (digits.allocated) return number(*digits.allocated, recording);
         const Bounds bounds = offset_bounds(digits);
         return number(bounds.low < 0 ? bounds.high - bounds.low + 1 : bounds.high + 1, recording);
       },
       undecided},
      {"offsets", false,
       [](const TracedDigits& digits, Recording& recording) {
         const Bounds bounds = offset_bounds(digits);
         return Leaf{.frame = fmt::format("{0} to {0}", kSpacedNumber),
                     .numbers = {recording.polynomial(bounds.low.number()),
                                 recording.polynomial(bounds.high.number())}};
       },
       undecided},
      {"injective", true,
       [](const TracedDigits& digits, Recording&) {
         const std::optional<bool> yes = is_injective(digits);
         if (!yes)
           return Leaf{.kind = Leaf::Kind::undecided,
                       .reason = "whether two indices share an offset is not decided"};
         return Leaf{.frame = *yes ? "yes" : "no"};
       },
       undecided},
      {"digits", true,
       [](const TracedDigits& digits, Recording& recording) { return digits_text(digits, recording); },
       [](const Layout& numbers) { return converted(numbers, std::nullopt); }},
      {"map", false,
       [&](const TracedDigits& digits, Recording& recording) {
         return written(digits, Notation::map, layout, recording);
       },
       [](const Layout& numbers) { return converted(numbers, Notation::map); }},
  };
  for (const Fact& fact : all) {
    const Result<void> asked =
        asker.ask(std::string(fact.name), fact.normal, fact.write,
                  [&](const Layout& numbers, const Sizes&) { return fact.say(numbers); });
    if (!asked) return fail(asked.error());
  }
  return std::move(asker.out());
}

std::optional<SizeMap> drawn_sizes(const SymbolicLayout& layout, const AssumptionList& where) {
  const Asker asker(layout, where);
  std::optional<SizeMap> out;
  bool complete = false;
  std::int64_t spent = 0;
  visit_sizes(
      asker.where(), asker.names(),
      [&](const Sizes& at) {
        const auto text = layout.text_at(at);
        const Result<Layout> numbers = text ? parse_layout(*text) : Result<Layout>(fail(Code::syntax, ""));
        spent += 64;
        if (numbers && std::ranges::all_of(numbers->shape(), [](Index n) { return n >= 1; })) {
          const bool wide = std::ranges::all_of(numbers->shape(), [](Index n) { return n >= 2; });
          if (wide || !out) out = size_map(at);
          if (wide) return false;
        }
        return spent <= kSizeLimits.evaluations / 16;
      },
      complete);
  return out;
}

}  // namespace tessera::symbolic
