// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/map_tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/plural.h"
#include "notation/symbolic/map_counts.h"
#include "notation/symbolic/map_digits.h"
#include "notation/symbolic/map_inverse.h"
#include "notation/symbolic/map_terms.h"
#include "size/limits.h"
#include "size/question.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

constexpr std::array<std::string_view, 6> kFacts = {"offset", "size", "stride", "within", "edge", "bound"};

/// A number that the form is never above, or never below, as a form of sizes, if one is found: each quotient
/// and variable at one of its ends.
std::optional<Polynomial> end_of(const Polynomial& form, bool high, MapForms& forms) {
  Polynomial out = form;
  const auto sign = [&](SizeVariable v) -> std::optional<bool> {
    if (out.degree(v) != 1) return std::nullopt;
    const Polynomial factor = out.coefficients(v)[1];
    if (forms.proves(factor)) return true;
    return forms.proves(-factor) ? std::optional(false) : std::nullopt;
  };
  const std::vector<MapForms::Atom> atoms = forms.atoms();
  for (auto atom = atoms.rbegin(); atom != atoms.rend(); ++atom) {
    const SizeVariable v = atom->variable;
    if (!out.has(v) || forms.is_of_sizes(Polynomial::of(v))) continue;
    const std::optional<bool> up = sign(v);
    if (!up || atom->minimum || !forms.is_of_sizes(atom->b)) return std::nullopt;
    const auto end = end_of(atom->a, *up == high, forms);
    if (!end) return std::nullopt;
    out = out.substituted(v, forms.quotient(*end, atom->b) + atom->shift);
  }
  for (const MapForms::Dim& dim : forms.dims()) {
    if (!out.has(dim.variable)) continue;
    const std::optional<bool> up = sign(dim.variable);
    if (!up) return std::nullopt;
    out = out.substituted(dim.variable, *up == high ? dim.high : dim.low);
  }
  return out.known() && !forms.failed() ? std::optional(out) : std::nullopt;
}

/// `ts_0` and `tid_0`, which are numbers of a tile.
bool is_tile_name(std::string_view name) {
  for (const std::string_view prefix : {"tid_", "ts_"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() &&
        name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos)
      return true;
  }
  return false;
}

/// The map with constraints on one variable, `d0 in [0, N - 3]`, as intervals of the variable.
SymbolicMap with_narrow_intervals(const SymbolicMap& map) {
  std::vector<SizedInterval> domain;
  for (std::size_t i = 0; i < map.domain().size(); ++i) {
    const SizedInterval& one = map.domain()[i];
    const auto dim = std::ranges::find(map.dims(), one.value.name);
    if (i < map.dims().size() || one.value.kind != SizeTerm::Kind::name || dim == map.dims().end()) {
      domain.push_back(one);
      continue;
    }
    SizedInterval& own = domain[static_cast<std::size_t>(dim - map.dims().begin())];
    own.low = combined(SizeTerm::Kind::maximum, own.low, one.low);
    own.high = combined(SizeTerm::Kind::minimum, own.high, one.high);
  }
  return SymbolicMap::make(map.dims(), std::move(domain), map.results(), map.where());
}

/// The map from the places in one tile, whose number is a size, and the hull of all results.
class TiledMap {
 public:
  TiledMap(const SymbolicMap& map, const std::vector<SizeTerm>& sizes, Recorder& run)
      : map_(map), sizes_(sizes), run_(run), forms_(run) {}

  Leaf fact(std::string_view name) {
    read();
    if (forms_.failed()) return forms_.failure();
    if (name == "edge") return cut();
    if (name == "within") return hull();
    const SymbolicMap places = in_one_tile();
    MapProgressions tile = progressions_of(places, run_);
    const bool between =
        tile.failure && tile.failure->kind == Leaf::Kind::undecided && between_ends(places, tile);
    if (tile.failure) return *tile.failure;
    if (name == "bound") {
      return {.frame = between
                           ? "it is not proved that what it reads is evenly spaced and independent in each "
                             "dimension"
                           : "none"};
    }
    Leaf out;
    for (std::size_t r = 0; r < tile.results.size(); ++r) {
      const SizedProgression& p = tile.results[r];
      out.frame += r == 0 ? "(" : ", ";
      put(out, name == "offset" ? p.first : name == "size" ? p.count : p.step);
    }
    out.frame += tile.results.empty() ? "()" : ")";
    return out;
  }

 private:
  static void put(Leaf& out, const Polynomial& form) {
    out.frame += kBoundNumber;
    out.numbers.push_back(form);
  }

  /// The hulls of the results in one tile, in place of why they are not progressions; false if there are
  /// none. A remainder that starts over within a tile has no end below that of all tiles.
  bool between_ends(const SymbolicMap& places, MapProgressions& tile) const {
    MapForms forms(run_);
    declare_domain(places, forms);
    for (std::size_t r = 0; r < places.results().size(); ++r) {
      const Polynomial form = forms.of(places.results()[r]);
      const auto low = forms.failed() ? std::nullopt : end_of(form, false, forms);
      const auto high = low ? end_of(form, true, forms) : std::nullopt;
      const bool inside = high && forms_.is_of_sizes(low_[r]) && forms.proves(*low - low_[r]);
      if (!high || (!inside && !cut_.empty())) {
        tile.failure->reason = "what one tile reads has no ends that are found for all tiles";
        tile.results.clear();
        return false;
      }
      tile.results.push_back(
          inside ? SizedProgression{forms.displayed(*low), 1, forms.displayed(*high - *low + 1)}
                 : SizedProgression{forms_.displayed(low_[r]), 1, forms_.displayed(high_[r] - low_[r] + 1)});
    }
    tile.failure.reset();
    return true;
  }

  Leaf hull() {
    if (!cut_.empty())
      return {.kind = Leaf::Kind::undecided,
              .reason = fmt::format("the end of the domain cuts digits of {} that one result adds", cut_)};
    Leaf out;
    for (std::size_t r = 0; r < low_.size(); ++r) {
      out.frame += r == 0 ? "[" : " x [";
      put(out, forms_.displayed(low_[r]));
      out.frame += ", ";
      put(out, forms_.displayed(high_[r] + 1));
      out.frame += ")";
    }
    return out;
  }

  void read() {
    if (declare_domain(map_, forms_).size() > map_.dims().size())
      forms_.fail_undecided("the domain has constraints");
    std::vector<Polynomial> results;
    for (const SizeTerm& t : map_.results()) {
      if (!forms_.failed()) results.push_back(forms_.of(t));
    }
    for (const MapForms::Dim& dim : forms_.dims()) {
      if (!forms_.failed() && !forms_.holds(dim.low))
        forms_.fail_undecided(fmt::format("{} begins below 0", dim.name));
    }
    if (forms_.failed()) return;
    for (const Polynomial& r : results) results_.push_back(forms_.term(r));
    parts_ = digits_of(results, forms_);
    for (std::size_t r = 0; r < results.size() && !forms_.failed(); ++r) {
      const DigitSum& sum = parts_.sums[r];
      Polynomial low = sum.constant;
      Polynomial high = sum.constant;
      std::vector<int> used(map_.dims().size(), 0);
      for (std::size_t j = 0; j < parts_.digits.size(); ++j) {
        const int sign = sign_of(sum.factors[j], forms_);
        const std::size_t d = parts_.digits[j].dim;
        if (sign != 0 && ++used[d] > 1 && !parts_.whole[d]) cut_ = map_.dims()[d];
        (sign < 0 ? low : high) = (sign < 0 ? low : high) + sum.factors[j] * parts_.digits[j].last;
      }
      low_.push_back(low);
      high_.push_back(high);
    }
  }

  /// Each variable as the number of the tile times its size, and a place in it. The terms are simple, by
  /// what the whole domain proves.
  SymbolicMap in_one_tile() const {
    const std::string prefix = unused_prefix('k', map_);
    std::vector<std::string> places;
    std::vector<SizedInterval> box;
    std::map<std::string, SizeTerm> names;
    for (std::size_t d = 0; d < map_.dims().size(); ++d) {
      const SizeTerm place = named(fmt::format("{}{}", prefix, d));
      const SizeTerm first = combined(SizeTerm::Kind::times, named(fmt::format("tid_{}", d)), sizes_[d]);
      if (sizes_[d].is_number() && sizes_[d].number == 1) {
        names[map_.dims()[d]] = first;
        continue;
      }
      names[map_.dims()[d]] = combined(SizeTerm::Kind::plus, first, place);
      places.push_back(place.name);
      box.push_back({place, SizeTerm::of(0), combined(SizeTerm::Kind::minus, sizes_[d], SizeTerm::of(1))});
    }
    std::vector<SizeTerm> results;
    for (const SizeTerm& t : results_) results.push_back(replaced(t, names));
    return SymbolicMap::make(std::move(places), std::move(box), std::move(results), map_.where());
  }

  /// Which tiles the end of the domain cuts so that they read less than what is within the array: those of
  /// variables with several digits, and of several variables in one result.
  Leaf cut() {
    std::vector<bool> uneven(map_.dims().size(), false);
    for (const DigitSum& sum : parts_.sums) {
      std::vector<std::size_t> used;
      for (std::size_t j = 0; j < parts_.digits.size(); ++j) {
        if (sign_of(sum.factors[j], forms_) != 0) used.push_back(j);
      }
      for (const std::size_t j : used) {
        const std::size_t d = parts_.digits[j].dim;
        const bool several = std::ranges::count(parts_.digits, d, &MapDigit::dim) > 1;
        if (several || used.size() > 1) uneven[d] = true;
      }
    }
    std::vector<std::string> even;
    bool begins_later = false;
    bool always = false;  // no sizes make it even
    for (std::size_t d = 0; d < uneven.size(); ++d) {
      if (!uneven[d]) continue;
      const Polynomial size = forms_.of(sizes_[d]);
      for (const Polynomial& end : {forms_.dims()[d].low, forms_.dims()[d].high + 1}) {
        if (forms_.divides(size, end)) continue;
        always = always || (size.is_constant() && end.is_constant());
        const SizeTerm term = forms_.term(end);
        const bool simple = term.is_number() || term.kind == SizeTerm::Kind::name;
        const std::string text = canonical(term);
        even.push_back(
            fmt::format("{} % {} == 0", simple ? text : fmt::format("({})", text), canonical(sizes_[d])));
      }
      begins_later = begins_later || !forms_.dims()[d].low.is_zero();
    }
    if (forms_.failed()) return forms_.failure();
    if (even.empty()) return {.frame = "none"};
    return {.frame = fmt::format("a tile that {} of the domain cuts may read less{}",
                                 begins_later ? "an end" : "the end",
                                 always ? "" : fmt::format(", unless {}", fmt::join(even, " and ")))};
  }

  const SymbolicMap& map_;
  const std::vector<SizeTerm>& sizes_;
  Recorder& run_;
  MapForms forms_;
  std::vector<SizeTerm> results_ = {};
  MapDigits parts_ = {};
  std::vector<Polynomial> low_ = {};
  std::vector<Polynomial> high_ = {};
  // A variable of which one result has several digits that do not all reach their last value.
  std::string cut_ = {};
};

}  // namespace

Result<SizedAnswers> tile(const SymbolicMap& given, const std::vector<Index>& sizes,
                          const AssumptionList& where) {
  const SymbolicMap map = with_narrow_intervals(given);
  const std::size_t rank = map.dims().size();
  if (sizes.size() > rank)
    return fail({.code = Code::rank_mismatch,
                 .message = fmt::format("the tile has {}, but the map has {}",
                                        tessera::detail::plural(std::ssize(sizes), "size"),
                                        tessera::detail::plural(std::ssize(map.dims()), "dimension")),
                 .help = "give one size for each dimension",
                 .field = "tile"});
  AssumptionList all = map.where();
  all.append(where);
  std::vector<std::string> taken = map.sizes();
  taken.insert(taken.end(), map.dims().begin(), map.dims().end());
  const std::vector<std::string> assumed = all.names();
  std::vector<std::string> own_names;
  std::vector<SizeTerm> lengths;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool open = d >= sizes.size() || sizes[d] == 0;
    const std::string length = open ? fmt::format("ts_{}", d) : fmt::format("{}", sizes[d]);
    lengths.push_back(open ? named(length) : SizeTerm::of(sizes[d]));
    const std::string number = fmt::format("tid_{}", d);
    for (const std::string& name : {number, length}) {
      if (std::ranges::find(taken, name) != taken.end())
        return fail({.code = Code::duplicate_name,
                     .message = fmt::format("{} is a name of the tile, and of the map", name),
                     .help = "call it otherwise in the map"});
    }
    own_names.push_back(number);
    if (open) own_names.push_back(length);
    const std::string last = bracketed(canonical(map.domain()[d].high));
    std::string text = fmt::format("{0} in [0, {1}], {0} * {2} <= {1}", number, last, length);
    // Tiles before the begin of the domain are not asked about.
    const std::string first = bracketed(canonical(map.domain()[d].low));
    if (first != "0") text += fmt::format(", {0} * {1} + {1} - 1 >= {2}", number, length, first);
    if (open) text = fmt::format("{} in [1, {} + 1], {}", length, last, text);
    const Result<AssumptionList> own = AssumptionList::parse(text);
    if (!own)
      return fail(Code::undecided, fmt::format("the number of tiles of {} is not a size", map.dims()[d]));
    all.append(*own);
  }
  for (const std::string& name : assumed) {
    if (!is_tile_name(name) || std::ranges::find(own_names, name) != own_names.end()) continue;
    return fail({.code = Code::unknown_name,
                 .message = fmt::format("the tile has no number {}", name),
                 .help = fmt::format("it has {}", fmt::join(own_names, ", ")),
                 .field = "where"});
  }
  const std::vector<std::string> names = all.names(map.sizes());
  if (names.size() > kSizeLimits.parameters) return fail(too_many_parameters());
  SizedAnswers out{.parameters = parameters_of(all, names), .where = all.text()};
  const auto nothing = [](const Sizes&) -> std::optional<SaidAtSizes> { return std::nullopt; };
  // What needs no line: strides of 1, no edge, and no results.
  const std::string dense = fmt::format("({})", fmt::join(std::vector<int>(map.results().size(), 1), ", "));
  for (const std::string_view fact : kFacts) {
    std::vector<std::string> notes;
    Result<std::vector<SizedCase>> cases = sized_cases(
        all, names, [&](Recorder& run) { return TiledMap(map, lengths, run).fact(fact); }, nothing, notes);
    if (!cases && cases.error().code == Code::bad_extent)
      return fail(Code::undefined_value, "no sizes give the map a point and divisors of at least 1");
    if (!cases) return fail(std::move(cases.error()));
    const std::vector<SizedCase>& found = *cases;
    const bool plain = found.size() == 1 && found[0].kind == SizedCase::Kind::value;
    if (plain && (found[0].text.empty() || found[0].text == (fact == "stride" ? dense : "none"))) continue;
    out.answers.push_back({std::string(fact), *std::move(cases)});
    out.notes = std::move(notes);
    const std::vector<SizedCase>& last = out.answers.back().cases;
    if (std::ranges::all_of(last, [](const SizedCase& c) { return c.kind == SizedCase::Kind::undecided; }))
      break;
  }
  return out;
}

}  // namespace tessera::symbolic
