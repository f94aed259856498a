// SPDX-License-Identifier: Apache-2.0
// `tessera show`: prints facts about a layout, and draws it.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/answer_lines.h"
#include "cli/column_major.h"
#include "cli/file_hint.h"
#include "cli/help.h"
#include "cli/picture_file.h"
#include "cli/show_picture.h"
#include "cli/verbs.h"
#include "draw/bits_picture.h"
#include "draw/render_json.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/draw/picture.h"
#include "tessera/notation/cute.h"
#include "tessera/notation/layout.h"

namespace tessera::cli {
namespace {

TerminalRequest terminal_of(const ShowRequest& request) {
  return {.theme = request.theme, .ascii = request.style == "ascii", .width = request.width};
}

std::string facts_text(const LayoutFacts& facts) {
  std::string text = facts.text + "\n";
  for (const auto& [name, value] : fact_rows(facts)) text += fmt::format("  {:<10} {}\n", name, value);
  return text;
}

// The table in the format of CuTe's print_layout.
ShowAnswer<std::string> table(const ShowRequest& request, const Layout& layout) {
  Result<std::string> text =
      layout.strided() != nullptr ? print_layout(*layout.strided())
      : layout.composed() != nullptr
          ? print_layout(*layout.composed())
          : fail(Code::argument_type,
                 fmt::format("print_layout takes CuTe layouts, not {}", to_string(layout)), {},
                 "convert it: tessera convert LAYOUT --to cute");
  return answer_of(std::move(text), "<argument 1>", request.layout);
}

ShowAnswer<std::string> file_text(const Session& session, const ShowRequest& request, const Layout& layout,
                                  ShowFile kind, bool to_file) {
  const bool asked = request.facts || request.picture;
  const bool with_facts = asked ? request.facts : !request.is_special();
  const bool with_picture =
      asked ? request.picture : kind != ShowFile::json || to_file || request.is_special();
  std::optional<LayoutFacts> facts;
  if (with_facts && (kind == ShowFile::text || kind == ShowFile::json || kind == ShowFile::html)) {
    facts = facts_of(layout, element_bits(request));
  }
  const bool drawn = with_picture || (kind != ShowFile::text && kind != ShowFile::json);
  std::optional<Picture> picture;
  if (kind == ShowFile::text && request.style == "print_layout") {
    ShowAnswer<std::string> text = table(request, layout);
    if (text.value && request.facts && facts) *text.value = facts_text(*facts) + "\n" + *text.value;
    return text;
  }
  if (drawn) {
    ShowAnswer<Picture> answer = picture_for(request, layout, kind, kind == ShowFile::text && !to_file);
    if (!answer.value) return {.problem = std::move(answer.problem)};
    picture = std::move(answer.value);
  }
  switch (kind) {
    case ShowFile::text: {
      std::string text = facts ? facts_text(*facts) : "";
      if (picture) {
        if (request.is_special()) text += (text.empty() ? "" : "\n") + picture->title + "\n";
        text += (text.empty() ? "" : "\n") +
                terminal_text(*picture, terminal_options(session, terminal_of(request), to_file));
      }
      return {.value = std::move(text)};
    }
    case ShowFile::json:
      return {.value = detail::show_json(facts ? &*facts : nullptr, picture ? &*picture : nullptr) + "\n"};
    default:
      return answer_of(render_file(*picture, kind, request.theme, facts ? fact_rows(*facts) : FactRows{}),
                       "<command line>", "tessera show");
  }
}

int report(Session& session, Output& out, const ShowProblem& problem, bool json, bool line) {
  if (line) {
    out.write((json ? session.problem_json(problem.status, problem.diagnostic, *problem.source)
                    : problem_line(problem.diagnostic)) +
              "\n");
  }
  if (json && line) {
    session.report_answered(problem.diagnostic, problem.source);
  } else {
    session.report(problem.diagnostic, problem.source);
  }
  return problem.status;
}

// Answers each layout from stdin with its facts on one line.
int show_lines(Session& session, const ShowRequest& request) {
  if (session.is_request() || !session.options.output.empty() || request.is_special() || request.picture) {
    session.report_argument(
        {.code = Code::bad_option,
         .message = session.is_request()
                        ? kNoStdin
                        : "layouts from stdin get one line of facts each on stdout: no picture, no -o"},
        "-");
    return kBadInput;
  }
  const bool json = session.options.json;
  return answer_lines(session, session.out(), "-", [&](const InputLine& line) {
    const std::string text(line.text);
    const Result<Layout> layout =
        line.too_long ? fail(Code::limit, "the line is longer than 64 MiB") : parse_layout(text);
    if (!layout) {
      const ShowProblem problem = unreadable(layout.error(), "<stdin>", text, line.number);
      return report(session, session.out(), problem, json, /*line=*/true);
    }
    const LayoutFacts facts = facts_of(*layout, request.bytes * 8);
    session.out().write((json ? detail::show_json(&facts, nullptr) : facts.text + ": " + fact_line(facts)) +
                        "\n");
    return static_cast<int>(kDone);
  });
}

// The bits of a named layout.
ShowAnswer<std::string> bits_text(const Session& session, const ShowRequest& request, ShowFile kind,
                                  bool to_file) {
  const auto named = parse_named_layout(request.layout);
  if (!named) return {.problem = unreadable(named.error(), "<argument 1>", request.layout)};
  const Result<Picture> picture = bits_picture(*named, {.word = request.word});
  if (!picture) return {.problem = problem_in(picture.error(), "<argument 1>", request.layout)};
  switch (kind) {
    case ShowFile::text:
      return {.value = picture->title + "\n" +
                       terminal_text(*picture, terminal_options(session, terminal_of(request), to_file))};
    case ShowFile::json:
      return {.value = detail::show_json(nullptr, &*picture) + "\n"};
    default:
      return answer_of(render_file(*picture, kind, request.theme), "<command line>", "tessera show");
  }
}

int show(Session& session, const ShowRequest& request) {
  if (request.layout == "-") return show_lines(session, request);
  const std::string& path = session.options.output;
  std::optional<ShowFile> kind = session.options.json ? ShowFile::json : ShowFile::text;
  if (!path.empty()) {
    kind = kind_of(path);
    if (!kind) {
      session.report_option(no_such_kind(path), kOutputOption);
      return kBadInput;
    }
  }
  const bool json = session.options.json;
  const bool bits = request.view == "bits";
  const Result<Layout> layout =
      bits ? Layout::make(Digits()) : parse_layout(request.layout);  // bits_text reads the name
  if (!layout) {
    Diagnostic error = file_in_place_of_layout(request.layout).value_or(layout.error());
    return report(session, session.out(), unreadable(std::move(error), "<argument 1>", request.layout), json,
                  false);
  }
  if (const std::string note = column_major_note(request.layout); !note.empty()) session.note(note);
  const ShowAnswer<std::string> text = bits ? bits_text(session, request, *kind, !path.empty())
                                            : file_text(session, request, *layout, *kind, !path.empty());
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
    session.report_option(file.error(), kOutputOption);
    return status_of(file.error());
  }
  return kDone;
}

}  // namespace

void add_show(CLI::App& app, Session& session) {
  auto request = std::make_shared<ShowRequest>();
  CLI::App* verb = app.add_subcommand("show", "facts about a layout, and its picture");
  verb->add_option("LAYOUT", request->layout, "a layout in any notation; - reads one per line from stdin")
      ->required();
  verb->add_flag("--facts", request->facts, "only the facts");
  verb->add_flag("--picture", request->picture, "only the picture");
  CLI::Option* view =
      verb->add_option(
              "--view", request->view,
              "a grid over the indices, over the offsets in memory, or over the bits of a named layout")
          ->type_name("index|memory|bits")
          ->check(one_of({"index", "memory", "bits"}));
  verb->add_option("--word", request->word, "bits of a row of --view bits: 8 (the default), 16, 32 or 64")
      ->type_name("BITS")
      ->needs(view);
  CLI::Option* window =
      verb->add_option(
              "--window", request->window,
              "show a part: one range BEGIN:END per dimension, or one range of offsets with --view memory")
          ->type_name("RANGES");
  CLI::Option* color =
      verb->add_option("--color-by", request->color_by,
                       "what colors mean; thread needs --tv (default: offset, or tile in the memory view)")
          ->type_name("offset|index|tile|bank|thread|padding|none")
          ->check(one_of({"auto", "offset", "index", "tile", "bank", "thread", "padding", "none"}));
  CLI::Option* cells =
      verb->add_option(
              "--cells", request->cells,
              "what cells show; natural: the nested coordinate (default: offset, or bank with --color-by "
              "bank)")
          ->type_name("offset|coordinate|natural|index|bank|both|none")
          ->check(one_of({"auto", "offset", "coordinate", "natural", "index", "bank", "both", "none"}));
  verb->add_option("--bytes", request->bytes,
                   "bytes of an element, for banks and memory (default: the type's, else 4 for banks)")
      ->type_name("N")
      ->check(whole_number(1, 16));
  CLI::Option* columns =
      verb->add_option("--columns", request->columns, "cells per row of the memory view and of 1-D layouts")
          ->type_name("N")
          ->check(whole_number(1, 4096));
  CLI::Option* compare = verb->add_option("--compare", request->compare,
                                          "a second layout next to it, with the differences marked")
                             ->type_name("LAYOUT");
  CLI::Option* tv = verb->add_flag("--tv", request->tv,
                                   "LAYOUT maps (thread, value) to a tile: show the owner of each element");
  CLI::Option* tile = verb->add_option("--tile", request->tile, "the shape of the tile (of an atom: its own)")
                          ->type_name("ROWS,COLUMNS")
                          ->needs(tv);
  CLI::Option* divide =
      verb->add_option("--divide", request->divide, "show zipped_divide(LAYOUT, TILER)")->type_name("TILER");
  CLI::Option* compose =
      verb->add_option("--compose", request->compose, "show composition(LAYOUT, B)")->type_name("B");
  CLI::Option* product =
      verb->add_option("--product", request->product, "show logical_product(LAYOUT, B)")->type_name("B");
  const std::vector<CLI::Option*> special = {compare, tv, divide, compose, product};
  for (CLI::Option* one : special) {
    for (CLI::Option* other : special) {
      if (one != other) one->excludes(other);
    }
    one->excludes(view);
    if (one != compare) one->excludes(window)->excludes(cells);
    if (one != compare && one != tv) one->excludes(columns);
    if (one != tv) one->excludes(color)->excludes(tile);
  }
  verb->add_option("--theme", request->theme, "light or dark background; auto: the viewer's setting")
      ->type_name("auto|light|dark")
      ->check(one_of({"auto", "light", "dark"}));
  verb->add_option("--style", request->style,
                   "text style: box characters, ASCII, or the table of CuTe's print_layout")
      ->type_name("box|ascii|print_layout")
      ->check(one_of({"box", "ascii", "print_layout"}));
  verb->add_option("--width", request->width,
                   "columns of the terminal (default: COLUMNS, the terminal's width, or 100)")
      ->type_name("N")
      ->check(whole_number(20, 100000));
  add_common_options(*verb, session);
  verb->footer(R"(-o FILE writes .svg, .png, .tex, .html (interactive), .json or .txt.

Examples:
  tessera show 'f32[3,5]{1,0:T(2,2)}'
  tessera show 'f32[3,5]{1,0:T(2,2)}' --view memory
  tessera show 'Sw<3,0,3> o _0 o (8,8):(8,1)' --color-by bank --picture
  tessera show '(8,8):(8,1)' --compare '(8,8):(1,8)'
  tessera show '((4,8),(2,2)):((16,1),(8,64))' --tv --tile 8,16
  tessera show '(8,8):(8,1)' --divide '<4,2>' -o tiles.svg
  tessera show 'bf16[1024,1024]{1,0:T(8,128)(2,1)}' --window 0:8,120:136)");
  verb->callback([&session, request] {
    session.action = [&session, request] {
      if (!request->tv && request->color_by == "thread") {
        session.report_option({.code = Code::bad_option,
                               .message = "--color-by thread needs --tv: other layouts have no threads",
                               .help = "tessera show --help"},
                              "--color-by");
        return static_cast<int>(kBadInput);
      }
      if (request->style == "print_layout" && request->is_special()) {
        session.report_option({.code = Code::bad_option,
                               .message = "print_layout shows one layout",
                               .help = "leave out --style, or use --style ascii"},
                              "--style");
        return static_cast<int>(kBadInput);
      }
      return show(session, *request);
    };
  });
}

}  // namespace tessera::cli
