// SPDX-License-Identifier: Apache-2.0
#include "verbs/show_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "draw/bits_picture.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/notation/atoms.h"
#include "tessera/notation/triton_layout.h"
#include "text/point.h"
#include "verbs/limits.h"

namespace tessera::verbs {
namespace {

// The layout as an operand of the CuTe algebra: a strided layout, or swizzles that end in one.
Result<ComposedLayout> cute_layout(const Layout& layout, const char* option) {
  if (layout.shape_stride() != nullptr && !layout.is_cropped()) return ComposedLayout(*layout.shape_stride());
  if (layout.composed() != nullptr && !layout.is_cropped()) return *layout.composed();
  return fail(Code::argument_type, fmt::format("{} takes CuTe layouts, not {}", option, to_string(layout)),
              {}, "write the layout as CuTe does, like (4,8):(8,1)");
}

// The window of a large layout that fits on a terminal of this width. Empty if the whole layout fits.
std::vector<IndexRange> part_that_fits(const LayoutView& view, PictureOptions options, Index width) {
  constexpr Index kRowsOfPart = 32;
  constexpr Index kSlices = 16;
  constexpr Index kLine = 512;
  if (options.view == View::memory) {
    return view.buffer.value_or(0) > kLine ? std::vector<IndexRange>{{0, kLine}} : std::vector<IndexRange>{};
  }
  const std::size_t rank = view.dims.size();
  if (rank == 0 || view.size() == 0) return {};
  if (rank == 1)
    return view.dims[0].drawn > kLine ? std::vector<IndexRange>{{0, kLine}} : std::vector<IndexRange>{};
  const std::size_t row = view.first_fastest ? 0 : rank - 2;
  std::vector<IndexRange> window(rank);
  // Then take the other dimensions, the fastest first, up to kSlices grids.
  Index slices = 1;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t i = view.first_fastest ? k : rank - 1 - k;
    if (i == row || i == row + 1) continue;
    window[i].end = std::min(view.dims[i].drawn, std::max<Index>(kSlices / slices, 1));
    slices *= window[i].end;
  }
  const Index all_rows = view.dims[row].drawn;
  const Index all_columns = view.dims[row + 1].drawn;
  window[row].end = all_rows > kVerbLimits.picture_rows ? kRowsOfPart : all_rows;
  Index& columns = window[row + 1].end;
  // Sets the columns. Returns whether the picture is narrow enough.
  const auto try_columns = [&](Index count, bool compact) {
    columns = count;
    options.window = window;
    const Result<Picture> picture = picture_of(view, options);
    return !picture || text_columns(*picture, compact) <= width;  // an error is reported later
  };
  const Index most =
      std::clamp<Index>(std::min(width / 2, kMaxCells / (window[row].end * slices)), 1, all_columns);
  if (most < all_columns || !(try_columns(most, false) || try_columns(most, true))) {
    Index low = 1;
    for (Index high = most; low < high;) {
      const Index middle = low + (high - low + 1) / 2;
      if (try_columns(middle, false)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    columns = low > 8 ? low - low % 8 : low;
  }
  const bool whole = std::ranges::equal(window, view.dims, {}, &IndexRange::end, &ViewDim::drawn);
  return whole ? std::vector<IndexRange>{} : window;
}

// The note about a partial picture: `showing columns 0–15 of 64; use --window or --width`.
std::string part_note(const LayoutView& view, const std::vector<IndexRange>& window, View kind, bool ascii) {
  const std::size_t rank = view.dims.size();
  const std::size_t row = view.first_fastest || rank < 2 ? 0 : rank - 2;
  std::string parts;
  bool narrow = false;
  const auto add = [&](std::string name, IndexRange range, Index of) {
    if (range.begin == 0 && range.end == of) return;
    std::string places = fmt::format("{}", range.begin);
    if (range.end - range.begin > 1) {
      places += fmt::format("{}{}", ascii ? "-" : "–", range.end - 1);
    } else if (name.ends_with('s')) {
      name.pop_back();
    }
    parts += fmt::format("{}{} {} of {}", parts.empty() ? "" : ", ", name, places, of);
  };
  if (kind == View::memory) {
    add("offsets", window[0], view.buffer.value_or(0));
  } else {
    for (std::size_t i = 0; i < rank; ++i) {
      const bool column = rank > 1 && i == row + 1;
      add(rank == 1  ? "elements"
          : i == row ? "rows"
          : column   ? "columns"
                     : view.dims[i].name,
          window[i], view.dims[i].drawn);
      narrow = narrow || (column && window[i].end < view.dims[i].drawn);
    }
  }
  return fmt::format("showing {}; use --window{}", parts, narrow ? " or --width" : "");
}

// An error about a field's value as a whole.
Failure about_value(std::string_view field, const std::string& text, Diagnostic error) {
  error.span = {0, static_cast<std::uint32_t>(text.size())};
  return refuse(field, std::move(error));
}

Result<Picture> about_layout(Result<Picture> picture) {
  if (!picture) return refuse("layout", std::move(picture.error()));
  return picture;
}

// Makes errors about the window point at it.
Result<Picture> drawn(const ShowRequest& request, Result<Picture> picture) {
  const bool of_window = !picture && !request.window.text.empty() && picture.error().field == "window";
  if (!of_window) return about_layout(std::move(picture));
  if (picture.error().help.empty())
    picture.error().help = "give one range BEGIN:END per dimension, or one of offsets with --view memory";
  return about_value("window", request.window.text, std::move(picture.error()));
}

// The picture of the part of a large layout that fits the width.
Result<Picture> fitted(const ShowRequest& request, Index width, const LayoutView& view,
                       PictureOptions options) {
  const bool whole = options.window.empty();
  if (whole) options.window = part_that_fits(view, options, width);
  Result<Picture> answer = drawn(request, tessera::picture_of(view, options));
  const bool in_rows = (options.view == View::memory || view.dims.size() == 1) && options.columns == 0;
  if (answer && in_rows && !answer->panels.empty()) {
    // Layouts without structure have rows of 32 by default. On a wide terminal, use 64.
    const Panel& panel = answer->panels[0];
    const bool long_rows = panel.columns == 32 && panel.rows > 1;
    for (const Index columns : {64, 32, 16, 8, 4}) {
      if (columns > 32 ? !long_rows : text_columns(*answer) <= width) continue;
      PictureOptions other = options;
      other.columns = columns;
      Result<Picture> rows = drawn(request, tessera::picture_of(view, other));
      if (columns < 64 || (rows && text_columns(*rows) <= width)) answer = std::move(rows);
      if (!answer) return answer;
    }
  }
  if (answer && whole && !options.window.empty())
    answer->notes.push_back(part_note(view, options.window, options.view, request.style == ShowStyle::ascii));
  return answer;
}

// The register layout of Triton, or null.
const TritonLayout* registers_of(const Layout& layout) {
  const auto* triton = layout.as<TritonLayout>();
  const bool drawn = triton != nullptr && space_of(triton->attribute.kind) == TritonSpace::registers &&
                     triton->shape->size() <= 2;
  return drawn ? triton : nullptr;
}

// The threads that hold an element, or with `only_warps` their warps.
std::set<std::array<Index, 3>> threads_of(const TritonHolders& holders, bool only_warps) {
  std::set<std::array<Index, 3>> out;
  for (const TritonPlace& p : holders.places) out.insert({p.block, p.warp, only_warps ? 0 : p.lane});
  return out;
}

// Who holds each element before and after. Marked: a thread that holds it after, but not before.
Result<Picture> owners_comparison(const Layout& from, const Layout& to) {
  const std::vector<Index>& shape = *registers_of(from)->shape;
  const std::vector<Index>& other = *registers_of(to)->shape;
  if (shape != other)
    return refuse(
        "compare", Code::different_shape,
        fmt::format("the shapes ({}) and ({}) differ", fmt::join(shape, ","), fmt::join(other, ",")));
  const std::vector<Index> tile = shape.size() == 2 ? shape : std::vector<Index>{1, shape[0]};
  auto before = triton_bases(*registers_of(from));
  auto after = triton_bases(*registers_of(to));
  if (!before) return refuse("layout", std::move(before.error()));
  if (!after) return refuse("compare", std::move(after.error()));
  Picture picture{.title = fmt::format("{} and {}", to_string(from), to_string(to))};
  for (const Layout* side : {&from, &to}) {
    auto one = thread_value_picture(view_of(*side, to_string(*side)), tile, {});
    if (!one) return refuse(side == &from ? "layout" : "compare", std::move(one.error()));
    one->panels[0].caption = to_string(*side);
    if (side == &to) {
      picture.scale = one->scale;
      picture.legend = one->legend;
      picture.legend_title = one->legend_title;
    }
    picture.panels.push_back(std::move(one->panels[0]));
  }
  constexpr std::size_t kAll = kMaxCells;  // no picture has more registers, so all places are found
  Index lanes = 0;
  Index warps = 0;
  Panel& panel = picture.panels[1];
  for (Index row = 0; row < panel.rows; ++row) {
    for (Index column = 0; column < panel.columns; ++column) {
      const std::vector<Index> index =
          shape.size() == 2 ? std::vector<Index>{row, column} : std::vector<Index>{column};
      TESSERA_TRY(had, triton_holders(*before, index, kAll));
      TESSERA_TRY(has, triton_holders(*after, index, kAll));
      const auto lacks = [&](bool only_warps) {
        return !std::ranges::includes(threads_of(had, only_warps), threads_of(has, only_warps));
      };
      const bool moves = lacks(false);
      const bool far = lacks(true);
      panel.cells[static_cast<std::size_t>(row * panel.columns + column)].marked = moves;
      lanes += moves && !far ? 1 : 0;
      warps += far ? 1 : 0;
    }
  }
  picture.notes.push_back(
      fmt::format("{} of {} elements come from another lane, {} from another warp: marked", lanes,
                  panel.rows * panel.columns, warps));
  return picture;
}

Result<Picture> comparison(const ShowRequest& request, const LayoutView& view, std::optional<Index> width) {
  PictureOptions options = options_of(request);
  if (width && options.window.empty()) options.window = part_that_fits(view, options, *width);
  const Layout& other = request.compare->value;
  Result<Picture> picture = comparison_of(view, view_of(other, to_string(other)), options);
  if (!picture) return refuse("compare", std::move(picture.error()));
  return picture;
}

Result<Picture> thread_values(const ShowRequest& request, const LayoutView& view) {
  std::vector<Index> tile = {1};
  const Atom* const atom = named_atom(request.layout.text);
  if (request.tile.empty() && atom != nullptr && atom->kind == AtomKind::fragment) {
    tile = {atom->codomain[0].extent, atom->codomain[1].extent};
  } else if (request.tile.empty()) {
    for (const ViewDim& dim : view.dims) {
      if (mul_overflows(tile[0], dim.extent, tile[0])) tile[0] = kIndexMax;
    }
  } else {
    Result<std::vector<Index>> shape = parse_shape(request.tile);
    if (!shape) return unreadable("tile", std::move(shape.error()));
    tile = *std::move(shape);
  }
  Result<Picture> picture = thread_value_picture(view, tile, {.columns = request.columns});
  const bool of_tile = !picture && !request.tile.empty() && picture.error().field == "tile";
  if (of_tile) return about_value("tile", request.tile, std::move(picture.error()));
  return about_layout(std::move(picture));
}

// The places of an Axe layout: tensor memory as it is, else who holds each element.
Result<Picture> places_picture(const ShowRequest& request, const PicturePlace& place) {
  const AxeLayout& axe = *request.layout.value.axe;
  auto placed = placement(axe);
  if (!placed) return refuse("layout", std::move(placed.error()));
  const auto draw = is_tensor_memory(*placed) ? tensor_memory_picture : placement_picture;
  return drawn(request, draw(*placed, to_string(axe), options_of(request), place.width));
}

Result<Picture> divided(const ShowRequest& request) {
  const Result<ComposedLayout> left = cute_layout(*request.layout.value.plain.layout, "--divide");
  if (!left) return refuse("layout", left.error());
  Result<Picture> picture = divide_figure(*left, request.divide->value.tiler);
  if (!picture) return refuse("divide", std::move(picture.error()));
  return picture;
}

Result<Picture> operation(const ShowRequest& request, std::string_view field,
                          const Given<TrackedLayout>& right,
                          Result<Picture> (*figure)(const ComposedLayout&, const StridedLayout&)) {
  const Result<ComposedLayout> left =
      cute_layout(*request.layout.value.plain.layout, fmt::format("--{}", field).c_str());
  if (!left) return refuse("layout", left.error());
  Result<Picture> picture = figure(*left, right.value.layout);
  if (!picture) return refuse(field, std::move(picture.error()));
  return picture;
}

}  // namespace

PictureOptions options_of(const ShowRequest& request) {
  PictureOptions options;
  options.view = request.view == ShowView::memory ? View::memory : View::index;
  options.color_by = parse_coloring(Words<ShowColor>::words[static_cast<std::size_t>(request.color_by)])
                         .value_or(Coloring{});
  options.cell_text = request.cells;
  options.columns = request.columns;
  options.bits = element_bits(request);
  options.window = request.window.ranges;
  return options;
}

Result<PictureWindow> FieldType<PictureWindow>::read(std::string_view text) {
  Result<std::vector<IndexRange>> ranges = parse_window(text);
  if (!ranges) return fail(std::move(ranges.error()));
  return PictureWindow{*std::move(ranges), std::string(text)};
}

Result<TrackedTiler> Reading<TrackedTiler>::read(const std::string& text) {
  Result<TrackedTiler> tiler = parse_cute_tiler(text);
  if (!tiler && tiler.error().help.empty())
    tiler.error().help = "a tiler is <4,2>, or has one layout per mode: <4:1,2:4>";
  return tiler;
}

Result<TrackedLayout> Reading<TrackedLayout>::read(const std::string& text) {
  Result<TrackedLayout> layout = parse_cute_layout(text);
  if (!layout && layout.error().help.empty())
    layout.error().help = "give a layout, like 2:4; --divide takes tilers";
  return layout;
}

Index element_bits(const ShowRequest& request) {
  const Atom* const atom = named_atom(request.layout.text);
  if (request.bytes > 0 || atom == nullptr) return request.bytes * 8;
  return atom->element_bits.value_or(0);
}

Result<Picture> picture_of(const ShowRequest& request, const PicturePlace& place) {
  if (request.shows_bits())
    return drawn(request, bits_picture(*request.layout.value.plain.named,
                                       {.word = request.word, .window = request.window.ranges}));
  if (request.shows_places()) return places_picture(request, place);
  const Layout& layout = *request.layout.value.plain.layout;
  if (request.divide) return divided(request);
  if (request.compose) return operation(request, "compose", *request.compose, composition_figure);
  if (request.product) return operation(request, "product", *request.product, product_figure);
  const LayoutView view = view_of(layout, to_string(layout));
  if (request.compare && registers_of(layout) != nullptr && registers_of(request.compare->value) != nullptr)
    return owners_comparison(layout, request.compare->value);
  if (request.compare) return comparison(request, view, place.width);
  if (request.tv) return thread_values(request, view);
  const PictureOptions options = options_of(request);
  if (place.width) return fitted(request, *place.width, view, options);
  const bool linked = place.linked && options.view == View::index;
  return drawn(request, linked ? linked_views(view, options) : tessera::picture_of(view, options));
}

}  // namespace tessera::verbs
