// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "access/lane_list.h"
#include "access/matrix_form.h"
#include "access/offset_table.h"
#include "access/registers/triton_threads.h"
#include "access/text_part.h"
#include "access/thread_pattern.h"
#include "access/thread_table.h"
#include "tessera/access/access.h"
#include "tessera/access/memory_target.h"
#include "tessera/notation/atoms.h"
#include "tessera/notation/axe.h"
#include "tessera/notation/strides.h"
#include "tessera/notation/triton_layout.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

using detail::bad_part;
using detail::MatrixForm;
using detail::span_of;
using detail::TextPart;
using detail::whole_number;

// True if a part continues the one before it: the domain of a map, the second extent of over=8,16, or the
// second lane of active=0,4.
bool continues(const std::vector<TextPart>& parts, std::string_view text) {
  if (parts.empty()) return false;
  const std::string_view before = parts.back().text;
  text = detail::without_leading_spaces(text);
  if (parts.size() == 1 && before.find("map:") != std::string_view::npos)
    return text.starts_with("domain:") || text.find(" in [") != std::string_view::npos;
  if (before.starts_with("active=")) return detail::continues_lanes(text);
  return (before.starts_with("over=") || before.starts_with("at=")) && whole_number(text).has_value();
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

// Reads numbers joined by commas: `8,16`.
std::optional<std::vector<Index>> numbers(std::string_view text) {
  std::vector<Index> out;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<Index> one = whole_number(detail::without_leading_spaces(text.substr(0, comma)));
    if (!one || *one < 0 || *one > (Index{1} << 40)) return std::nullopt;
    out.push_back(*one);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

struct Keys {
  const Layout& layout;
  const AccessOptions& options;
  Access& access;
  bool& widest;
  Index matrix_row = 0;  // if the threads are those of a matrix instruction: the elements of a row

  Result<void> read(const TextPart& part) const {
    const std::size_t equals = part.text.find('=');
    const std::string_view key = part.text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : part.text.substr(equals + 1);
    const Result<std::optional<MatrixForm>> form = detail::parse_matrix_form(part);
    if (!form) return fail(form.error());
    if (*form || key == "read" || key == "write")
      return read_kind(part, form->value_or(MatrixForm{key == "write" ? AccessKind::write : AccessKind::read,
                                                       access.matrices}));
    if (key == "active") {
      const std::size_t begin = equals == std::string_view::npos ? part.text.size() : equals + 1;
      const Result<std::uint64_t> lanes = detail::parse_lanes(part.from(begin), options.target);
      if (!lanes) return fail(lanes.error());
      access.active = *lanes;
      return {};
    }
    if (key == "over" || key == "at") return read_window(part, key, value);
    if (key == "vector" && value == "auto") {
      widest = matrix_row == 0;  // the vector of a matrix instruction is a row
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
    const std::optional<Index> n = whole_number(value);
    const int most_bits = key == "weight" ? 20 : 40;
    if (!n || *n < (key == "base" ? 0 : 1) || *n > (Index{1} << most_bits)) {
      return bad_part(part,
                      fmt::format("{} takes a number from {} to 2^{}", key, key == "base" ? 0 : 1, most_bits),
                      fmt::format("write {}=4", key));
    }
    if (key == "vector" && matrix_row > 0 && *n != matrix_row) {
      return bad_part(part,
                      fmt::format("a lane of {} moves 16 bytes, which are {} elements",
                                  to_string(access.kind), matrix_row),
                      fmt::format("leave {} out", part.text));
    }
    *target = *n;
    if (key == "vector") widest = false;
    return {};
  }

  Result<void> read_kind(const TextPart& part, const MatrixForm& form) const {
    if (matrix_row > 0) {
      return bad_part(
          part,
          fmt::format("the threads are already those of {}.x{}", to_string(access.kind), access.matrices),
          fmt::format("leave {} out", part.text));
    }
    access.kind = form.kind;
    access.matrices = form.matrices;
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
      return bad_part(
          part, fmt::format("{} takes {} numbers, one for each dimension of the layout", key, layout.rank()),
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

// Whether elements along the first dimension are consecutive in memory, and not those along the second.
bool runs_along_first(const Layout& layout) {
  if (layout.rank() != 2 || layout.shape()[0] < 2 || layout.shape()[1] < 1) return false;
  const Index origin = offset_at(layout, 0);
  const bool second = layout.shape()[1] > 1 && offset_at(layout, layout.shape()[0]) == origin + 1;
  return !second && offset_at(layout, 1) == origin + 1;
}

// The widest vector of an access to a layout.
Result<Index> widest_of(const Access& access, const Layout& layout, const AccessOptions& options) {
  const Result<detail::ThreadTable> table =
      detail::thread_table(access, layout.shape(), options.target.lanes());
  if (!table) return fail(table.error());
  std::vector<Index> touched;
  for (const Index i : table->index) touched.push_back(i < 0 ? kNoOffset : offset_at(layout, i));
  return widest_vector({.offsets = touched,
                        .threads = table->threads,
                        .element_bits = options.element_bits,
                        .base_align = options.base_align,
                        .base = access.base})
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
  // Matches NAME=TV: letters, digits and periods before the first equals sign. In ldmatrix=4 they are the
  // instruction.
  const std::size_t equals = first.text.find('=');
  const std::string_view name = first.text.substr(0, equals);
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  const bool counts = (name == to_string(AccessKind::ldmatrix) || name == to_string(AccessKind::stmatrix)) &&
                      equals != std::string_view::npos && whole_number(first.text.substr(equals + 1));
  const bool named = equals != std::string_view::npos && !counts && !name.empty() &&
                     std::all_of(name.begin(), name.end(), is_name);
  if (named) {
    access.name = std::string(name);
    first = first.from(equals + 1);
  }
  const Result<std::optional<MatrixForm>> form = detail::parse_matrix_form(first);
  if (!form) return fail(form.error());
  const bool rows = first.text == "rows";
  const bool columns = first.text == "columns";
  if (!named && (*form || rows || columns)) access.name = *form ? (*form)->name() : std::string(first.text);

  // The rows of .trans are columns of the operand, so that an operand whose first dimension is contiguous has
  // them there.
  const bool along_first = *form && (*form)->trans && runs_along_first(layout);
  bool widest = false;
  Keys keys{layout, options, access, widest};
  if (*form) {
    const Result<Index> elements = detail::matrix_row_elements(first, options.element_bits);
    if (!elements) return fail(elements.error());
    access.kind = (*form)->kind;
    access.matrices = (*form)->matrices;
    access.vector = *elements;
    keys.matrix_row = *elements;
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (Result<void> read = keys.read(parts[i]); !read) return fail(read.error());
  }
  std::optional<AxeLayout> axe;
  if (is_axe_text(first.text)) {
    auto read = parse_axe(first.text);
    if (!read) return moved(read.error(), first);
    axe = *std::move(read);
  }
  if (!access.window || access.window->shape.empty()) {
    std::vector<Index> shape = axe ? axe->shape : atom_shape(first.text);
    if (*form) {
      const auto tile = detail::matrix_tile(first, **form, layout.shape(), access.vector, along_first);
      if (!tile) return fail(tile.error());
      shape = tile->shape();
    }
    if (!shape.empty() && shape.size() == layout.rank()) {
      if (!access.window) access.window.emplace();
      access.window->shape = std::move(shape);
    }
  }
  if (access.window && access.window->shape.empty()) {
    return bad_part(first, "at needs the shape of the block of threads", "add over=16,8");
  }
  if (*form) {
    const auto tile = detail::matrix_tile(first, **form, access.window->shape, access.vector, along_first);
    if (!tile) return fail(tile.error());
    Result<Layout> tv = detail::matrix_pattern(*tile, access.window->shape[0]);
    if (!tv) return fail(tv.error());
    access.tv = *std::move(tv);
  } else if (rows || columns) {
    const detail::WarpVectors warp{.vector = access.vector, .lanes = options.target.lanes()};
    Result<Layout> tv = rows ? detail::row_pattern(first, layout.shape(), warp)
                             : detail::column_pattern(first, layout.shape(), warp);
    if (!tv) return fail(tv.error());
    access.tv = *std::move(tv);
  } else if (first.text.starts_with("map:")) {
    constexpr std::size_t kPrefix = 4;
    const TextPart map_text = first.from(kPrefix);
    Result<IndexMap> map = parse_index_map(map_text.text);
    if (!map) return moved(map.error(), map_text);
    access.tv = *std::move(map);
  } else if (axe) {
    const Result<StridedLayout> modes = thread_value(*axe);
    Result<Layout> tv = modes ? Layout::make(*modes) : fail(modes.error());
    if (!tv) {
      Diagnostic error = std::move(tv.error());
      error.span = {0, static_cast<std::uint32_t>(first.text.size())};
      return moved(std::move(error), first);
    }
    access.tv = *std::move(tv);
  } else if (is_triton_text(first.text)) {
    auto threads = access::triton_threads(first.text, layout, options.element_bits);
    if (!threads) return moved(threads.error(), first);
    access.tv = std::move(threads->tv);
    const bool given = std::ranges::any_of(parts, [](const TextPart& part) {
      return part.text.starts_with("vector=") && part.text != "vector=auto";
    });
    if (threads->vector && !given) {
      access.vector = *threads->vector;
      widest = false;
    } else {
      widest = widest || !given;
    }
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
