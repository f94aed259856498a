// SPDX-License-Identifier: Apache-2.0
/// \file
/// All results about a program, computed once. The page, the JSON and the texts show this value.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/analysis/copies.h"
#include "hlo/analysis/device.h"
#include "hlo/analysis/padding.h"
#include "hlo/devices/exchanges.h"
#include "hlo/memory/live_arrays.h"
#include "hlo/shares/code_shares.h"
#include "hlo/time/roofline.h"
#include "report/indexing_json.h"
#include "report/program/code_places.h"
#include "report/program/warp_access.h"
#include "report/shares_answer.h"
#include "report/tile_answer.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/traffic.h"
#include "tile/on_chip.h"

namespace tessera::detail {

/// Texts, each stored once and identified by a number. Numbers count from 0 in the order of first use.
class TextTable {
 public:
  std::uint32_t number(std::string text);
  std::size_t size() const { return texts_.size(); }
  const std::string& operator[](std::size_t i) const { return *texts_[i]; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> texts_;
};

/// The maps between one output and one operand, as numbers in ProgramReport::maps.
struct ReportedPair {
  std::uint32_t output = 0;
  std::uint32_t operand = 0;
  std::vector<std::uint32_t> maps;
};

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// One instruction. Numbers are positions in the lists of its module or of the program.
struct ReportedInstruction {
  const Instruction* instruction = nullptr;
  std::vector<ReportedPair> pairs;
  Exactness exactness = Exactness::exact;
  std::optional<BitcastAnswer> bitcast;
  std::uint32_t step = kNone;      ///< position in ReportedModule::traffic.steps
  std::uint32_t movement = kNone;  ///< position in ReportedModule::copies.movements
  std::uint32_t tile = kNone;      ///< position in ProgramReport::tiles
  /// What the warps fetch, as numbers in ProgramReport::warps: one for each operand of the step.
  std::vector<std::uint32_t> warps;
  /// What neighboring elements of the result fetch, as numbers in ProgramReport::warps: one for each operand
  /// of a step without a product, or empty. On a GPU, these are `warps`.
  std::vector<std::uint32_t> neighbors;
};

struct ReportedModule {
  std::string file;
  const HloModule* module = nullptr;
  std::vector<ReportedInstruction> instructions;  ///< in the order of the module
  ProgramTraffic traffic;
  PaddingReport padding;
  CopiesReport copies;
  ProgramWork work;
  ProgramMemory memory;
  DeviceExchanges exchanges;
  std::optional<ProgramTime> time;                                ///< on the chip of the report
  std::optional<TiledProgram> tiled;                              ///< in tiles that fit on the chip
  std::shared_ptr<ModuleCode> code;                               ///< where the instructions come from
  std::shared_ptr<CodePlaces> nearby;                             ///< the same, with neighbors
  CodeShares lines;                                               ///< shares of the lines of code
  CodeShares scopes;                                              ///< shares of the scopes, as a tree
  std::unordered_map<const Instruction*, std::uint32_t> line_of;  ///< positions in `lines`, of known ones
  AnalyzeStats stats;
  DeviceKind device = DeviceKind::unknown;
  std::unordered_map<const Instruction*, std::uint32_t> places;  ///< positions in `instructions`

  InstructionPlace place() const { return {file, module->name}; }
};

/// The analysis of all modules of some files.
struct ProgramReport {
  std::deque<ReportedModule> modules;
  TextTable maps;                      ///< as JSON (see indexing_json.h)
  std::vector<std::string> map_texts;  ///< the same maps, as text without sources
  /// One for each set of types and maps: that of the first such instruction. Empty before add_tiles.
  std::vector<TileAnswer> tiles;
  bool has_tiles = false;
  std::vector<WarpAccess> warps;
  std::optional<Chip> chip;
  std::string
      on_chip_source;  ///< whose bytes on the chip `ReportedModule::tiled` has; empty if they are given
  CodeText text;       ///< the lines of the user's code; may be empty
};

struct ReportOptions {
  std::optional<Chip> chip = {};        ///< without one, nothing takes time
  std::optional<Index> on_chip = {};    ///< bytes that tiles may take; empty: those of the chip, if known
  std::string on_chip_source = {};      ///< whose they are; empty if they are given
  ModuleCode::IsOwn own = {};           ///< which files are the user's
  CodeText text = {};                   ///< their lines
  std::optional<TilingRule> rule = {};  ///< empty: that of each program's own layouts
  std::size_t threads = 1;              ///< threads that compute maps; 0: all cores
  bool traffic_only = false;            ///< omit padding, movements, tiles and warps
};

/// Builds a report, module by module. The modules must outlive the report.
class ReportBuilder {
 public:
  explicit ReportBuilder(ReportOptions options);
  ~ReportBuilder();
  ReportBuilder(const ReportBuilder&) = delete;
  ReportBuilder& operator=(const ReportBuilder&) = delete;

  /// Analyzes a module: computes its maps once, then everything derived from them. The program starts at
  /// `computation`, or at the entry if that is empty. `advance` is called for each instruction whose maps are
  /// known, and for each finished step.
  AnalyzeStats add(std::string file, const HloModule& module, std::string_view computation,
                   const std::function<void()>& advance);
  ProgramReport finish() &&;

 private:
  struct Caches;
  ReportOptions options_;
  ProgramReport report_;
  std::unique_ptr<Caches> caches_;
};

/// Adds the tiles of the instructions that run as one step, unless it has them: 32 x 32 elements of the last
/// two dimensions of the first array of the result. They take most of the time of a report, and its text has
/// none.
void add_tiles(ProgramReport& report);

}  // namespace tessera::detail
