// SPDX-License-Identifier: Apache-2.0
// `tessera hlo`: finds the elements that the instructions of a program read.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/help.h"
#include "cli/hlo_options.h"
#include "cli/hlo_parameters.h"
#include "cli/hlo_report.h"
#include "cli/hlo_writer.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "hlo/analysis/selection.h"
#include "report/stats_report.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/module.h"

namespace tessera::cli {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// A requested name that no file so far has.
struct Missing {
  Diagnostic diagnostic;
  const char* option;
};

// Restricts the analysis to the requested names, or returns the name that this file lacks.
std::optional<Missing> choose(const HloOptions& options, const ParsedModules& parsed,
                              AnalyzeOptions& analysis) {
  const auto chosen = [&](const char* option, const std::string& name, auto take,
                          const char* without) -> std::optional<Missing> {
    if (name.empty()) return std::nullopt;
    Result<void> taken = take(analysis, name, parsed.modules);
    if (taken) return std::nullopt;
    Diagnostic why = std::move(taken.error());
    if (why.help.empty()) why.help = fmt::format("without {} {} are shown", option, without);
    return Missing{std::move(why), option};
  };
  auto missing = chosen("--computation", options.computation, choose_computation, "all computations");
  return missing ? missing : chosen("--op", options.op, choose_op, "all instructions");
}

// Refuses an empty name, which would select everything. It probably comes from an unset shell variable.
std::string check_name(const std::string& name) { return name.empty() ? "the name is empty" : ""; }

// Starts the report, if it is the answer.
std::optional<HloReport> start_report(const HloOptions& options) {
  if (!options.reported) return std::nullopt;
  detail::ReportOptions own;
  own.rule = options.rule();
  own.threads = static_cast<std::size_t>(options.threads);
  return std::make_optional<HloReport>(options.files, options.compare, options.summary, std::move(own));
}

int run_hlo(Session& session, HloOptions options) {
  if (!take_report(session, options) || !check_together(session, options) || !check_stdin(session, options) ||
      !check_parameters(session, options)) {
    return kBadInput;
  }
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/true, status);
  if (destination == nullptr) return status;
  HloWriter writer(session, options, destination->output(), destination->format());

  StatsReport total{.files = 0};
  std::optional<HloReport> report = start_report(options);
  std::optional<Missing> missing;  // a name missing in the first file that lacks one
  bool found = false;              // true if some file has all names
  for (const std::string& file : options.files) {
    const Result<std::shared_ptr<const Source>> source = read_file(file);
    if (!source) {
      session.report_argument(source.error(), file);
      status = std::max<int>(status, status_of(source.error()));
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    ParsedModules parsed = parse_hlo(*source);
    StatsReport stats{
        .file = (*source)->name(), .modules = parsed.modules.size(), .parse_ms = milliseconds_since(start)};
    status = std::max(status, report_diagnostics(session, parsed));
    if (parsed.modules.empty()) continue;
    AnalyzeOptions analysis{.direction = writer.direction(),
                            .fused = options.fused,
                            .threads = static_cast<std::size_t>(options.threads)};
    if (auto lacks = choose(options, parsed, analysis)) {
      if (!missing) missing = std::move(lacks);
      continue;
    }
    found = true;
    writer.begin_file(stats.file);
    if (!options.same.empty()) {
      status = std::max(status, writer.same(parsed));
      continue;
    }

    std::uint64_t instructions = 0;
    for (const HloModule& module : parsed.modules) instructions += module.instruction_count();
    const bool filtered = !options.op.empty() || !options.computation.empty() || options.fused;
    // If the output scrolls on the terminal, it already shows the progress.
    const bool scrolls = !options.stats && session.options.output.empty() && ::isatty(1) != 0;
    if (report) instructions *= 2;
    ProgressBar progress(session.err(), filtered ? 0 : instructions,
                         !scrolls && !session.options.quiet && !session.is_request());
    if (report) {
      const std::string name = stats.file;
      total.analysis +=
          report->add(name, analysis.computation, std::move(parsed), [&] { progress.advance(); });
      continue;
    }
    for (const HloModule& module : parsed.modules) {
      writer.begin_module(module.name, parsed.modules.size() > 1);
      if (options.whole()) {
        writer.module(module, analysis, [&] { progress.advance(); });
        continue;
      }
      stats.analysis += analyze(module, analysis, [&](InstructionIndexing&& maps) {
        writer.instruction(maps);
        progress.advance();
      });
    }
    writer.end_file(stats);
    total += stats;
  }
  if (missing && !found) {
    session.report_option(std::move(missing->diagnostic), missing->option);
    return kBadInput;
  }
  if (found && !options.whole() && total.analysis.instructions == 0 && !options.op.empty()) {
    session.report_option(
        {.code = Code::unknown_name,
         .message = fmt::format("'{}' occurs only in computations that --fused leaves out", options.op),
         .help = "leave --fused out"},
        "--op");
    return kBadInput;
  }
  if (found && report) {
    status = std::max(status, report->write(session, destination->output(), destination->format()));
  } else if (found) {
    writer.finish(total);
    status = std::max(status, writer.status());
  }
  return destination->finish(status);
}

}  // namespace

void add_hlo(CLI::App& app, Session& session) {
  CLI::App* hlo = app.add_subcommand("hlo", "which elements each instruction of an HLO program reads");
  auto options = std::make_shared<HloOptions>();
  hlo->add_option("FILE", options->files, "HLO text, plain or gzip; - reads stdin")
      ->required()
      ->expected(1, -1)
      ->type_name("...");
  hlo->add_option("--direction", options->direction,
                  "out: from an output to what it reads (the default); in: from an operand to what reads it")
      ->type_name("out|in")
      ->check(one_of({"out", "in"}));
  hlo->add_option("--op", options->op, "only instructions with this name or opcode: NAME or COMPUTATION/NAME")
      ->type_name("NAME")
      ->check(check_name);
  hlo->add_option("--computation", options->computation, "only this computation")
      ->type_name("NAME")
      ->check(check_name);
  hlo->add_flag("--fused", options->fused,
                "leave out computations that fusions and calls use: the caller's maps include theirs");
  add_threads_option(*hlo, options->threads);
  hlo->add_flag("--stats", options->stats,
                "print counts instead of maps: what was analyzed, what is not exact and why, and the time");
  hlo->add_flag("--bitcasts", options->bitcasts,
                "instead of maps, print which copies, transposes and reshapes move no data, and how many "
                "bytes the others move");
  hlo->add_flag("--traffic", options->traffic,
                "instead of maps, print how many bytes each step of the program reads and writes, and how "
                "many it must; the steps that reread the most bytes come first");
  hlo->add_option("--padding", options->padding,
                  "instead of maps, print what padding costs under a tiling rule, and which layouts need the "
                  "fewest bytes: own (that of the program's layouts, the default), tpu "
                  "(T(8,128) by element width), 32x32, onednn (blocks of 16, 8 or 4)")
      ->type_name("[own|tpu|32x32|onednn]")
      ->expected(0, 1)
      ->default_str("own")
      ->check(one_of({"own", "tpu", "32x32", "onednn"}));
  hlo->add_flag(
      "--copies", options->copies,
      "instead of maps, print which instructions only move data (copies, transposes, slices, fusions of "
      "these), what they cost, and which could be bitcasts, cancel or join");
  hlo->add_option(
         "--bandwidth", options->bandwidth,
         "with --copies, the memory bandwidth in GB/s for estimates of time; without it, it is measured by a "
         "copy on this machine")
      ->type_name("GB/s")
      ->check(CLI::Range(0.001, 1e6))
      ->needs("--copies");
  hlo->add_option(
         "--same", options->same,
         "instead of maps, whether two results hold the same bytes in the same order: yes (exit status "
         "0), no with a byte that differs (1), or undecided (3); unless yes, also where the first holds the "
         "elements of the second. NAME#K is array K of a tuple")
      ->type_name("NAME NAME")
      ->expected(2)
      ->check(check_name);
  hlo->add_flag(
      "--parameters", options->parameters,
      "instead of maps of single instructions, print which elements of the program's parameters the "
      "root, or the instruction of --op, depends on; --computation NAME asks about its own root and "
      "parameters");
  hlo->add_option("--at", options->at, "with --parameters, only for this element of the result: 16,9,4")
      ->type_name("N,N,...")
      ->needs("--parameters");
  hlo->add_option("--set", options->set,
                  "with --parameters, the value of a runtime variable before the program clamps it")
      ->type_name("rtN=N")
      ->allow_extra_args(false)
      ->needs("--parameters");
  hlo->add_option("--leaf", options->leaf,
                  "with --at, the number of the array of a tuple result (default: 0)")
      ->check(CLI::Range(Index{0}, Index{1} << 31))
      ->needs("--at");
  hlo->add_flag("--legacy", options->legacy, "print maps in the older form");
  hlo->add_flag(
      "--summary", options->summary,
      "instead of maps, print in plain words what the program wastes; with --json, the whole report");
  hlo->add_option("--report", options->report,
                  "write the report: a page that shows everything, or the same as JSON, or the summary")
      ->type_name("FILE.html|.json|.txt")
      ->check(file_name({".html", ".json", ".txt"}));
  hlo->add_option("--compare", options->compare,
                  "instead of maps, print what changed since this dump of the program: the steps that move "
                  "more bytes, then those that move fewer. With --report, the page has it, too")
      ->type_name("OLD");
  add_common_options(*hlo, session);
  hlo->footer(
      R"(Each instruction gets a line 'COMPUTATION/NAME = TYPE OPCODE' and a line 'operand id = K MAP' for each
operand. The dimensions of a map are an index of the output; its results are the index of the operand element
read: '(d0, d1) -> (d1, d0)'. Range variables [s0, ...] take all their values. Runtime variables {rt0, ...}
are values known only at run time; the lines below a map say where each is read, such as 'parameter(0)#1',
element 1 of the tuple parameter 0, and how the program clamps it: rt0 is the clamped value. '() -> (5, 2)': a
scalar output reads element (5, 2). 'KNOWN EMPTY': the operand is not read. Below a map, 'superset: REASON' says that it may contain more elements than are read,
and 'unknown: REASON' that nothing is known. A map without such a line is exact.
Errors in the text go to stderr, the rest is analyzed, and the exit status is 2.

Examples:
  tessera hlo examples/hlo/transformer_block.hlo --op dot
  tessera hlo examples/hlo/transformer_block_gpu.hlo --op fusion --fused
  tessera hlo examples/hlo/kv_cache_decode.hlo --direction in --json | head -1
  tessera hlo examples/hlo/transformer_block.hlo examples/hlo/convolution_stage.hlo --stats
  tessera hlo examples/hlo/transformer_block.hlo --parameters --op scores --at 0,0,5,7
  tessera hlo examples/hlo/transformer_block.hlo --bitcasts
  tessera hlo examples/hlo/transformer_block_gpu.hlo --traffic
  tessera hlo examples/hlo/transformer_block_tpu.hlo --padding
  tessera hlo examples/hlo/transformer_block_tpu.hlo --copies --bandwidth 819
  tessera hlo examples/hlo/transformer_block.hlo --same heads heads.by_token
  tessera hlo examples/hlo/transformer_block_gpu.hlo --summary
  tessera hlo examples/hlo/transformer_block_gpu.hlo --report block.html
  tessera hlo examples/hlo/transformer_block_tpu.hlo --compare examples/hlo/transformer_block.hlo)");
  hlo->callback(
      [&session, options] { session.action = [&session, options] { return run_hlo(session, *options); }; });
}

}  // namespace tessera::cli
