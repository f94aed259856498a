// SPDX-License-Identifier: Apache-2.0
// `tessera hlo`: finds the elements that the instructions of a program read.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "cli/help.h"
#include "cli/hlo_report.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/selection.h"
#include "report/copies_answer.h"
#include "report/indexing_json.h"
#include "report/indexing_text.h"
#include "report/padding_answer.h"
#include "report/stats_report.h"
#include "report/traffic_answer.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/parser.h"

namespace tessera::cli {
namespace {

struct HloOptions {
  std::vector<std::string> files;
  std::string direction = "out";
  std::string op;
  std::string computation;
  bool fused = false;
  int threads = 0;
  bool stats = false;
  bool bitcasts = false;
  bool traffic = false;
  std::string padding;  // the rule for padding
  bool copies = false;
  double bandwidth = 0;  // GB/s; 0: measured
  bool summary = false;
  std::string compare;  // the file with the old program

  // The options for lists that replace the maps.
  std::vector<const char*> lists() const {
    std::vector<const char*> out;
    if (stats) out.push_back("--stats");
    if (bitcasts) out.push_back("--bitcasts");
    if (traffic) out.push_back("--traffic");
    if (!padding.empty()) out.push_back("--padding");
    if (copies) out.push_back("--copies");
    if (summary) out.push_back("--summary");
    if (!compare.empty()) out.push_back("--compare");
    return out;
  }
  // True if the answer is about whole modules.
  bool whole() const { return traffic || copies || (!padding.empty() && !reported); }
  bool legacy = false;
  std::string report;
  bool reported = false;  // true if the answer is the report
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Ends the program once the reader of its output has closed the pipe (`| head`).
void stop_when_nobody_reads(const Session& session, const Output& out) {
  if (out.error() != EPIPE || session.is_request()) return;
  remove_unfinished_files();
  std::_Exit(kFailed);
}

// Writes the answers of the modules in the requested format.
class Writer {
 public:
  Writer(Session& session, const HloOptions& options, Output& out, Format format)
      : session_(session),
        options_(options),
        out_(out),
        format_(format),
        bandwidth_{.bytes_per_second = options.bandwidth * 1e9} {}

  void begin_file(std::string_view file) {
    place_.file = file;
    if (format_ == Format::text && options_.files.size() > 1) out_.write(headline("file", file));
  }

  void begin_module(std::string_view module, bool several) {
    place_.module = module;
    if (several && format_ == Format::text && !options_.stats) out_.write(headline("module", module));
  }

  void instruction(const InstructionIndexing& maps) {
    if (options_.stats) return;
    if (options_.bitcasts) {
      bitcast(maps);
    } else if (format_ == Format::text) {
      out_.write(fmt::format("{}{}{}\n", bold(), header_text(*maps.instruction), plain()));
      out_.write(to_text(maps, {.legacy = options_.legacy}));
    } else {
      out_.write(to_json(place_, maps, direction()) + "\n");
    }
    stop_when_nobody_reads(session_, out_);
  }

  // The answers about a whole module. `advance` is called after each instruction.
  void module(const HloModule& module, const AnalyzeOptions& analysis, std::function<void()> advance) {
    const Computation* const start =
        options_.computation.empty() ? nullptr : module.find(analysis.computation);
    if (!options_.padding.empty()) {
      const TilingRule rule = parse_tiling_rule(options_.padding).value_or(TilingRule::tpu);
      const PaddingReport answer = padding_report(module, rule, start);
      out_.write(format_ == Format::json ? to_json(place_, answer) : to_text(answer));
      return stop_when_nobody_reads(session_, out_);
    }
    if (options_.copies) {
      if (bandwidth_.bytes_per_second == 0) bandwidth_ = {measured_bandwidth(), true};
      const CopiesReport answer = copies_report(module, start);
      out_.write(format_ == Format::json ? to_json(place_, answer, bandwidth_) : to_text(answer, bandwidth_));
      return stop_when_nobody_reads(session_, out_);
    }
    TrafficOptions traffic;
    traffic.start = start;
    traffic.advance = std::move(advance);
    const auto shown = [&](const Instruction& op) {
      if (start == nullptr && !analysis.computation.empty() && op.parent->name != analysis.computation)
        return false;
      return analysis.op.empty() || op.name == analysis.op || op.opcode_text == analysis.op;
    };
    const ProgramTraffic answer = program_traffic(module, traffic);
    out_.write(format_ == Format::json ? to_json(place_, answer, shown)
                                       : to_text(answer, shown, /*operands=*/!analysis.op.empty()));
    stop_when_nobody_reads(session_, out_);
  }

  void end_file(const StatsReport& stats) {
    if (options_.stats) out_.write(format_ == Format::json ? to_json(stats) + "\n" : to_text(stats));
  }

  // `total` is the sum over all files.
  void finish(const StatsReport& total) {
    if (options_.stats && options_.files.size() > 1) {
      if (format_ == Format::text) out_.write(headline("all", fmt::format("{} files", total.files)));
      out_.write(format_ == Format::json ? to_json(total) + "\n" : to_text(total));
    } else if (options_.bitcasts && format_ == Format::text) {
      out_.write(to_text(bitcasts_));
    }
  }

  IndexingDirection direction() const {
    return options_.direction == "in" ? IndexingDirection::input_to_output
                                      : IndexingDirection::output_to_input;
  }

 private:
  const char* bold() const { return session_.output_color() == Color::always ? "\x1b[1m" : ""; }
  const char* plain() const { return session_.output_color() == Color::always ? "\x1b[0m" : ""; }
  std::string headline(std::string_view word, std::string_view name) const {
    return fmt::format("{}{} {}{}\n", bold(), word, name, plain());
  }

  void bitcast(const InstructionIndexing& maps) {
    const auto answer = bitcast_answer(*maps.instruction);
    if (!answer) return;
    bitcasts_.add(*answer);
    out_.write(format_ == Format::json ? to_json(place_, maps, direction()) + "\n"
                                       : to_text(*maps.instruction, *answer));
  }

  Session& session_;
  const HloOptions& options_;
  Output& out_;
  Format format_;
  InstructionPlace place_;
  BitcastTotals bitcasts_;
  Bandwidth bandwidth_;
};

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

// `--report FILE` means `-o FILE` with the report as the answer. The answer in an HTML file is always the
// report.
bool take_report(Session& session, HloOptions& options) {
  options.reported = options.summary || !options.compare.empty() || !options.report.empty() ||
                     session.options.output.ends_with(".html");
  if (options.report.empty()) return true;
  if (!session.options.output.empty() && session.options.output != options.report) {
    session.report_option({.code = Code::bad_option,
                           .message = "-o and --report name different files for one answer",
                           .help = "run the command twice to get both"},
                          kOutputOption);
    return false;
  }
  session.options.output = options.report;
  session.options.output_option = "--report";
  return true;
}

// Refuses an option that has no effect with another one.
bool check_together(Session& session, const HloOptions& options) {
  struct Pair {
    bool idle;
    const char* option;
    bool beside;
    std::string other;
    const char* help;
  };
  const bool page = session.options.output.ends_with(".html");
  const std::string report = !options.report.empty()    ? "--report"
                             : page                     ? "-o " + session.options.output
                             : !options.compare.empty() ? "--compare"
                                                        : "--summary";
  const bool json = session.options.json;
  const std::vector<const char*> lists = options.lists();
  const char* const list = lists.empty() ? "" : lists[0];
  const bool reported = options.reported;
  const Pair pairs[] = {
      {options.stats, "--stats", reported, report, "the report shows the counts; leave --stats out"},
      {json, "--json", page, report, "the file name asks for a page; leave one of the two out"},
      {options.bitcasts, "--bitcasts", reported, report, "the report shows bitcasts; leave --bitcasts out"},
      {options.traffic, "--traffic", reported, report, "the report shows the traffic; leave --traffic out"},
      {options.copies, "--copies", reported, report, "the report shows the movements; leave --copies out"},
      {!reported && lists.size() > 1, lists.size() > 1 ? lists[1] : "", true, list,
       "run the command twice to get both"},
      {options.fused, "--fused", options.whole(), list, "each fusion is one step of the program"},
      {options.fused, "--fused", reported, report, "the report has every instruction"},
      {options.direction == "in", "--direction", options.whole(), list, "this list has no direction"},
      {options.direction == "in", "--direction", reported, report, "the report has what outputs read"},
      {!options.op.empty(), "--op", !reported && (!options.padding.empty() || options.copies), list,
       "the list is about a whole program; --computation NAME starts it elsewhere"},
      {!options.op.empty(), "--op", reported, report,
       "the report is about a whole program; --computation NAME starts it elsewhere"},
      {options.legacy, "--legacy", reported, report, "the report has the current form of every map"},
      {options.legacy, "--legacy", json, "--json", "JSON has the current form of every map"},
      {options.legacy, "--legacy", !lists.empty(), list, "these lists show no maps"},
  };
  for (const Pair& pair : pairs) {
    if (!pair.idle || !pair.beside) continue;
    session.report_argument({.code = Code::bad_option,
                             .message = fmt::format("{} has no effect with {}", pair.option, pair.other),
                             .help = pair.help},
                            pair.option);
    return false;
  }
  return true;
}

bool check_stdin(Session& session, const HloOptions& options) {
  const auto count = std::ranges::count(options.files, "-");
  if (count == 0 || (count == 1 && !session.is_request())) return true;
  session.report_argument({.code = Code::bad_option,
                           .message = session.is_request() ? kNoStdin : "'-' can be given only once",
                           .help = session.is_request() ? "" : "stdin can be read only once"},
                          "-", session.is_request() ? 0 : 1);
  return false;
}

// Starts the report, if it is the answer.
std::optional<HloReport> start_report(const HloOptions& options) {
  if (!options.reported) return std::nullopt;
  detail::ReportOptions own;
  if (!options.padding.empty()) own.rule = parse_tiling_rule(options.padding).value_or(TilingRule::tpu);
  own.threads = static_cast<std::size_t>(options.threads);
  return std::make_optional<HloReport>(options.files, options.compare, options.summary, std::move(own));
}

int run_hlo(Session& session, HloOptions options) {
  if (!take_report(session, options) || !check_together(session, options) || !check_stdin(session, options))
    return kBadInput;
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/true, status);
  if (destination == nullptr) return status;
  Writer writer(session, options, destination->output(), destination->format());

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

    std::uint64_t instructions = 0;
    for (const HloModule& module : parsed.modules) instructions += module.instruction_count();
    const bool filtered = !options.op.empty() || !options.computation.empty() || options.fused;
    // If the output scrolls on the terminal, it already shows the progress.
    const bool scrolls = !options.stats && session.options.output.empty() && ::isatty(1) != 0;
    if (report) instructions *= 2;
    Progress progress(session.err(), filtered ? 0 : instructions,
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
  hlo->add_flag(
      "--traffic", options->traffic,
      "instead of maps, print how many bytes each step of the program reads and writes, and how many it "
      "must; steps that read most bytes again come first");
  hlo->add_option(
         "--padding", options->padding,
         "instead of maps, print what padding costs under a tiling rule, and which layouts need least: tpu "
         "(T(8,128) by element width, the default), 32x32, onednn (blocks of 16, 8 or 4)")
      ->type_name("[tpu|32x32|onednn]")
      ->expected(0, 1)
      ->default_str("tpu")
      ->check(one_of({"tpu", "32x32", "onednn"}));
  hlo->add_flag(
      "--copies", options->copies,
      "instead of maps, print which copies, transposes and other movements could be bitcasts, what the "
      "others cost, and which of them cancel or join");
  hlo->add_option(
         "--bandwidth", options->bandwidth,
         "with --copies, the memory bandwidth in GB/s for estimates of time; without it, it is measured by a "
         "copy on this machine")
      ->type_name("GB/s")
      ->check(CLI::Range(0.001, 1e6))
      ->needs("--copies");
  hlo->add_flag("--legacy", options->legacy, "maps in the older form");
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
element 1 of the tuple parameter 0. '() -> (5, 2)': a scalar output reads element (5, 2). 'KNOWN EMPTY': the
operand is not read. Below a map, 'superset: REASON' says that it may contain more elements than are read,
and 'unknown: REASON' that nothing is known. A map without such a line is exact.
Errors in the text go to stderr, the rest is analyzed, and the exit status is 2.

Examples:
  tessera hlo examples/hlo/transformer_block.hlo --op dot
  tessera hlo examples/hlo/transformer_block_gpu.hlo --op fusion --fused
  tessera hlo examples/hlo/kv_cache_decode.hlo --direction in --json | head -1
  tessera hlo examples/hlo/transformer_block.hlo examples/hlo/convolution_stage.hlo --stats
  tessera hlo examples/hlo/transformer_block.hlo --bitcasts
  tessera hlo examples/hlo/transformer_block_gpu.hlo --traffic
  tessera hlo examples/hlo/transformer_block_tpu.hlo --padding
  tessera hlo examples/hlo/transformer_block_tpu.hlo --copies --bandwidth 819
  tessera hlo examples/hlo/transformer_block_gpu.hlo --summary
  tessera hlo examples/hlo/transformer_block_gpu.hlo --report block.html
  tessera hlo examples/hlo/transformer_block_tpu.hlo --compare examples/hlo/transformer_block.hlo)");
  hlo->callback(
      [&session, options] { session.action = [&session, options] { return run_hlo(session, *options); }; });
}

}  // namespace tessera::cli
