// SPDX-License-Identifier: Apache-2.0
#include "report/copies_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/syntax/printer.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"
#include "report/json.h"

namespace tessera {
namespace {

using detail::json_of;
using detail::plural;

std::string same_bytes_text(BufferSharing sharing) {
  switch (sharing) {
    case BufferSharing::possible:
      return "the bytes keep their order: a bitcast would do";
    case BufferSharing::impossible:
      return "the bytes keep their order, but the result needs a buffer of its own";
    case BufferSharing::open:
      break;
  }
  return "the bytes keep their order: a bitcast would do if the result may share the operand's buffer";
}

std::string movement_text(const Movement& movement) {
  const BitcastAnswer& answer = movement.answer;
  std::string out = header_text(*movement.instruction);
  if (!movement.by.empty()) out += fmt::format(" of {}", fmt::join(opcode_names(movement.by), ", "));
  if (answer.verdict == Verdict::undecided)
    return fmt::format("{}; unknown: {}", out, detail::printable(answer.reason));
  if (answer.verdict == Verdict::yes) return out + "; " + same_bytes_text(movement.sharing);
  if (answer.start_bit && *answer.start_bit % 8 == 0) {
    out += fmt::format("; its bytes lie together in the operand, from byte {}", *answer.start_bit / 8);
  } else if (answer.moved_bytes) {
    out += fmt::format("; {} of {} move", *answer.moved_bytes, plural(answer.bytes, "byte"));
  }
  if (!answer.reason.empty()) out += "; " + detail::printable(answer.reason);
  if (!movement.kernels.empty()) out += fmt::format("; plan: {}", fmt::join(movement.kernels, ", "));
  return out;
}

std::string runs_text(const Count& runs) {
  return runs.exact() ? fmt::format("{}", runs.lower)
                      : (runs.upper ? fmt::format("<={}", *runs.upper) : fmt::format(">={}", runs.lower));
}

double seconds(Index bytes, const Bandwidth& bandwidth) {
  return static_cast<double>(bytes) / bandwidth.bytes_per_second;
}

std::string time_text(double s) {
  if (s >= 1) return fmt::format("{:.2f} s", s);
  if (s >= 1e-3) return fmt::format("{:.2f} ms", s * 1e3);
  return fmt::format("{:.2f} us", s * 1e6);
}

double significant(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

}  // namespace

std::vector<std::string_view> opcode_names(std::span<const Opcode> opcodes) {
  std::vector<std::string_view> out;
  for (const Opcode opcode : opcodes) out.push_back(to_string(opcode));
  return out;
}

std::string to_text(const CopiesReport& report, const Bandwidth& bandwidth) {
  detail::ByteTable table({"bytes", "runs"}, "movement");
  for (const Movement& movement : report.movements)
    table.add({fmt::format("{}{}", movement.may_vanish() ? "<=" : "", movement.traffic()),
               runs_text(movement.runs)},
              movement_text(movement));
  std::string out = table.text();
  for (const MovementChain& chain : report.chains) {
    std::vector<std::string> names;
    for (const Instruction* op : chain.instructions) names.push_back(place_name(*op));
    const bool same = chain.answer.verdict == Verdict::yes;
    out += fmt::format("{} {}: {} of {} saved{}{}\n", chain.cancels() ? "cancel" : "join  ",
                       fmt::join(names, ", "), chain.saving, plural(chain.traffic, "byte"),
                       same ? "; the last result has the same bytes as the first operand" : "",
                       same && !chain.cancels() ? ", but needs a buffer of its own" : "");
  }
  const bool bound = std::ranges::any_of(report.movements, &Movement::may_vanish);
  out += fmt::format(
      "{}, {} of them unknown: {}{} read and written, {} at {:.1f} GB/s ({})",
      plural(report.movements.size(), "movement"), report.unknown, bound ? "at most " : "",
      report.traffic == 1 ? std::string("1 byte is") : fmt::format("{} bytes are", report.traffic),
      time_text(seconds(report.traffic, bandwidth)), bandwidth.bytes_per_second / 1e9,
      bandwidth.measured ? "measured by a copy of 32 MiB" : "as given");
  if (report.free > 0)
    out +=
        fmt::format("; {} move{} nothing", plural(report.free, "instruction"), report.free == 1 ? "s" : "");
  if (!report.chains.empty()) out += fmt::format("; chains save {}", plural(report.saving, "byte"));
  if (report.bitcast_savings > 0)
    out += fmt::format("; bitcasts save {}", plural(report.bitcast_savings, "byte"));
  return out + "\n";
}

std::string to_json(const InstructionPlace& place, const CopiesReport& report, const Bandwidth& bandwidth) {
  std::string out;
  const auto line = [&](const char* key, Json value) {
    Json json = detail::hlo_object(place);
    json[key] = std::move(value);
    out += detail::dump(json) + "\n";
  };
  const auto word = [](Verdict verdict) {
    return verdict == Verdict::yes ? "no" : verdict == Verdict::no ? "yes" : "unknown";
  };
  for (const Movement& movement : report.movements) {
    const BitcastAnswer& answer = movement.answer;
    line("movement", {{"instruction", place_name(*movement.instruction)},
                      {"opcode", movement.instruction->opcode_text},
                      {"type", type_text(*movement.instruction)},
                      {"moves", word(answer.verdict)},
                      {"runs", json_of(movement.runs)},
                      {"bytes", answer.bytes},
                      {"moved_bytes", answer.moved_bytes ? Json(*answer.moved_bytes) : Json()},
                      {"traffic_bytes", movement.traffic()},
                      {"seconds", significant(seconds(movement.traffic(), bandwidth))},
                      {"saving", movement.saving()},
                      {"by", opcode_names(movement.by)},
                      {"kernels", movement.kernels},
                      {"reason", answer.reason}});
  }
  for (const MovementChain& chain : report.chains) {
    Json names = Json::array();
    for (const Instruction* op : chain.instructions) names.push_back(place_name(*op));
    line("chain", {{"instructions", names},
                   {"cancels", chain.cancels()},
                   {"traffic_bytes", chain.traffic},
                   {"saving", chain.saving}});
  }
  line("copies_totals", {{"movements", report.movements.size()},
                         {"unknown", report.unknown},
                         {"free", report.free},
                         {"traffic_bytes", report.traffic},
                         {"seconds", significant(seconds(report.traffic, bandwidth))},
                         {"saving", report.saving},
                         {"bitcast_savings", report.bitcast_savings},
                         {"bytes_per_second", significant(bandwidth.bytes_per_second)},
                         {"measured", bandwidth.measured}});
  return out;
}

}  // namespace tessera
