// SPDX-License-Identifier: Apache-2.0
// `tessera hlo`: which elements the instructions of a program read.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "cli/help.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/read_file.h"
#include "tessera/hlo/selection.h"
#include "tessera/report/html_report.h"
#include "tessera/report/indexing_json.h"
#include "tessera/report/indexing_text.h"
#include "tessera/report/stats_report.h"

namespace tessera::cli {
namespace {

struct HloOptions {
  std::string file;
  std::string direction = "out";
  std::string op;
  std::string computation;
  bool fused = false;
  std::size_t threads = 1;
  bool stats = false;
  bool reasons = false;
  bool legacy = false;
  std::string report;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Everything that is wrong in the text; the rest of it is analysed all the same.
int report_diagnostics(Session& session, const ParsedModules& parsed) {
  int status = kDone;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    session.report(diagnostic, parsed.source);
    if (diagnostic.severity == Severity::error) {
      status = std::max<int>({status, kBadInput, status_of(diagnostic.code)});
    }
  }
  return status;
}

// Nobody reads the answer any more (`| head`): there is nothing left to do.
void stop_when_nobody_reads(const Session& session, const Output& out) {
  if (out.error() != EPIPE || session.is_request()) return;
  remove_unfinished_files();
  std::_Exit(kFailed);
}

// Writes one module after the other, in the format that was asked for.
class Writer {
 public:
  Writer(Session& session, const HloOptions& options, Output& out, Format format)
      : session_(session), options_(options), out_(out), format_(format) {}

  void begin(const HloModule& module, bool several) {
    module_ = module.name;
    if (several && format_ == Format::text && !options_.stats) {
      out_.write(fmt::format("{}module {}{}\n", bold(), module.name, plain()));
    }
  }

  void instruction(const InstructionMaps& maps) {
    if (options_.stats) return;
    switch (format_) {
      case Format::text:
        out_.write(fmt::format("{}{}{}\n", bold(), header_text(*maps.instruction), plain()));
        out_.write(to_text(maps, {.legacy = options_.legacy, .reasons = options_.reasons}));
        break;
      case Format::json:
        out_.write(to_json(module_, maps, direction()) + "\n");
        break;
      case Format::html:
        out_.write(html_.instruction(module_, maps, direction()));
        break;
    }
    stop_when_nobody_reads(session_, out_);
  }

  void start(const std::string& title) {
    if (format_ == Format::html) out_.write(html_.begin(title));
  }

  void finish(const StatsReport& stats) {
    if (format_ == Format::html) {
      out_.write(html_.end(stats));
    } else if (options_.stats) {
      out_.write(format_ == Format::json ? to_json(stats) + "\n" : to_text(stats));
    }
  }

  IndexingDirection direction() const {
    return options_.direction == "in" ? IndexingDirection::input_to_output
                                      : IndexingDirection::output_to_input;
  }

 private:
  const char* bold() const { return session_.output_color() == Color::always ? "\x1b[1m" : ""; }
  const char* plain() const { return session_.output_color() == Color::always ? "\x1b[0m" : ""; }

  Session& session_;
  const HloOptions& options_;
  Output& out_;
  Format format_;
  std::string_view module_;
  HtmlReport html_;
};

// The names that were asked for must exist; otherwise an empty answer would look like an analysis.
bool choose(Session& session, const HloOptions& options, const ParsedModules& parsed,
            AnalyzeOptions& analysis) {
  const auto chosen = [&](const char* option, const std::string& name, auto take, const char* without) {
    if (name.empty()) return true;
    Result<void> taken = take(analysis, name, parsed.modules);
    if (taken) return true;
    Diagnostic why = std::move(taken.error());
    if (why.help.empty()) why.help = fmt::format("without {} {} are shown", option, without);
    session.report_option(std::move(why), option);
    return false;
  };
  return chosen("--computation", options.computation, choose_computation, "all computations") &&
         chosen("--op", options.op, choose_op, "all instructions");
}

// An empty shell variable is no wish to see everything.
std::string check_name(const std::string& name) { return name.empty() ? "the name is empty" : ""; }

// Options of which one would make the other do nothing.
bool check_together(Session& session, const HloOptions& options) {
  const bool page = !options.report.empty();
  const bool json = session.options.json;
  const char* idle = page && options.stats                     ? "--stats"
                     : page && json                            ? "--json"
                     : page && !session.options.output.empty() ? "-o"
                     : json && options.legacy                  ? "--legacy"
                                                               : nullptr;
  if (idle == nullptr) return true;
  session.report_argument(
      {.code = Code::bad_option,
       .message = fmt::format("{} does nothing beside {}", idle, page ? "--report" : "--json"),
       .help = page ? "--report writes the page and nothing else: ask for both, one after the other"
                    : "JSON has the current form of every map"},
      idle);
  return false;
}

int run_hlo(Session& session, const HloOptions& options) {
  if (!check_together(session, options)) return kBadInput;
  if (options.file == "-" && session.is_request()) {
    session.report_argument({.code = Code::bad_option, .message = kNoStdin}, "-");
    return kBadInput;
  }
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/true, status);
  if (destination == nullptr) return status;
  std::unique_ptr<OutputFile> page;
  if (!options.report.empty()) {
    Result<std::unique_ptr<OutputFile>> file = OutputFile::create(options.report, session.options.force);
    if (!file) {
      session.report_option(file.error(), "--report");
      return status_of(file.error().code);
    }
    page = std::move(*file);
  }

  const Result<std::shared_ptr<const Source>> source = read_file(options.file);
  if (!source) {
    session.report_argument(source.error(), options.file);
    return status_of(source.error().code);
  }
  const auto start = std::chrono::steady_clock::now();
  const ParsedModules parsed = parse_hlo(*source);
  StatsReport stats{.modules = parsed.modules.size(), .parse_ms = milliseconds_since(start)};
  status = report_diagnostics(session, parsed);
  AnalyzeOptions analysis{.fused = options.fused, .threads = options.threads};
  if (!choose(session, options, parsed, analysis)) return kBadInput;

  Writer answer(session, options, destination->output(), destination->format());
  std::unique_ptr<Writer> report;
  if (page != nullptr) report = std::make_unique<Writer>(session, options, page->output(), Format::html);
  std::uint64_t total = 0;
  for (const HloModule& module : parsed.modules) total += module.instruction_count();
  const bool filtered = !options.op.empty() || !options.computation.empty() || options.fused;
  // Where the answer itself scrolls over the terminal it shows the progress well enough.
  const bool scrolls =
      !options.stats && page == nullptr && session.options.output.empty() && ::isatty(1) != 0;
  Progress progress(session.err(), filtered ? 0 : total,
                    !scrolls && !session.options.quiet && !session.is_request());

  analysis.direction = answer.direction();
  const std::string title = (*source)->name();
  answer.start(title);
  if (report != nullptr) report->start(title);
  for (const HloModule& module : parsed.modules) {
    if (report != nullptr) {
      report->begin(module, false);
    } else {
      answer.begin(module, parsed.modules.size() > 1);
    }
    stats.analysis += analyze(module, analysis, [&](InstructionMaps&& maps) {
      // A page is an answer of its own; the text beside it would only be in the way.
      if (report != nullptr) {
        report->instruction(maps);
      } else {
        answer.instruction(maps);
      }
      progress.advance();
    });
  }
  if (stats.analysis.instructions == 0 && !options.op.empty()) {
    session.report_option(
        {.code = Code::unknown_name,
         .message = fmt::format("'{}' stands in computations that --fused leaves out", options.op),
         .help = "ask without --fused"},
        "--op");
    return kBadInput;
  }
  answer.finish(stats);
  if (report != nullptr) {
    report->finish(stats);
    if (const Result<void> done = page->commit(); !done) {
      session.report_option(done.error(), "--report");
      status = std::max<int>(status, status_of(done.error().code));
    }
  }
  return destination->finish(status);
}

}  // namespace

void add_hlo(CLI::App& app, Session& session) {
  CLI::App* hlo = app.add_subcommand("hlo", "which elements each instruction of an HLO program reads");
  auto options = std::make_shared<HloOptions>();
  hlo->add_option("FILE", options->file, "HLO text, plain or gzip; - reads stdin")->required();
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
  hlo->add_flag(
      "--fused", options->fused,
      "leave out the computations that fusions and calls go through: their maps stand at the caller");
  hlo->add_option("--threads", options->threads, "cores to use, 0 for all; the answer does not depend on it")
      ->type_name("N")
      ->check(whole_number(0, 1024));
  hlo->add_flag("--stats", options->stats,
                "no maps: what was analysed, what is not exact and why, and the time");
  hlo->add_flag("--reasons", options->reasons, "say under each superset and unknown answer why");
  hlo->add_flag("--legacy", options->legacy, "maps in the older form");
  hlo->add_option("--report", options->report, "write a page to look at, instead of the text")
      ->type_name("FILE.html")
      ->check(file_name(".html"));
  add_common_options(*hlo, session);
  hlo->footer(
      "For each instruction a line 'COMPUTATION/NAME = TYPE OPCODE', then for each operand 'operand id = K "
      "MAP': the\n"
      "dimensions of the map are an index of the output, its results the element that is read, its range "
      "variables\n"
      "[s0, ...] sweep over all of them, its runtime variables {rt0, ...} are values of the running "
      "program.\n"
      "Errors in the text go to stderr, the rest is analysed, and the exit status is 2.\n"
      "\n"
      "Examples:\n"
      "  tessera hlo examples/hlo/transformer_block.hlo --op dot\n"
      "  tessera hlo examples/hlo/transformer_block_gpu.hlo --op fusion --fused\n"
      "  tessera hlo examples/hlo/kv_cache_decode.hlo --direction in --json | head -1\n"
      "  tessera hlo examples/hlo/convolution_stage.hlo --stats\n"
      "  tessera hlo examples/hlo/transformer_block.hlo --report block.html");
  hlo->callback(
      [&session, options] { session.action = [&session, options] { return run_hlo(session, *options); }; });
}

}  // namespace tessera::cli
