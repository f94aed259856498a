// SPDX-License-Identifier: Apache-2.0
// `tessera access`: bank conflicts, coalescing, and the layout that avoids conflicts for a set of accesses.
#include "tessera/access/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/column_major.h"
#include "cli/help.h"
#include "cli/picture_file.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "report/access_answer.h"
#include "report/access_picture.h"
#include "tessera/notation/atoms.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/named_layout.h"

namespace tessera::cli {
namespace {

struct AskedAccess {
  std::string layout;
  std::vector<std::string> threads;
  std::optional<Index> bytes;
  std::optional<Index> bits;
  std::string vector = "1";
  std::string space;
  std::string target = "nvidia";
  Index base = 0;
  Index base_align = 256;
  std::string warps;
  std::vector<Index> segments;
  std::optional<Index> limit;
  bool why = false;
  bool wants_fix = false;
  std::string families = "all";
  std::string view;  // banks, lines, or empty
  AccessView part = {};
};

// The texts of a question: the layout, the accesses, and the options whose values are read as separate texts.
class Texts {
 public:
  Texts(const AskedAccess& asked, const Inputs& inputs) : asked_(asked), inputs_(inputs) {}

  const std::string& layout() const { return inputs_[0]; }
  std::size_t access_count() const { return asked_.threads.size(); }
  std::size_t access(std::size_t i) const { return 1 + i; }
  std::size_t target() const { return 1 + access_count(); }
  std::size_t vector() const { return target() + 1; }
  std::size_t warps() const { return vector() + 1; }
  const std::string& at(std::size_t input) const { return inputs_[input]; }

 private:
  const AskedAccess& asked_;
  const Inputs& inputs_;
};

// The error for a bad value of an option, which is input number `input`.
PrintedAnswer refused(std::string message, std::string help, const Texts& texts, std::size_t input) {
  return no_answer({.code = Code::bad_option,
                    .message = std::move(message),
                    .span = {0, static_cast<std::uint32_t>(texts.at(input).size())},
                    .help = std::move(help)},
                   input);
}

Result<Index> element_bits(const AskedAccess& asked, const Layout& layout) {
  if (asked.bits) return *asked.bits;
  if (asked.bytes) return 8 * *asked.bytes;
  const Atom* const atom = named_atom(asked.layout);
  const std::optional<Index> bits = atom != nullptr ? atom->element_bits : layout.element_bits();
  if (bits) return *bits;
  return fail(Code::unknown_type, "the layout has no element type, so the addresses are unknown", {},
              "add --bytes 4, or write a layout with a type, such as f32[32,32]");
}

// Counts the grid of --warps. The layout gives the (lane, value) pairs of one warp.
Result<GridReport> grid_of(const AskedAccess& asked, const Layout& layout, const Layout& warps, Index bits,
                           Index vector, Index target_lanes) {
  const Index lanes = layout.rank() == 0 ? 1 : layout.shape()[0];
  if (lanes > target_lanes) {
    return fail(Code::limit,
                fmt::format("a warp has {} lanes, but the layout has {} threads", target_lanes, lanes), {},
                "give the lanes of one warp as the layout, and all warps with --warps");
  }
  return count_grid({.lanes = layout,
                     .warps = warps,
                     .values = lanes == 0 ? 1 : layout.size() / lanes,
                     .element_bits = bits,
                     .vector = vector,
                     .base = asked.base,
                     .limit = asked.limit,
                     .segments = asked.segments});
}

// The accesses of --threads. If it is not given, the access is the layout itself.
Result<std::vector<Access>> accesses_of(const AskedAccess& asked, const Texts& texts, const Layout& layout,
                                        const AccessOptions& options, Index vector, std::size_t& input) {
  Access defaults = whole_layout(layout);
  defaults.base = asked.base;
  defaults.vector = vector;
  const bool widest = asked.vector == "auto";
  std::vector<Access> out;
  for (std::size_t i = 0; i < texts.access_count(); ++i) {
    input = texts.access(i);
    defaults.name = std::string(1, static_cast<char>('a' + i % 26));
    Result<Access> access =
        parse_access(texts.at(input) + (widest ? ",vector=auto" : ""), layout, options, defaults);
    if (!access) return fail(access.error());
    out.push_back(*std::move(access));
  }
  if (!out.empty()) return out;
  input = 0;
  if (widest) {
    AccessOptions global = options;
    global.shared = false;
    const Result<AccessReports> narrow = analyze_accesses(layout, std::vector{defaults}, global);
    if (!narrow) return fail(narrow.error());
    const std::optional<VectorWidth>& width = narrow->each[0].global->width;
    if (!width)
      return fail(Code::limit, "the layout is too large to find the widest vector", {},
                  "give the width: --vector 4");
    defaults.vector = width->vector;
  }
  return std::vector{defaults};
}

// 0: no layout is better; 1: conflicts remain; 3: a limit ended a search before this was decided.
int status_of_answer(const AccessAnswer& answer) {
  if (!answer.options.shared) return kDone;
  if (!answer.fixes) return answer.reports.wavefronts == answer.reports.ideal ? kDone : kNo;
  const Fix& best = answer.fixes->best_fix();
  if (best.wavefronts <= answer.fixes->floor) return kDone;
  const bool cut =
      std::ranges::any_of(answer.fixes->searches, [](const FixSearch& search) { return !search.complete; });
  return cut ? kFailed : kNo;
}

// The picture alone, or the text with the picture below it, in the format of the output.
PrintedAnswer with_picture(const Session& session, const AskedAccess& asked, const AccessAnswer& counted,
                           PrintedAnswer answer) {
  AccessView view = asked.part;
  view.lines = asked.view == "lines";
  const Result<Picture> picture = access_picture(counted, view);
  if (!picture) return no_answer(picture.error(), 0);
  const std::string& path = session.options.output;
  const ShowFile kind = session.options.json ? ShowFile::json : kind_of(path).value_or(ShowFile::text);
  if (kind == ShowFile::json) {
    answer.json = to_json(counted, answer.status, &*picture);
  } else if (kind == ShowFile::text) {
    const std::string drawn = terminal_text(*picture, terminal_options(session, {}, !path.empty()));
    answer.text += "\n\n" + drawn.substr(0, drawn.find_last_not_of('\n') + 1);
  } else {
    Result<std::string> file = render_file(*picture, kind);
    if (!file) return no_answer(file.error(), 0);
    answer.picture = *std::move(file);
  }
  return answer;
}

PrintedAnswer ask(const Session& session, const AskedAccess& asked, const Inputs& inputs) {
  const Texts texts(asked, inputs);
  if (const auto named = parse_named_layout(texts.layout()); named && named->kind() != NamedKind::cells) {
    return no_answer({.code = Code::not_applicable,
                      .message = "the bits of an element are not one cell, so an access has no offset",
                      .help = "use a plane of the layout, such as gguf:q6_k.ql[256]"},
                     0);
  }
  const Result<Layout> layout = parse_layout(texts.layout());
  if (!layout) return unreadable(layout.error(), 0);
  const Result<MemoryTarget> target = MemoryTarget::parse(texts.at(texts.target()));
  if (!target) return unreadable(target.error(), texts.target());
  const Result<Index> bits = element_bits(asked, *layout);
  if (!bits) return no_answer(bits.error(), 0);
  Index vector = 1;
  if (asked.vector != "auto" && (!CLI::detail::lexical_cast(asked.vector, vector) || vector < 1)) {
    return refused(fmt::format("'{}' is not a vector width", asked.vector), "use a power of two, or auto",
                   texts, texts.vector());
  }

  AccessAnswer answer{.layout = *layout, .why = asked.why};
  answer.options = {
      .element_bits = *bits, .target = *target, .base_align = asked.base_align, .segments = asked.segments};
  std::size_t input = 0;
  const Result<std::vector<Access>> accesses =
      accesses_of(asked, texts, *layout, answer.options, vector, input);
  if (!accesses) return unreadable(accesses.error(), input);

  const bool matrix =
      std::any_of(accesses->begin(), accesses->end(), [](const Access& a) { return is_matrix(a.kind); });
  const std::string space = !asked.space.empty()        ? asked.space
                            : !asked.view.empty()       ? asked.view == "lines" ? "global" : "shared"
                            : asked.wants_fix || matrix ? "shared"
                            : !asked.warps.empty()      ? "global"
                                                        : "both";
  answer.options.shared = space != "global";
  answer.options.global = space != "shared";
  if (!asked.view.empty() && !(asked.view == "lines" ? answer.options.global : answer.options.shared)) {
    return no_answer({.code = Code::bad_option,
                      .message = fmt::format("--view {} shows {} memory, which --space {} leaves out",
                                             asked.view, asked.view == "lines" ? "global" : "shared", space),
                      .help = "leave --space out"},
                     0);
  }
  if (asked.wants_fix && !answer.options.shared) {
    return no_answer({.code = Code::bad_option,
                      .message = "--fix avoids bank conflicts, which global memory does not have",
                      .help = "leave --space out"},
                     0);
  }
  if (asked.limit && asked.warps.empty()) {
    return no_answer({.code = Code::bad_option,
                      .message = "--limit has no effect without --warps",
                      .help = "give the warps of the grid: --warps '(8,100):(32,1001)'"},
                     0);
  }
  Result<AccessReports> reports = analyze_accesses(*layout, *accesses, answer.options);
  if (!reports) {
    const bool by_option = reports.error().code == Code::unsupported_width && texts.access_count() == 0;
    return no_answer(reports.error(), by_option ? texts.vector() : accesses->size() == 1 ? input : 0);
  }
  answer.reports = *std::move(reports);
  if (!asked.warps.empty()) {
    const Result<Layout> warps = parse_layout(texts.at(texts.warps()));
    if (!warps) return unreadable(warps.error(), texts.warps());
    Result<GridReport> grid =
        grid_of(asked, *layout, *warps, *bits, accesses->front().vector, target->lanes());
    if (!grid) return no_answer(grid.error(), texts.warps());
    answer.grid = *std::move(grid);
  }
  if (asked.wants_fix) {
    const bool all = asked.families == "all";
    Result<FixSet> fixes = find_fixes(*layout, *accesses, *bits, *target,
                                      {.swizzle = all || asked.families == "swizzle",
                                       .pad = all || asked.families == "pad",
                                       .linear = all || asked.families == "linear"});
    if (!fixes) return no_answer(fixes.error(), 0);
    answer.fixes = *std::move(fixes);
  }
  const int status = status_of_answer(answer);
  PrintedAnswer out{.status = status,
                    .text = to_text(answer),
                    .line = to_line(answer),
                    .json = to_json(answer, status),
                    .hints = column_major_notes({texts.layout()})};
  return asked.view.empty() ? out : with_picture(session, asked, answer, std::move(out));
}

}  // namespace

void add_access(CLI::App& app, Session& session) {
  CLI::App* access =
      app.add_subcommand("access", "bank conflicts, coalescing, and a layout without conflicts");
  auto asked = std::make_shared<AskedAccess>();
  access->add_option("LAYOUT", asked->layout, "a layout in any notation; - reads one per line from stdin")
      ->required();
  access
      ->add_option(
          "--threads", asked->threads,
          "an access: [NAME=]TV[,KEY[=VALUE]]...; TV is a layout from (thread, value) to the 1-D "
          "index of the box, "
          "rows, columns, or a matrix instruction such as ldmatrix.x4; repeat the option for several "
          "accesses")
      ->type_name("ACCESS")
      ->allow_extra_args(false);
  access->add_option("--bytes", asked->bytes, "bytes of one element, if the layout has no type")
      ->check(CLI::Range(Index{1}, Index{1} << 20));
  access->add_option("--bits", asked->bits, "bits of one element; several elements may share a byte")
      ->check(CLI::Range(Index{1}, Index{1} << 20))
      ->excludes("--bytes");
  access
      ->add_option("--vector", asked->vector,
                   "elements that a lane moves at once (default: 1), or auto: as many as possible")
      ->type_name("N|auto");
  access
      ->add_option("--space", asked->space,
                   "the memory to analyze (default: both); --fix and matrix accesses imply shared")
      ->type_name("shared|global|both")
      ->check(one_of({"shared", "global", "both"}));
  access->add_option(
      "--target", asked->target,
      "the hardware: nvidia (the default), nvidia-7x, cdna3, cdna4, rdna3, rdna4, or banks:BxW[@L][/P]");
  access->add_option("--base", asked->base, "the byte address of offset 0 (default: 0)")
      ->check(CLI::Range(Index{0}, Index{1} << 40));
  access
      ->add_option("--base-align", asked->base_align,
                   "the alignment of the buffer's address in bytes (default: 256)")
      ->check(CLI::Range(Index{1}, Index{1} << 40));
  access
      ->add_option("--warps", asked->warps,
                   "a layout from the number of a warp to its offset: counts the whole grid, with LAYOUT for "
                   "the lanes of a warp")
      ->type_name("LAYOUT");
  access->add_option("--segments", asked->segments, "also count pieces of global memory of these sizes")
      ->delimiter(',')
      ->type_name("BYTES,...")
      ->check(CLI::Range(Index{1}, Index{1} << 30));
  access
      ->add_option("--limit", asked->limit,
                   "elements in the buffer: lanes of --warps that begin beyond its end are inactive")
      ->check(CLI::Range(Index{0}, Index{1} << 60));
  access->add_flag("--why", asked->why, "show which address bits each lane bit changes");
  access
      ->add_option("--fix", asked->families,
                   "search for a layout with fewer conflicts: swizzle, pad, linear, or all (the default)")
      ->type_name("[swizzle|pad|linear|all]")
      ->expected(0, 1)
      ->default_str("all")
      ->check(one_of({"swizzle", "pad", "linear", "all"}));
  CLI::Option* const fix = access->get_option("--fix");
  CLI::Option* const view =
      access
          ->add_option(
              "--view", asked->view,
              "a picture of the worst instruction: its words in the banks, or in the lines of global "
              "memory; with -o also as .svg, .png, .tex or .html")
          ->type_name("banks|lines")
          ->check(one_of({"banks", "lines"}));
  access
      ->add_option("--instruction", asked->part.instruction, "the number of the instruction to draw, from 0")
      ->needs(view);
  CLI::Option* const phase =
      access->add_option("--phase", asked->part.phase, "the number of the phase to draw, from 0")
          ->needs(view);
  access->add_flag("--all-phases", asked->part.all_phases, "draw a picture of each phase")
      ->needs(view)
      ->excludes(phase);
  add_common_options(*access, session);
  access->footer(
      R"(Without --threads, LAYOUT itself maps (thread, value) to the offset. Keys of an access: read, write,
ldmatrix=1|2|4, stmatrix=1|2|4, vector=N|auto, active=0xff or active=0-15,24 (lanes), weight=N, base=BYTES, over=R,C (TV
counts in a block of that shape), at=R,C or at=all (where the block is). TV may be map: and an index map from the thread.
ldmatrix.x1|x2|x4 and stmatrix.x1|x2|x4 move matrices of 8 rows of 16 bytes, 2 x 2 of them if there is room. Wavefronts
are passes over the banks of shared memory; no layout goes below the floor. The exit status is 1 if there are conflicts;
with --fix, if the best layout needs more wavefronts than the floor.

Examples:
  tessera access '32:2' --bytes 4
  tessera access '(32,32):(32,1)' --bytes 4 --threads rows,write --threads columns --fix
  tessera access '(64,64):(64,1)' --bytes 2 --threads 'A=((8,2,2),8):((1,8,512),64),vector=8,ldmatrix=4' --why
  tessera access '(32,32):(32,1)' --bytes 4 --threads columns --fix --view banks -o banks.svg
  tessera access '32:1' --bytes 4 --space global --warps '(8,100):(32,1001)')");
  access->callback([&session, asked, fix] {
    asked->wants_fix = fix->count() > 0;
    session.action = [&session, asked] {
      if (!asked->view.empty() && asked->layout == "-") {
        session.report_argument(
            {.code = Code::bad_option, .message = "--view draws one layout, not one per line of stdin"}, "-");
        return static_cast<int>(kBadInput);
      }
      if (!asked->view.empty() && !session.options.output.empty() && !kind_of(session.options.output)) {
        session.report_option(no_such_kind(session.options.output), kOutputOption);
        return static_cast<int>(kBadInput);
      }
      if (!asked->view.empty()) session.options.extensions = {".txt", ".svg", ".png", ".tex", ".html"};
      Inputs inputs = {asked->layout};
      inputs.insert(inputs.end(), asked->threads.begin(), asked->threads.end());
      std::vector<std::string> options(1 + asked->threads.size(), "--threads");
      options[0].clear();
      inputs.insert(inputs.end(), {asked->target, asked->vector, asked->warps});
      options.insert(options.end(), {"--target", "--vector", "--warps"});
      return answer(session, {.inputs = std::move(inputs),
                              .ask = [&](const Inputs& texts) { return ask(session, *asked, texts); },
                              .options = std::move(options)});
    };
  });
}

}  // namespace tessera::cli
