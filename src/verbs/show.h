// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `show`: facts about a layout, and its picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "size/sized_cases.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/notation/cute.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/placed.h"
#include "verbs/request.h"
#include "verbs/sizes.h"

namespace tessera::verbs {

/// A grid over the indices, over the offsets, or over the bits of a named layout.
/// Or, of a register layout of Triton, a table for each warp.
enum class ShowView : std::uint8_t { index, memory, bits, hardware };
template <>
struct Words<ShowView> {
  static constexpr std::array<std::string_view, 4> words = {"index", "memory", "bits", "hardware"};
};
/// Coloring, or the threads of `tv`.
enum class ShowColor : std::uint8_t { automatic, offset, index, tile, bank, thread, padding, none };
template <>
struct Words<ShowColor> {
  static constexpr std::array<std::string_view, 8> words = {"auto", "offset", "index",   "tile",
                                                            "bank", "thread", "padding", "none"};
};
template <>
struct Words<CellText> {
  static constexpr std::array<std::string_view, 8> words = {"auto",  "offset", "coordinate", "natural",
                                                            "index", "bank",   "both",       "none"};
};
template <>
struct Words<ThemeChoice> {
  static constexpr std::array<std::string_view, 3> words = {"light", "dark", "auto"};
};
enum class ShowStyle : std::uint8_t { box, ascii, print_layout, triton };
template <>
struct Words<ShowStyle> {
  static constexpr std::array<std::string_view, 4> words = {"box", "ascii", "print_layout", "triton"};
};

/// Positions along each dimension; empty: all.
struct PictureWindow {
  std::vector<IndexRange> ranges;
  std::string text;
};
template <>
struct FieldType<PictureWindow> {
  static Result<PictureWindow> read(std::string_view text);
  static Json schema() { return {{"type", "string"}}; }
};

template <>
struct Reading<TrackedTiler> {
  static TrackedTiler none() { return *parse_cute_tiler("1"); }
  static Result<TrackedTiler> read(const std::string& text);
};
template <>
struct Reading<TrackedLayout> {
  static TrackedLayout none() { return *parse_cute_layout("1:0"); }
  static Result<TrackedLayout> read(const std::string& text);
};

struct ShowRequest {
  Given<PlacedLayout> layout = {};
  std::string axis = {};  ///< of an Axe layout; empty: the one that moves
  bool facts = false;     ///< only the facts, or with `picture` both
  bool picture = false;
  std::optional<ShowView> view = {};
  Index word = 8;  ///< bits of a row, with the view `bits`
  PictureWindow window = {};
  ShowColor color_by = ShowColor::automatic;
  CellText cells = CellText::automatic;
  Index bytes = 0;
  Index columns = 0;
  /// \name Fields that exclude each other
  /// @{
  std::optional<Given<Layout>> compare = {};
  bool tv = false;
  std::optional<Given<TrackedTiler>> divide = {};
  std::optional<Given<TrackedLayout>> compose = {};
  std::optional<Given<TrackedLayout>> product = {};
  /// @}
  std::string tile = {};
  ThemeChoice theme = ThemeChoice::automatic;
  ShowStyle style = ShowStyle::box;
  Index width = 0;  ///< 0: that of the terminal
  std::string where = {};
  std::vector<SizeValues> size = {};

  /// Whether the picture shows more than one layout, or a tile.
  bool is_special() const { return tv || compare || divide || compose || product; }
  /// Places on several axes are not offsets: the places of each element are drawn.
  bool shows_places() const { return layout.value.axe && !layout.value.plain.layout; }
  /// Elements that are not cells have no offsets: their bits are drawn.
  bool shows_bits() const {
    return !shows_places() && (view == ShowView::bits || (!view && !layout.value.plain.layout));
  }
  /// Whether the text is that of Triton.
  bool is_triton_text() const { return style == ShowStyle::triton || view == ShowView::hardware; }
};

template <>
struct Description<ShowRequest> {
  static constexpr std::string_view name = "show";
  static constexpr std::string_view help = "facts about a layout, and its picture";
  static constexpr std::string_view extensions = ".txt .svg .png .tex .html";
  static constexpr std::string_view footer =
      R"(-o FILE writes .svg, .png, .tex, .html (interactive), .json or .txt. Names in a layout are sizes: the facts hold for all sizes
from 1 on, and the picture is of the first sizes with extents of at least 2, or of those of --size.

Examples:
  tessera show 'f32[3,5]{1,0:T(2,2)}'
  tessera show 'f32[3,5]{1,0:T(2,2)}' --view memory
  tessera show 'f32[M,N]{1,0:T(8,128)}' --facts --where 'M % 8 == 0, N % 128 == 0'
  tessera show 'Sw<3,0,3> o _0 o (8,8):(8,1)' --color-by bank --picture
  tessera show '(8,8):(8,1)' --compare '(8,8):(1,8)'
  tessera show '((4,8),(2,2)):((16,1),(8,64))' --tv --tile 8,16
  tessera show 'axe:8x16:S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]' --tv
  tessera show 'axe:S[(4,16,8):(32@TLane,1@TLane,1@TCol)]'
  tessera show '(8,8):(8,1)' --divide '<4,2>' -o tiles.svg
  tessera show '16x16:BlockedLayout([1,2],[4,8],[2,1],[1,0])'
  tessera show '16x16:BlockedLayout([1,2],[4,8],[2,1],[1,0])' --view hardware
  tessera show 'bf16[1024,1024]{1,0:T(8,128)(2,1)}' --window 0:8,120:136)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "layout",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true},
          &ShowRequest::layout);
    visit(Field{.name = "axis",
                .value = "NAME",
                .help = "the axis of an Axe layout to show as a layout; taddr is 65536 TLane + TCol",
                .excludes = "tv"},
          &ShowRequest::axis);
    visit(Field{.name = "facts", .help = "only the facts"}, &ShowRequest::facts);
    visit(Field{.name = "picture", .help = "only the picture", .single = true}, &ShowRequest::picture);
    visit(
        Field{.name = "view",
              .help =
                  "a grid over the indices, over the offsets in memory, or over the bits of a named layout; "
                  "hardware: the registers and lanes of each warp of a Triton layout",
              .excludes = "compare tv divide compose product"},
        &ShowRequest::view);
    visit(Field{.name = "word",
                .value = "BITS",
                .help = "bits of a row of --view bits: 8 (the default), 16, 32 or 64",
                .numbers = "8 16 32 64"},
          &ShowRequest::word);
    visit(Field{.name = "window",
                .value = "RANGES",
                .help = "show a part: one range BEGIN:END per dimension, or one range of offsets with --view "
                        "memory, of "
                        "rows with --view bits",
                .excludes = "tv divide compose product"},
          &ShowRequest::window);
    visit(Field{.name = "color_by",
                .value = "offset|index|tile|bank|thread|padding|none",
                .help = "what colors mean; thread needs --tv (default: offset, or tile in the memory view)",
                .excludes = "compare divide compose product"},
          &ShowRequest::color_by);
    visit(
        Field{.name = "cells",
              .value = "offset|coordinate|natural|index|bank|both|none",
              .help =
                  "what cells show; natural: the nested coordinate (default: offset, or bank with --color-by "
                  "bank)",
              .excludes = "tv divide compose product"},
        &ShowRequest::cells);
    visit(Field{.name = "bytes",
                .value = "N",
                .help = "bytes of an element, for banks and memory (default: the type's, else 4 for banks)",
                .least = 1,
                .most = 16},
          &ShowRequest::bytes);
    visit(Field{.name = "columns",
                .value = "N",
                .help = "cells per row of the memory view and of 1-D layouts",
                .least = 1,
                .most = 4096,
                .excludes = "divide compose product"},
          &ShowRequest::columns);
    visit(Field{.name = "compare",
                .value = "LAYOUT",
                .help = "a second layout next to it, with the differences marked",
                .excludes = "tv divide compose product",
                .single = true},
          &ShowRequest::compare);
    visit(
        Field{
            .name = "tv",
            .help =
                "LAYOUT maps (thread, value) to a tile, or is an Axe layout: show the owner of each element",
            .excludes = "divide compose product",
            .single = true},
        &ShowRequest::tv);
    visit(Field{.name = "tile",
                .value = "ROWS,COLUMNS",
                .help = "the shape of the tile (of an atom: its own)",
                .needs = "tv"},
          &ShowRequest::tile);
    visit(Field{.name = "divide",
                .value = "TILER",
                .help = "show zipped_divide(LAYOUT, TILER)",
                .excludes = "compose product",
                .single = true},
          &ShowRequest::divide);
    visit(Field{.name = "compose",
                .value = "B",
                .help = "show composition(LAYOUT, B)",
                .excludes = "product",
                .single = true},
          &ShowRequest::compose);
    visit(Field{.name = "product", .value = "B", .help = "show logical_product(LAYOUT, B)", .single = true},
          &ShowRequest::product);
    visit(Field{.name = "theme",
                .value = "auto|light|dark",
                .help = "light or dark background; auto: the viewer's setting"},
          &ShowRequest::theme);
    visit(
        Field{.name = "style",
              .help = "text style: box characters, ASCII, the table of CuTe's print_layout, or the text that "
                      "Triton and Gluon print of a register layout"},
        &ShowRequest::style);
    visit(Field{.name = "width",
                .value = "N",
                .help = "columns of the terminal (default: COLUMNS, the terminal's width, or 100)",
                .least = 20,
                .most = 100000},
          &ShowRequest::width);
    visit(kWhereField, &ShowRequest::where);
    visit(kSizeField, &ShowRequest::size);
  }
};

/// A layout, and what to draw of it.
class ShowResult : public VerbAnswer {
 public:
  explicit ShowResult(ShowRequest request) : request_(std::move(request)) {}
  /// Facts for all sizes of the layout `text`; the request has numbers for the picture, `drawn`.
  ShowResult(ShowRequest request, symbolic::SizedAnswers facts, std::string text, std::string drawn)
      : request_(std::move(request)),
        sized_(std::move(facts)),
        text_(std::move(text)),
        drawn_(std::move(drawn)) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_line() const override;
  Result<std::string> to_json() const override;
  Result<std::string> to_picture(PictureFormat format) const override;
  bool has_picture() const override { return true; }
  Result<std::string> to_cells() const override;
  std::vector<std::string> hints() const override;

 private:
  LayoutFacts facts() const;
  bool has_facts() const;
  std::string all_facts() const;

  ShowRequest request_;
  std::optional<symbolic::SizedAnswers> sized_ = {};
  std::string text_ = {};
  std::string drawn_ = {};
};

/// Errors: bad_option. Those of the picture follow when it is drawn: value_count and index_out_of_range (of
/// the window), argument_type (not a CuTe layout), limit, those of tessera/draw/layout_picture.h.
Result<ShowResult> show(const ShowRequest& request, Observer& observer);

}  // namespace tessera::verbs
