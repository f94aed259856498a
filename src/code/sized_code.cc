// SPDX-License-Identifier: Apache-2.0
#include "code/sized_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "code/build.h"
#include "code/function_text.h"
#include "code/limits.h"
#include "code/size_terms.h"
#include "notation/symbolic/symbolic_answers.h"
#include "size/question.h"
#include "size/spelling.h"
#include "text/character_class.h"

namespace tessera::coding {
namespace {

using symbolic::AssumptionList;
using symbolic::Integer;
using symbolic::SizeRegion;
using symbolic::Sizes;
using symbolic::SizeTerm;
using symbolic::SymbolicLayout;

Index within_index(Integer n) {
  return n >= kPosInf ? kPosInf : n <= kNegInf ? kNegInf : static_cast<Index>(n);
}

/// The extents of the dimensions as terms: a nested mode has the product of its leaves.
std::vector<SizeTerm> dimensions(const SymbolicLayout& layout) {
  if (!layout.crop().empty()) return layout.crop();
  std::vector<SizeTerm> out;
  for (const symbolic::TermTree::Mode& mode : layout.shape().modes()) {
    std::optional<SizeTerm> whole;
    for (std::size_t leaf = mode.first; leaf < mode.last; ++leaf) {
      const SizeTerm& extent = layout.shape().leaves[leaf];
      whole = whole ? SizeTerm{.kind = SizeTerm::Kind::times, .parts = {*whole, extent}} : extent;
    }
    out.push_back(whole.value_or(SizeTerm::of(1)));
  }
  return out;
}

/// Whether each pack divides what is left of its dimension. A layout of numbers may end with a shorter pack;
/// one with names cannot.
bool packs_divide(const SymbolicLayout& layout, std::span<const Index> shape) {
  if (layout.kind() != SymbolicLayout::Kind::morello) return true;
  std::vector<Index> left(shape.begin(), shape.end());
  for (std::size_t i = layout.entries().size(); i-- > 0;) {
    const auto& [dim, pack] = layout.entries()[i];
    Index& rest = left[static_cast<std::size_t>(dim)];
    if (!pack) {
      rest = 1;
    } else if (rest % *pack != 0) {
      return false;
    } else {
      rest /= static_cast<Index>(*pack);
    }
  }
  return true;
}

/// Points of layouts of numbers at some of the first sizes: the first and the last index, and some between.
std::vector<std::vector<Index>> points_of(const SymbolicLayout& layout, const AssumptionList& where,
                                          const std::vector<std::string>& names) {
  constexpr std::size_t kept = 16;
  std::vector<std::pair<Sizes, std::vector<Index>>> found;
  bool complete = false;
  std::size_t tried = 0;
  symbolic::visit_sizes(
      where, names,
      [&](const Sizes& at) {
        const auto text = layout.text_at(at);
        const Result<Layout> numbers = text ? parse_layout(*text) : Result<Layout>(fail(Code::syntax, ""));
        if (numbers && numbers->size() > 0 && packs_divide(layout, numbers->shape()))
          found.emplace_back(at, std::vector<Index>(numbers->shape().begin(), numbers->shape().end()));
        return ++tried < kCodeLimits.tried_sizes;
      },
      complete);
  std::vector<std::vector<Index>> out;
  std::uint64_t state = 1;
  const std::size_t step = std::max<std::size_t>(1, found.size() / kept);
  for (std::size_t i = 0; i < found.size(); i += step) {
    const auto& [sizes, shape] = found[found.size() - 1 - i];
    for (int k = 0; k < 4; ++k) {
      std::vector<Index> point;
      for (const Index extent : shape) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto inside = static_cast<Index>((state >> 11) % static_cast<std::uint64_t>(extent));
        point.push_back(k == 0 ? 0 : k == 1 ? extent - 1 : inside);
      }
      for (const std::string& name : names) point.push_back(static_cast<Index>(sizes.at(name)));
      if (std::ranges::find(out, point) == out.end()) out.push_back(std::move(point));
    }
  }
  return out;
}

}  // namespace

Result<SourceCode> sized_code(const SymbolicLayout& layout, const AssumptionList& assumed,
                              const CodeOptions& options) {
  AssumptionList where = layout.where();
  where.append(assumed);
  const std::vector<std::string> names = where.names(layout.names());
  // Which sizes make it a layout.
  TESSERA_TRY(known, symbolic::convert(layout, std::nullopt, assumed));
  TESSERA_TRY(function, start_function(options, "offset"));
  function.sized = true;
  const std::vector<SizeTerm> shape = dimensions(layout);
  std::vector<std::string> taken = {function.name, "offset"};
  std::vector<std::string> index_names;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    index_names.push_back(free_name(fmt::format("d{}", d), taken));
    taken.push_back(index_names.back());
  }
  // The sizes first, because the ranges of the index follow from them; in the text they come last.
  std::map<std::string, TermId> sizes;
  std::vector<Parameter> last;
  for (const std::string& name : names) {
    const SizeRegion::Range range = where.tight_range(name);
    const Interval interval = {within_index(range.low), range.high ? within_index(*range.high) : kPosInf};
    last.push_back({free_name(is_identifier(name) ? name : "size_" + name, taken), interval});
    taken.push_back(last.back().name);
    sizes.emplace(name,
                  function.terms.variable(static_cast<Index>(shape.size() + last.size() - 1), interval));
  }
  SizeTerms terms(function.terms, sizes);
  TESSERA_TRY(extents, terms.extents(layout));
  std::vector<TermId> index;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index end = function.terms[extents[d]].range.upper;
    index.push_back(add_parameter(function, index_names[d], {0, end == kPosInf ? kPosInf : end - 1}));
  }
  std::ranges::copy(last, std::back_inserter(function.parameters));
  TESSERA_TRY(value, terms.offset(layout, index));
  function.values = {value};
  function.results = {"offset"};
  function.about = {fmt::format("Offset of element ({}) of {}, in elements, for all sizes{}.",
                                fmt::join(index_names, ", "), layout.text(),
                                where.empty() ? "" : " with " + where.text())};
  std::vector<std::string> ranges;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const SizeTerm end{.kind = SizeTerm::Kind::minus, .parts = {shape[d], SizeTerm::of(1)}};
    ranges.push_back(fmt::format("{} in [0, {}]", index_names[d], symbolic::canonical(end)));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SizeRegion::Range range = where.tight_range(names[i]);
    const std::string as = last[i].name == names[i] ? "" : fmt::format(", which is {}", names[i]);
    ranges.push_back(range.high
                         ? fmt::format("{} in [{}, {}]{}", last[i].name, symbolic::to_string(range.low),
                                       symbolic::to_string(*range.high), as)
                         : fmt::format("{} >= {}{}", last[i].name, symbolic::to_string(range.low), as));
  }
  function.about.push_back(fmt::format("{}.", fmt::join(ranges, "; ")));
  for (std::string note : known.notes) {
    if (detail::is_letter(note[0])) note[0] = static_cast<char>(note[0] & ~0x20);
    function.about.push_back(note + ".");
  }
  TESSERA_TRY(text, function_text(function));
  std::string test;
  if (options.test) {
    const std::vector<std::vector<Index>> points = points_of(layout, where, names);
    if (points.empty())
      return fail(Code::not_applicable, "the first sizes that were tried give no layout to test", {},
                  "leave out --test, or give numbers with --size");
    test =
        points_test(function, points, [&](std::span<const Index> point) -> std::optional<std::vector<Index>> {
          Sizes at;
          for (std::size_t i = 0; i < names.size(); ++i) at[names[i]] = point[shape.size() + i];
          const auto numbers = parse_layout(layout.text_at(at).value_or(""));
          if (!numbers) return std::nullopt;
          return std::vector<Index>{numbers->offset(point.first(shape.size()))};
        });
  }
  return finished(function.terms.rules(), std::move(text), std::move(test));
}

}  // namespace tessera::coding
