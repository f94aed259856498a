// SPDX-License-Identifier: Apache-2.0
#include "report/program/program_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hlo/analysis/traffic.h"
#include "report/indexing_maps.h"
#include "report/limits.h"
#include "report/program/step_facts.h"

namespace tessera::detail {
namespace {

constexpr Index kTileSide = 32;

std::vector<Index> default_tile(const HloType& type) {
  std::vector<Index> out(type.rank(), 1);
  for (std::size_t i = out.size() < 2 ? 0 : out.size() - 2; i < out.size(); ++i)
    out[i] = std::clamp<Index>(type.dims()[i], 1, kTileSide);
  return out;
}

Index tile_count(const HloType& type, std::span<const Index> tile) {
  Index out = 1;
  for (std::size_t i = 0; i < tile.size(); ++i)
    out = checked_mul(out, ceil_div(type.dims()[i], tile[i])).value_or(kIndexMax);
  return out;
}

// A text that is equal for instructions with equal tiles: those with the same types and the same maps.
std::string signature(const ReportedInstruction& one) {
  const Instruction& op = *one.instruction;
  std::string out = fmt::format("{} {}", op.opcode_text, to_string(op.type));
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    out += fmt::format(", {}", to_string(op.operand_type(i)));
  for (const char* key : {"dimensions", "lhs_contracting_dims", "rhs_contracting_dims"}) {
    if (const Attribute* a = op.attribute(key)) out += fmt::format(" {}={}", key, a->value);
  }
  for (const ReportedPair& pair : one.pairs)
    out += fmt::format(" {}:{}:{}", pair.output, pair.operand, fmt::join(pair.maps, "+"));
  return out;
}

}  // namespace

std::uint32_t TextTable::number(std::string text) {
  const auto [found, is_new] =
      numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(&found->first);
  return found->second;
}

struct ReportBuilder::Caches {
  std::unordered_map<std::string, std::uint32_t> warps;
};

ReportBuilder::ReportBuilder(ReportOptions options)
    : options_(std::move(options)), caches_(std::make_unique<Caches>()) {
  report_.chip = options_.chip;
  if (!options_.on_chip && options_.chip && options_.chip->on_chip) {
    options_.on_chip = options_.chip->on_chip;
    options_.on_chip_source = options_.chip->on_chip_source;
  }
  report_.on_chip_source = options_.on_chip_source;
  report_.text = options_.text;
}

ReportBuilder::~ReportBuilder() = default;

ProgramReport ReportBuilder::finish() && { return std::move(report_); }

namespace {

std::optional<TileAnswer> tile_answer(ProgramIndexing& program, const Instruction& op) {
  if (!op.sound || op.type.leaf_count() == 0) return std::nullopt;
  const HloType& type = leaf_type(op.type, 0);
  if (!type.is_array() || !type.array().is_static() || type.array().element_count().value_or(0) == 0)
    return std::nullopt;
  TileAnswer out{.instruction = &op};
  out.sizes = default_tile(type);
  auto start = tile_of_output(op, 0, out.sizes, /*whole=*/true);
  if (!start) return std::nullopt;
  auto tiles = tiles_read(program, op, 0, *start);
  if (!tiles) return std::nullopt;
  out.tiles = *std::move(tiles);
  if (tile_count(type, out.sizes) <= kReportLimits.program.counted_tiles) {
    if (auto traffic = tile_traffic(program, op, 0, out.sizes)) out.traffic = *std::move(traffic);
  }
  for (std::size_t i = out.sizes.size(); i < start->dims.size(); ++i)
    out.sizes.push_back(start->dims[i].size.is_constant() ? start->dims[i].size.value() : 0);
  return out;
}

// Takes the maps from the first output that reads the operand. Returns the access with the largest excess of
// fetched sectors.
WarpAccess operand_access(const InstructionIndexing& maps, std::uint32_t operand, std::uint32_t leaf,
                          DeviceKind device) {
  if (device == DeviceKind::cpu || device == DeviceKind::tpu)
    return {.map = {},
            .reason = fmt::format("the program is for a {}, which has no warps", to_string(device))};
  const Instruction& op = *maps.instruction;
  std::optional<WarpAccess> worst;
  for (const PairIndexing& pair : maps.pairs) {
    if (pair.operand != operand) continue;
    const HloType& result = leaf_type(op.type, pair.output);
    const HloType& read = leaf_type(op.operand_type(operand), leaf);
    for (const Indexing& indexing : pair.maps) {
      if (indexing.leaf >= 0 && indexing.leaf != static_cast<std::int32_t>(leaf)) continue;
      if (!result.is_array() || !read.is_array()) continue;
      WarpAccess own = warp_access(indexing, result.array(), read.array());
      if (!own.known()) return own;
      if (!worst || own.excess() > worst->excess()) worst = std::move(own);
    }
    if (worst) break;
  }
  return worst.value_or(WarpAccess{.map = {}, .reason = "the operand is not read"});
}

// The access with the largest excess among the names of one array.
WarpAccess worst_access(const InstructionIndexing& maps, std::span<const OperandLeaf> names,
                        DeviceKind device) {
  std::optional<WarpAccess> worst;
  for (const OperandLeaf& name : names) {
    WarpAccess own = operand_access(maps, static_cast<std::uint32_t>(name.operand),
                                    static_cast<std::uint32_t>(name.leaf), device);
    if (!own.known()) return own;
    if (!worst || own.excess() > worst->excess()) worst = std::move(own);
  }
  return *worst;
}

// Where the instructions come from, and what each line and scope does.
void add_code(ReportedModule& out, const HloModule& module, const Computation* start,
              const ModuleCode::IsOwn& own) {
  out.code = std::make_shared<ModuleCode>(module, own);
  out.nearby = std::make_shared<CodePlaces>(module, *out.code);
  const ShareKey keys[] = {ShareKey::source, ShareKey::scope};
  std::vector<CodeShares> shares =
      code_shares(module, out.traffic, start, keys, *out.code, {&out.work, out.time ? &*out.time : nullptr});
  out.lines = std::move(shares[0]);
  out.scopes = std::move(shares[1]);
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (const CodeShare& share : out.lines.shares)
    numbers.emplace(share.name, static_cast<std::uint32_t>(numbers.size()));
  for (const ReportedInstruction& one : out.instructions) {
    const auto found = numbers.find(out.code->line(*one.instruction).text());
    if (found != numbers.end() && !found->first.empty()) out.line_of.emplace(one.instruction, found->second);
  }
}

// What the program computes, keeps and exchanges, and how long that takes on the chip.
void add_costs(ReportedModule& out, const HloModule& module, const Computation* start,
               const ReportOptions& options) {
  out.work = program_work(module, start);
  out.exchanges = device_exchanges(module, start);
  if (!options.traffic_only) out.memory = program_memory(module, start);
  if (!options.chip) return;
  std::vector<StepLink> links;
  for (const DeviceExchange& x : out.exchanges.exchanges)
    links.push_back({x.instruction, x.received, x.between});
  out.time = program_time(out.traffic, out.work, *options.chip, links);
}

}  // namespace

AnalyzeStats ReportBuilder::add(std::string file, const HloModule& module, std::string_view computation,
                                const std::function<void()>& advance) {
  ReportedModule& out = report_.modules.emplace_back();
  out.file = std::move(file);
  out.module = &module;
  const Computation* const start = computation.empty() ? nullptr : module.find(computation);
  out.device = device_of(module);
  std::vector<InstructionIndexing> all;
  all.reserve(module.instruction_count());
  out.stats = analyze(module, {.threads = options_.threads}, [&](InstructionIndexing&& maps) {
    all.push_back(std::move(maps));
    advance();
  });
  out.instructions.reserve(all.size());
  for (const InstructionIndexing& maps : all) {
    ReportedInstruction& one = out.instructions.emplace_back();
    one.instruction = maps.instruction;
    one.exactness = maps.exactness;
    if (!options_.traffic_only) one.bitcast = bitcast_answer(*maps.instruction);
    out.places.emplace(maps.instruction, static_cast<std::uint32_t>(out.instructions.size() - 1));
    for (const PairIndexing& pair : maps.pairs) {
      if (options_.traffic_only) break;
      ReportedPair& own = one.pairs.emplace_back(ReportedPair{pair.output, pair.operand, {}});
      for (const Json& map : json_of(pair.maps)) {
        own.maps.push_back(report_.maps.number(dump(map)));
        if (report_.maps.size() > report_.map_texts.size())
          report_.map_texts.push_back(map.value("map", std::string()));
      }
    }
  }
  TrafficOptions traffic;
  traffic.start = start;
  out.traffic = program_traffic(module, traffic, [&](const Instruction& op) -> const InstructionIndexing& {
    return all[out.places.at(&op)];
  });
  add_costs(out, module, start, options_);
  if (!options_.traffic_only) {
    if (options_.on_chip) out.tiled = tiled_traffic(module, out.traffic, *options_.on_chip);
    out.padding = padding_report(module, options_.rule, start);
    out.copies = copies_report(module, out.traffic, start);
  }
  add_code(out, module, start, options_.own);
  for (std::size_t i = 0; i < out.copies.movements.size(); ++i)
    out.instructions[out.places.at(out.copies.movements[i].instruction)].movement =
        static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < out.traffic.steps.size(); ++i) {
    const StepTraffic& step = out.traffic.steps[i];
    const std::uint32_t place = out.places.at(step.instruction);
    ReportedInstruction& one = out.instructions[place];
    one.step = static_cast<std::uint32_t>(i);
    advance();
    if (options_.traffic_only) continue;
    const std::string key = signature(one);
    const auto accesses = [&](DeviceKind device) {
      std::vector<std::uint32_t> numbers;
      for (const OperandReads& x : step.operands) {
        std::vector<OperandLeaf> names = x.also;
        names.insert(names.begin(), {x.operand, x.leaf});
        std::string own = fmt::format("{} {}", to_string(device), key);
        for (const OperandLeaf& name : names) own += fmt::format(" {}.{}", name.operand, name.leaf);
        const auto [found, is_new] =
            caches_->warps.try_emplace(std::move(own), static_cast<std::uint32_t>(report_.warps.size()));
        if (is_new) report_.warps.push_back(worst_access(all[place], names, device));
        numbers.push_back(found->second);
      }
      return numbers;
    };
    one.warps = accesses(out.device);
    if (out.device == DeviceKind::cpu) {
      if (!has_product(*one.instruction)) one.neighbors = accesses(DeviceKind::unknown);
    } else if (out.device != DeviceKind::tpu) {
      one.neighbors = one.warps;
    }
  }
  return out.stats;
}

void add_tiles(ProgramReport& report) {
  if (report.has_tiles) return;
  report.has_tiles = true;
  ProgramIndexing program;
  std::unordered_map<std::string, std::uint32_t> known;
  for (ReportedModule& module : report.modules) {
    for (const StepTraffic& step : module.traffic.steps) {
      ReportedInstruction& one = module.instructions[module.places.at(step.instruction)];
      const std::string key = signature(one);
      if (const auto found = known.find(key); found != known.end()) {
        one.tile = found->second;
      } else if (one.instruction->opcode == Opcode::fusion ||
                 report.tiles.size() < kReportLimits.program.tiles) {
        if (auto answer = tile_answer(program, *one.instruction)) {
          one.tile = static_cast<std::uint32_t>(report.tiles.size());
          report.tiles.push_back(*std::move(answer));
        }
        known.emplace(key, one.tile);
      }
    }
  }
}

}  // namespace tessera::detail
