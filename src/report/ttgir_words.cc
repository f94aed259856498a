// SPDX-License-Identifier: Apache-2.0
#include "report/ttgir_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "report/limits.h"

namespace tessera::detail {
namespace {

std::string shape_text(const std::vector<Index>& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::string words(const TtgirConversion& op) {
  const RegisterPlan& plan = op.plan;
  std::string text = fmt::format("{} {}: {} to {}; {}", shape_text(op.shape), op.element, op.from, op.to,
                                 to_string(plan.level));
  if (plan.level > RegisterLevel::selection)
    text +=
        fmt::format(" ({} of {} registers move)", plan.counts.points - plan.counts.stay, plan.counts.points);
  text += fmt::format("; Triton: {}", to_string(plan.triton));
  if (plan.shuffles) text += fmt::format(", {} a warp", plural(*plan.shuffles, "shuffle"));
  if (op.exchange_bytes) text += fmt::format(", {} bytes", *op.exchange_bytes);
  if (plan.exchange) {
    const Exchange& x = *plan.exchange;
    text += fmt::format("; the best plain exchange: {} + {} wavefronts, floor {} + {}", x.write.wavefronts,
                        x.read.wavefronts, x.write.floor, x.read.floor);
    if (x.matrix) text += fmt::format(", by matrix instructions {} + {}", x.matrix->first, x.matrix->second);
  }
  return text;
}

std::string words(const TtgirLocal& op) {
  std::string text = fmt::format("{} {}: {} with {}; {}", shape_text(op.shape), op.element, op.registers,
                                 op.memory, op.mode);
  if (op.access.matrix) {
    const MatrixAccess& matrix = *op.access.matrix;
    return text + fmt::format(", {} matrices in {} wavefronts, ideal {}", matrix.matrices, matrix.wavefronts,
                              matrix.matrices);
  }
  text += fmt::format(", vector {}", op.access.vector);
  if (!op.access.counted) return text + ", wavefronts not modeled";
  text += fmt::format(", {} in {} wavefronts, ideal {}", plural(op.access.instructions, "instruction"),
                      op.access.wavefronts, op.access.ideal);
  if (op.access.misaligned) text += ", MISALIGNED: the padding moves vectors off their alignment";
  return text;
}

std::string words(const TtgirAllocation& op) {
  return fmt::format("{} {}: {}, {} bytes", shape_text(op.shape), op.element, op.memory, op.bytes);
}

std::string words(const TtgirGlobal& op) {
  std::string text =
      fmt::format("{}: {}, elements of {} bits; ", shape_text(op.shape), op.registers, op.bits);
  text += op.contiguous ? fmt::format("contiguous along {}", *op.contiguous) : "not known to be contiguous";
  return text + fmt::format(", vector {}, {}, {} bytes in {} sectors, {} lines", op.access.vector,
                            plural(op.access.instructions, "instruction"), op.access.bytes, op.access.sectors,
                            op.access.lines);
}

std::string words(const TtgirReduction& op) {
  std::string text = fmt::format("{} {}: {} along {}; over {} registers", shape_text(op.shape), op.element,
                                 op.registers, op.axis, op.over.reg);
  if (op.over.lane > 1) text += fmt::format(", {} lanes (shuffles)", op.over.lane);
  if (op.over.warp > 1) text += fmt::format(", {} warps (shared memory)", op.over.warp);
  if (op.over.block > 1) text += fmt::format(", {} blocks", op.over.block);
  return text;
}

std::string words(const TtgirLayouts& op) {
  std::string text;
  for (std::size_t i = 0; i < op.layouts.size(); ++i)
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", shape_text(op.shapes[i]), op.layouts[i]);
  return text;
}

std::string words(std::monostate) { return ""; }

// The attribute that has a name of the report.
std::string attribute_of(const TtgirReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.layouts, name, &TtgirLayout::name);
  return found == report.layouts.end() || !found->layout ? name : to_string(*found->layout);
}

// ` in line 10`, ` in lines 10, 11 and 14`
std::string lines_text(const TtgirCure& cure) {
  if (cure.lines.empty()) return "";
  if (cure.allocations == 1) return fmt::format(" in line {}", cure.lines.front());
  if (cure.allocations > std::ssize(cure.lines))
    return fmt::format(" in lines {} and {} more", fmt::join(cure.lines, ", "),
                       cure.allocations - std::ssize(cure.lines));
  return fmt::format(" in lines {} and {}", fmt::join(cure.lines.begin(), cure.lines.end() - 1, ", "),
                     cure.lines.back());
}

std::string cure_sentence(const TtgirCure& cure, Index now) {
  std::string text =
      fmt::format("{}with {}{} this access takes {}", cure.wavefronts < now ? "cure: " : "",
                  to_string(cure.memory), lines_text(cure), plural(cure.wavefronts, "wavefront"));
  if (cure.accesses > 1)
    text += fmt::format(", the {} different accesses of the buffer together {} for {}", cure.accesses,
                        cure.then, cure.now);
  if (cure.not_counted)
    text += fmt::format("; {} in line {} is not counted", cure.not_counted->op, cure.not_counted->line);
  return text;
}

}  // namespace

Index excess_of(const TtgirLocal& op) {
  if (op.access.matrix) return op.access.matrix->wavefronts - op.access.matrix->matrices;
  return op.access.counted ? op.access.wavefronts - op.access.ideal : 0;
}

std::pair<Index, Index> cost_of(const TtgirOperation& op) {
  if (const auto* local = std::get_if<TtgirLocal>(&op.what)) return {excess_of(*local), 0};
  if (const auto* conversion = std::get_if<TtgirConversion>(&op.what)) {
    const auto& exchange = conversion->plan.exchange;
    if (exchange) return {0, exchange->write.wavefronts + exchange->read.wavefronts};
    return {0, conversion->exchange_bytes.value_or(0) / 128 + conversion->plan.shuffles.value_or(0)};
  }
  if (const auto* global = std::get_if<TtgirGlobal>(&op.what))
    return {0, global->access.sectors - fewest_sectors(global->access)};
  return {0, 0};
}

Index fewest_sectors(const RegisterGlobalAccess& access) {
  constexpr Index kSector = 32;
  return (access.bytes + kSector - 1) / kSector;
}

std::string sentence_of(const TtgirOperation& op) {
  return std::visit([](const auto& what) { return words(what); }, op.what);
}

std::string command_of(const TtgirReport& report, const TtgirOperation& op) {
  if (const auto* const conversion = std::get_if<TtgirConversion>(&op.what)) {
    const auto type = [&](const std::string& name) {
      return fmt::format("tensor<{}x{}, {}>", shape_text(conversion->shape), conversion->element,
                         attribute_of(report, name));
    };
    const bool usual = report.target.empty() || report.target == "cuda:90";
    return fmt::format("tessera plan --from '{}' --to '{}'{}{}", type(conversion->from), type(conversion->to),
                       usual ? "" : " --target ", usual ? "" : report.target);
  }
  const auto* const local = std::get_if<TtgirLocal>(&op.what);
  // The command counts plain loads and stores.
  if (local == nullptr || !local->access.counted || local->access.matrix) return "";
  std::string_view target;
  if (report.target.starts_with("hip:")) {
    const std::string_view chip = std::string_view(report.target).substr(4);
    target = chip == "gfx950"              ? " --target cdna4"
             : chip.starts_with("gfx94")   ? " --target cdna3"
             : chip.starts_with("gfx11")   ? " --target rdna3"
             : chip.starts_with("gfx1200") ? " --target rdna4"
             : chip.starts_with("gfx1201") ? " --target rdna4"
                                           : "";
    if (target.empty()) return "";  // its banks are not known
  }
  const Index lanes = std::clamp<Index>(report.threads_per_warp, 1, 1024);
  if (local->access.instructions >
      kReportLimits.access_pairs / (lanes * std::max<Index>(1, local->access.vector)))
    return "";
  const std::vector<Index>& shape = local->allocated ? *local->allocated : local->shape;
  if (shape != local->shape) return "";  // --threads has the shape of the whole buffer
  return fmt::format("tessera access '{}:{}' --bytes {} --space shared{} --threads 'a={},{}'{}",
                     shape_text(local->shape), attribute_of(report, local->memory),
                     std::max<Index>(1, triton_element_bits(local->element) / 8), target,
                     attribute_of(report, local->registers), op.op == "ttg.local_load" ? "read" : "write",
                     local->access.misaligned ? "" : " --fix");  // which needs vectors that can run
}

std::string conflict_of(const TtgirOperation& op) {
  const auto* const local = std::get_if<TtgirLocal>(&op.what);
  if (local == nullptr || excess_of(*local) == 0) return "";
  if (const auto& matrix = local->access.matrix)
    return fmt::format("bank conflicts: {} wavefronts for {}", matrix->wavefronts, matrix->matrices);
  return fmt::format("bank conflicts: {} wavefronts for {} ({}-way)", local->access.wavefronts,
                     local->access.ideal, local->access.ways);
}

std::string cure_of(const TtgirOperation& op) {
  const auto* const local = std::get_if<TtgirLocal>(&op.what);
  if (local == nullptr || excess_of(*local) == 0) return "";
  const Index now = local->access.matrix ? local->access.matrix->wavefronts : local->access.wavefronts;
  if (local->cure) return cure_sentence(*local->cure, now);
  if (local->tried)
    return "none of the swizzles tried takes fewer wavefronts for all counted accesses of the buffer "
           "together";
  if (!local->followed) return "no other layout was tried: the buffer is not followed to this access";
  if (!local->used_by)
    return "no other layout was tried: an access of the buffer has no count that could be compared";
  return fmt::format("no other layout was tried: {} in line {} uses the buffer, too", local->used_by->op,
                     local->used_by->line);
}

std::vector<std::string> remedy_of(const TtgirReport& report, const TtgirOperation& op) {
  std::vector<std::string> out;
  const std::string conflict = conflict_of(op);
  if (conflict.empty()) return out;
  out.push_back(conflict);
  if (std::string cure = cure_of(op); !cure.empty()) out.push_back(std::move(cure));
  if (const std::string command = command_of(report, op); !command.empty()) out.push_back("try: " + command);
  return out;
}

}  // namespace tessera::detail
