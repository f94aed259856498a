// SPDX-License-Identifier: Apache-2.0
#include "map/values/value_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/cancellation.h"
#include "expr/questions/program.h"
#include "expr/questions/view.h"
#include "map/values/enumerate.h"
#include "map/values/progression.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

// A set of values: bit i is the value first + i, or the remainder i of a modulus.
struct Table {
  Index first = 0;
  Index cells = 0;
  std::vector<std::uint64_t> bits = {};

  Table(Index from, Index count)
      : first(from), cells(count), bits(static_cast<std::size_t>((count + 63) / 64)) {}
  bool at(Index i) const { return (bits[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) != 0; }
  void set(Index i) { bits[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << (i % 64); }

  // Adds the cells of `other`, moved up by `by` places. Both have the same number of cells; cells moved
  // beyond the end are dropped.
  void add_shifted(const std::vector<std::uint64_t>& other, Index by) {
    const auto words = static_cast<std::size_t>(by / 64);
    const int rest = static_cast<int>(by % 64);
    for (std::size_t i = bits.size(); i-- > words;) {
      std::uint64_t moved = other[i - words] << rest;
      if (rest != 0 && i > words) moved |= other[i - words - 1] >> (64 - rest);
      bits[i] |= moved;
    }
    trim();
  }
  // Like add_shifted, but cells moved beyond the end continue at the start.
  void add_wrapped(const std::vector<std::uint64_t>& other, Index by) {
    add_shifted(other, by);
    const Index back = cells - by;  // cell back + i becomes cell i
    const auto words = static_cast<std::size_t>(back / 64);
    const int rest = static_cast<int>(back % 64);
    for (std::size_t i = 0; i + words < bits.size(); ++i) {
      std::uint64_t moved = other[i + words] >> rest;
      if (rest != 0 && i + words + 1 < bits.size()) moved |= other[i + words + 1] << (64 - rest);
      bits[i] |= moved;
    }
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t word = 0; word < bits.size(); ++word) {
      for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
        visit(static_cast<Index>(word * 64) + std::countr_zero(left));
      }
    }
  }

 private:
  void trim() {
    if (cells % 64 != 0) bits.back() &= (std::uint64_t{1} << (cells % 64)) - 1;
  }
};

// Computes the values of expressions whose terms share no variable.
class ValueReader {
 public:
  ValueReader(std::span<const Interval> box, const JudgeLimits& limits)
      : box_(box), limits_(limits), steps_(limits.steps / 64) {}

  // The values of the view, modulo `modulus` unless it is 0. Starts with the term that is not a progression,
  // if there is one, then adds the progressions.
  std::optional<Table> read(const ExprView& view, Index modulus) {
    std::vector<Progression> evenly;
    const DigitTerm* other = nullptr;
    std::vector<bool> seen(box_.size());
    for (const DigitTerm& term : view.terms) {
      for (const Index v : term.variables) {
        if (seen[static_cast<std::size_t>(v)]) return std::nullopt;
        seen[static_cast<std::size_t>(v)] = true;
      }
      if (const auto values = progression(term, box_)) {
        evenly.push_back(*values);
      } else if (std::exchange(other, &term) != nullptr) {
        return std::nullopt;
      }
    }
    const Progression constant{.first = view.constant};
    auto table = other != nullptr ? read_term(*other, modulus) : table_of(constant, modulus);
    if (table && other != nullptr) table = plus(*std::move(table), constant, modulus);
    for (const Progression& p : evenly) {
      if (table) table = plus(*std::move(table), p, modulus);
    }
    return table;
  }

 private:
  std::optional<Table> read_term(const DigitTerm& term, Index modulus) {
    const auto base = term.opaque || term.base.is_variable() ? std::nullopt : view(term.base, box_);
    // For a remainder of a remainder, the base is needed only modulo the same number.
    const bool reduced = term.divisor == 1 && term.modulus != 0 && term.modulus <= limits_.cells;
    const auto values = base ? read(*base, reduced ? term.modulus : 0) : std::nullopt;
    if (!values) return std::nullopt;
    return mapped(*values, modulus, [&](Index value) -> std::optional<Index> {
      if (term.at_least_zero) value = std::max<Index>(value, 0);
      if (term.divisor != 1) value = floor_div(value, term.divisor);
      if (term.modulus != 0) value = mod(value, term.modulus);
      return checked_mul(value, term.coefficient);
    });
  }

  bool spend(Index cells) {
    const auto words = static_cast<std::uint64_t>(cells / 64 + 1);
    if (steps_ < words) return false;
    steps_ -= words;
    return true;
  }

  std::optional<Table> empty_table(Index first, Index last, Index modulus) {
    const auto cells = modulus != 0 ? std::optional(modulus) : Interval{first, last}.count();
    if (!cells || *cells > limits_.cells || !spend(*cells)) return std::nullopt;
    return Table(modulus != 0 ? 0 : first, *cells);
  }

  std::optional<Table> table_of(const Progression& p, Index modulus) {
    auto table = empty_table(p.first, p.first, modulus);
    if (!table) return std::nullopt;
    table->set(modulus != 0 ? mod(p.first, modulus) : 0);
    return plus(*std::move(table), Progression{0, p.step, p.last}, modulus);
  }

  // Adds every value of the progression to every value of the table, by doubling: the sums with its first 2 *
  // m values are the sums with its first m values, and these shifted by m steps.
  std::optional<Table> plus(Table table, const Progression& p, Index modulus) {
    if (modulus == 0) {
      const auto width = checked_mul(p.last, p.step);
      const auto end = width ? checked_add(*width, table.cells) : std::nullopt;
      if (!end || *end > limits_.cells) return std::nullopt;
      table.cells = *end;
      table.bits.resize(static_cast<std::size_t>((*end + 63) / 64));
      if (add_overflows(table.first, p.first, table.first)) return std::nullopt;
    } else if (p.first != 0) {
      Table moved(0, modulus);
      moved.add_wrapped(table.bits, mod(p.first, modulus));
      table = std::move(moved);
    }
    for (Index known = 1; known <= p.last;) {
      const Index more = std::min(known, p.last + 1 - known);
      if (!spend(table.cells)) return std::nullopt;
      const std::vector<std::uint64_t> before = table.bits;
      if (modulus == 0) {
        table.add_shifted(before, more * p.step);
      } else {
        const auto by = static_cast<Index>(static_cast<__int128>(more) * p.step % modulus);
        table.add_wrapped(before, by);
      }
      known += more;
    }
    return table;
  }

  template <class F>
  std::optional<Table> mapped(const Table& from, Index modulus, const F& f) {
    constexpr Index kCostOfOne = 8;  // the cost of computing one value, in words of bits
    Index first = kPosInf;
    Index last = kNegInf;
    bool defined = spend(from.cells * kCostOfOne);
    if (!defined) return std::nullopt;
    const auto value_of = [&](Index cell) -> std::optional<Index> {
      const auto value = checked_add(from.first, cell);
      return value ? f(*value) : std::nullopt;
    };
    from.for_each([&](Index cell) {
      const auto value = value_of(cell);
      defined &= value.has_value();
      if (!value) return;
      first = std::min(first, *value);
      last = std::max(last, *value);
    });
    if (!defined) return std::nullopt;
    auto table = empty_table(first, last, modulus);
    if (!table) return std::nullopt;
    from.for_each([&](Index cell) {
      const Index value = *value_of(cell);
      table->set(modulus != 0 ? mod(value, modulus) : value - first);
    });
    return table;
  }

  std::span<const Interval> box_;
  const JudgeLimits& limits_;
  std::uint64_t steps_;  // the remaining words of tables to process
};

}  // namespace

ValueSet::ValueSet(std::vector<Interval> box, Index most_cells) : box_(std::move(box)) {
  const auto cells = point_count(box_);
  if (cells && *cells <= most_cells) bits_.resize(static_cast<std::size_t>(*cells / 64 + 1));
}

void ValueSet::insert(std::span<const Index> tuple) {
  if (!is_table()) {
    size_ += list_.emplace(tuple.begin(), tuple.end()).second ? 1 : 0;
    return;
  }
  Index cell = 0;
  for (std::size_t r = 0; r < box_.size(); ++r) {
    cell = cell * (box_[r].upper - box_[r].lower + 1) + (tuple[r] - box_[r].lower);
  }
  std::uint64_t& word = bits_[static_cast<std::size_t>(cell / 64)];
  const std::uint64_t bit = std::uint64_t{1} << (cell % 64);
  size_ += (word & bit) == 0 ? 1 : 0;
  word |= bit;
}

std::uint64_t distinct_nodes(const IndexMap& map) {
  Program program;
  for (const Expr e : map.results()) program.add(e);
  for (const Constraint& c : map.constraints()) program.add(c.expr);
  return program.steps().size();
}

bool can_enumerate(const IndexMap& map, const JudgeLimits& limits, bool listed) {
  const auto points = point_count(box_of(map.domain()));
  if (!points || (listed && *points > limits.points)) return false;
  return static_cast<std::uint64_t>(*points) <= limits.steps / (distinct_nodes(map) + 1);
}

std::string enumeration_limit(const JudgeLimits& limits) {
  return fmt::format("too many points to enumerate (limits: {} points, {} steps, {} table cells)",
                     limits.points, limits.steps, limits.cells);
}

std::optional<ValueSet> enumerated_values(const IndexMap& map, const JudgeLimits& limits) {
  if (!can_enumerate(map, limits, false)) return std::nullopt;
  std::vector<Interval> box;
  for (const Expr e : map.results()) box.push_back(range(e, map.domain()));
  ValueSet values(std::move(box), limits.cells);
  if (!values.is_table() && !can_enumerate(map, limits, true)) return std::nullopt;
  std::vector<Index> tuple(map.results().size());
  for_each_point(map, box_of(map.domain()), [&](const WalkedPoint& point) {
    bool defined = true;
    for (std::size_t r = 0; r < tuple.size(); ++r) {
      defined = defined && point.defined(r);
      tuple[r] = point.value(r);
    }
    if (defined) values.insert(tuple);
    return true;
  });
  return cancelled() ? std::nullopt : std::optional(std::move(values));
}

std::optional<ValueSet> independent_values(Expr expr, const Domain& domain, const JudgeLimits& limits) {
  const std::vector<Interval> box = box_of(domain);
  const auto seen = view(expr, box);
  if (!seen || !seen->has_values || !seen->range.is_finite()) return std::nullopt;
  const auto table = ValueReader(box, limits).read(*seen, 0);
  if (!table) return std::nullopt;
  ValueSet values({Interval{table->first, table->first + table->cells - 1}}, limits.cells);
  if (!values.is_table()) return std::nullopt;
  table->for_each([&](Index cell) {
    const Index value = table->first + cell;
    values.insert({&value, 1});
  });
  return values;
}

}  // namespace tessera::detail
