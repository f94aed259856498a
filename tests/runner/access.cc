// SPDX-License-Identifier: Apache-2.0
// The folder access: bank conflicts, segments, vectors, and layouts without conflicts.
#include "tessera/access/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "access/accessed_layout.h"
#include "access/offset_table.h"
#include "algebra/bit_space.h"
#include "runner/check.h"
#include "tessera/access/memory_target.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/cute.h"
#include "tessera/notation/layout.h"
#include "tessera/text/index_map.h"

namespace tessera::vectors {
namespace {

// An error of the library, which ends the row.
struct Refused {
  std::string why;
};
template <class T>
T need(Result<T> result) {
  if (!result) throw Refused{to_string(result.error())};
  return std::move(*result);
}

Layout layout_of(const std::string& text) { return need(parse_layout(text)); }

// `read`, `ldmatrix.x4`: reads the kind and the number of matrices.
std::pair<AccessKind, int> kind_of(const std::string& text) {
  const int matrices = text.find(".x") == std::string::npos ? 4 : text.back() - '0';
  for (const AccessKind kind :
       {AccessKind::read, AccessKind::write, AccessKind::ldmatrix, AccessKind::stmatrix})
    if (text.starts_with(to_string(kind))) return {kind, matrices};
  throw Refused{"kind " + text};
}

// The addresses of the lanes of one instruction.
struct Lanes {
  std::vector<Index> bytes;
  std::uint64_t active = ~std::uint64_t{0};
  int width = 4;

  LaneAddresses addresses() const { return {.bytes = bytes, .active = active, .width = width}; }
};

Lanes lanes_of(const Json& args, Index most) {
  Lanes out;
  const Index element = args["element_bytes"].get<Index>();
  out.bytes = args["offsets"].is_string()
                  ? need(offset_table(layout_of(args["offsets"].get<std::string>()), 1 << 12))
                  : indices(args["offsets"]);
  if (std::ssize(out.bytes) > most) out.bytes.resize(static_cast<std::size_t>(most));
  for (Index& b : out.bytes) b = b * element + args.value("base", Index{0});
  if (args.contains("active")) out.active = std::stoull(args["active"].get<std::string>(), nullptr, 16);
  out.width = static_cast<int>(element * args["vector"].get<Index>());
  return out;
}

Json lanes_json(std::uint64_t mask) {
  Json out = Json::array();
  for (; mask != 0; mask &= mask - 1) out.push_back(std::countr_zero(mask));
  return out;
}

Json banks(const Json& args) {
  const MemoryTarget target = need(MemoryTarget::parse(args["target"].get<std::string>()));
  const auto [kind, matrices] = kind_of(args["kind"].get<std::string>());
  const Lanes lanes = lanes_of(args, is_matrix(kind) ? 8 * matrices : target.lanes());
  const BankReport report = count_banks(lanes.addresses(), kind, target);
  Json phases = Json::array();
  for (const BankPhase& p : report.phases)
    phases.push_back(
        {{"lanes", lanes_json(p.lanes)}, {"ways", p.ways}, {"banks", p.banks}, {"words", p.words}});
  Json out = {{"wavefronts", report.wavefronts},
              {"ideal", report.ideal},
              {"excess", report.excess()},
              {"ways", report.ways},
              {"phases", phases},
              {"conflict", nullptr},
              {"misaligned", nullptr}};
  if (report.misaligned) out["misaligned"] = *report.misaligned;
  if (report.conflict) {
    Json words = Json::array();
    for (const auto& [word, mask] : report.conflict->words) words.push_back({word, lanes_json(mask)});
    out["conflict"] = {{"phase", report.conflict->phase}, {"bank", report.conflict->bank}, {"words", words}};
  }
  if (target.may_pair_requests() && kind == AccessKind::read && lanes.width >= 8)
    out["wavefronts_at_least"] = report.wavefronts_at_least;
  if (const BankBitsAnswer answer = bank_bits(lanes.addresses(), kind, target); answer.bits) {
    const BankBits& bits = *answer.bits;
    out["bits"] = {{"lane_bytes", bits.lane_bytes},
                   {"dim", bits.dim},
                   {"rank", bits.rank},
                   {"same_bank", bits.same_bank},
                   {"same_word", bits.same_word}};
    if (report.ways != 1 << (bits.dim - bits.rank)) out["bits"]["ways"] = "differ from the count";
  }
  return out;
}

Access access_of(const Json& args, const std::string& tv) {
  const auto [kind, matrices] = kind_of(args.value("kind", "read"));
  return {.name = args.value("name", "a"),
          .tv = layout_of(tv),
          .kind = kind,
          .matrices = matrices,
          .vector = args["vector"].get<Index>(),
          .weight = args.value("weight", Index{1})};
}

Json tile_banks(const Json& args) {
  const AccessOptions options{.element_bits = 8 * args["element_bytes"].get<Index>(),
                              .target = need(MemoryTarget::parse(args["target"].get<std::string>())),
                              .global = false};
  const std::vector<Access> accesses = {access_of(args, args["tv"].get<std::string>())};
  const AccessReports reports =
      need(analyze_accesses(layout_of(args["tile"].get<std::string>()), accesses, options));
  const AccessReport& report = reports.each[0];
  return {{"instructions", report.instructions},
          {"wavefronts", report.shared->wavefronts},
          {"ideal", report.shared->ideal},
          {"ways", report.shared->ways}};
}

Json segments_json(const SegmentReport& report) {
  return {{"requested", report.requested},
          {"bytes", report.bytes},
          {"sectors", report.sectors},
          {"lines", report.lines}};
}

Json warp(const Json& args) {
  const Lanes lanes = lanes_of(args, 64);
  const std::vector<Index> sizes =
      args.contains("segments") ? indices(args["segments"]) : std::vector<Index>{};
  const SegmentReport report = count_segments(lanes.addresses(), sizes);
  Json out = segments_json(report);
  out.update({{"ideal_sectors", report.ideal_sectors},
              {"ideal_lines", report.ideal_lines},
              {"overfetch", report.overfetch()},
              {"misaligned", nullptr}});
  for (std::size_t i = 0; i < lanes.bytes.size() && out["misaligned"].is_null(); ++i)
    if ((lanes.active >> i & 1) != 0 && mod(lanes.bytes[i], lanes.width) != 0) out["misaligned"] = i;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    out["segments"][std::to_string(sizes[i])] = report.segments[i];
  return out;
}

Json grid(const Json& args) {
  Grid grid{.lanes = layout_of(args["lane"].get<std::string>()),
            .warps = layout_of(args["warps"].get<std::string>()),
            .element_bits = 8 * args["element_bytes"].get<Index>(),
            .vector = args["vector"].get<Index>(),
            .base = args.value("base", Index{0})};
  if (args.contains("limit")) grid.limit = args["limit"].get<Index>();
  const GridReport report = need(count_grid(grid));
  Json out = segments_json(report.sum);
  out["warps"] = report.warps;
  out["worst"] = {{"warp", report.worst_warp}, {"sectors", report.worst_sectors}};
  return out;
}

Json vector_width(const Json& args) {
  const Layout tv = layout_of(args["tv"].get<std::string>());
  const std::vector<Index> offsets = need(offset_table(tv, 1 << 22));
  const VectorWidth width = widest_vector({.offsets = offsets,
                                           .threads = tv.shape()[0],
                                           .element_bits = 8 * args["element_bytes"].get<Index>(),
                                           .base_align = args["base_align"].get<Index>()});
  Json at = nullptr;
  if (width.at) at = {width.at->first, width.at->second};
  return {{"vector", width.vector}, {"limit", to_string(width.limit)}, {"at", at}};
}

Json map(const Json& args) {
  const AccessOptions options{
      .element_bits = 8 * args["element_bytes"].get<Index>(),
      .target = need(MemoryTarget::parse(fmt::format("banks:32x4@{}", args["lanes"].get<Index>()))),
      .shared = false};
  const std::vector<Access> accesses = {{.tv = need(parse_index_map(args["map"].get<std::string>()))}};
  const AccessReports reports =
      need(analyze_accesses(layout_of(args["operand"].get<std::string>()), accesses, options));
  const AccessReport& report = reports.each[0];
  Json out = segments_json(report.global->sum);
  out["instructions"] = report.instructions;
  out["worst_sectors"] = report.global->worst_sectors;
  return out;
}

std::string swizzle_text(const Swizzle& s) { return fmt::format("Sw<{},{},{}>", s.bits, s.base, s.shift); }

// Several fixes may be equally good, so the result is compared with the expected lists.
VectorResult fix(const Json& args, const Json& expect) {
  std::vector<Access> accesses;
  for (const Json& one : args["accesses"]) accesses.push_back(access_of(one, one["tv"].get<std::string>()));
  const FixSet found = need(find_fixes(layout_of(args["tile"].get<std::string>()), accesses,
                                       8 * args["element_bytes"].get<Index>(),
                                       need(MemoryTarget::parse(args["target"].get<std::string>()))));
  const auto of = [&](FixFamily family) -> const Fix* {
    for (const Fix& fix : found.candidates)
      if (fix.family == family) return &fix;
    return nullptr;
  };
  // For targets given by numbers, the vectors do not include linear swizzles, but the library searches them
  // too.
  const bool by_numbers = args["target"].get<std::string>().starts_with("banks:");
  Json got = {{"before", found.before},
              {"floor", found.floor},
              {"affine", found.linear && !by_numbers},
              {"linear", nullptr},
              {"pad", nullptr}};
  const Fix* swizzle = of(FixFamily::swizzle);
  std::vector<std::string> swizzles;
  for (const Swizzle& s : found.equal_swizzles) swizzles.push_back(swizzle_text(s));
  if (swizzle == nullptr) swizzles = {"none"};
  std::vector<std::string> expected_swizzles = expect["swizzle"]["swizzles"].get<std::vector<std::string>>();
  std::sort(swizzles.begin(), swizzles.end());
  std::sort(expected_swizzles.begin(), expected_swizzles.end());
  got["swizzle"] = {{"wavefronts", swizzle != nullptr ? swizzle->wavefronts : found.before},
                    {"bits", swizzle != nullptr ? swizzle->swizzle->bits : 0},
                    {"swizzles", swizzles}};
  Json want = expect;
  want["swizzle"]["swizzles"] = expected_swizzles;
  if (!expect["pad"].is_null()) {
    const Fix* pad = of(FixFamily::pad);
    got["pad"] = {{"wavefronts", pad != nullptr ? pad->wavefronts : found.before},
                  {"elements", pad != nullptr ? pad->pad : 0},
                  {"bytes", pad != nullptr ? pad->bytes : 0},
                  {"layout", pad != nullptr ? to_string(*pad->layout) : args["tile"].get<std::string>()}};
  }
  if (!expect["linear"].is_null()) {
    if (const Fix* linear = of(FixFamily::linear)) {
      got["linear"] = {{"wavefronts", linear->wavefronts}, {"proof", expect["linear"]["proof"]}};
      const std::string proof = expect["linear"]["proof"].get<std::string>();
      const bool proved = proof == "equal to the floor"
                              ? linear->proof == FixProof::floor
                              : linear->proof == FixProof::floor || linear->proof == FixProof::linear;
      if (!proved) got["linear"]["proof"] = to_string(linear->proof);
    }
  }
  return VectorResult::when(got == want, want.dump(), got.dump());
}

// Section 18 of the CuTe specification: the first 32 threads of a layout, with one vector each.
Lanes warp_of(const Json& args) {
  Lanes out;
  const auto element = args["element_bytes"].get<Index>();
  out.bytes = need(offset_table(layout_of(args["a"].get<std::string>()), 1 << 12));
  if (out.bytes.size() > 32) out.bytes.resize(32);
  for (Index& b : out.bytes) b *= element;
  out.width = static_cast<int>(element * args["vector"].get<Index>());
  return out;
}

Json bank_conflicts(const Json& args) {
  const BankReport report = count_banks(warp_of(args).addresses(), AccessKind::read, MemoryTarget());
  return {{"max_ways", report.ways}, {"wavefronts", report.wavefronts}};
}

Json coalescing(const Json& args) {
  const SegmentReport report = count_segments(warp_of(args).addresses());
  return {{"lines", report.lines}, {"sectors", report.sectors}, {"unique_bytes", report.bytes}};
}

VectorResult judge(const Json& row) {
  static const std::map<std::string, Json (*)(const Json&)> kOps = {{"banks", banks},
                                                                    {"tile_banks", tile_banks},
                                                                    {"warp", warp},
                                                                    {"grid", grid},
                                                                    {"vector_width", vector_width},
                                                                    {"map", map},
                                                                    {"bank_conflicts", bank_conflicts},
                                                                    {"coalescing", coalescing}};
  const std::string op = text_of(row, "op");
  const Json& expect = row["expect"];
  try {
    if (op == "fix") return fix(row["args"], expect);
    const auto found = kOps.find(op);
    if (found == kOps.end()) return unknown_op(row);
    const Json got = found->second(row["args"]);
    return VectorResult::when(got == expect, expect.dump(), got.dump());
  } catch (const Refused& refused) {
    return VectorResult::fail(expect.dump(), refused.why);
  }
}

const Register kAnalysis = row_check("cute", "analysis.jsonl", judge);
const Register kBanks = row_check("access", "banks.jsonl", judge);
const Register kGlobal = row_check("access", "global.jsonl", judge);
const Register kSearch = row_check("access", "search.jsonl", judge);

}  // namespace
}  // namespace tessera::vectors
