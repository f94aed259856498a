// SPDX-License-Identifier: Apache-2.0
#include "report/program/program_json.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <utility>

#include "hlo/analysis/array_bytes.h"
#include "hlo/syntax/printer.h"
#include "report/amounts.h"
#include "report/copies_answer.h"
#include "report/indexing_text.h"
#include "report/json.h"
#include "report/limits.h"
#include "report/padding_answer.h"
#include "report/program/cost_json.h"
#include "report/program/findings.h"
#include "report/program/wastes.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

// Writes each type once, with the data that the page needs to draw it.
class TypeTable {
 public:
  std::uint32_t number(const HloType& type, std::string text) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(lines_.size()));
    const std::uint32_t out = found->second;
    if (!is_new) return out;
    lines_.emplace_back();
    lines_[out] = dump(json_of(type, found->first));
    return out;
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  Json json_of(const HloType& type, const std::string& text) {
    Json json = {{"type", text}};
    if (type.is_tuple() && type.leaf_count() <= kReportLimits.program.drawn_arrays) {
      json["leaves"] = Json::array();
      for (std::size_t i = 0; i < type.leaf_count(); ++i)
        json["leaves"].push_back(number(leaf_type(type, i), to_string(leaf_type(type, i))));
    }
    if (!type.is_array()) return json;
    json["dims"] = type.array().dims;
    json["bits"] = element_bits(type.array());
    const auto bytes = array_bytes(type);
    json["bytes"] = bytes ? Json(*bytes) : Json();
    const auto layout = Layout::make(type.array());
    if (!layout || type.rank() == 0) return json;
    json["offset"] = to_string(simplify(lower(*layout)));
    const auto size = layout->buffer_size();
    const auto bits = size ? checked_mul(*size, element_bits(type.array())) : std::nullopt;
    json["memory_bytes"] = bits ? Json(ceil_div(*bits, 8)) : Json();
    return json;
  }

  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> lines_;
};

class Writer {
 public:
  explicit Writer(const ProgramReport& report) : report_(report) {
    std::size_t first = 0;
    for (const ReportedModule& module : report.modules) {
      firsts_.push_back(first);
      first += module.instructions.size();
    }
  }

  std::string write(const ProgramComparison* comparison) {
    std::string instructions;
    std::vector<std::string> modules;
    std::vector<std::string> summary;
    std::vector<std::string> all_wastes;
    std::vector<std::string> arrays;
    std::vector<std::string> movements;
    std::vector<std::string> chains;
    std::vector<std::string> lost;
    std::vector<std::string> lines;
    std::vector<std::string> scopes;
    for (std::size_t m = 0; m < report_.modules.size(); ++m) {
      const ReportedModule& module = report_.modules[m];
      first_line_ = lines.size();
      costs_.clear();
      for (const StepWork& step : module.work.steps) costs_[step.instruction].work = &step;
      if (module.time)
        for (const StepTime& step : module.time->steps) costs_[step.instruction].time = &step;
      for (const CodeShare& share : module.lines.shares) lines.push_back(dump(json_of(m, share)));
      for (const CodeShare& share : module.scopes.shares) scopes.push_back(dump(json_of(m, share)));
      for (const ReportedInstruction& one : module.instructions)
        instructions += (instructions.empty() ? "" : ",") + dump(instruction(m, one));
      modules.push_back(dump(totals(m, module)));
      for (const Waste& waste : wastes(report_, module)) all_wastes.push_back(dump(json_of(m, waste)));
      for (const Finding& finding : findings(report_, module)) summary.push_back(dump(json_of(m, finding)));
      for (const PaddedArray& array : module.padding.arrays) arrays.push_back(dump(json_of(m, array)));
      for (const Movement& movement : module.copies.movements)
        movements.push_back(dump(json_of(m, movement)));
      for (const MovementChain& chain : module.copies.chains) chains.push_back(dump(json_of(m, chain)));
      for (const LostBitcast& one : module.padding.lost)
        lost.push_back(
            dump({{"module", m}, {"instruction", number(m, one.instruction)}, {"bytes", one.bytes}}));
    }
    std::vector<std::string> tiles;
    for (const TileAnswer& tile : report_.tiles) tiles.push_back(to_json(tile, 0));
    std::vector<std::string> warps;
    for (const WarpAccess& warp : report_.warps) warps.push_back(dump(json_of(warp)));
    std::vector<std::string> maps;
    for (std::size_t i = 0; i < report_.maps.size(); ++i) maps.push_back(report_.maps[i]);
    std::string out = "{\"schema\":\"tessera.report/1\"";
    list(out, "summary", summary);
    list(out, "wastes", all_wastes);
    list(out, "modules", modules);
    if (comparison != nullptr) out += ",\"comparison\":" + dump(json_of(*comparison));
    out += ",\"instructions\":[" + instructions + "]";
    list(out, "arrays", arrays);
    list(out, "lost_bitcasts", lost);
    list(out, "movements", movements);
    list(out, "chains", chains);
    list(out, "lines", lines);
    list(out, "scopes", scopes);
    list(out, "types", types_.lines());
    list(out, "maps", maps);
    list(out, "tiles", tiles);
    list(out, "warps", warps);
    return out + "}\n";
  }

 private:
  static void list(std::string& out, const char* key, const std::vector<std::string>& items) {
    out += fmt::format(",\"{}\":[", key);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ",";
      out += items[i];
    }
    out += "]";
  }

  struct Costs {
    const StepWork* work = nullptr;
    const StepTime* time = nullptr;
  };

  Json memory_json(std::size_t m, const ProgramMemory& memory) const {
    Json steps = Json::array();
    for (const LiveStep& step : memory.steps)
      steps.push_back(Json::array({number(m, step.instruction), number_json(step.bytes)}));
    Json held = Json::array();
    for (const LiveArray& array : memory.held) {
      Json one = {{"instruction", number(m, array.instruction)},
                  {"bytes", array.bytes},
                  {"element_bytes", array.elements}};
      if (array.instruction->type.is_tuple()) one["element"] = array.leaf;
      if (array.parameter) one["argument"] = true;
      one["until"] = array.last != nullptr ? number(m, array.last) : Json();
      held.push_back(std::move(one));
    }
    return {{"scheduled", memory.scheduled},
            {"peak_bytes", number_json(memory.peak)},
            {"at", memory.at != nullptr ? number(m, memory.at) : Json()},
            {"argument_bytes", memory.parameters},
            {"result_bytes", memory.results},
            {"constant_bytes", memory.constants},
            {"other_space_bytes", memory.elsewhere},
            {"unknown", memory.unknown},
            {"reason", memory.peak.reason},
            {"held", std::move(held)},
            {"steps", std::move(steps)}};
  }

  Json json_of(std::size_t m, const Waste& waste) const {
    const ReportedModule& module = report_.modules[m];
    const CodePlace place = module.nearby->of(*waste.instruction);
    Json json = {{"module", m},
                 {"kind", waste.kind},
                 {"instruction", number(m, waste.instruction)},
                 {"text", waste.text},
                 {"bytes", number_json(waste.bytes)}};
    if (module.time) json["seconds"] = detail::json_of(waste.seconds);
    if (waste.on_top) json["on_top"] = true;
    if (!waste.maps.empty()) json["maps"] = waste.maps;
    if (place.line.known()) json["line"] = place.line.text();
    if (!place.line.function.empty()) json["function"] = place.line.function;
    if (!place.scope.empty()) json["scope"] = place.scope;
    if (place.neighbor != nullptr) json["neighbor"] = number(m, place.neighbor);
    if (report_.text)
      if (const auto text = report_.text(place.line)) json["code"] = *text;
    return json;
  }

  // The number of an instruction in the list of all instructions.
  Json number(std::size_t m, const Instruction* op) const {
    const auto found = report_.modules[m].places.find(op);
    return found == report_.modules[m].places.end() ? Json() : Json(firsts_[m] + found->second);
  }

  Json instruction(std::size_t m, const ReportedInstruction& one) {
    const ReportedModule& module = report_.modules[m];
    const Instruction& op = *one.instruction;
    Json json = {{"module", m},
                 {"computation", op.parent != nullptr ? op.parent->name : ""},
                 {"instruction", op.name},
                 {"opcode", op.opcode_text},
                 {"type", types_.number(op.type, type_text(op))},
                 {"exactness", to_string(one.exactness)},
                 {"operands", Json::array()},
                 {"indexing", Json::array()}};
    if (op.is_root) json["root"] = true;
    if (const auto line = module.line_of.find(&op); line != module.line_of.end())
      json["line"] = first_line_ + line->second;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const Operand& operand = op.operands[i];
      Json entry = {{"instruction", number(m, operand.instruction)},
                    {"type", types_.number(op.operand_type(i), to_string(op.operand_type(i)))}};
      if (operand.tuple_index >= 0) entry["tuple_index"] = operand.tuple_index;
      json["operands"].push_back(std::move(entry));
    }
    for (const ReportedPair& pair : one.pairs)
      json["indexing"].push_back({{"output", pair.output}, {"operand", pair.operand}, {"maps", pair.maps}});
    for (const Computation* called : op.called) json["called"].push_back(called->name);
    if (one.bitcast) json["bitcast"] = json_of(*one.bitcast);
    if (one.step != kNone) json["traffic"] = json_of(module.traffic.steps[one.step], one);
    if (one.step != kNone && module.tiled) json["tiled"] = tiled_json(module.tiled->steps[one.step]);
    if (const auto found = costs_.find(&op); found != costs_.end()) {
      if (found->second.work != nullptr) json["work"] = work_json(found->second.work->work);
      if (found->second.time != nullptr) json["time"] = time_json(*found->second.time);
    }
    if (one.movement != kNone) json["movement"] = one.movement;
    if (one.tile != kNone) json["tile"] = one.tile;
    return json;
  }

  static Json json_of(const BitcastAnswer& answer) {
    Json json = {{"answer", answer.verdict == Verdict::yes  ? "yes"
                            : answer.verdict == Verdict::no ? "no"
                                                            : "unknown"}};
    if (answer.verdict != Verdict::undecided) json["bytes"] = answer.bytes;
    if (answer.verdict == Verdict::no)
      json["moved_bytes"] = answer.moved_bytes ? Json(*answer.moved_bytes) : Json();
    if (!answer.reason.empty()) json["reason"] = answer.reason;
    return json;
  }

  static Json json_of(const StepTraffic& step, const ReportedInstruction& one) {
    const auto ratio = step.ratio();
    Json json = {{"runs", number_json(step.runs)},
                 {"read_bytes", number_json(step.read)},
                 {"inlined_bytes", number_json(step.inlined)},
                 {"repeated_bytes", number_json(step.repeated)},
                 {"used_bytes", number_json(step.used)},
                 {"operand_bytes", step.operand_bytes},
                 {"written_bytes", step.written.upper ? Json(*step.written.upper) : Json()},
                 {"least_written_bytes", step.written.lower},
                 {"reread_bytes", step.reread()},
                 {"ratio", ratio && ratio->exact() ? Json(std::round(ratio->lower * 1e4) / 1e4) : Json()},
                 {"exactness", to_string(step.exactness)}};
    if (step.in_place) json["in_place"] = true;
    if (!step.reason.empty()) json["reason"] = step.reason;
    json["operands"] = Json::array();
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      const OperandReads& x = step.operands[i];
      Json entry = {{"operand", x.operand},
                    {"elements", x.reads.elements},
                    {"used", number_json(x.reads.used)},
                    {"reads", number_json(x.reads.reads)}};
      if (step.instruction->operand_type(x.operand).is_tuple()) entry["element"] = x.leaf;
      for (const OperandLeaf& other : x.also) entry["also"].push_back(other.operand);
      if (!(x.reads.reachable == x.reads.used)) entry["reachable"] = number_json(x.reads.reachable);
      if (!x.reads.reason.empty()) entry["reason"] = x.reads.reason;
      entry["warp"] = one.warps[i];
      json["operands"].push_back(std::move(entry));
    }
    return json;
  }

  static Json json_of(const WarpAccess& warp) {
    if (!warp.known()) return {{"reason", warp.reason}};
    Json out = {{"sectors", warp.sectors}, {"fewest", warp.fewest}, {"map", warp.map}};
    if (!warp.exact()) out["exactness"] = warp.exactness();
    if (warp.sampled != 0) out["sampled"] = warp.sampled;
    return out;
  }

  Json json_of(std::size_t m, const CodeShare& share) const {
    Json json = {{"module", m},
                 {"name", share.name},
                 {"steps", share.steps},
                 {"moved_bytes", number_json(share.moved)},
                 {"minimum_bytes", number_json(share.minimum)},
                 {"flops", number_json(share.work.flops())},
                 {"most_in", share.example_step != nullptr ? number(m, share.example_step) : Json()}};
    if (report_.modules[m].time) json["seconds"] = rounded_seconds(share.seconds);
    if (report_.text)
      if (const auto text = report_.text(share.line)) json["code"] = *text;
    if (share.depth > 0) json["depth"] = share.depth;
    if (!share.line.function.empty()) json["function"] = share.line.function;
    return json;
  }

  Json totals(std::size_t m, const ReportedModule& module) const {
    const ProgramTraffic& traffic = module.traffic;
    const PaddingReport& padding = module.padding;
    const CopiesReport& copies = module.copies;
    Index saving = 0;
    for (const PaddedArray& array : padding.arrays)
      saving = checked_add(saving, array.saving()).value_or(kIndexMax);
    Json json = {{"file", module.file},
                 {"module", module.module->name},
                 {"device", to_string(module.device)},
                 {"instructions", module.stats.instructions},
                 {"maps",
                  {{"exact", module.stats.exact},
                   {"superset", module.stats.superset},
                   {"unknown", module.stats.unknown},
                   {"maps", module.stats.maps}}},
                 {"traffic",
                  {{"steps", traffic.steps.size()},
                   {"unknown", traffic.unknown},
                   {"moved_bytes", number_json(traffic.moved)},
                   {"minimum_bytes", number_json(traffic.minimum)},
                   {"parameter_bytes", traffic.parameters},
                   {"result_bytes", traffic.results}}},
                 {"padding",
                  {{"rule", to_string(padding.rule)},
                   {"element_bytes", padding.elements},
                   {"now_bytes", padding.now},
                   {"ruled_bytes", padding.ruled},
                   {"best_bytes", padding.best},
                   {"saving", saving},
                   {"unknown", padding.unknown}}},
                 {"copies",
                  {{"movements", copies.movements.size()},
                   {"unknown", copies.unknown},
                   {"free", copies.free},
                   {"traffic_bytes", copies.traffic},
                   {"saving", copies.saving},
                   {"bitcast_savings", copies.bitcast_savings}}}};
    json["work"] = work_json(module.work.total);
    json["memory"] = memory_json(m, module.memory);
    json["collectives"] = {{"collectives", module.exchanges.exchanges.size()},
                           {"received_bytes", number_json(module.exchanges.received)}};
    if (module.time && report_.chip) json["time"] = time_json(*module.time, *report_.chip);
    if (module.tiled)
      json["tiled"] = {{"on_chip_bytes", module.tiled->on_chip},
                       {"source", report_.on_chip_source},
                       {"bytes", number_json(module.tiled->bytes)}};
    return json;
  }

  Json json_of(std::size_t m, const Finding& finding) const {
    Json json = {{"module", m}, {"kind", finding.kind}, {"text", finding.text}, {"exact", finding.exact}};
    if (finding.instruction != nullptr) json["instruction"] = number(m, finding.instruction);
    if (finding.bytes) json["bytes"] = *finding.bytes;
    if (!finding.command.empty()) json["command"] = finding.command;
    return json;
  }

  Json json_of(std::size_t m, const PaddedArray& array) {
    Json json = {{"module", m},
                 {"type", types_.number(HloType(array.type), to_string(array.type))},
                 {"first", number(m, array.first)}};
    add_padding(json, array);
    return json;
  }

  Json json_of(std::size_t m, const Movement& movement) const {
    const BitcastAnswer& answer = movement.answer;
    Json json = {{"module", m},
                 {"instruction", number(m, movement.instruction)},
                 {"moves", answer.verdict == Verdict::yes  ? "no"
                           : answer.verdict == Verdict::no ? "yes"
                                                           : "unknown"},
                 {"runs", number_json(movement.runs)},
                 {"bytes", answer.bytes},
                 {"moved_bytes", answer.moved_bytes ? Json(*answer.moved_bytes) : Json()},
                 {"traffic_bytes", movement.traffic()},
                 {"saving", movement.saving()},
                 {"by", opcode_names(movement.by)},
                 {"kernels", movement.kernels}};
    if (!answer.reason.empty()) json["reason"] = answer.reason;
    return json;
  }

  Json json_of(std::size_t m, const MovementChain& chain) const {
    Json names = Json::array();
    for (const Instruction* op : chain.instructions) names.push_back(number(m, op));
    return {{"module", m},
            {"instructions", names},
            {"cancels", chain.cancels()},
            {"traffic_bytes", chain.traffic},
            {"saving", chain.saving}};
  }

  // The number of an instruction of the new program.
  Json place_of(const Instruction* op) const {
    for (std::size_t m = 0; m < report_.modules.size(); ++m) {
      Json place = number(m, op);
      if (!place.is_null()) return place;
    }
    return {};
  }

  Json json_of(const ProgramComparison& comparison) const {
    Json changes = Json::array();
    for (const ChangedStep& change : comparison.changes) {
      Json one = {{"old", change.before != nullptr ? Json(place_name(*change.before->instruction)) : Json()},
                  {"instruction", change.after != nullptr ? place_of(change.after->instruction) : Json()},
                  {"type", type_text(*(change.after != nullptr ? change.after : change.before)->instruction)},
                  {"old_bytes", change.bytes_before},
                  {"bytes", change.bytes_after},
                  {"exact", change.exact()}};
      if (comparison.timed) {
        one["old_seconds"] = rounded_seconds(change.seconds_before);
        one["seconds"] = rounded_seconds(change.seconds_after);
      }
      changes.push_back(std::move(one));
    }
    Json lines = Json::array();
    for (const ChangedLine& line : comparison.lines) {
      Json one = {{"old", line.before},        {"line", line.after},
                  {"function", line.function}, {"old_bytes", line.bytes_before},
                  {"bytes", line.bytes_after}, {"exact", line.exact}};
      if (comparison.timed) {
        one["old_seconds"] = rounded_seconds(line.seconds_before);
        one["seconds"] = rounded_seconds(line.seconds_after);
      }
      lines.push_back(std::move(one));
    }
    Json json = {{"old_file", comparison.old_file},
                 {"matched", comparison.matched},
                 {"worse", comparison.worse},
                 {"better", comparison.better},
                 {"added", comparison.added},
                 {"removed", comparison.removed},
                 {"old_moved_bytes", number_json(comparison.moved_before)},
                 {"moved_bytes", number_json(comparison.moved_after)},
                 {"old_minimum_bytes", number_json(comparison.minimum_before)},
                 {"minimum_bytes", number_json(comparison.minimum_after)},
                 {"changes", std::move(changes)},
                 {"lines", std::move(lines)}};
    if (comparison.timed) {
      json["old_seconds"] = rounded_seconds(comparison.seconds_before);
      json["seconds"] = rounded_seconds(comparison.seconds_after);
    }
    return json;
  }

  const ProgramReport& report_;
  std::vector<std::size_t> firsts_;  // for each module, the number of its first instruction
  std::unordered_map<const Instruction*, Costs> costs_;  // of the module that is written
  std::size_t first_line_ = 0;                           // of the module that is written, in `lines`
  TypeTable types_;
};

}  // namespace

std::string to_json(const ProgramReport& report, const ProgramComparison* comparison) {
  return Writer(report).write(comparison);
}

}  // namespace tessera::detail
