// SPDX-License-Identifier: Apache-2.0
#include "notation/layout_index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

// Whether a text is blank or empty parentheses, which is the index of a scalar.
bool is_blank(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return true;
  const std::size_t last = text.find_last_not_of(kBlanks);
  return text[begin] == '(' && text[last] == ')' && text.find_first_not_of(kBlanks, begin + 1) == last;
}

// A parsed index: the tuple, and the part of it that lists the coordinates of the dimensions.
struct Coordinates {
  IntTuple tuple;
  Cursor list = {};
  bool wrapped = false;
};

Result<Coordinates> read(std::string_view text, std::size_t rank) {
  const std::string bracketed = fmt::format("({})", text);
  const auto coord = parse_cute_coord(bracketed);
  if (!coord) {
    Diagnostic error = coord.error();
    const auto size = static_cast<std::uint32_t>(text.size());
    error.help = "write an index as numbers separated by commas: 2,3 or, for CuTe's modes, (0,1),2";
    error.span = {std::min(std::max(error.span.begin, 1U) - 1, size),
                  std::min(std::max(error.span.end, 1U) - 1, size)};
    return fail(std::move(error));
  }
  const Span whole{0, static_cast<std::uint32_t>(text.size())};
  if (coord->coord.holes != 0)
    return fail(Code::syntax, "an index cannot contain '_'", whole, "write a number for each '_'");
  Coordinates out{coord->coord.tuple};
  const Profile& profile = out.tuple.profile;
  // All coordinates may be in parentheses, as in `(2,3)`; so may the coordinate of a single mode.
  const Cursor only = first_mode(profile);
  const bool wrapped = profile.rank() == 1 && !profile.is_leaf(only.node) &&
                       static_cast<std::size_t>(profile.rank(only.node)) == rank;
  out.wrapped = wrapped;
  if (wrapped) out.list = only;
  return out;
}

// The span of coordinate `number` in the text of an index, which may be in parentheses.
Span coordinate(std::string_view text, std::size_t number, bool wrapped) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  int depth = wrapped ? -1 : 0;
  std::size_t begin = 0;
  std::size_t end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' && ++depth == 0) begin = i + 1;
    if (text[i] == ')' && --depth < 0) {
      end = i;
      break;
    }
    if (text[i] != ',' || depth != 0) continue;
    if (number == 0) {
      end = i;
      break;
    }
    --number;
    begin = i + 1;
  }
  begin = std::min(text.find_first_not_of(kBlanks, begin), end);
  while (end > begin && kBlanks.find(text[end - 1]) != kBlanks.npos) --end;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

Failure outside(Index value, std::size_t dim, Index extent, Span span) {
  return fail(
      Code::index_out_of_range,
      extent == 0 ? fmt::format("dimension {} has no index", dim)
                  : fmt::format("index {} of dimension {} is outside [0, {}]", value, dim, extent - 1),
      span,
      extent == 0 ? "the array is empty" : fmt::format("indices start at 0; the largest is {}", extent - 1));
}

Failure wrong_count(std::size_t count, std::size_t rank, Span span) {
  const std::vector<int> zeros(std::min<std::size_t>(rank, 8), 0);
  return fail(Code::value_count,
              fmt::format("the index has {}, but needs {}", detail::plural(count, "number"), rank), span,
              rank > zeros.size()
                  ? "give one number for each dimension"
                  : fmt::format("give one number for each dimension: ({})", fmt::join(zeros, ",")));
}

// Converts the nested coordinate of a mode to its 1-D coordinate.
Result<Index> within_mode(const Coordinates& in, Cursor at, const StridedLayout& layout, std::size_t dim,
                          Span span) {
  const StridedLayout mode = detail::sublayout(layout, mode_at(layout.profile, static_cast<int>(dim)));
  IntTuple coordinate;
  IntTupleBuilder build(coordinate);
  const Cursor end = after(in.tuple.profile, at);
  for (int n = at.node, i = at.leaf; n < end.node; ++n) {
    if (in.tuple.profile.is_leaf(n)) {
      build.leaf(in.tuple.leaf[i++]);
    } else {
      build.tuple(in.tuple.profile.rank(n));
    }
  }
  const IntTuple shape = mode.shape();
  const detail::Outcome<IntTuple> digits = detail::idx2crd(coordinate, shape);
  if (!digits) {
    return fail(Code::rank_mismatch,
                fmt::format("coordinate {} does not fit mode {}, which is {}", to_string(coordinate), dim,
                            to_string(shape)),
                span);
  }
  for (int i = 0; i < shape.leaves(); ++i) {
    if (digits->leaf[i] < 0 || digits->leaf[i] >= shape.leaf[i]) {
      return fail(Code::index_out_of_range,
                  fmt::format("coordinate {} of mode {} is outside its shape {}", to_string(coordinate), dim,
                              to_string(shape)),
                  span, "count from 0");
    }
  }
  return *detail::crd2idx(*digits, shape);
}

}  // namespace

Result<std::vector<Index>> parse_layout_index(std::string_view text, const Layout& layout) {
  const Span span{0, static_cast<std::uint32_t>(text.size())};
  if (is_blank(text)) {
    if (layout.rank() == 0) return std::vector<Index>{};
    return wrong_count(0, layout.rank(), span);
  }
  const auto read_text = read(text, layout.rank());
  if (!read_text) return fail(read_text.error());
  const Coordinates& in = *read_text;
  const Profile& profile = in.tuple.profile;
  const bool cute = layout.notation() == Notation::cute;
  const auto count = static_cast<std::size_t>(profile.rank(in.list.node));
  std::vector<Index> index;
  Cursor at = first_mode(profile, in.list);
  if (cute && count == 1 && layout.rank() > 1 && !layout.is_cropped() && profile.is_leaf(at.node)) {
    // The index is one coordinate for all modes, the leftmost fastest.
    Index rest = in.tuple.leaf[at.leaf];
    if (rest < 0 || rest >= layout.size()) {
      return fail(Code::index_out_of_range,
                  fmt::format("coordinate {} is outside [0, {}]", rest, layout.size() - 1), span,
                  "count from 0");
    }
    for (const Index extent : layout.shape()) {
      index.push_back(rest % extent);
      rest /= extent;
    }
    return index;
  }
  if (count != layout.rank()) {
    // The index may be in parentheses of its own.
    const bool bracketed = count == 1 && !profile.is_leaf(at.node);
    return wrong_count(bracketed ? static_cast<std::size_t>(profile.rank(at.node)) : count, layout.rank(),
                       span);
  }
  for (std::size_t d = 0; d < count; ++d, at = after(profile, at)) {
    Index value = in.tuple.leaf[at.leaf];
    if (!profile.is_leaf(at.node)) {
      if (!cute) {
        return fail(
            Code::syntax,
            fmt::format("dimension {} takes one number: only CuTe's modes have nested coordinates", d),
            coordinate(text, d, in.wrapped));
      }
      const StridedLayout& modes =
          layout.shape_stride() != nullptr ? *layout.shape_stride() : layout.composed()->domain();
      const auto inner = within_mode(in, at, modes, d, coordinate(text, d, in.wrapped));
      if (!inner) return fail(inner.error());
      value = *inner;
    }
    if (value < 0 || value >= layout.shape()[d]) {
      return outside(value, d, layout.shape()[d], coordinate(text, d, in.wrapped));
    }
    index.push_back(value);
  }
  return index;
}

}  // namespace tessera
