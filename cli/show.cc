// SPDX-License-Identifier: Apache-2.0
// `tessera show`: what is true of a layout, and its picture.
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "cli/help.h"
#include "cli/line_reader.h"
#include "cli/verbs.h"
#include "tessera/draw/figures.h"
#include "tessera/draw/layout_facts.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/draw/render.h"
#include "tessera/report/diagnostic_json.h"
#include "tessera/text/any.h"
#include "tessera/text/cute.h"
#include "tessera/text/layout_table.h"
#include "tessera/text/point.h"

namespace tessera::cli {
namespace {

enum class FileKind : std::uint8_t { text, svg, png, tex, html, json };

struct Request {
  std::string layout;
  bool facts = false;  // these alone, or with the other
  bool picture = false;
  std::string view = "index";
  std::string window;
  std::string color_by = "auto";
  std::string cells = "auto";
  std::string theme = "auto";
  std::string style = "box";
  Index bytes = 0;
  Index columns = 0;
  Index width = 0;
  // At most one of these.
  std::string compare;
  std::string divide;
  std::string compose;
  std::string product;
  bool tv = false;
  std::string tile;
};

// Why there is no answer, and the text it is about.
struct Problem {
  Diagnostic diagnostic;
  std::shared_ptr<const Source> source;
  int status = kBadInput;
};
template <class T>
struct Answer {
  std::optional<T> value = {};
  std::optional<Problem> problem = {};
};

Problem problem_in(Diagnostic diagnostic, std::string name, const std::string& text) {
  const int status = status_of(diagnostic.code);
  return {std::move(diagnostic), std::make_shared<const Source>(std::move(name), text), status};
}

// A text that cannot be read is bad input, whatever the code is.
Problem unreadable(Diagnostic diagnostic, std::string name, const std::string& text, std::size_t line = 1) {
  const int status = diagnostic.code == Code::limit ? kFailed : kBadInput;
  return {std::move(diagnostic), std::make_shared<const Source>(std::move(name), text, line), status};
}

template <class T>
Answer<T> answer_of(Result<T> result, const char* name, const std::string& text) {
  if (result) return {.value = *std::move(result)};
  return {.problem = problem_in(result.error(), name, text)};
}

bool is_special(const Request& request) {
  return request.tv || !request.compare.empty() || !request.divide.empty() || !request.compose.empty() ||
         !request.product.empty();
}

// The figures are about CuTe's operations, on CuTe's layouts.
Result<StridedLayout> cute_layout(const Layout& layout, const char* option) {
  if (layout.strided() != nullptr && !layout.is_cropped()) return *layout.strided();
  return fail(Code::argument_type,
              fmt::format("{} takes layouts shape:stride, and {} is none", option, to_string(layout)), {},
              "write the layout in CuTe's notation, like (4,8):(8,1)");
}

// Columns that a grid of these rows and columns takes on a terminal.
Index text_columns(const LayoutView& view, std::size_t row, Index rows, Index columns) {
  std::vector<Index> index(view.dims.size(), 0);
  Index largest = std::max(rows, columns);
  Index smallest = 0;
  for (index[row] = 0; index[row] < rows; ++index[row]) {
    for (index[row + 1] = 0; index[row + 1] < columns; ++index[row + 1]) {
      const Index offset = view.offset(index);
      largest = std::max(largest, offset);
      smallest = std::min(smallest, offset);
    }
  }
  const std::size_t cell =
      std::max(fmt::formatted_size("{}", largest), fmt::formatted_size("{}", smallest)) + 2;
  const std::vector<Index>& cuts = view.dims[row + 1].cuts;
  const Index lines = cuts.empty() ? 0 : (columns - 1) / cuts.front();
  return columns * static_cast<Index>(cell) + lines + 12;
}

// The part of a large layout that fits a terminal, as a window; nothing where all of it does.
std::vector<IndexRange> part_that_fits(const LayoutView& view, View kind, Index width) {
  constexpr Index kMostRows = 64;
  constexpr Index kRowsOfPart = 32;
  constexpr Index kSlices = 4;
  constexpr Index kLine = 512;
  if (kind == View::memory) {
    return view.buffer.value_or(0) > kLine ? std::vector<IndexRange>{{0, kLine}} : std::vector<IndexRange>{};
  }
  const std::size_t rank = view.dims.size();
  if (rank == 0 || view.size() == 0) return {};
  if (rank == 1)
    return view.dims[0].drawn > kLine ? std::vector<IndexRange>{{0, kLine}} : std::vector<IndexRange>{};
  const std::size_t row = view.first_fastest ? 0 : rank - 2;
  std::vector<IndexRange> window;
  bool cut = false;
  for (std::size_t i = 0; i < rank; ++i) {
    const Index drawn = view.dims[i].drawn;
    Index shown = drawn;
    if (i == row) {
      shown = drawn > kMostRows ? kRowsOfPart : drawn;
    } else if (i != row + 1) {
      shown = std::min(drawn, kSlices);
    }
    window.push_back({0, shown});
    cut = cut || shown < drawn;
  }
  const Index rows = window[row].end;
  Index columns = std::min(view.dims[row + 1].drawn, width / 3);
  while (columns > 1 && text_columns(view, row, rows, columns) > width)
    columns -= columns > 8 ? columns % 8 == 0 ? 8 : columns % 8 : 1;
  cut = cut || columns < view.dims[row + 1].drawn;
  window[row + 1].end = columns;
  return cut ? window : std::vector<IndexRange>{};
}

std::string window_text(const std::vector<IndexRange>& window) {
  std::string text;
  for (const IndexRange& range : window)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", range.begin, range.end);
  return text;
}

// Columns of the terminal; 100 where there is none.
Index terminal_width(const Request& request) {
  if (request.width > 0) return request.width;
  winsize size = {};
  if (::isatty(1) != 0 && ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

// Columns that the widest grid takes as text.
Index row_width(const Picture& picture) {
  Index width = 0;
  for (const Panel& panel : picture.panels) {
    Index cell = 0;
    for (const Cell& one : panel.cells) cell = std::max(cell, text_width(one.text));
    width = std::max(width, panel.columns * (cell + 2) + 8);
  }
  return width;
}

struct Drawing {
  const Request& request;
  const Layout& layout;
  FileKind kind;
  bool on_terminal;  // the answer is read where it is written, not in a file

  Answer<Picture> picture() const {
    if (!request.compare.empty()) return comparison();
    if (request.tv) return thread_values();
    if (!request.divide.empty()) return divided();
    if (!request.compose.empty()) return operation("--compose", request.compose, composition_figure);
    if (!request.product.empty()) return operation("--product", request.product, product_figure);
    PictureOptions options;
    if (std::optional<Problem> problem = read(options)) return {.problem = std::move(problem)};
    const LayoutView view = view_of(layout, to_string(layout));
    if (on_terminal) return on_paper_of(terminal_width(request), view, options);
    const bool linked = kind == FileKind::html && options.view == View::index;
    return drawn(linked ? linked_views(view, options) : picture_of(view, options));
  }

  // A part of what is too large, in rows that are short enough.
  Answer<Picture> on_paper_of(Index width, const LayoutView& view, PictureOptions options) const {
    const bool whole = options.window.empty();
    if (whole) options.window = part_that_fits(view, options.view, width);
    Answer<Picture> answer = drawn(picture_of(view, options));
    const bool in_rows = options.view == View::memory || view.dims.size() == 1;
    for (const Index columns : {32, 16, 8, 4}) {
      if (!answer.value || !in_rows || options.columns > 0 || row_width(*answer.value) <= width) break;
      PictureOptions narrow = options;
      narrow.columns = columns;
      answer = drawn(picture_of(view, narrow));
    }
    if (answer.value && whole && !options.window.empty()) {
      answer.value->notes.push_back(fmt::format("a part only: --window {}", window_text(options.window)));
    }
    return answer;
  }

  Answer<Picture> drawn(Result<Picture> picture) const {
    return answer_of(std::move(picture), "<argument 1>", request.layout);
  }

  std::optional<Problem> read(PictureOptions& options) const {
    options.view = request.view == "memory" ? View::memory : View::index;
    options.color_by = *parse_coloring(request.color_by);
    options.cell_text = *parse_cell_text(request.cells);
    options.columns = request.columns;
    options.bits = request.bytes * 8;
    if (request.window.empty()) return {};
    Result<std::vector<IndexRange>> window = parse_window(request.window);
    if (!window) return unreadable(window.error(), "<--window>", request.window);
    options.window = *std::move(window);
    return {};
  }

  Answer<Picture> comparison() const {
    const Result<Layout> other = parse_layout(request.compare);
    if (!other) return {.problem = unreadable(other.error(), "<--compare>", request.compare)};
    PictureOptions options;
    if (std::optional<Problem> problem = read(options)) return {.problem = std::move(problem)};
    const LayoutView view = view_of(layout, to_string(layout));
    if (on_terminal && options.window.empty()) {
      options.window = part_that_fits(view, View::index, terminal_width(request));
    }
    return answer_of(comparison_of(view, view_of(*other, to_string(*other)), options), "<--compare>",
                     request.compare);
  }

  Answer<Picture> thread_values() const {
    const LayoutView view = view_of(layout, to_string(layout));
    std::vector<Index> tile = {1};
    if (request.tile.empty()) {
      for (const ViewDim& dim : view.dims) {
        if (mul_overflows(tile[0], dim.extent, tile[0])) tile[0] = kIndexMax;
      }
    } else {
      Result<std::vector<Index>> shape = parse_point(request.tile);
      if (!shape) return {.problem = unreadable(shape.error(), "<--tile>", request.tile)};
      tile = *std::move(shape);
    }
    return drawn(thread_value_picture(view, tile, {.columns = request.columns}));
  }

  Answer<Picture> divided() const {
    const Result<StridedLayout> left = cute_layout(layout, "--divide");
    if (!left) return drawn(fail(left.error()));
    const Result<TrackedTiler> tiler = parse_cute_tiler(request.divide);
    if (!tiler) return {.problem = unreadable(tiler.error(), "<--divide>", request.divide)};
    return answer_of(divide_figure(*left, tiler->tiler), "<--divide>", request.divide);
  }

  Answer<Picture> operation(const char* option, const std::string& text,
                            Result<Picture> (*figure)(const StridedLayout&, const StridedLayout&)) const {
    const Result<StridedLayout> left = cute_layout(layout, option);
    if (!left) return drawn(fail(left.error()));
    const std::string name = fmt::format("<{}>", option);
    const Result<TrackedLayout> right = parse_cute_layout(text);
    if (!right) return {.problem = unreadable(right.error(), name, text)};
    return answer_of(figure(*left, right->layout), name.c_str(), text);
  }
};

// Dark unless the terminal says that its paper is light; its answer is a pair of numbers, ink and paper.
Theme terminal_theme(const Request& request) {
  if (request.theme != "auto") return request.theme == "dark" ? Theme::dark : Theme::light;
  const char* colors = std::getenv("COLORFGBG");
  const std::string_view text = colors == nullptr ? "" : colors;
  return text.ends_with(";7") || text.ends_with(";15") ? Theme::light : Theme::dark;
}

TextOptions text_options(const Session& session, const Request& request, bool to_file) {
  TextOptions options{.ascii = request.style == "ascii", .theme = terminal_theme(request)};
  options.width = terminal_width(request);
  if (!to_file && session.output_color() == Color::always) {
    const char* depth = std::getenv("COLORTERM");
    const bool all =
        depth != nullptr && (std::strcmp(depth, "truecolor") == 0 || std::strcmp(depth, "24bit") == 0);
    options.colors = all ? ColorDepth::truecolor : ColorDepth::ansi256;
  }
  return options;
}

std::string facts_text(const LayoutFacts& facts) {
  std::string text = facts.text + "\n";
  for (const auto& [name, value] : fact_rows(facts)) text += fmt::format("  {:<10} {}\n", name, value);
  return text;
}

// CuTe's own table.
Answer<std::string> table(const Request& request, const Layout& layout) {
  Result<std::string> text =
      layout.strided() != nullptr ? print_layout(*layout.strided())
      : layout.composed() != nullptr
          ? print_layout(*layout.composed())
          : fail(Code::argument_type,
                 fmt::format("print_layout takes CuTe's layouts, and {} is none", to_string(layout)));
  return answer_of(std::move(text), "<argument 1>", request.layout);
}

Answer<std::string> file_text(const Session& session, const Request& request, const Layout& layout,
                              FileKind kind, bool to_file) {
  const bool asked = request.facts || request.picture;
  const bool with_facts = asked ? request.facts : kind != FileKind::json || to_file || !is_special(request);
  const bool with_picture = asked ? request.picture : kind != FileKind::json || to_file;
  std::optional<LayoutFacts> facts;
  if (with_facts && (kind == FileKind::text || kind == FileKind::json || kind == FileKind::html)) {
    facts = facts_of(layout, request.bytes * 8);
  }
  const bool drawn = with_picture || (kind != FileKind::text && kind != FileKind::json);
  std::optional<Picture> picture;
  if (kind == FileKind::text && request.style == "print_layout") {
    Answer<std::string> text = table(request, layout);
    if (text.value && request.facts && facts) *text.value = facts_text(*facts) + "\n" + *text.value;
    return text;
  }
  if (drawn) {
    Answer<Picture> answer = Drawing{request, layout, kind, kind == FileKind::text && !to_file}.picture();
    if (!answer.value) return {.problem = std::move(answer.problem)};
    picture = std::move(answer.value);
  }
  const ThemeChoice choice = request.theme == "auto"   ? ThemeChoice::automatic
                             : request.theme == "dark" ? ThemeChoice::dark
                                                       : ThemeChoice::light;
  const Theme theme = request.theme == "dark" ? Theme::dark : Theme::light;
  switch (kind) {
    case FileKind::text: {
      std::string text = facts && !is_special(request) ? facts_text(*facts) : "";
      if (picture) {
        if (is_special(request)) text += picture->title + "\n";
        text += (text.empty() ? "" : "\n") + render_text(*picture, text_options(session, request, to_file));
      }
      return {.value = std::move(text)};
    }
    case FileKind::json:
      return {.value = show_json(facts ? &*facts : nullptr, picture ? &*picture : nullptr) + "\n"};
    case FileKind::svg:
      return {.value = render_svg(*picture, choice)};
    case FileKind::tex:
      return {.value = render_tikz(*picture, theme)};
    case FileKind::html:
      return {.value = render_html(*picture, facts && !is_special(request) ? fact_rows(*facts) : FactRows{},
                                   choice)};
    case FileKind::png:
      break;
  }
  return answer_of(render_png(*picture, theme), "<command line>", "tessera show");
}

int report(Session& session, Output& out, const Problem& problem, bool json, bool line) {
  if (json) {
    out.write(fmt::format("{{\"schema\":\"tessera.show/1\",\"status\":{},\"error\":{}}}\n", problem.status,
                          to_json(problem.diagnostic, *problem.source)));
  } else if (line) {
    out.write(to_string(problem.diagnostic) + "\n");
  }
  session.report(problem.diagnostic, problem.source);
  return problem.status;
}

std::optional<FileKind> kind_of(const std::string& path) {
  static constexpr std::pair<std::string_view, FileKind> kKinds[] = {
      {".txt", FileKind::text}, {".svg", FileKind::svg},   {".png", FileKind::png},
      {".tex", FileKind::tex},  {".html", FileKind::html}, {".json", FileKind::json}};
  for (const auto& [extension, kind] : kKinds) {
    if (path.ends_with(extension)) return kind;
  }
  return {};
}

// Each line of stdin is a layout; its facts are answered on one line.
int show_lines(Session& session, const Request& request) {
  if (session.is_request() || !session.options.output.empty() || is_special(request) || request.picture) {
    session.report_argument(
        {.code = Code::bad_option,
         .message = session.is_request() ? "a request has no stdin of its own: '-' cannot be read"
                                         : "layouts from stdin are answered with one line of facts each, "
                                           "not with pictures"},
        "-");
    return kBadInput;
  }
  LineReader reader(0);
  int status = kDone;
  const bool json = session.options.json;
  for (std::size_t number = 1;; ++number) {
    std::string_view line;
    const LineReader::Status read = reader.next(line);
    if (read == LineReader::Status::end) return status;
    if (read == LineReader::Status::failed) {
      session.report_argument(
          {.code = Code::file_read,
           .message = fmt::format("stdin cannot be read: {}", std::strerror(reader.error()))},
          "-");
      return kFailed;
    }
    const std::string text(read == LineReader::Status::too_long ? "" : line);
    const Result<Layout> layout = read == LineReader::Status::too_long
                                      ? fail(Code::limit, "the line is longer than 64 MiB")
                                      : parse_layout(text);
    if (!layout) {
      const Problem problem = unreadable(layout.error(), "<stdin>", text, number);
      status = std::max(status, report(session, session.out(), problem, json, /*line=*/true));
    } else {
      const LayoutFacts facts = facts_of(*layout, request.bytes * 8);
      session.out().write((json ? show_json(&facts, nullptr) : facts.text + ": " + fact_line(facts)) + "\n");
    }
    if (!reader.has_line()) {
      session.out().flush();
      session.err().flush();
    }
    if (session.out().error() != 0) return status;
  }
}

int show(Session& session, const Request& request) {
  if (request.layout == "-") return show_lines(session, request);
  const std::string& path = session.options.output;
  std::optional<FileKind> kind = session.options.json ? FileKind::json : FileKind::text;
  if (!path.empty()) {
    kind = kind_of(path);
    if (!kind) {
      session.report_argument({.code = Code::bad_option,
                               .message = fmt::format("'{}' has no extension that names a format", path),
                               .help = "write .txt, .svg, .png, .tex, .html or .json"},
                              path);
      return kBadInput;
    }
  }
  const bool json = session.options.json;
  const Result<Layout> layout = parse_layout(request.layout);
  if (!layout) {
    return report(session, session.out(), unreadable(layout.error(), "<argument 1>", request.layout), json,
                  false);
  }
  const Answer<std::string> text = file_text(session, request, *layout, *kind, !path.empty());
  if (!text.value) return report(session, session.out(), *text.problem, json, false);
  if (path.empty()) {
    session.out().write(*text.value);
    return kDone;
  }
  Result<std::unique_ptr<OutputFile>> file = OutputFile::create(path, session.options.force);
  if (file) {
    (*file)->output().write(*text.value);
    if (const Result<void> done = (*file)->commit(); !done) file = fail(done.error());
  }
  if (!file) {
    session.report_argument(file.error(), path);
    return status_of(file.error().code);
  }
  return kDone;
}

}  // namespace

void add_show(CLI::App& app, Session& session) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = app.add_subcommand("show", "what is true of a layout, and its picture");
  verb->add_option("LAYOUT", request->layout, "a layout of any notation; - reads one per line from stdin")
      ->required();
  verb->add_flag("--facts", request->facts, "the facts alone");
  verb->add_flag("--picture", request->picture, "the picture alone");
  verb->add_option("--view", request->view, "a grid over the indices, or over the offsets in memory")
      ->type_name("index|memory")
      ->check(one_of({"index", "memory"}));
  CLI::Option* window =
      verb->add_option("--window", request->window,
                       "a part: a range BEGIN:END for each dimension, of the memory view one of offsets")
          ->type_name("RANGES");
  CLI::Option* color =
      verb->add_option("--color-by", request->color_by,
                       "what colours say; thread belongs to --tv (default: offset, in the memory view tile)")
          ->type_name("offset|index|tile|bank|thread|padding|none")
          ->check(one_of({"auto", "offset", "index", "tile", "bank", "thread", "padding", "none"}));
  verb->add_option("--cells", request->cells, "what cells show; natural: the nested coordinate")
      ->type_name("offset|coordinate|natural|index|bank|both|none")
      ->check(one_of({"auto", "offset", "coordinate", "natural", "index", "bank", "both", "none"}));
  verb->add_option("--bytes", request->bytes,
                   "of an element, for banks and memory (default: the type's, else 4 for banks)")
      ->type_name("N")
      ->check(whole_number(1, 16));
  verb->add_option("--columns", request->columns, "cells in a row, where rows are broken")
      ->type_name("N")
      ->check(whole_number(1, 4096));
  CLI::Option* compare = verb->add_option("--compare", request->compare,
                                          "a second layout beside it, with the differences marked")
                             ->type_name("LAYOUT");
  CLI::Option* tv =
      verb->add_flag("--tv", request->tv, "LAYOUT maps (thread, value) to a tile: show who owns what");
  CLI::Option* tile = verb->add_option("--tile", request->tile, "the shape of the tile")
                          ->type_name("ROWS,COLUMNS")
                          ->needs(tv);
  CLI::Option* divide =
      verb->add_option("--divide", request->divide, "with zipped_divide(LAYOUT, TILER)")->type_name("TILER");
  CLI::Option* compose =
      verb->add_option("--compose", request->compose, "with composition(LAYOUT, B)")->type_name("B");
  CLI::Option* product =
      verb->add_option("--product", request->product, "with logical_product(LAYOUT, B)")->type_name("B");
  const std::vector<CLI::Option*> special = {compare, tv, divide, compose, product};
  for (CLI::Option* one : special) {
    for (CLI::Option* other : special) {
      if (one != other) one->excludes(other);
    }
    if (one != compare) one->excludes(window);
    if (one != tv) one->excludes(color)->excludes(tile);
  }
  verb->add_option("--theme", request->theme, "colours on light or dark paper; auto: what the reader has")
      ->type_name("auto|light|dark")
      ->check(one_of({"auto", "light", "dark"}));
  verb->add_option("--style", request->style, "of text: box characters, plain ASCII, or CuTe's own table")
      ->type_name("box|ascii|print_layout")
      ->check(one_of({"box", "ascii", "print_layout"}));
  verb->add_option("--width", request->width, "columns of the terminal (default: as it is, else 100)")
      ->type_name("N")
      ->check(whole_number(20, 100000));
  add_common_options(*verb, session);
  verb->footer(
      "-o FILE draws into .svg, .png, .tex, .html (with the mouse and the keyboard), .json or .txt.\n"
      "\n"
      "Examples:\n"
      "  tessera show 'f32[3,5]{1,0:T(2,2)}'\n"
      "  tessera show 'f32[3,5]{1,0:T(2,2)}' --view memory\n"
      "  tessera show 'Sw<3,0,3> o _0 o (8,8):(8,1)' --color-by bank --picture\n"
      "  tessera show '(8,8):(8,1)' --compare '(8,8):(1,8)'\n"
      "  tessera show '((4,8),(2,2)):((16,1),(8,64))' --tv --tile 8,16\n"
      "  tessera show '(8,8):(8,1)' --divide '<4,2>' -o tiles.svg\n"
      "  tessera show 'bf16[1024,1024]{1,0:T(8,128)(2,1)}' --window 0:8,120:136");
  verb->callback([&session, request] {
    session.action = [&session, request] {
      if (!request->tv && request->color_by == "thread") {
        session.report_argument({.code = Code::bad_option,
                                 .message = "--color-by thread needs --tv: other layouts know no threads",
                                 .help = "tessera show --help"},
                                "--color-by");
        return static_cast<int>(kBadInput);
      }
      return show(session, *request);
    };
  });
}

}  // namespace tessera::cli
