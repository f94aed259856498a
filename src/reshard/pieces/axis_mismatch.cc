// SPDX-License-Identifier: Apache-2.0
#include "reshard/pieces/axis_mismatch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tessera::detail {
namespace {

// Axes in the order of their range: those of the place, then those of one dimension, the slowest first.
using AxisOrder = std::vector<PieceMap::Axis>;

// The axes `names` of a sum, if each is followed without a gap by the next one.
bool add_terms(const AxisSum& sum, const PieceMap& map, const std::vector<std::string>& names,
               AxisOrder& out) {
  std::vector<std::pair<Index, const PieceMap::Axis*>> terms;
  for (const auto& [axis, scale] : sum.terms) {
    if (std::ranges::find(names, map.axes[axis].name) != names.end())
      terms.emplace_back(scale, &map.axes[axis]);
  }
  std::ranges::sort(terms, std::greater<>(), &std::pair<Index, const PieceMap::Axis*>::first);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (k > 0 && terms[k - 1].first != terms[k].first * terms[k].second->size) return false;
    out.push_back(*terms[k].second);
  }
  return true;
}

// The range that the axes `names` of a side cut. Empty if they are in several dimensions, or apart in one.
std::optional<AxisOrder> order_of(const PieceMap& map, const std::vector<std::string>& names) {
  AxisOrder out;
  if (!map.crops.empty() || !add_terms(map.place, map, names, out)) return {};
  std::size_t dims = 0;
  for (const AxisSum& sum : map.index) {
    const std::size_t before = out.size();
    if (!add_terms(sum, map, names, out)) return {};
    dims += out.size() > before ? 1 : 0;
  }
  if (dims > 1 || out.size() != names.size()) return {};
  return out;
}

// Where the axes cut their range: the products of the first axes.
std::vector<Index> cuts_of(const AxisOrder& order) {
  std::vector<Index> out = {1};
  for (const PieceMap::Axis& axis : order) out.push_back(out.back() * axis.size);
  return out;
}

// Names for the parts between neighboring cuts of both sides.
class CommonParts {
 public:
  CommonParts(const AxisOrder& from, const AxisOrder& to, const AxisSizes& sizes) : sizes_(sizes) {
    for (const AxisOrder* side : {&from, &to}) {
      for (const Index cut : cuts_of(*side)) cuts_.insert(cut);
    }
    for (const AxisOrder* side : {&from, &to}) {
      for (std::size_t k = 0; k < side->size(); ++k)
        name((*side)[k].name, cuts_of(*side)[k], cuts_of(*side)[k + 1]);
    }
  }

  // Whether each cut divides the next, so that parts of both sides exist.
  bool exist() const {
    return std::ranges::adjacent_find(cuts_, [](Index a, Index b) { return b % a != 0; }) == cuts_.end();
  }

  // `"gs": "(u gt)", "t": "(s u)", "u": 2`.
  std::string declarations(const AxisOrder& from, const AxisOrder& to) {
    std::vector<std::string> out;
    for (const AxisOrder* side : {&from, &to}) {
      const std::vector<Index> cuts = cuts_of(*side);
      for (std::size_t k = 0; k < side->size(); ++k) {
        const std::string text = parts(cuts[k], cuts[k + 1]);
        if (text != (*side)[k].name) out.push_back(fmt::format("\"{}\": \"({})\"", (*side)[k].name, text));
      }
    }
    for (const auto& [name, size] : made_) out.push_back(fmt::format("\"{}\": {}", name, size));
    return fmt::format("{}", fmt::join(out, ", "));
  }

  // `s u gt`.
  std::string all() { return parts(1, *cuts_.rbegin()); }

 private:
  void name(const std::string& axis, Index begin, Index end) {
    if (std::next(cuts_.find(begin)) == cuts_.find(end)) names_.emplace(begin, axis);
  }

  std::string parts(Index begin, Index end) {
    std::string out;
    for (auto at = cuts_.find(begin); *at != end; ++at) {
      if (!names_.contains(*at)) names_.emplace(*at, made(*std::next(at) / *at));
      out += (out.empty() ? "" : " ") + names_.at(*at);
    }
    return out;
  }

  std::string made(Index size) {
    for (int number = 0;; ++number) {
      std::string name = number == 0 ? "u" : fmt::format("u{}", number);
      const bool taken = sizes_.find(name) != nullptr ||
                         std::ranges::any_of(made_, [&](const auto& one) { return one.first == name; });
      if (taken) continue;
      made_.emplace_back(name, size);
      return name;
    }
  }

  const AxisSizes& sizes_;
  std::set<Index> cuts_;
  std::map<Index, std::string> names_;
  std::vector<std::pair<std::string, Index>> made_;
};

std::string quoted(const std::vector<std::string>& names) {
  return fmt::format("'{}'", fmt::join(names, "', '"));
}

std::string axes_text(const std::vector<std::string>& names) {
  return fmt::format("{} {}", names.size() == 1 ? "the axis" : "the axes", quoted(names));
}

std::string copies_text(const AxisMismatch& mismatch, const std::vector<std::string>& axes) {
  return fmt::format("\"copies\": {{\"{}\": [\"{}\"]}}", mismatch.label, fmt::join(axes, "\", \""));
}

}  // namespace

Failure axes_differ(const AxisMismatch& mismatch, const PieceMap& from, const PieceMap& to,
                    const AxisSizes& sizes) {
  Diagnostic out{.code = Code::different_shape, .message = {}};
  if (mismatch.from.empty()) {
    out.message = fmt::format("only the target of {} has {}", mismatch.piece, axes_text(mismatch.to));
    out.help =
        fmt::format("name it in the source too; if the target gets a copy of everything for each value, {}",
                    copies_text(mismatch, mismatch.to));
    return fail(std::move(out));
  }
  if (mismatch.to.empty()) {
    out.message = fmt::format("only the source of {} has {}", mismatch.piece, axes_text(mismatch.from));
    out.help = fmt::format(
        "name it in the target too; if the source has a copy of everything for each value, {}: "
        "the copies are compared before anything is written",
        copies_text(mismatch, mismatch.from));
    return fail(std::move(out));
  }
  out.message = fmt::format("{} has {} only in the source, and {} only in the target", mismatch.piece,
                            axes_text(mismatch.from), axes_text(mismatch.to));
  out.help =
      "name the same elements by the same axes on both sides: where the sides cut a range into other parts, "
      "declare the parts that they have in common";
  const auto before = order_of(from, mismatch.from);
  const auto after = order_of(to, mismatch.to);
  if (!before || !after) return fail(std::move(out));
  const Index sources = cuts_of(*before).back();
  const Index targets = cuts_of(*after).back();
  if (sources != targets) {
    out.notes.push_back(fmt::format("{} have {} values together, and {} have {}", quoted(mismatch.from),
                                    sources, quoted(mismatch.to), targets));
    return fail(std::move(out));
  }
  CommonParts parts(*before, *after, sizes);
  if (!parts.exist()) {
    out.notes.push_back(
        "the cuts of the two sides do not divide each other, so they have no parts in common");
    out.help =
        "use one axis for the whole range on both sides, and cut it by a sharding: {\"axes\": \"[…]\", "
        "\"sharding\": DIST}; in \"files\", {place} then numbers the files";
    return fail(std::move(out));
  }
  const std::string all = parts.all();
  out.help = fmt::format("if both sides cut the same range, it is ({}): \"axes\": {{{}}}", all,
                         parts.declarations(*before, *after));
  return fail(std::move(out));
}

}  // namespace tessera::detail
