// SPDX-License-Identifier: Apache-2.0
#include "report/ttgir_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "report/ttgir_words.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using detail::plural;

Json nullable(const std::optional<Index>& value) { return value ? Json(*value) : Json(nullptr); }

Json counts_json(const RegisterCounts& counts) {
  return {{"points", counts.points}, {"stay", counts.stay}, {"register", counts.reg},
          {"lane", counts.lane},     {"warp", counts.warp}, {"block", counts.block}};
}

Json matrix_json(const Exchange& exchange) {
  if (!exchange.matrix) return nullptr;
  return {exchange.matrix->first, exchange.matrix->second};
}

void add(Json& out, const TtgirConversion& op) {
  const RegisterPlan& plan = op.plan;
  out["shape"] = op.shape;
  out["element"] = op.element;
  out["from"] = op.from;
  out["to"] = op.to;
  out["level"] = to_string(plan.level);
  out["counts"] = counts_json(plan.counts);
  out["triton"] = to_string(plan.triton);
  out["shuffles"] = nullable(plan.shuffles);
  out["exchange"] = nullptr;
  if (!op.exchange_bytes) return;
  Json& exchange = out["exchange"] = {{"bytes", *op.exchange_bytes}};
  if (!plan.exchange) return;
  exchange["write"] = plan.exchange->write.wavefronts;
  exchange["read"] = plan.exchange->read.wavefronts;
  exchange["floor"] = {plan.exchange->write.floor, plan.exchange->read.floor};
  exchange["matrix"] = matrix_json(*plan.exchange);
}

void add(Json& out, const TtgirLocal& op) {
  out["shape"] = op.shape;
  out["element"] = op.element;
  out["memory"] = op.memory;
  out["registers"] = op.registers;
  if (op.allocated) out["allocated"] = *op.allocated;
  out["mode"] = op.mode;
  if (op.access.matrix) {
    out["matrices"] = op.access.matrix->matrices;
    out["wavefronts"] = op.access.matrix->wavefronts;
    out["ideal"] = op.access.matrix->matrices;
    return;
  }
  out["vector"] = op.access.vector;
  if (!op.access.counted) {
    out["wavefronts"] = nullptr;
    return;
  }
  out["instructions"] = op.access.instructions;
  out["wavefronts"] = op.access.wavefronts;
  out["ideal"] = op.access.ideal;
  out["misaligned"] = op.access.misaligned;
}

void add(Json& out, const TtgirAllocation& op) {
  out["shape"] = op.shape;
  out["element"] = op.element;
  out["memory"] = op.memory;
  out["bytes"] = op.bytes;
}

void add(Json& out, const TtgirGlobal& op) {
  out["shape"] = op.shape;
  out["bits"] = op.bits;
  out["registers"] = op.registers;
  out["contiguous"] = nullable(op.contiguous);
  out["vector"] = op.access.vector;
  out["instructions"] = op.access.instructions;
  out["bytes"] = op.access.bytes;
  out["sectors"] = op.access.sectors;
  out["lines"] = op.access.lines;
}

void add(Json& out, const TtgirReduction& op) {
  out["shape"] = op.shape;
  out["element"] = op.element;
  out["axis"] = op.axis;
  out["registers"] = op.registers;
  out["over"] = {
      {"register", op.over.reg}, {"lane", op.over.lane}, {"warp", op.over.warp}, {"block", op.over.block}};
}

void add(Json& out, const TtgirLayouts& op) {
  out["layouts"] = op.layouts;
  out["shapes"] = op.shapes;
}

void add(Json&, std::monostate) {}

std::vector<const TtgirOperation*> ordered(const TtgirReport& report, TtgirOrder order) {
  std::vector<const TtgirOperation*> out;
  for (const TtgirOperation& op : report.operations) out.push_back(&op);
  if (order == TtgirOrder::cost)
    std::ranges::stable_sort(out, std::ranges::greater(),
                             [](const TtgirOperation* op) { return detail::cost_of(*op); });
  return out;
}

std::string side_text(std::string_view name, const ExchangeSide& side) {
  return fmt::format("  {}: vectors of {}, {}, {} wavefronts, floor {}\n", name, side.vector,
                     plural(side.instructions, "instruction"), side.wavefronts, side.floor);
}

}  // namespace

std::string to_json(std::string_view path, const TtgirReport& report, TtgirOrder order) {
  Json out = {{"schema", "tessera.ttgir/1"},
              {"file", path},
              {"target", report.target.empty() ? Json(nullptr) : Json(report.target)},
              {"warps", report.warps},
              {"threads_per_warp", report.threads_per_warp},
              {"ctas", report.ctas}};
  out["layouts"] = Json::array();
  for (const TtgirLayout& layout : report.layouts) {
    if (layout.layout)
      out["layouts"].push_back({{"name", layout.name}, {"text", to_string(*layout.layout)}});
    else
      out["layouts"].push_back({{"name", layout.name}, {"error", to_string(layout.error->code)}});
  }
  out["operations"] = Json::array();
  for (const TtgirOperation* op : ordered(report, order)) {
    Json one = {{"line", op->line}, {"op", op->op}, {"depth", op->depth}, {"source", nullptr}};
    if (op->source) one["source"] = *op->source;
    if (op->error)
      one["error"] = to_string(op->error->code);
    else
      std::visit([&](const auto& what) { add(one, what); }, op->what);
    out["operations"].push_back(std::move(one));
  }
  out["conversions"] = Json::object();
  for (const auto& [level, count] : report.conversions)
    out["conversions"][std::string(to_string(level))] = count;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(std::string_view path, const TtgirReport& report, TtgirOrder order) {
  std::string text =
      fmt::format("{}: TTGIR for {}, {} of {} threads, {}\n", path,
                  report.target.empty() ? "an unknown target" : report.target, plural(report.warps, "warp"),
                  report.threads_per_warp, plural(report.ctas, "block"));
  if (!report.layouts.empty()) text += "\nlayouts\n";
  std::size_t width = 0;
  for (const TtgirLayout& layout : report.layouts) width = std::max(width, layout.name.size());
  for (const TtgirLayout& layout : report.layouts) {
    const std::string value =
        layout.layout ? to_string(*layout.layout)
                      : fmt::format("error[{}]: {}", to_string(layout.error->code), layout.error->message);
    text += fmt::format("  {:<{}}  {}\n", layout.name, width, value);
  }
  text += fmt::format("\noperations{}\n", order == TtgirOrder::cost ? ", the most costly first" : "");
  Index conflicts = 0;
  Index uncounted = 0;  // accesses of shared memory whose wavefronts are not known
  Index errors = 0;
  for (const TtgirOperation* op : ordered(report, order)) {
    text += fmt::format("  {:>4}  {}{}{}\n", op->line, op->op,
                        op->depth > 0 ? fmt::format(", in {}", plural(op->depth, "loop")) : "",
                        op->source ? fmt::format(", {}", *op->source) : "");
    if (op->error) {
      text += fmt::format("      error[{}]: {}\n", to_string(op->error->code), op->error->message);
      ++errors;
      continue;
    }
    text += fmt::format("      {}\n", detail::sentence_of(*op));
    const std::vector<std::string> remedy = detail::remedy_of(report, *op);
    conflicts += remedy.empty() ? 0 : 1;
    const auto* const local = std::get_if<TtgirLocal>(&op->what);
    uncounted += local != nullptr && !local->access.matrix && !local->access.counted ? 1 : 0;
    for (const std::string& line : remedy) text += fmt::format("      {}\n", line);
  }
  text += "\nconversions";
  for (const auto& [level, count] : report.conversions)
    text += fmt::format(" {} {},", count, to_string(level));
  if (report.conversions.empty()) text += ": none,";
  text.pop_back();
  text += conflicts > 0 ? fmt::format("; accesses of shared memory with bank conflicts: {}", conflicts)
                        : "; no bank conflicts counted";
  if (uncounted > 0) text += fmt::format("; accesses without a count: {}", uncounted);
  if (errors > 0) text += fmt::format("; operations with an error: {}", errors);
  text += '\n';
  return text;
}

std::string to_json(const RegisterPlan& plan) {
  Json out = {{"level", to_string(plan.level)},
              {"counts", counts_json(plan.counts)},
              {"triton", to_string(plan.triton)},
              {"shuffles", nullable(plan.shuffles)},
              {"exchange", nullptr}};
  if (plan.exchange) {
    const Exchange& x = *plan.exchange;
    const auto side = [](const ExchangeSide& s) {
      return Json{{"vector", s.vector},
                  {"instructions", s.instructions},
                  {"wavefronts", s.wavefronts},
                  {"floor", s.floor}};
    };
    out["exchange"] = {{"bytes", x.bytes},
                       {"write", side(x.write)},
                       {"read", side(x.read)},
                       {"matrix", matrix_json(x)},
                       {"memory", x.memory}};
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const RegisterPlan& plan) {
  const RegisterCounts& c = plan.counts;
  std::string text = fmt::format(
      "{}: of {} registers in all threads {} stay, {} come from another register of the thread, {} from "
      "another lane, {} from another warp, {} from another block\n",
      to_string(plan.level), c.points, c.stay, c.reg, c.lane, c.warp, c.block);
  text += fmt::format("Triton 3.9: {}\n", plan.shuffles
                                              ? fmt::format("{} a warp", plural(*plan.shuffles, "shuffle"))
                                              : std::string(to_string(plan.triton)));
  if (!plan.exchange) return text;
  const Exchange& x = *plan.exchange;
  if (plan.level <= RegisterLevel::selection)
    text += "nothing to move, but Triton 3.9 stores and loads; how is not modeled, so this is only a plan:\n";
  text += fmt::format(
      "the best plain exchange, through {} bytes of shared memory without a bank conflict; Triton's own may "
      "differ:\n",
      x.bytes);
  text += side_text("write", x.write) + side_text("read", x.read);
  if (x.matrix)
    text += fmt::format("  matrix instructions can move the same 16 bytes: write {}, read {}\n",
                        x.matrix->first, x.matrix->second);
  TritonAttribute memory{.kind = TritonKind::shared_linear};
  memory.offsets = x.memory;
  memory.alignment = 16;
  text += fmt::format("  memory: {}\n", to_string(memory));
  return text;
}

}  // namespace tessera
