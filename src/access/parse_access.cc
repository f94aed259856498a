// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "access/offset_table.h"
#include "access/thread_table.h"
#include "tessera/access/access.h"
#include "tessera/access/memory_target.h"
#include "tessera/notation/atoms.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

// A part of the text and the position of its first byte.
struct TextPart {
  std::string_view text;
  std::size_t at;
};

Span span_of(const TextPart& part) {
  return {static_cast<std::uint32_t>(part.at), static_cast<std::uint32_t>(part.at + part.text.size())};
}

std::optional<Index> number(std::string_view text) {
  Index out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

// True if a part continues the one before it: the domain of a map, or the second extent of over=8,16.
bool continues(const std::vector<TextPart>& parts, std::string_view text) {
  if (parts.empty()) return false;
  const std::string_view before = parts.back().text;
  text = trimmed(text);
  if (parts.size() == 1 && before.find("map:") != std::string_view::npos)
    return text.starts_with("domain:") || text.find(" in [") != std::string_view::npos;
  return (before.starts_with("over=") || before.starts_with("at=")) && number(text).has_value();
}

// Commas inside brackets belong to a layout.
std::vector<TextPart> split(std::string_view text) {
  std::vector<TextPart> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || (c == '>' && !is_arrow)) --depth;
    if (c == ',' && (depth <= 0 || i == text.size())) {
      const std::string_view part = text.substr(begin, i - begin);
      if (continues(out, part)) {
        out.back().text = text.substr(out.back().at, i - out.back().at);
      } else {
        out.push_back({part, begin});
      }
      begin = i + 1;
    }
  }
  return out;
}

Failure bad(const TextPart& part, std::string message, std::string help) {
  return fail(Code::bad_option, std::move(message), span_of(part), std::move(help));
}

// Reads `0xff`, or lanes and ranges of lanes joined by +: `0-15+24`.
std::optional<std::uint64_t> lanes_mask(std::string_view text) {
  std::uint64_t out = 0;
  if (text.starts_with("0x")) {
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), out, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return out;
  }
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('+'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t dash = one.find('-');
    const std::optional<Index> first = number(one.substr(0, dash));
    const std::optional<Index> last = dash == std::string_view::npos ? first : number(one.substr(dash + 1));
    if (!first || !last || *first < 0 || *last > 63 || *first > *last) return std::nullopt;
    for (Index lane = *first; lane <= *last; ++lane) out |= std::uint64_t{1} << lane;
  }
  return out;
}

// Reads numbers joined by commas: `8,16`.
std::optional<std::vector<Index>> numbers(std::string_view text) {
  std::vector<Index> out;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<Index> one = number(trimmed(text.substr(0, comma)));
    if (!one || *one < 0 || *one > (Index{1} << 40)) return std::nullopt;
    out.push_back(*one);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

// One warp at the origin of a two-dimensional box.
Result<Layout> rows_or_columns(bool rows, const Layout& layout, Index vector, Index lanes,
                               const TextPart& part) {
  if (layout.rank() != 2) {
    return bad(part, fmt::format("{} needs a layout of two dimensions, not {}", part.text, layout.rank()),
               "write a layout from (thread, value) to the index, such as (32,4):(4,1)");
  }
  const Index r = layout.shape()[0];
  const Index c = layout.shape()[1];
  const Index along = rows ? c : r;
  if (vector > along || along % vector != 0) {
    return bad(part,
               fmt::format("{} of {} elements do not divide into vectors of {}", part.text, along, vector),
               "choose a vector width that divides them");
  }
  const Index inner = std::min(lanes, along / vector);
  const Index outer = std::min(std::max<Index>(1, lanes / inner), rows ? r : c);
  const std::string text = rows ? fmt::format("(({},{}),{}):(({},1),{})", inner, outer, vector, r * vector, r)
                                : fmt::format("(({},{}),{}):(({},{}),1)", inner, outer, vector, vector, r);
  return parse_layout(text);
}

struct Keys {
  const Layout& layout;
  const AccessOptions& options;
  Access& access;
  bool& widest;

  Result<void> read(const TextPart& part) const {
    const std::size_t equals = part.text.find('=');
    const std::string_view key = part.text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : part.text.substr(equals + 1);
    for (const AccessKind kind :
         {AccessKind::read, AccessKind::write, AccessKind::ldmatrix, AccessKind::stmatrix}) {
      if (key != to_string(kind)) continue;
      access.kind = kind;
      if (!is_matrix(kind)) return {};
      const std::optional<Index> count = number(value);
      if (!count || (*count != 1 && *count != 2 && *count != 4)) {
        return bad(part, fmt::format("{} takes 1, 2 or 4 matrices", key), fmt::format("write {}=4", key));
      }
      access.matrices = static_cast<int>(*count);
      return {};
    }
    if (key == "active") {
      const std::optional<std::uint64_t> mask = lanes_mask(value);
      if (!mask)
        return bad(part, "active needs a mask or a list of lanes", "write active=0xff or active=0-15+24");
      access.active = *mask;
      return {};
    }
    if (key == "over" || key == "at") return read_window(part, key, value);
    if (key == "vector" && value == "auto") {
      widest = true;
      return {};
    }
    Index* const target = key == "vector"   ? &access.vector
                          : key == "weight" ? &access.weight
                          : key == "base"   ? &access.base
                                            : nullptr;
    if (target == nullptr) {
      return fail(Code::unknown_name, fmt::format("'{}' is not a key of an access", key), span_of(part),
                  "keys are read, write, ldmatrix=4, stmatrix=4, vector=4, active=0xff, weight=2, base=16, "
                  "over=8,16, at=0,0");
    }
    const std::optional<Index> n = number(value);
    const int most_bits = key == "weight" ? 20 : 40;
    if (!n || *n < (key == "base" ? 0 : 1) || *n > (Index{1} << most_bits)) {
      return bad(part,
                 fmt::format("{} takes a number from {} to 2^{}", key, key == "base" ? 0 : 1, most_bits),
                 fmt::format("write {}=4", key));
    }
    *target = *n;
    if (key == "vector") widest = false;
    return {};
  }

  // Reads over=R,C and at=R,C or at=all, in either order.
  Result<void> read_window(const TextPart& part, std::string_view key, std::string_view value) const {
    if (!access.window) access.window.emplace();
    if (key == "at" && value == "all") {
      access.window->everywhere = true;
      return {};
    }
    const std::optional<std::vector<Index>> extents = numbers(value);
    const bool fits = extents && std::ssize(*extents) == std::ssize(layout.shape()) &&
                      (key == "at" || std::find(extents->begin(), extents->end(), 0) == extents->end());
    if (!fits) {
      return bad(part,
                 fmt::format("{} takes {} numbers, one for each dimension of the layout", key, layout.rank()),
                 key == "at" ? "write at=0,0 or at=all" : "write over=16,8");
    }
    (key == "at" ? access.window->at : access.window->shape) = *extents;
    return {};
  }
};

// The shape of the tile that the named atom maps to. Empty for other texts.
std::vector<Index> atom_shape(std::string_view text) {
  std::vector<Index> out;
  const Atom* const atom = named_atom(text);
  if (atom == nullptr || atom->kind != AtomKind::fragment) return out;
  for (const AtomAxis& axis : atom->codomain) out.push_back(axis.extent);
  return out;
}

// The widest vector of an access to a layout.
Result<Index> widest_of(const Access& access, const Layout& layout, const AccessOptions& options) {
  const Result<detail::ThreadTable> table =
      detail::thread_table(access, layout.shape(), options.target.lanes());
  if (!table) return fail(table.error());
  std::vector<Index> touched;
  for (const Index i : table->index) touched.push_back(i == detail::kOff ? kNoOffset : offset_at(layout, i));
  return widest_vector({.offsets = touched,
                        .threads = table->threads,
                        .element_bits = options.element_bits,
                        .base_align = std::gcd(access.base, options.base_align)})
      .vector;
}

// Shifts an error in a part of the text to its position in the whole text.
Failure moved(Diagnostic error, const TextPart& part) {
  error.span = {static_cast<std::uint32_t>(error.span.begin + part.at),
                static_cast<std::uint32_t>(error.span.end + part.at)};
  return fail(std::move(error));
}

}  // namespace

Access whole_layout(const Layout& layout) {
  Strides strides{.shape = {layout.shape().begin(), layout.shape().end()}, .strides = {}};
  if (strides.shape.empty()) strides.shape = {1};  // a scalar is one thread
  Index size = 1;
  for (const Index extent : strides.shape) {
    strides.strides.push_back(size);
    size *= extent;
  }
  return {.tv = *Layout::make(std::move(strides))};  // offsets are below the size, which fits in 64 bits
}

Result<Access> parse_access(std::string_view text, const Layout& layout, const AccessOptions& options,
                            const Access& defaults) {
  Access access = defaults;
  std::vector<TextPart> parts = split(text);
  TextPart& first = parts.front();
  // Matches NAME=TV: letters, digits and periods before the first equals sign.
  const std::size_t equals = first.text.find('=');
  const std::string_view name = first.text.substr(0, equals);
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  if (equals != std::string_view::npos && !name.empty() && std::all_of(name.begin(), name.end(), is_name)) {
    access.name = std::string(name);
    first = {first.text.substr(equals + 1), first.at + equals + 1};
  } else if (first.text == "rows" || first.text == "columns") {
    access.name = std::string(first.text);
  }
  bool widest = false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (Result<void> read = Keys{layout, options, access, widest}.read(parts[i]); !read)
      return fail(read.error());
  }
  if (!access.window || access.window->shape.empty()) {
    if (std::vector<Index> shape = atom_shape(first.text); !shape.empty() && shape.size() == layout.rank()) {
      if (!access.window) access.window.emplace();
      access.window->shape = std::move(shape);
    }
  }
  if (access.window && access.window->shape.empty()) {
    return bad(first, "at needs the shape of the block of threads", "add over=16,8");
  }
  const bool rows = first.text == "rows";
  if (rows || first.text == "columns") {
    Result<Layout> tv = rows_or_columns(rows, layout, access.vector, options.target.lanes(), first);
    if (!tv) return fail(tv.error());
    access.tv = *std::move(tv);
  } else if (first.text.starts_with("map:")) {
    constexpr std::size_t kPrefix = 4;
    const TextPart map_text{first.text.substr(kPrefix), first.at + kPrefix};
    Result<IndexMap> map = parse_index_map(map_text.text);
    if (!map) return moved(map.error(), map_text);
    access.tv = *std::move(map);
  } else {
    Result<Layout> tv = parse_layout(first.text);
    if (!tv) return moved(tv.error(), first);
    access.tv = *std::move(tv);
  }
  if (widest) {
    const Result<Index> vector = widest_of(access, layout, options);
    if (!vector) return fail(vector.error());
    access.vector = *vector;
  }
  return access;
}

}  // namespace tessera
