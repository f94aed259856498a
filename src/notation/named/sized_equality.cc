// SPDX-License-Identifier: Apache-2.0
#include "notation/named/sized_equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/saturating.h"
#include "base/state_of.h"
#include "base/try.h"
#include "notation/limits.h"
#include "notation/named/named_state.h"

namespace tessera {
namespace {

// The brace of a text that is the whole first extent of the box, if the offsets do not depend on that extent:
// a named layout whose family says so, or the domain of d0 of a map.
std::optional<std::size_t> first_extent(const SizedText& text) {
  const std::string& all = text.text();
  for (std::size_t i = 0; i < text.holes().size(); ++i) {
    const Span span = text.holes()[i].span;
    const std::string_view before = std::string_view(all).substr(0, span.begin);
    if (is_named_text(all)) {
      if (before.ends_with('[') && all.find('[') + 1 == before.size() && all[span.end] == ',') return i;
    } else {
      const std::size_t domain = all.find("domain:");
      constexpr std::string_view kFirst = "d0 in [0, ";
      if (domain != std::string::npos && domain < span.begin && before.ends_with(kFirst) &&
          all[span.end] == ']')
        return i;
    }
  }
  return std::nullopt;
}

// Whether the family of a named layout stores an index at the same offset for every first extent.
bool is_free(const NamedOrLayout& side) {
  if (!side.named) return side.layout->index_map() != nullptr;
  const NamedLayout::State& state = detail::state_of(*side.named);
  if (!state.groups.empty() || std::ranges::any_of(state.parameters, [](const NamedParameter& parameter) {
        return parameter.key == "groups" || parameter.key == "kgroups";
      })) {
    return false;
  }
  return state.batch > 0 || (state.rule != nullptr && state.rule->free_rows);
}

Failure too_many(Index limit) {
  return fail(Code::limit, fmt::format("there are more than {} combinations of sizes", limit), {},
              "give fewer values: M=1:4096:16");
}

class Sweep {
 public:
  Sweep(const SizedPair& pair, SizedText a, SizedText b, EqualityNotion notion,
        const LayoutEqualityOptions& options)
      : sizes_(pair.sizes), a_(std::move(a)), b_(std::move(b)), notion_(notion), options_(options) {}

  Result<SizedEquality> run() {
    if (const auto name = cutting_name()) {
      TESSERA_TRY(answer, cut(*name));
      if (answer) return *answer;
    }
    return each();
  }

 private:
  using Values = std::vector<Index>;

  Values first_values() const {
    Values values;
    for (const SizeRange& size : sizes_) values.push_back(size.first);
    return values;
  }

  // The next combination; `skip` keeps its value.
  bool next(Values& values, std::optional<std::size_t> skip = {}) const {
    for (std::size_t i = sizes_.size(); i-- > 0;) {
      if (i == skip) continue;
      if (values[i] + sizes_[i].step <= sizes_[i].last) {
        values[i] += sizes_[i].step;
        return true;
      }
      values[i] = sizes_[i].first;
    }
    return false;
  }

  Index combinations() const {
    Index all = 1;
    for (const SizeRange& size : sizes_) all *= size.count();
    return all;
  }

  Result<NamedOrLayout> side(const SizedText& text, const Values& values) const {
    auto whole = text.at(values);
    auto read = whole ? parse_named_or_layout(*whole) : Result<NamedOrLayout>(fail(whole.error()));
    if (!read) {
      read.error().span = {};
      read.error().message += fmt::format(", for {}", sizes_text(sizes_, values));
    }
    return read;
  }

  Result<LayoutEquality> decide(const Values& values) const {
    TESSERA_TRY(a, side(a_, values));
    auto b = side(b_, values);
    if (!b) b.error().field = "b";
    if (!b) return fail(b.error());
    return equal(a, *b, notion_, options_);
  }

  Result<SizedEquality> each() const {
    if (combinations() > detail::kNotationLimits.named.decided_sizes)
      return too_many(detail::kNotationLimits.named.decided_sizes);
    Values values = first_values();
    do {
      TESSERA_TRY(one, decide(values));
      if (one.verdict != Verdict::yes) return SizedEquality{one, 0, values};
    } while (next(values));
    return yes();
  }

  SizedEquality yes() const { return {{.verdict = Verdict::yes}, combinations(), {}}; }

  // A name that occurs only in the first extents of both boxes.
  std::optional<std::size_t> cutting_name() const {
    if (notion_ != EqualityNotion::map || options_.ignore_unit_dims) return std::nullopt;
    const auto mine = first_extent(a_);
    const auto other = first_extent(b_);
    if (!mine || !other) return std::nullopt;
    for (std::size_t name = 0; name < sizes_.size(); ++name) {
      const auto only_there = [&](const SizedText& text, std::size_t hole) {
        for (std::size_t i = 0; i < text.holes().size(); ++i) {
          const auto& names = text.holes()[i].names;
          if ((std::ranges::find(names, name) != names.end()) != (i == hole)) return false;
        }
        return true;
      };
      if (sizes_[name].count() > 1 && only_there(a_, *mine) && only_there(b_, *other)) return name;
    }
    return std::nullopt;
  }

  // Decides by the largest first extent. Empty if that does not decide.
  Result<std::optional<SizedEquality>> cut(std::size_t name) {
    const auto mine = *first_extent(a_);
    const auto other = *first_extent(b_);
    const Index largest = sizes_[name].value(sizes_[name].count() - 1);
    Values values = first_values();
    std::optional<SizedEquality> earliest;
    do {
      values[name] = largest;
      const auto a = side(a_, values);
      const auto b = side(b_, values);
      if (!a || !b || !is_free(*a) || !is_free(*b)) return std::optional<SizedEquality>();
      TESSERA_TRY(one, equal(*a, *b, notion_, options_));
      if (one.verdict == Verdict::undecided ||
          (one.verdict == Verdict::no && (!one.difference || !one.smallest)))
        return std::optional<SizedEquality>();
      // Smaller boxes are parts of the largest; the first index that differs has the smallest first entry.
      const Index needed = one.difference ? one.difference->index.front() : 0;
      bool found = false;
      for (Index number = 0; number < sizes_[name].count(); ++number) {
        Values here = values;
        here[name] = sizes_[name].value(number);
        const auto extent = a_.value(a_.holes()[mine], here);
        const auto last = b_.value(b_.holes()[other], here);
        if (!extent || !last) return std::optional<SizedEquality>();
        const Index rows = a->named ? *extent : *extent + 1;
        const Index other_rows = b->named ? *last : *last + 1;
        if (rows != other_rows || rows < 0 || rows > a->shape()[0]) return std::optional<SizedEquality>();
        if (!found && one.verdict == Verdict::no && rows > needed) {
          found = true;
          if (!earliest || here < earliest->at_sizes) earliest = SizedEquality{one, 0, here};
        }
      }
    } while (next(values, name));
    return earliest ? earliest : std::optional(yes());
  }

  std::span<const SizeRange> sizes_;
  SizedText a_;
  SizedText b_;
  EqualityNotion notion_;
  LayoutEqualityOptions options_;
};

}  // namespace

std::string sizes_text(std::span<const SizeRange> sizes, std::span<const Index> values) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    parts.push_back(fmt::format("{}={}", sizes[i].name, values[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Result<SizedEquality> equal_for_sizes(const SizedPair& pair, EqualityNotion notion,
                                      const LayoutEqualityOptions& options) {
  Index all = 1;
  for (const SizeRange& size : pair.sizes) all = detail::saturating_mul(all, size.count());
  if (all > detail::kNotationLimits.named.sizes) return too_many(detail::kNotationLimits.named.sizes);
  TESSERA_TRY(a, SizedText::make(pair.a, pair.sizes));
  auto b = SizedText::make(pair.b, pair.sizes);
  if (!b) b.error().field = "b";
  if (!b) return fail(b.error());
  return Sweep(pair, std::move(a), *std::move(b), notion, options).run();
}

}  // namespace tessera
