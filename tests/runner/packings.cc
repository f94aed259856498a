// SPDX-License-Identifier: Apache-2.0
// The folder packings: named layouts: offsets, texts, equality, conversions, names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index_walk.h"
#include "notation/named/sized_equality.h"
#include "notation/table_equality.h"
#include "reshard/pieces/axis_expression.h"
#include "runner/check.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/named_layout.h"

namespace tessera::vectors::packings {
namespace {

using Indices = std::vector<Index>;

Indices list_of(std::span<const Index> values) { return {values.begin(), values.end()}; }

// The sum of (i + 1) f_i modulo 2^61 - 1 over all offsets, or all bits.
class Sum {
 public:
  void add(Index offset) {
    constexpr auto kModulus = (static_cast<unsigned __int128>(1) << 61) - 1;
    const auto product = static_cast<unsigned __int128>(++count_) * static_cast<unsigned __int128>(offset);
    sum_ = static_cast<std::uint64_t>((sum_ + product % kModulus) % kModulus);
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

Json point_json(const NamedLayout& named, const std::optional<Layout>& layout, const Indices& index) {
  Json out = {index};
  if (layout) {
    const Index offset = layout->offset(index);
    const Index bit = offset * named.type().bits;
    out.insert(out.end(), {offset, bit / 8, bit % 8});
    return out;
  }
  Json runs = Json::array();
  for (const BitRun& run : runs_at(named, index))
    runs.push_back({run.first, run.count, run.offset / 8, run.offset % 8});
  out.push_back(runs);
  return out;
}

VectorResult points(const Json& row) {
  const auto named = parse_named_layout(text_of(row, "text"));
  if (!named) return VectorResult::fail("a layout", to_string(named.error()));
  const bool cells = named->kind() == NamedKind::cells;
  std::optional<Layout> layout;
  if (cells) {
    const auto made = Layout::make(*named);
    if (!made) return VectorResult::fail("a layout", to_string(made.error()));
    layout = *made;
  }
  const Index bits = named->type().bits;
  Json got = {{"text", to_string(*named)},
              {"kind", to_string(named->kind())},
              {"width", bits},
              {"shape", list_of(named->shape())},
              {"buffer", cells ? named->buffer_bits() / bits : named->buffer_bits()},
              {"bytes", named->buffer_bytes()},
              {"container", {to_string(named->container().type), named->container().shape}}};
  got["points"] = Json::array();
  for (const Json& point : row["points"])
    got["points"].push_back(point_json(*named, layout, indices(point[0])));
  Sum sum;
  if (std::ranges::find(named->shape(), 0) == named->shape().end()) {
    const auto all = bit_layout(*named);
    const IndexMap map = layout ? lower(*layout) : IndexMap();
    Indices index(named->shape().size(), 0);
    do {
      for (int bit = 0; bit < (cells ? 1 : static_cast<int>(bits)); ++bit) {
        const Index offset = cells ? layout->offset(index) : named->bit_offset(index, bit);
        if (cells && (named->bit_offset(index, 0) != offset * bits || map.evaluate(index) != Indices{offset}))
          return VectorResult::fail("one offset", "another by the map or in bits");
        if (!cells) {
          Indices with_bit = index;
          with_bit.push_back(bit);
          if (!all || all->offset(with_bit) != offset)
            return VectorResult::fail("one offset", "another in the layout of bits");
        }
        sum.add(offset);
      }
    } while (detail::next_index(index, named->shape()));
  }
  got["sum"] = sum.value();
  Json expected = Json::object();
  for (const auto& [key, value] : got.items()) expected[key] = row[key];
  return VectorResult::when(got == expected, expected.dump(), got.dump());
}

VectorResult text(const Json& row) {
  const auto named = parse_named_layout(text_of(row, "text"));
  if (text_of(row, "op") == "error") {
    const std::string expected = text_of(row, "error") + " " + row.value("reason", "");
    const std::string got =
        named ? to_string(*named) : fmt::format("{} {}", to_string(named.error().code), named.error().reason);
    return VectorResult::when(got == expected, expected, got);
  }
  if (text_of(row, "op") != "print") return unknown_op(row);
  const std::string expected = text_of(row, "print");
  if (!named) return VectorResult::fail(expected, to_string(named.error()));
  const auto again = parse_named_layout(expected);
  return VectorResult::when(to_string(*named) == expected && again && *again == *named, expected,
                            to_string(*named));
}

VectorResult equal_row(const Json& row) {
  const auto a = parse_named_or_layout(text_of(row, "a"));
  const auto b = parse_named_or_layout(text_of(row, "b"));
  if (!a || !b) return VectorResult::fail("layouts", to_string(a ? b.error() : a.error()));
  const auto notion = parse_equality_notion(text_of(row, "notion"));
  const auto found = equal(*a, *b, notion.value());
  if (!found) return VectorResult::fail("an answer", to_string(found.error()));
  Json got = {{"equal", found->verdict == Verdict::yes}};
  if (found->verdict == Verdict::undecided) got["equal"] = "undecided";
  if (found->difference) {
    got["at"] = found->difference->index;
    got["offsets"] = {found->difference->first, found->difference->second};
  } else if (!found->word.empty()) {
    const bool storage = found->word == "buffer_size" || found->word == "element_bits";
    got["reason"] = storage ? "storage" : found->word;
  }
  Json expected = Json::object();
  for (const char* key : {"equal", "at", "offsets", "reason"}) {
    if (row.contains(key)) expected[key] = row[key];
  }
  return VectorResult::when(got == expected, expected.dump(), got.dump());
}

std::string difference(const Layout& a, const Layout& b) {
  if (!std::ranges::equal(a.shape(), b.shape())) return "another shape";
  if (a.size() == 0) return "";
  Indices index(a.rank(), 0);
  do {
    if (a.offset(index) != b.offset(index)) return fmt::format("at ({})", fmt::join(index, ", "));
  } while (detail::next_index(index, a.shape()));
  return "";
}

Result<Layout> source_of(const Json& row) {
  if (!row.value("bits", false)) return parse_layout(text_of(row, "text"));
  const auto named = parse_named_layout(text_of(row, "text"));
  if (!named) return fail(named.error());
  return bit_layout(*named);
}

std::string reason_of(const Diagnostic& diagnostic) {
  return fmt::format("{} {}", to_string(diagnostic.code), diagnostic.reason);
}

VectorResult convert_row(const Json& row) {
  const std::string to = text_of(row, "to");
  const auto source = source_of(row);
  const bool ok = row["ok"].get<bool>();
  const std::string refusal = ok ? "" : "not_representable " + text_of(row, "reason");
  if (!source)
    return VectorResult::when(reason_of(source.error()) == refusal, refusal, reason_of(source.error()));
  if (to == "digits") {
    const auto digits = to_digits(*source);
    if (!digits || !ok) {
      const std::string got = digits ? to_string(*digits) : reason_of(digits.error());
      return VectorResult::when(got == refusal, ok ? row["digits"].dump() : refusal, got);
    }
    Json got = Json::array();
    for (const Digit& d : digits->digits()) got.push_back({d.dim, d.div, d.ext, d.stride});
    return VectorResult::when(got == row["digits"] && digits->base() == row["const"], row["digits"].dump(),
                              got.dump());
  }
  const auto result = convert(*source, parse_notation(to).value());
  if (!result || !ok) {
    const std::string got = result ? to_string(result->layout) : reason_of(result.error());
    return VectorResult::when(got == refusal, ok ? text_of(row, "expect") : refusal, got);
  }
  const std::string expected = text_of(row, "expect");
  const std::string got = to_string(result->layout);
  if (text_of(row, "check") == "exact") return VectorResult::when(got == expected, expected, got);
  const std::string wrong = difference(*source, result->layout);
  return VectorResult::when(wrong.empty(), expected, got + " " + wrong);
}

VectorResult find(const Json& row) {
  const auto layout = parse_layout(text_of(row, "layout"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  Json got = Json::array();
  for (const NamedLayout& name : names_of(*layout, row["bits"].get<int>())) got.push_back(name_of(name));
  return VectorResult::when(got == row["names"], row["names"].dump(), got.dump());
}

// Where a name first occurs in braces.
std::size_t place_in_braces(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t brace = text.find_last_of("{}", at);
    if (brace != std::string::npos && text[brace] == '{') return at;
  }
  return text.size();
}

VectorResult sizes(const Json& row) {
  SizedPair pair = {text_of(row, "a"), text_of(row, "b"), {}};
  for (const auto& [name, range] : row["sizes"].items()) {
    const Indices values = indices(range);
    pair.sizes.push_back({name, values[0], values[1], values[2]});
  }
  // The order of the names is that of the text; an object of JSON has none.
  std::ranges::sort(pair.sizes, {},
                    [&](const SizeRange& size) { return place_in_braces(pair.a, size.name); });
  const auto found = equal_for_sizes(pair, EqualityNotion::map);
  if (!found) return VectorResult::fail("an answer", to_string(found.error()));
  Json got = {{"equal", found->equality.verdict == Verdict::yes}};
  if (found->equality.verdict == Verdict::yes) got["tried"] = found->tried;
  if (found->equality.difference) {
    for (std::size_t i = 0; i < pair.sizes.size(); ++i)
      got["at_sizes"][pair.sizes[i].name] = found->at_sizes[i];
    got["at"] = found->equality.difference->index;
    got["offsets"] = {found->equality.difference->first, found->equality.difference->second};
  }
  Json expected = Json::object();
  for (const char* key : {"equal", "tried", "at_sizes", "at", "offsets"}) {
    if (row.contains(key)) expected[key] = row[key];
  }
  return VectorResult::when(got == expected, expected.dump(), got.dump());
}

void flatten(const Json& value, Indices& out) {
  if (!value.is_array()) return out.push_back(value.get<Index>());
  for (const Json& part : value) flatten(part, out);
}

// The axes of a one-dimensional expression without branches, the major one first.
std::vector<std::string> axes_of(const AxisExpression& expression) {
  std::vector<std::string> names;
  for (const AxisAtom& atom : expression.dims.front().branches.front().atoms) names.push_back(atom.name);
  return names;
}

// The new place of each row, when the axes of a dimension are ordered anew.
VectorResult rows(const Json& row) {
  AxisSizes sizes;
  for (const auto& [name, size] : row["axes"].items()) {
    if (!sizes.add(name, size.get<Index>())) return VectorResult::fail("sizes of axes", name);
  }
  const auto from = parse_axis_expression(text_of(row, "from"), sizes);
  const auto to = parse_axis_expression(text_of(row, "to"), sizes);
  if (!from || !to) return VectorResult::fail("axis expressions", "an error");
  const std::vector<std::string> source = axes_of(*from);
  Indices extents;
  for (const std::string& name : source) extents.push_back(row["axes"][name].get<Index>());
  Indices coordinates(extents.size(), 0);
  Json got = Json::array();
  do {
    Index place = 0;
    for (const std::string& name : axes_of(*to)) {
      const auto at = static_cast<std::size_t>(std::ranges::find(source, name) - source.begin());
      place = place * extents[at] + coordinates[at];
    }
    got.push_back(place);
  } while (detail::next_index(coordinates, extents));
  return VectorResult::when((got == row["table"]) == row["equal"].get<bool>(), row["table"].dump(),
                            got.dump());
}

VectorResult tables(const Json& row) {
  const std::string form = text_of(row, "form");
  if (form == "rows") return rows(row);
  const auto layout = parse_layout(text_of(row, "layout"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  Indices table;
  flatten(row["table"], table);
  const auto found = form == "offsets" ? compare_offsets(*layout, table) : compare_gather(*layout, table);
  Json got = Json::object();
  if (!found) {
    got = {{"equal", false}, {"reason", to_string(found.error().code)}};
    if (row.contains("buffers")) got["buffers"] = {*layout->buffer_size(), table.size()};
  } else {
    got["equal"] = !*found;
    if (*found) {
      got["at"] = (*found)->index;
      got["offsets"] = {(*found)->offset, nullptr};
      if ((*found)->in_table) got["offsets"][1] = *(*found)->in_table;
    }
  }
  Json expected = Json::object();
  for (const char* key : {"equal", "at", "offsets", "reason", "buffers"}) {
    if (row.contains(key)) expected[key] = row[key];
  }
  return VectorResult::when(got == expected, expected.dump(), got.dump());
}

const Register kPoints = row_check("packings", "points.jsonl", points);
const Register kText = row_check("packings", "text.jsonl", text, {"print", "error"});
const Register kEqual = row_check("packings", "equal.jsonl", equal_row);
const Register kConvert = row_check("packings", "convert.jsonl", convert_row);
const Register kSizes = row_check("packings", "sizes.jsonl", sizes);
const Register kTables = row_check("packings", "tables.jsonl", tables);
const Register kFind = row_check("packings", "find.jsonl", find);

}  // namespace
}  // namespace tessera::vectors::packings
