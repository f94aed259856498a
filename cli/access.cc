// SPDX-License-Identifier: Apache-2.0
// `tessera access`: bank conflicts, coalescing, and the layout that avoids conflicts for a set of accesses.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/column_major.h"
#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "report/access_answer.h"
#include "tessera/access/access_report.h"
#include "tessera/access/fix.h"
#include "tessera/notation/layout.h"

namespace tessera::cli {
namespace {

struct AskedAccess {
  std::string layout;
  std::vector<std::string> threads;
  std::optional<Index> bytes;
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
};

// The error for an option with an invalid value.
Answer refused(std::string message, std::string help) {
  return no_answer({.code = Code::bad_option, .message = std::move(message), .help = std::move(help)}, 0);
}

Result<Index> element_bytes(const AskedAccess& asked, const Layout& layout) {
  if (asked.bytes) return *asked.bytes;
  const std::optional<Index> bits = layout.element_bits();
  if (!bits) {
    return fail(Code::unknown_type, "the layout has no element type, so the addresses are unknown", {},
                "add --bytes 4, or write a layout with a type, such as f32[32,32]");
  }
  if (*bits % 8 != 0) {
    return fail(Code::unsupported_width,
                fmt::format("elements of {} bits do not all begin at whole bytes", *bits), {},
                "describe the layout of whole bytes, and add --bytes 1");
  }
  return *bits / 8;
}

// Counts the grid of --warps, with the layout as the lanes of one warp.
Result<GridReport> grid_of(const AskedAccess& asked, const Layout& layout, const Layout& warps, Index bytes,
                           Index vector) {
  return count_grid({.lanes = layout,
                     .warps = warps,
                     .element_bytes = bytes,
                     .vector = vector,
                     .base = asked.base,
                     .limit = asked.limit});
}

Answer ask(const AskedAccess& asked, const Inputs& inputs) {
  const Result<Layout> layout = parse_layout(inputs[0]);
  if (!layout) return unreadable(layout.error(), 0);
  const Result<MemoryTarget> target = MemoryTarget::parse(asked.target);
  if (!target) return no_answer(target.error(), 0);
  const Result<Index> bytes = element_bytes(asked, *layout);
  if (!bytes) return no_answer(bytes.error(), 0);

  AccessAnswer answer{.layout = *layout, .why = asked.why};
  answer.options = {
      .element_bytes = *bytes, .target = *target, .base_align = asked.base_align, .segments = asked.segments};
  Access defaults = whole_layout(*layout);
  defaults.base = asked.base;
  if (asked.vector != "auto") {
    Index vector = 0;
    if (!CLI::detail::lexical_cast(asked.vector, vector) || vector < 1)
      return refused(fmt::format("'{}' is not a vector width", asked.vector), "use a power of two, or auto");
    defaults.vector = vector;
  }
  std::vector<Access> accesses;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    defaults.name = std::string(1, static_cast<char>('a' + (i - 1) % 26));
    const std::string text = asked.vector == "auto" ? inputs[i] + ",vector=auto" : inputs[i];
    Result<Access> access = parse_access(text, *layout, answer.options, defaults);
    if (!access) return unreadable(access.error(), i);
    accesses.push_back(*std::move(access));
  }
  if (accesses.empty()) {
    if (asked.vector == "auto") {
      const Result<AccessReport> narrow = analyze_access(*layout, defaults, answer.options);
      if (!narrow) return no_answer(narrow.error(), 0);
      defaults.vector = narrow->global->width.vector;
    }
    accesses.push_back(defaults);
  }

  const bool matrix =
      std::any_of(accesses.begin(), accesses.end(), [](const Access& a) { return is_matrix(a.kind); });
  const std::string space = !asked.space.empty()        ? asked.space
                            : asked.wants_fix || matrix ? "shared"
                            : !asked.warps.empty()      ? "global"
                                                        : "both";
  answer.options.shared = space != "global";
  answer.options.global = space != "shared";
  if (asked.wants_fix && !answer.options.shared)
    return refused("--fix avoids bank conflicts, which global memory does not have", "leave --space out");
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    Result<AccessReport> report = analyze_access(*layout, accesses[i], answer.options);
    if (!report) return no_answer(report.error(), asked.threads.empty() ? 0 : i + 1);
    answer.accesses.push_back(*std::move(report));
  }
  if (!asked.warps.empty()) {
    const Result<Layout> warps = parse_layout(asked.warps);
    if (!warps) return no_answer(warps.error(), 0);
    Result<GridReport> grid = grid_of(asked, *layout, *warps, *bytes, accesses.front().vector);
    if (!grid) return no_answer(grid.error(), 0);
    answer.grid = *std::move(grid);
  }
  if (answer.options.shared) {
    const Result<Index> floor = least_wavefronts(*layout, accesses, *bytes, *target);
    answer.floor = floor ? *floor : 0;
    for (const AccessReport& report : answer.accesses)
      if (!floor) answer.floor += report.shared->floor * report.access.weight;
  }
  int status = kDone;
  if (asked.wants_fix) {
    const bool all = asked.families == "all";
    Result<FixSet> fixes = find_fixes(*layout, accesses, *bytes, *target,
                                      {.swizzle = all || asked.families == "swizzle",
                                       .pad = all || asked.families == "pad",
                                       .linear = all || asked.families == "linear"});
    if (!fixes) return no_answer(fixes.error(), 0);
    answer.fixes = *std::move(fixes);
    const Fix& best = answer.fixes->best_fix();
    Index ideal = 0;
    for (const AccessReport& report : answer.accesses) ideal += report.shared->ideal * report.access.weight;
    const bool good = best.wavefronts == ideal || best.wavefronts == answer.fixes->floor;
    status = good ? kDone : best.proof == FixProof::none ? kFailed : kNo;
  } else if (answer.options.shared &&
             std::any_of(answer.accesses.begin(), answer.accesses.end(),
                         [](const AccessReport& r) { return r.shared->excess() != 0; })) {
    status = kNo;
  }
  return {.status = status,
          .text = to_text(answer),
          .line = to_line(answer),
          .json = to_json(answer, status),
          .hints = column_major_notes({inputs[0]})};
}

}  // namespace

void add_access(CLI::App& app, Session& session) {
  CLI::App* access =
      app.add_subcommand("access", "bank conflicts, coalescing, and a layout without conflicts");
  auto asked = std::make_shared<AskedAccess>();
  access->add_option("LAYOUT", asked->layout, "a layout in any notation; - reads one per line from stdin")
      ->required();
  access
      ->add_option("--threads", asked->threads,
                   "an access: [NAME=]TV[,KEY[=VALUE]]...; TV is a layout from (thread, value) to the 1-D "
                   "index of the box, "
                   "rows, or columns; repeat the option for several accesses")
      ->type_name("ACCESS")
      ->allow_extra_args(false);
  access->add_option("--bytes", asked->bytes, "bytes of one element, if the layout has no type")
      ->check(CLI::Range(Index{1}, Index{1} << 20));
  access
      ->add_option("--vector", asked->vector,
                   "elements that a lane moves at once (1), or auto: as many as possible")
      ->type_name("N|auto");
  access
      ->add_option("--space", asked->space,
                   "both (the default); shared is implied by --fix and matrix accesses")
      ->type_name("shared|global|both")
      ->check(one_of({"shared", "global", "both"}));
  access->add_option("--target", asked->target,
                     "nvidia (the default), nvidia-7x, cdna3, cdna4, rdna3, rdna4, or banks:BxW[@L][/P]");
  access->add_option("--base", asked->base, "the byte of offset 0 (0)")
      ->check(CLI::Range(Index{0}, Index{1} << 40));
  access
      ->add_option("--base-align", asked->base_align, "the alignment of the buffer's address in bytes (256)")
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
                   "elements in the buffer: lanes of --warps that begin beyond it are inactive")
      ->check(CLI::Range(Index{0}, Index{1} << 60));
  access->add_flag("--why", asked->why, "show which address bits each lane bit changes");
  access
      ->add_option("--fix", asked->families,
                   "search for a layout with fewer conflicts: swizzle, pad, linear, or all (the default)")
      ->type_name("[swizzle|pad|linear|all]")
      ->expected(0, 1)
      ->default_str("all")
      ->check(one_of({"swizzle", "pad", "linear", "all"}))
      ->each([asked](const std::string&) { asked->wants_fix = true; });
  CLI::Option* const fix = access->get_option("--fix");
  add_common_options(*access, session);
  access->footer(
      R"(Without --threads, LAYOUT itself maps (thread, value) to the offset. Keys of an access: read, write,
ldmatrix=1|2|4, stmatrix=1|2|4, vector=N|auto, active=0xff, weight=N, base=BYTES. Wavefronts are passes over the banks of
shared memory; no layout goes below the floor. The exit status is 1 if there are conflicts; with --fix, if the best layout
needs more wavefronts than the floor.

Examples:
  tessera access '32:2' --bytes 4
  tessera access '(32,32):(32,1)' --bytes 4 --threads rows,write --threads columns --fix
  tessera access '(64,64):(64,1)' --bytes 2 --threads 'A=((8,2,2),8):((1,8,512),64),vector=8,ldmatrix=4' --why
  tessera access '32:1' --bytes 4 --space global --warps '(8,100):(32,1001)')");
  access->callback([&session, asked, fix] {
    asked->wants_fix = fix->count() > 0;
    session.action = [&session, asked] {
      Inputs inputs = {asked->layout};
      inputs.insert(inputs.end(), asked->threads.begin(), asked->threads.end());
      return answer(session, {.inputs = std::move(inputs),
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); }});
    };
  });
}

}  // namespace tessera::cli
