// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>

#include "report/access_answer.h"
#include "report/fix_text.h"
#include "report/hardware_swizzle.h"
#include "report/json.h"
#include "tessera/draw/picture.h"

namespace tessera {
namespace {

Json lanes_json(std::uint64_t mask) {
  Json out = Json::array();
  for (; mask != 0; mask &= mask - 1) out.push_back(std::countr_zero(mask));
  return out;
}

Json shared_json(const SharedMemoryReport& shared, bool counted_all) {
  Json out = {{"wavefronts", shared.wavefronts},
              {"ideal", shared.ideal},
              {"excess", shared.excess()},
              {"ways", shared.ways},
              {"floor", shared.floor},
              {"wavefronts_at_least", nullptr},
              {"exact", counted_all && shared.wavefronts == shared.wavefronts_at_least},
              {"conflict", nullptr},
              {"bits", nullptr}};
  if (shared.wavefronts != shared.wavefronts_at_least)
    out["wavefronts_at_least"] = shared.wavefronts_at_least;
  if (shared.conflict) {
    Json words = Json::array();
    for (const auto& [word, lanes] : shared.conflict->words)
      words.push_back(Json::array({word, lanes_json(lanes)}));
    out["conflict"] = {{"instruction", shared.worst_instruction},
                       {"phase", shared.conflict->phase},
                       {"bank", shared.conflict->bank},
                       {"words", std::move(words)}};
  }
  if (shared.bits.bits) {
    const BankBits& bits = *shared.bits.bits;
    out["bits"] = {{"lane_bytes", bits.lane_bytes},
                   {"dim", bits.dim},
                   {"rank", bits.rank},
                   {"same_bank", bits.same_bank},
                   {"same_word", bits.same_word},
                   {"bank_bits", lanes_json(bits.bank_mask)}};
  } else {
    out["no_bits"] = shared.bits.no_bits;
  }
  return out;
}

Json segments_json(const SegmentReport& sum, std::span<const Index> sizes) {
  Json out = {{"requested", sum.requested},
              {"bytes", sum.bytes},
              {"sectors", sum.sectors},
              {"lines", sum.lines},
              {"ideal_sectors", sum.ideal_sectors},
              {"ideal_lines", sum.ideal_lines},
              {"overfetch", sum.overfetch()}};
  out["segments"] = Json::object();
  out["ideal_segments"] = Json::object();
  for (std::size_t i = 0; i < sum.segments.size(); ++i) {
    out["segments"][fmt::format("{}", sizes[i])] = sum.segments[i];
    out["ideal_segments"][fmt::format("{}", sizes[i])] = sum.ideal_segments[i];
  }
  return out;
}

Json access_json(const AccessReport& report, const AccessOptions& options) {
  const Access& access = report.access;
  Json out = {{"name", access.name},
              {"tv", tv_text(access)},
              {"kind", kind_text(access)},
              {"vector", access.vector},
              {"weight", access.weight},
              {"active", nullptr},
              {"instructions", report.instructions},
              {"sampled_of", nullptr},
              {"shared", nullptr},
              {"global", nullptr},
              {"vector_width", nullptr},
              {"misaligned", nullptr},
              {"notes", report.notes}};
  if (access.active != ~std::uint64_t{0}) out["active"] = fmt::format("0x{:x}", access.active);
  if (report.sampled_of) out["sampled_of"] = *report.sampled_of;
  if (report.shared) out["shared"] = shared_json(*report.shared, !report.sampled_of);
  if (report.global) {
    out["global"] = segments_json(report.global->sum, options.segments);
    out["global"]["warps"] = report.warps;
    out["global"]["worst"] = {
        {"instruction", report.sampled_of ? Json(nullptr) : Json(report.global->worst_instruction)},
        {"warp", report.global->worst_warp},
        {"sectors", report.global->worst_sectors}};
    out["global"]["exact"] = report.global->exact;
    if (const std::optional<VectorWidth>& width = report.global->width) {
      Json at = nullptr;
      if (width->at) at = Json::array({width->at->first, width->at->second});
      out["vector_width"] = {
          {"vector", width->vector}, {"limit", to_string(width->limit)}, {"at", std::move(at)}};
    }
  }
  if (report.misaligned)
    out["misaligned"] = Json::array({report.misaligned->first, report.misaligned->second});
  return out;
}

Json fix_json(const AccessAnswer& answer, const Fix& fix) {
  Json out = {{"family", to_string(fix.family)},
              {"layout", fixed_text(answer, fix)},
              {"wavefronts", fix.wavefronts},
              {"per_access", fix.per_access},
              {"bytes", fix.bytes},
              {"xor_terms", fix.xor_terms},
              {"proof", to_string(fix.proof)},
              {"swizzle", nullptr},
              {"byte_swizzle", nullptr},
              {"hardware", nullptr},
              {"images", nullptr},
              {"pad", nullptr},
              {"period", nullptr}};
  const auto numbers = [](const Swizzle& s) { return Json::array({s.bits, s.base, s.shift}); };
  if (fix.swizzle) {
    out["swizzle"] = numbers(*fix.swizzle);
    if (const std::optional<Swizzle> bytes = on_bytes(*fix.swizzle, answer.options.element_bits)) {
      out["byte_swizzle"] = numbers(*bytes);
      out["period"] = period(*bytes);
      if (const std::string_view name = hardware_name(*bytes); !name.empty()) out["hardware"] = name;
    }
  }
  if (!fix.images.empty()) out["images"] = fix.images;
  if (fix.pad != 0) out["pad"] = fix.pad;
  return out;
}

}  // namespace

std::string to_json(const AccessAnswer& answer, int status, const Picture* picture) {
  const AccessOptions& options = answer.options;
  Json out = {{"schema", "tessera.access/1"},
              {"status", status},
              {"layout", to_prefixed_string(answer.layout)},
              {"notation", to_string(answer.layout.notation())},
              {"element_bits", options.element_bits}};
  out["target"] = {
      {"name", options.target.name()}, {"lanes", options.target.lanes()}, {"word", options.target.word()}};
  Json accesses = Json::array();
  for (const AccessReport& report : answer.reports.each) accesses.push_back(access_json(report, options));
  out["accesses"] = std::move(accesses);
  out["total"] = nullptr;
  if (options.shared)
    out["total"] = {{"wavefronts", answer.reports.wavefronts},
                    {"ideal", answer.reports.ideal},
                    {"floor", answer.reports.floor}};
  out["grid"] = nullptr;
  if (answer.grid) {
    out["grid"] = segments_json(answer.grid->sum, options.segments);
    out["grid"]["warps"] = answer.grid->warps;
    out["grid"]["exact"] = true;
    out["grid"]["worst"] = {{"warp", answer.grid->worst_warp}, {"sectors", answer.grid->worst_sectors}};
  }
  out["fix"] = nullptr;
  if (answer.fixes) {
    Json candidates = Json::array();
    for (const Fix& fix : answer.fixes->candidates) candidates.push_back(fix_json(answer, fix));
    out["fix"] = {{"best", nullptr}, {"candidates", std::move(candidates)}};
    out["fix"]["searches"] = Json::array();
    for (const FixSearch& search : answer.fixes->searches) {
      out["fix"]["searches"].push_back(
          {{"family", to_string(search.family)},
           {"tried", search.tried},
           {"complete", search.not_searched.empty() && search.complete},
           {"not_searched", search.not_searched.empty() ? Json(nullptr) : Json(search.not_searched)}});
    }
    if (answer.fixes->best_fix().family != FixFamily::none) out["fix"]["best"] = answer.fixes->best;
  }
  if (picture != nullptr) out["view"] = Json::parse(render_json(*picture), nullptr, false);
  return out.dump();
}

}  // namespace tessera
