// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "access/offset_table.h"
#include "tessera/access/access_report.h"
#include "tessera/notation/strides.h"

namespace tessera {
namespace {

// A part of the text and its first byte.
struct Part {
  std::string_view text;
  std::size_t at;
};

Span span_of(const Part& part) {
  return {static_cast<std::uint32_t>(part.at), static_cast<std::uint32_t>(part.at + part.text.size())};
}

// Commas inside brackets belong to a layout.
std::vector<Part> split(std::string_view text) {
  std::vector<Part> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c == ',' && (depth <= 0 || i == text.size())) {
      out.push_back({text.substr(begin, i - begin), begin});
      begin = i + 1;
    }
  }
  return out;
}

std::optional<Index> number(std::string_view text) {
  Index out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

Failure bad(const Part& part, std::string message, std::string help) {
  return fail(Code::bad_option, std::move(message), span_of(part), std::move(help));
}

// `0xff`, or lanes and ranges of lanes joined by +: `0-15+24`.
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

// One warp at the origin of a box of two dimensions.
Result<Layout> rows_or_columns(bool rows, const Layout& layout, Index vector, Index lanes, const Part& part) {
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

  Result<void> read(const Part& part) const {
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
                  "keys are read, write, ldmatrix=4, stmatrix=4, vector=4, active=0xff, weight=2, base=16");
    }
    const std::optional<Index> n = number(value);
    if (!n || *n < (key == "base" ? 0 : 1) || *n > (Index{1} << 40)) {
      return bad(part, fmt::format("{} takes a number that is at least {}", key, key == "base" ? 0 : 1),
                 fmt::format("write {}=4", key));
    }
    *target = *n;
    if (key == "vector") widest = false;
    return {};
  }
};

}  // namespace

Access whole_layout(const Layout& layout) {
  Strides strides{.shape = {layout.shape().begin(), layout.shape().end()}, .strides = {}};
  if (strides.shape.empty()) strides.shape = {1};  // a scalar is one thread
  Index size = 1;
  for (const Index extent : strides.shape) {
    strides.strides.push_back(size);
    size *= extent;
  }
  return {.tv = *Layout::make(std::move(strides))};  // offsets are below the size, which fits
}

Result<Access> parse_access(std::string_view text, const Layout& layout, const AccessOptions& options,
                            const Access& defaults) {
  Access access = defaults;
  std::vector<Part> parts = split(text);
  Part& first = parts.front();
  // NAME=TV: letters, digits and points before the first equals sign.
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
  const bool rows = first.text == "rows";
  if (rows || first.text == "columns") {
    Result<Layout> tv = rows_or_columns(rows, layout, access.vector, options.target.lanes(), first);
    if (!tv) return fail(tv.error());
    access.tv = *std::move(tv);
  } else {
    Result<Layout> tv = parse_layout(first.text);
    if (!tv) {
      Diagnostic error = tv.error();
      error.span = {static_cast<std::uint32_t>(error.span.begin + first.at),
                    static_cast<std::uint32_t>(error.span.end + first.at)};
      return fail(std::move(error));
    }
    access.tv = *std::move(tv);
  }
  if (widest) {
    access.vector = 1;
    const Result<std::vector<Index>> offsets = offset_table(layout, kMostBoxIndices);
    const Result<std::vector<Index>> table = offset_table(access.tv, kMostBoxIndices);
    if (!offsets) return fail(offsets.error());
    if (!table) return fail(table.error());
    std::vector<Index> touched;
    for (const Index i : *table) {
      if (i < 0 || i >= std::ssize(*offsets)) return access;  // refused where the instructions are made
      touched.push_back((*offsets)[static_cast<std::size_t>(i)]);
    }
    access.vector =
        widest_vector(touched, access.tv.rank() == 0 ? 1 : access.tv.shape()[0], options.element_bytes)
            .vector;
  }
  return access;
}

}  // namespace tessera
