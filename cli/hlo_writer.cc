// SPDX-License-Identifier: Apache-2.0
#include "cli/hlo_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "cli/hlo_parameters.h"
#include "cli/verbs.h"
#include "report/padding_answer.h"
#include "report/same_bytes_answer.h"
#include "report/traffic_answer.h"
#include "verbs/instruction.h"

namespace tessera::cli {
namespace {

// Ends the program once the reader of its output has closed the pipe (`| head`).
void stop_when_nobody_reads(const Session& session, const Output& out) {
  if (out.error() != EPIPE || session.is_request()) return;
  remove_unfinished_files();
  std::_Exit(kFailed);
}

}  // namespace

HloWriter::HloWriter(Session& session, const HloOptions& options, Output& out, Format format)
    : session_(session),
      options_(options),
      out_(out),
      format_(format),
      bandwidth_{.bytes_per_second = options.bandwidth * 1e9} {}

void HloWriter::begin_file(std::string_view file) {
  place_.file = file;
  if (format_ == Format::text && options_.files.size() > 1) out_.write(headline("file", file));
}

void HloWriter::begin_module(std::string_view module, bool several) {
  place_.module = module;
  if (several && format_ == Format::text && !options_.stats) out_.write(headline("module", module));
}

void HloWriter::instruction(const InstructionIndexing& maps) {
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

void HloWriter::module(const HloModule& module, const AnalyzeOptions& analysis,
                       std::function<void()> advance) {
  const Computation* const start = options_.computation.empty() ? nullptr : module.find(analysis.computation);
  if (options_.parameters) {
    status_ =
        std::max(status_, write_parameters(session_, options_, analysis, place_, module, out_, format_));
    return stop_when_nobody_reads(session_, out_);
  }
  if (!options_.padding.empty()) {
    const PaddingReport answer = padding_report(module, options_.rule(), start);
    out_.write(format_ == Format::json ? to_json(place_, answer) : to_text(answer));
    return stop_when_nobody_reads(session_, out_);
  }
  if (options_.copies) {
    if (bandwidth_.bytes_per_second == 0) bandwidth_ = {measured_bandwidth(), true};
    const CopiesReport answer = copies_report(module, program_traffic(module, {.start = start}), start);
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

int HloWriter::same(const ParsedModules& parsed) {
  std::vector<HloValue> values;
  for (const std::string& typed : options_.same) {
    const Result<HloValue> value = verbs::find_array(parsed, typed);
    if (!value) {
      session_.report_argument(value.error(), typed);
      return kBadInput;
    }
    values.push_back(*value);
  }
  const SameBytes answer = same_bytes(values[0], values[1]);
  out_.write(format_ == Format::json ? to_json(place_, values[0], values[1], answer)
                                     : to_text(values[0], values[1], answer));
  return status_of(answer.verdict);
}

void HloWriter::end_file(const StatsReport& stats) {
  if (options_.stats) out_.write(format_ == Format::json ? to_json(stats) + "\n" : to_text(stats));
}

void HloWriter::finish(const StatsReport& total) {
  if (options_.stats && options_.files.size() > 1) {
    if (format_ == Format::text) out_.write(headline("all", fmt::format("{} files", total.files)));
    out_.write(format_ == Format::json ? to_json(total) + "\n" : to_text(total));
  } else if (options_.bitcasts && format_ == Format::text) {
    out_.write(to_text(bitcasts_));
  }
}

IndexingDirection HloWriter::direction() const {
  return options_.direction == "in" ? IndexingDirection::input_to_output : IndexingDirection::output_to_input;
}

std::string HloWriter::headline(std::string_view word, std::string_view name) const {
  return fmt::format("{}{} {}{}\n", bold(), word, name, plain());
}

void HloWriter::bitcast(const InstructionIndexing& maps) {
  const auto answer = bitcast_answer(*maps.instruction);
  if (!answer) return;
  bitcasts_.add(*answer);
  out_.write(
      format_ == Format::json
          ? to_json(place_, maps, direction()) + "\n"
          : to_text(*maps.instruction, *answer,
                    answer->verdict == Verdict::yes ? FreeLayouts() : free_layouts(*maps.instruction)));
}

const char* HloWriter::bold() const { return session_.output_color() == Color::always ? "\x1b[1m" : ""; }

const char* HloWriter::plain() const { return session_.output_color() == Color::always ? "\x1b[0m" : ""; }

}  // namespace tessera::cli
