// SPDX-License-Identifier: Apache-2.0
#include "verbs/hlo.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/cancellation.h"
#include "base/plural.h"
#include "hlo/analysis/selection.h"
#include "report/diagnostic_json.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "report/on_chip_answer.h"
#include "report/padding_answer.h"
#include "report/same_bytes_answer.h"
#include "report/traffic_answer.h"
#include "verbs/code_files.h"
#include "verbs/dump_folder.h"
#include "verbs/hlo_costs.h"
#include "verbs/hlo_parameters.h"
#include "verbs/hlo_parts.h"
#include "verbs/instruction.h"

namespace tessera::verbs {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The fields for lists that replace the maps.
std::vector<std::string_view> lists_of(const HloRequest& request) {
  std::vector<std::string_view> out;
  for (const auto& [given, name] :
       {std::pair(request.stats, "stats"), std::pair(request.bitcasts, "bitcasts"),
        std::pair(request.traffic, "traffic"), std::pair(request.padding.has_value(), "padding"),
        std::pair(request.copies, "copies"), std::pair(request.by.has_value(), "by"),
        std::pair(request.work, "work"), std::pair(request.chip.has_value() && !request.reported(), "chip"),
        std::pair(request.memory, "memory"), std::pair(request.collectives, "collectives"),
        std::pair(request.same.has_value(), "same"), std::pair(request.summary, "summary"),
        std::pair(!request.compare.empty(), "compare"), std::pair(request.parameters, "parameters")})
    if (given) out.emplace_back(name);
  return out;
}

// Answers for one program after another.
class HloAnswerer {
 public:
  HloAnswerer(const HloRequest& request, Observer& observer) : request_(request), observer_(observer) {
    if (request.bandwidth) bandwidth_.bytes_per_second = request.bandwidth->value * 1e9;
    if (!request.reported()) return;
    detail::ReportOptions own;
    own.rule = request.rule();
    own.threads = static_cast<std::size_t>(request.threads);
    own.chip = request.chip;
    if (request.on_chip) own.on_chip = request.on_chip->bytes;
    if (request.on_chip) own.on_chip_source = request.on_chip->source;
    if (!request.source.empty()) {
      const auto files = std::make_shared<CodeFiles>(request.source);
      own.own = [files](const std::string& file) { return files->has(file); };
      own.text = [files](const detail::CodeLine& line) { return files->line(line.file, line.line); };
    }
    report_options_ = own;
    builder_.emplace(own);
  }

  Result<HloResult> answer() {
    if (request_.file.empty()) {
      add_program(std::make_shared<const Source>("<text>", request_.text));
    } else {
      std::vector<std::pair<std::size_t, std::string>> paths;  // with the argument that each is from
      for (std::size_t i = 0; i < request_.file.size(); ++i) {
        if (!is_folder(request_.file[i])) {
          paths.emplace_back(i, request_.file[i]);
          continue;
        }
        auto folder = read_dump_folder(request_.file[i]);
        if (!folder) {
          refuse_file(std::move(folder.error()), i);
          continue;
        }
        for (const std::string& module : folder->modules) paths.emplace_back(i, module);
        add(std::make_unique<HloHeadline>(
            "folder", fmt::format("{}: {} after optimizations{}", request_.file[i],
                                  detail::plural(static_cast<Index>(folder->modules.size()), "module"),
                                  folder->others.empty() ? "" : "; not read: " + folder->others)));
      }
      several_ = paths.size() > 1;
      for (const auto& [argument, path] : paths) {
        auto source = read_file(path);
        if (source) {
          add_program(*source);
        } else {
          refuse_file(std::move(source.error()), argument);
        }
      }
    }
    if (missing_ && !found_) return fail(*std::move(missing_));
    if (found_ && !request_.whole() && total_.analysis.instructions == 0 && !request_.op.empty())
      return refuse("op", Code::unknown_name,
                    fmt::format("'{}' occurs only in computations that --fused leaves out", request_.op.text),
                    "leave --fused out");
    if (found_) {
      if (auto done = finish(); !done) return fail(std::move(done.error()));
    }
    return std::move(result_);
  }

 private:
  void refuse_file(Diagnostic error, std::size_t argument) {
    error.field = "file";
    error.item = static_cast<std::uint32_t>(argument);
    result_.refuse_part(std::move(error), request_.file[argument], observer_);
  }

  IndexingDirection direction() const {
    return request_.direction == MapDirection::in ? IndexingDirection::input_to_output
                                                  : IndexingDirection::output_to_input;
  }

  void add(std::unique_ptr<VerbAnswer> part) { result_.add(std::move(part), observer_); }

  // Restricts the analysis to the requested names, or returns why this program lacks one.
  std::optional<Diagnostic> choose(const ParsedModules& parsed, AnalyzeOptions& analysis) const {
    const auto chosen = [&](const char* field, const ProgramName& name, auto take,
                            const char* without) -> std::optional<Diagnostic> {
      if (name.empty()) return std::nullopt;
      Result<void> taken = take(analysis, name.text, parsed.modules);
      if (taken) return std::nullopt;
      Diagnostic why = std::move(taken.error());
      if (why.help.empty()) why.help = fmt::format("without --{} {} are shown", field, without);
      why.field = field;
      return why;
    };
    auto missing = chosen("computation", request_.computation, choose_computation, "all computations");
    return missing ? missing : chosen("op", request_.op, choose_op, "all instructions");
  }

  void add_program(const std::shared_ptr<const Source>& source) {
    const auto start = std::chrono::steady_clock::now();
    const auto program = std::make_shared<const ParsedModules>(parse_hlo(source, {.sizes = request_.sizes}));
    StatsReport stats{
        .file = source->name(), .modules = program->modules.size(), .parse_ms = milliseconds_since(start)};
    for (const Diagnostic& problem : program->diagnostics) result_.add_problem(problem, source, observer_);
    if (program->modules.empty()) return;
    AnalyzeOptions analysis{.direction = direction(),
                            .fused = request_.fused,
                            .threads = static_cast<std::size_t>(request_.threads)};
    if (auto lacks = choose(*program, analysis)) {
      if (!missing_) missing_ = std::move(lacks);
      return;
    }
    found_ = true;
    PartPlace where{program, stats.file, ""};
    if (several_) add(std::make_unique<HloHeadline>("file", stats.file));
    if (request_.same) return add_same(where);
    begin_progress(*program, builder_ ? 2 : 1);
    if (builder_) return add_to_report(program, stats.file, analysis.computation);
    for (const HloModule& module : program->modules) {
      where.module = module.name;
      if (program->modules.size() > 1 && !request_.stats)
        add(std::make_unique<HloHeadline>("module", module.name));
      if (request_.whole()) {
        add_module(where, module, analysis);
      } else {
        // A whole program would get twice as long.
        const bool selected = !request_.op.empty() || !request_.computation.empty();
        const auto code = selected ? std::make_shared<detail::ModuleCode>(module) : nullptr;
        stats.analysis += analyze(module, analysis, [&](InstructionIndexing&& maps) {
          add_instruction(where, code, std::move(maps));
          advance();
        });
      }
      if (detail::cancelled()) return;
    }
    if (request_.stats) add_stats(stats);
    total_ += stats;
  }

  void add_to_report(const SharedProgram& program, const std::string& file, const std::string& computation) {
    computation_ = computation;
    programs_.push_back(program);
    for (const HloModule& module : program->modules)
      total_.analysis += builder_->add(file, module, computation, [&] { advance(); });
  }

  void add_instruction(const PartPlace& where, const std::shared_ptr<detail::ModuleCode>& code,
                       InstructionIndexing&& maps) {
    if (request_.stats) return;
    if (!request_.bitcasts) {
      return add(
          std::make_unique<InstructionPart>(where, code, std::move(maps), direction(), request_.legacy));
    }
    auto answer = bitcast_answer(*maps.instruction);
    if (!answer) return;
    bitcasts_.add(*answer);
    add(std::make_unique<BitcastPart>(where, std::move(maps), direction(), *std::move(answer)));
  }

  // Adds a value whose functions to_text and to_json, with these further arguments, are a part.
  template <class Text, class MakeJson>
  void add_value(const PartPlace& where, Text&& text, MakeJson&& json) {
    add(std::make_unique<ModulePart>(where, std::forward<Text>(text), std::forward<MakeJson>(json)));
  }

  void add_module(const PartPlace& where, const HloModule& module, const AnalyzeOptions& analysis) {
    const Computation* const start =
        request_.computation.empty() ? nullptr : module.find(analysis.computation);
    if (request_.parameters) return add_parameters(request_, analysis, where, module, result_, observer_);
    if (request_.padding) {
      const auto answer =
          std::make_shared<const PaddingReport>(padding_report(module, request_.rule(), start));
      return add_value(
          where, [answer] { return to_text(*answer); },
          [answer, where] { return to_json(where.place(), *answer); });
    }
    if (request_.copies) {
      if (bandwidth_.bytes_per_second == 0) bandwidth_ = {measured_bandwidth(), true};
      const auto answer = std::make_shared<const CopiesReport>(
          copies_report(module, program_traffic(module, {.start = start}), start));
      const Bandwidth bandwidth = bandwidth_;
      return add_value(
          where, [answer, bandwidth] { return to_text(*answer, bandwidth); },
          [answer, bandwidth, where] { return to_json(where.place(), *answer, bandwidth); });
    }
    const bool elsewhere = start == nullptr && !analysis.computation.empty();
    const ShowStep shown = [elsewhere, computation = analysis.computation,
                            name = analysis.op](const Instruction& op) {
      if (elsewhere && op.parent->name != computation) return false;
      return name.empty() || op.name == name || op.opcode_text == name;
    };
    if (request_.costs()) {
      CostPart part = cost_part(request_, where, module, start, shown);
      return add_value(where, std::move(part.text), std::move(part.json));
    }
    TrafficOptions options;
    options.start = start;
    options.advance = [this] { advance(); };
    const auto answer = std::make_shared<const ProgramTraffic>(program_traffic(module, options));
    if (request_.on_chip) {
      const auto tiled = std::make_shared<const detail::TiledProgram>(
          detail::tiled_traffic(module, *answer, request_.on_chip->bytes));
      const std::string from = request_.on_chip->source;
      return add_value(
          where, [=] { return detail::to_text(*answer, *tiled, from, shown); },
          [=] { return detail::to_json(where.place(), *answer, *tiled, from, shown); });
    }
    const bool operands = !analysis.op.empty();
    add_value(
        where, [answer, shown, operands] { return to_text(*answer, shown, operands); },
        [answer, shown, where] { return to_json(where.place(), *answer, shown); });
  }

  void add_same(const PartPlace& where) {
    std::vector<HloValue> values;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string& typed = (*request_.same)[i];
      auto value = find_array(*where.program, typed);
      if (!value) {
        value.error().field = "same";
        value.error().item = static_cast<std::uint32_t>(i);
        value.error().status = kBadInput;
        return result_.refuse_part(std::move(value.error()), typed, observer_);
      }
      values.push_back(*value);
    }
    const auto answer = std::make_shared<const SameBytes>(same_bytes(values[0], values[1]));
    result_.worsen(status_of(answer->verdict));
    add_value(
        where, [answer, values] { return to_text(values[0], values[1], *answer); },
        [answer, values, where] { return to_json(where.place(), values[0], values[1], *answer); });
  }

  void add_stats(const StatsReport& stats) {
    add_value({}, [stats] { return to_text(stats); }, [stats] { return to_json(stats); });
  }

  Result<void> finish() {
    if (builder_) return finish_report();
    if (request_.stats && several_) {
      add(std::make_unique<HloHeadline>("all", fmt::format("{} files", total_.files)));
      add_stats(total_);
    } else if (request_.bitcasts) {
      add_value({}, [totals = bitcasts_] { return to_text(totals); }, [] { return std::string(); });
    }
    return {};
  }

  Result<void> finish_report() {
    auto reported = std::make_unique<ReportPart::Reported>();
    reported->files = request_.file.empty() ? std::vector<std::string>{"<text>"} : request_.file;
    reported->report = std::move(*builder_).finish();
    reported->programs = std::move(programs_);
    reported->with_summary = request_.summary;
    if (!request_.compare.empty()) {
      auto source = read_file(request_.compare);
      if (!source) return refuse("compare", std::move(source.error()));
      const auto old = std::make_shared<const ParsedModules>(parse_hlo(*source));
      for (const Diagnostic& problem : old->diagnostics) result_.add_problem(problem, *source, observer_);
      detail::ReportOptions traffic_only = report_options_;
      traffic_only.traffic_only = true;
      detail::ReportBuilder builder(traffic_only);
      for (const HloModule& module : old->modules) builder.add(request_.compare, module, computation_, [] {});
      reported->old = std::move(builder).finish();
      reported->programs.push_back(old);
      reported->comparison = detail::compare_programs(reported->old, reported->report);
    }
    add(std::make_unique<ReportPart>(std::move(reported)));
    return {};
  }

  void begin_progress(const ParsedModules& program, std::uint64_t times) {
    const bool filtered = !request_.op.empty() || !request_.computation.empty() || request_.fused;
    steps_ = 0;
    for (const HloModule& module : program.modules)
      if (!filtered) steps_ += times * module.instruction_count();
    done_ = 0;
  }
  void advance() { observer_.advanced("instructions", ++done_, steps_); }

  const HloRequest& request_;
  Observer& observer_;
  HloResult result_;
  StatsReport total_{.files = 0};
  BitcastTotals bitcasts_;
  Bandwidth bandwidth_;
  detail::ReportOptions report_options_;
  std::optional<detail::ReportBuilder> builder_;
  std::deque<SharedProgram> programs_;
  std::string computation_;
  std::optional<Diagnostic> missing_;  // a name missing in the first file that lacks one
  bool found_ = false;                 // some file has all names
  bool several_ = false;               // there are several files
  std::uint64_t done_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

Result<void> check_together(const HloRequest& request) {
  struct Pair {
    bool idle;
    std::string_view field;
    bool beside;
    std::string_view other;
    const char* help;
  };
  const bool reported = request.reported();
  const std::string_view report = request.report             ? "report"
                                  : !request.compare.empty() ? "compare"
                                                             : "summary";
  const std::vector<std::string_view> lists = lists_of(request);
  const std::string_view list = lists.empty() ? "" : lists[0];
  const bool in = request.direction == MapDirection::in;
  const bool op = !request.op.empty();
  const Pair pairs[] = {
      {request.stats, "stats", reported, report, "the report shows the counts; leave --stats out"},
      {request.bitcasts, "bitcasts", reported, report, "the report shows bitcasts; leave --bitcasts out"},
      {request.traffic, "traffic", reported, report, "the report shows the traffic; leave --traffic out"},
      {request.copies, "copies", reported, report, "the report shows the movements; leave --copies out"},
      {request.by.has_value(), "by", reported, report, "run the command twice to get both"},
      {request.work, "work", reported, report, "run the command twice to get both"},
      {request.memory, "memory", reported, report, "run the command twice to get both"},
      {request.collectives, "collectives", reported, report, "run the command twice to get both"},
      {request.same.has_value(), "same", reported, report, "run the command twice to get both"},
      {!request.source.empty(), "source", request.by && *request.by != detail::ShareKey::source, "by",
       "lines of code are shown with --by source"},
      {!request.source.empty(), "source", !request.by && !reported && !lists.empty(), list,
       "lines of code are shown with --by source, --summary and --report"},
      {request.parameters, "parameters", reported, report, "run the command twice to get both"},
      {!reported && lists.size() > 1, lists.size() > 1 ? lists[1] : "", true, list,
       "run the command twice to get both"},
      {request.fused, "fused", request.whole(), list, "each fusion is one step of the program"},
      {request.fused, "fused", reported, report, "the report has every instruction"},
      {in, "direction", request.whole(), list, "this list has no direction"},
      {in, "direction", reported, report, "the report has what outputs read"},
      {op, "op",
       !reported &&
           (request.padding || request.copies || request.by || request.memory || request.collectives),
       list, "the list is about a whole program; --computation NAME starts it elsewhere"},
      {op, "op", !reported && request.same, list, "--same names the two results"},
      {op, "op", reported, report,
       "the report is about a whole program; --computation NAME starts it elsewhere"},
      {request.legacy, "legacy", reported, report, "the report has the current form of every map"},
      {request.legacy, "legacy", !lists.empty(), list,
       request.parameters ? "these maps have the current form" : "these lists show no maps"},
  };
  for (const Pair& pair : pairs) {
    if (!pair.idle || !pair.beside) continue;
    Diagnostic error{
        .code = Code::bad_option,
        .message = fmt::format("{} has no effect with {}", option_of(pair.field), option_of(pair.other)),
        .help = pair.help};
    error.item = kItsPresence;
    return refuse(pair.field, std::move(error));
  }
  if (request.on_chip && !request.traffic && !(request.summary || request.report)) {
    Diagnostic error{
        .code = Code::bad_option,
        .message = fmt::format("{} has no effect without {}, {} or {}", option_of("on_chip"),
                               option_of("traffic"), option_of("summary"), option_of("report")),
        .help = fmt::format("give {}, or leave {} out", option_of("traffic"), option_of("on_chip"))};
    error.item = kItsPresence;
    return refuse("on_chip", std::move(error));
  }
  if (!request.source.empty() && !request.by && !reported) {
    Diagnostic error{.code = Code::bad_option,
                     .message = fmt::format("{} has no effect without {}, {} or {}", option_of("source"),
                                            option_of("by"), option_of("summary"), option_of("report")),
                     .help = "only these show lines of code"};
    error.item = kItsPresence;
    return refuse("source", std::move(error));
  }
  const auto dash = std::ranges::find(request.file, "-");
  const auto second = dash == request.file.end() ? dash : std::find(dash + 1, request.file.end(), "-");
  if (second == request.file.end()) return {};
  Diagnostic error{.code = Code::bad_option,
                   .message = "'-' can be given only once",
                   .help = "stdin can be read only once"};
  error.item = static_cast<std::uint32_t>(second - request.file.begin());
  return refuse("file", std::move(error));
}

void HloResult::add(std::unique_ptr<VerbAnswer> part, Observer& observer) {
  if (!observer.took(*part)) parts_.push_back(std::move(part));
}

void HloResult::worsen(int status) { status_ = std::max(status_, status); }

void HloResult::add_problem(const Diagnostic& problem, const std::shared_ptr<const Source>& source,
                            Observer& observer) {
  observer.found(problem, source);
  problems_.push_back({problem, source});
  if (problem.severity == Severity::error) worsen(std::max<int>(kBadInput, status_of(problem)));
}

void HloResult::refuse_part(Diagnostic error, const std::string& text, Observer& observer) {
  worsen(status_of(error));
  auto source = observer.source_of(error.field, text);
  Diagnostic shown = error;
  shown.span = span_in(error, source->text());
  problems_.push_back({std::move(shown), std::move(source)});
  refused_.push_back(std::move(error));
}

Result<std::string> HloResult::to_text(const Terminal& terminal) const {
  std::string out;
  for (const auto& part : parts_) {
    Result<std::string> text = part->to_text(terminal);
    if (!text) return text;
    out += *text;
  }
  return out;
}

Result<std::string> HloResult::to_json() const {
  std::string results;
  for (const auto& part : parts_) {
    Result<std::string> lines = part->to_json();
    if (!lines) return lines;
    for (std::size_t begin = 0; begin < lines->size();) {
      const std::size_t end = std::min(lines->find('\n', begin), lines->size());
      if (!results.empty()) results += ',';
      results.append(*lines, begin, end - begin);
      begin = end + 1;
    }
  }
  if (results.empty() && status_ != kDone)
    for (const Problem& problem : problems_)
      if (problem.diagnostic.severity == Severity::error) {
        Diagnostic error = problem.diagnostic;
        if (error.field.empty()) error.field = kInFile;
        return fail(std::move(error));
      }
  Json json = {{"schema", "tessera.hlo/1"}, {"status", status_}, {"diagnostics", Json::array()}};
  for (const Problem& problem : problems_)
    json["diagnostics"].push_back(detail::json_of(problem.diagnostic, *problem.source));
  std::string out = detail::dump(json);
  out.back() = ',';
  return out + "\"results\":[" + results + "]}";
}

Result<std::string> HloResult::to_picture(PictureFormat format) const {
  return parts_.size() == 1 ? parts_.front()->to_picture(format) : VerbAnswer::to_picture(format);
}

Result<HloResult> hlo(const HloRequest& request, Observer& observer) {
  if (auto checked = check_together(request); !checked) return fail(std::move(checked.error()));
  return HloAnswerer(request, observer).answer();
}

}  // namespace tessera::verbs
