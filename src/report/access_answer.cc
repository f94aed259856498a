// SPDX-License-Identifier: Apache-2.0
#include "report/access_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/plural.h"
#include "report/json.h"
#include "report/layout_answer.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

using detail::Json;
using detail::plural;

// The number of words of a conflict that the text shows.
constexpr std::size_t kShownWords = 3;

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("{:<15}{}\n", name, value);
}
std::string inner(std::string_view name, const std::string& value) {
  return fmt::format("  {:<13}{}\n", name, value);
}

// `0-4, 7`: the set bits of a mask as ranges.
std::string ranges(std::uint64_t mask) {
  std::vector<std::string> out;
  while (mask != 0) {
    const int first = std::countr_zero(mask);
    const int count = std::countr_one(mask >> first);
    out.push_back(count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1));
    mask &= count + first >= 64 ? 0 : ~std::uint64_t{0} << (first + count);
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string lanes_text(std::uint64_t mask) {
  return fmt::format("lane{} {}", std::has_single_bit(mask) ? "" : "s", ranges(mask));
}

std::string kind_text(const Access& access) {
  return is_matrix(access.kind) ? fmt::format("{}.x{}", to_string(access.kind), access.matrices)
                                : std::string(to_string(access.kind));
}

std::string conflict_text(const SharedMemoryReport& shared) {
  const BankConflict& conflict = *shared.conflict;
  std::string words;
  for (std::size_t i = 0; i < std::min(conflict.words.size(), kShownWords); ++i) {
    words += fmt::format("{}{} of {}", i == 0 ? "word " : ", ", conflict.words[i].first,
                         lanes_text(conflict.words[i].second));
  }
  if (conflict.words.size() > kShownWords)
    words += fmt::format(", and {} more", conflict.words.size() - kShownWords);
  return fmt::format("{}-way; phase {} of instruction {}: bank {} has {}", shared.ways, conflict.phase,
                     shared.worst_instruction, conflict.bank, words);
}

// The address bits that select a bank.
std::uint64_t bank_mask(const AccessReport& report, const AccessOptions& options) {
  const int width = static_cast<int>(report.access.vector * options.element_bytes);
  const int banks = options.target.rule(report.access.kind, width).banks;
  return static_cast<std::uint64_t>(banks - 1) * static_cast<std::uint64_t>(options.target.word());
}

std::string meet_text(const BankBits& bits) {
  return bits.same_bank.empty()
             ? "no two lanes share a bank"
             : fmt::format("lanes n and n xor {} share a bank", fmt::join(bits.same_bank, ", "));
}

std::string why_text(const AccessReport& report, const AccessOptions& options) {
  const BankBits& bits = *report.shared->bits.bits;
  std::uint64_t moved = static_cast<std::uint64_t>(report.access.vector * options.element_bytes - 1);
  std::uint64_t by_lanes = 0;
  for (const Index d : bits.lane_bytes) by_lanes |= static_cast<std::uint64_t>(d);
  moved |= by_lanes;
  const std::uint64_t banks = bank_mask(report, options);
  const std::uint64_t still = banks & ~moved;
  const std::uint64_t all_lanes = (std::uint64_t{1} << bits.lane_bytes.size()) - 1;
  std::string text = fmt::format("lane bits {} move address bits {}; the bank is bits {}", ranges(all_lanes),
                                 by_lanes == 0 ? "none" : ranges(by_lanes), ranges(banks));
  if (still == banks) return text + " (all fixed)";
  if (still != 0) text += fmt::format(" (fixed: {})", ranges(still));
  return text + "; " + meet_text(bits);
}

// One row for each lane bit: which address bits it moves.
std::string why_table(const AccessReport& report, const AccessOptions& options) {
  const BankBits& bits = *report.shared->bits.bits;
  const auto vector = static_cast<std::uint64_t>(report.access.vector * options.element_bytes - 1);
  const std::uint64_t banks = bank_mask(report, options);
  std::uint64_t all = vector | banks;
  for (const Index d : bits.lane_bytes) all |= static_cast<std::uint64_t>(d);
  const int top = static_cast<int>(std::bit_width(all));
  const int bank_low = std::countr_zero(banks);
  const int bank_high = static_cast<int>(std::bit_width(banks));
  const auto line = [&](std::string_view name, const auto& cell) {
    std::string text = fmt::format("{:<13}", name);
    for (int bit = top; bit-- > 0;) {
      if (bit + 1 == bank_high && bit + 1 < top) text += " |";
      if (bit + 1 == bank_low) text += " |";
      text += fmt::format("{:>3}", cell(bit));
    }
    return text;
  };
  std::string out = inner("why", line("address bit", [](int bit) { return fmt::format("{}", bit); }));
  for (std::size_t k = 0; k < bits.lane_bytes.size(); ++k) {
    out += inner("", line(fmt::format("lane bit {}", k), [&](int bit) {
                   return std::string((bits.lane_bytes[k] >> bit & 1) != 0 ? "1" : ".");
                 }));
  }
  if (vector != 0)
    out +=
        inner("", line("vector", [&](int bit) { return std::string((vector >> bit & 1) != 0 ? "x" : "."); }));
  out += inner("", fmt::format("rank {} of dimension {} in the bank bits: 2^{} ways; {}", bits.rank, bits.dim,
                               bits.dim - bits.rank, meet_text(bits)));
  return out;
}

std::string percent(Index part, Index whole) {
  return whole == 0 ? "0 %"
                    : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string access_text(const AccessReport& report, const AccessAnswer& answer) {
  const AccessOptions& options = answer.options;
  std::string out =
      row(report.access.name, fmt::format("{} of {} a lane, {} of {}", kind_text(report.access),
                                          plural(report.access.vector * options.element_bytes, "byte"),
                                          plural(static_cast<Index>(report.instructions), "instruction"),
                                          plural(static_cast<Index>(report.phases), "phase")));
  if (report.misaligned) {
    out +=
        inner("misaligned",
              fmt::format("lane {} of instruction {} is not aligned to its width: the instruction cannot run",
                          report.misaligned->second, report.misaligned->first));
  }
  if (report.shared) {
    const SharedMemoryReport& shared = *report.shared;
    std::string text = fmt::format("{}, ideal {}", shared.wavefronts, shared.ideal);
    if (shared.excess() != 0) text += fmt::format(", excess {}", shared.excess());
    if (shared.wavefronts_at_least != shared.wavefronts)
      text += fmt::format("; an upper bound, at least {}", shared.wavefronts_at_least);
    out += inner("wavefronts", text);
    if (shared.conflict) out += inner("conflict", conflict_text(shared));
    if (shared.bits.bits && answer.why) {
      out += why_table(report, options);
    } else if (shared.bits.bits && shared.conflict) {
      out += inner("why", why_text(report, options));
    } else if (answer.why) {
      out += inner("why", "not explained by bits: " + shared.bits.no_bits);
    }
  }
  if (report.global) {
    const GlobalMemoryReport& global = *report.global;
    const Index fetched = kSectorBytes * global.sum.sectors;
    out += inner("bytes",
                 fmt::format("{} of {} fetched, {}: {} sectors (ideal {}), {} lines (ideal {}), overfetch {}",
                             global.sum.bytes, fetched, percent(global.sum.bytes, fetched),
                             global.sum.sectors, global.sum.ideal_sectors, global.sum.lines,
                             global.sum.ideal_lines, global.sum.overfetch()));
    for (std::size_t i = 0; i < options.segments.size(); ++i)
      out += inner("segments", fmt::format("{} of {} bytes", global.sum.segments[i], options.segments[i]));
    const VectorWidth& width = global.width;
    const auto at = [&] { return fmt::format("(thread {}, value {})", width.at->first, width.at->second); };
    std::string limit;
    switch (width.limit) {
      case VectorLimit::cap:
        limit = "the widest access";
        break;
      case VectorLimit::values:
        limit = "the values of a thread allow no more";
        break;
      case VectorLimit::gap:
        limit = fmt::format("{} does not follow", at());
        break;
      case VectorLimit::alignment:
        limit = fmt::format("{} is not aligned", at());
        break;
      case VectorLimit::base:
        limit = fmt::format("the buffer is aligned to {} bytes", options.base_align);
        break;
    }
    out += inner("vector", fmt::format("{}: {}", width.vector, limit));
  }
  return out;
}

std::string proof_text(const Fix& fix, Index floor) {
  switch (fix.proof) {
    case FixProof::floor:
      return "equal to the floor: no layout is better";
    case FixProof::linear:
      return fmt::format("no linear map of offset bits is better; the floor is {}", floor);
    case FixProof::family:
      return fmt::format("no other {} is better; the floor is {}",
                         fix.family == FixFamily::pad ? "padding" : "swizzle", floor);
    case FixProof::none:
      return fmt::format("none: the best found; the floor is {}", floor);
  }
  return "";
}

// The names of hardware modes by their swizzle on bytes, with the bytes of a row that they need.
struct HardwareSwizzle {
  Swizzle bytes;
  std::string_view name;
};
constexpr std::array<HardwareSwizzle, 5> kHardware = {{{{1, 4, 3}, "32B of TMA and UMMA, rows of 32 bytes"},
                                                       {{2, 4, 3}, "64B of TMA and UMMA, rows of 64 bytes"},
                                                       {{3, 4, 3}, "128B of TMA and UMMA, rows of 128 bytes"},
                                                       {{2, 5, 2}, "128B of TMA with 32-byte atoms"},
                                                       {{1, 6, 1}, "128B of TMA with 64-byte atoms"}}};

std::optional<Swizzle> on_bytes(const Swizzle& swizzle, Index element_bytes) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(element_bytes))) return std::nullopt;
  return Swizzle{swizzle.bits, swizzle.base + std::countr_zero(static_cast<std::uint64_t>(element_bytes)),
                 swizzle.shift};
}

std::string_view hardware_name(const Swizzle& bytes) {
  for (const HardwareSwizzle& one : kHardware)
    if (one.bytes == bytes) return one.name;
  return "";
}

Index period(const Swizzle& s) { return Index{1} << (s.bits + s.base + std::abs(s.shift)); }

std::string cost_text(const Fix& fix, Index element_bytes) {
  std::string out =
      fmt::format("{}, {}", plural(fix.bytes, "byte"), plural(static_cast<Index>(fix.xor_terms), "xor term"));
  if (!fix.swizzle) return out;
  const std::optional<Swizzle> bytes = on_bytes(*fix.swizzle, element_bytes);
  if (!bytes) return out;
  out += fmt::format("; on bytes {}", to_string(*bytes));
  if (const std::string_view name = hardware_name(*bytes); !name.empty()) out += fmt::format(": {}", name);
  return out + fmt::format(", period {}", period(*bytes));
}

std::string fixes_text(const AccessAnswer& answer) {
  const FixSet& set = *answer.fixes;
  const Fix& best = set.best_fix();
  if (best.family == FixFamily::none) {
    return row("fix", "none") + inner("proof", best.wavefronts == set.floor
                                                   ? "the layout has the fewest wavefronts possible"
                                                   : proof_text(best, set.floor));
  }
  std::vector<std::string> each;
  for (std::size_t i = 0; i < best.per_access.size(); ++i)
    each.push_back(fmt::format("{} {}", answer.accesses[i].access.name, best.per_access[i]));
  std::string out = row("fix", fixed_text(answer.layout, best));
  out += inner("wavefronts", fmt::format("{} of {}: {}", best.wavefronts, set.before, fmt::join(each, ", ")));
  out += inner("proof", proof_text(best, set.floor));
  out += inner("cost", cost_text(best, answer.options.element_bytes));
  for (std::size_t i = 0; i < set.candidates.size(); ++i) {
    const Fix& other = set.candidates[i];
    if (i == set.best || other.family == FixFamily::none) continue;
    if (other.family == FixFamily::linear && other.swizzle && best.swizzle && *other.swizzle == *best.swizzle)
      continue;
    std::string text = fmt::format("{}: {} wavefronts", fixed_text(answer.layout, other), other.wavefronts);
    if (other.wavefronts == set.floor) text += ", equal to the floor";
    text += fmt::format(", {}", other.bytes != 0 ? plural(other.bytes, "byte")
                                                 : plural(static_cast<Index>(other.xor_terms), "xor term"));
    out += row("also", text);
  }
  for (std::size_t i = 0; i < set.floor_per_access.size(); ++i) {
    const SharedMemoryReport& shared = *answer.accesses[i].shared;
    const Index ideal = shared.ideal * answer.accesses[i].access.weight;
    if (set.floor_per_access[i] > ideal) {
      out +=
          row("note",
              fmt::format(
                  "{} cannot go below {} (ideal {}): wider vectors of other accesses keep its words together",
                  answer.accesses[i].access.name, set.floor_per_access[i], ideal));
    }
  }
  return out;
}

Json lanes_json(std::uint64_t mask) {
  Json out = Json::array();
  for (; mask != 0; mask &= mask - 1) out.push_back(std::countr_zero(mask));
  return out;
}

Json shared_json(const SharedMemoryReport& shared) {
  Json out = {{"wavefronts", shared.wavefronts},
              {"ideal", shared.ideal},
              {"excess", shared.excess()},
              {"ways", shared.ways},
              {"floor", shared.floor},
              {"wavefronts_at_least", nullptr},
              {"exact", shared.wavefronts == shared.wavefronts_at_least},
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
                   {"same_word", bits.same_word}};
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
  Json segments = Json::array();
  for (std::size_t i = 0; i < sum.segments.size(); ++i)
    segments.push_back(Json::array({sizes[i], sum.segments[i]}));
  out["segments"] = std::move(segments);
  return out;
}

Json access_json(const AccessReport& report, const AccessOptions& options) {
  const Access& access = report.access;
  Json out = {{"name", access.name},
              {"tv", to_string(access.tv)},
              {"kind", kind_text(access)},
              {"vector", access.vector},
              {"weight", access.weight},
              {"active", nullptr},
              {"instructions", report.instructions},
              {"shared", nullptr},
              {"global", nullptr},
              {"vector_width", nullptr},
              {"misaligned", nullptr}};
  if (access.active != ~std::uint64_t{0}) out["active"] = fmt::format("0x{:x}", access.active);
  if (report.shared) out["shared"] = shared_json(*report.shared);
  if (report.global) {
    out["global"] = segments_json(report.global->sum, options.segments);
    out["global"]["worst"] = {{"instruction", report.global->worst_instruction},
                              {"sectors", report.global->worst_sectors}};
    const VectorWidth& width = report.global->width;
    Json at = nullptr;
    if (width.at) at = Json::array({width.at->first, width.at->second});
    out["vector_width"] = {
        {"vector", width.vector}, {"limit", to_string(width.limit)}, {"at", std::move(at)}};
  }
  if (report.misaligned)
    out["misaligned"] = Json::array({report.misaligned->first, report.misaligned->second});
  return out;
}

Json fix_json(const AccessAnswer& answer, const Fix& fix) {
  Json out = {{"family", to_string(fix.family)},
              {"layout", fixed_text(answer.layout, fix)},
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
    if (const std::optional<Swizzle> bytes = on_bytes(*fix.swizzle, answer.options.element_bytes)) {
      out["byte_swizzle"] = numbers(*bytes);
      out["period"] = period(*bytes);
      if (const std::string_view name = hardware_name(*bytes); !name.empty()) out["hardware"] = name;
    }
  }
  if (!fix.images.empty()) out["images"] = fix.images;
  if (fix.padded) out["pad"] = fix.pad;
  return out;
}

}  // namespace

Index total_wavefronts(const AccessAnswer& answer) {
  Index out = 0;
  for (const AccessReport& report : answer.accesses)
    if (report.shared) out += report.shared->wavefronts * report.access.weight;
  return out;
}

std::string fixed_text(const Layout& layout, const Fix& fix) {
  if (fix.padded) return to_string(*fix.padded);
  const std::string base = to_string(layout);
  if (fix.swizzle && layout.strided() != nullptr)
    return fmt::format("{} o _0 o {}", to_string(*fix.swizzle), base);
  if (fix.swizzle) return fmt::format("{} after {}", to_string(*fix.swizzle), base);
  if (const std::optional<LinearLayout> bases = fix.images.empty() ? std::nullopt : linear_form(layout)) {
    std::vector<std::vector<Index>> moved;
    for (const std::vector<Index>& own : bases->bases()) {
      std::vector<Index>& images = moved.emplace_back();
      for (const Index base_offset : own) {
        Index image = 0;
        for (std::size_t k = 0; k < fix.images.size(); ++k)
          if ((base_offset >> k & 1) != 0) image ^= fix.images[k];
        images.push_back(image);
      }
    }
    if (const Result<LinearLayout> fixed = LinearLayout::make(std::move(moved)))
      return "ll:" + to_string(*fixed);
  }
  if (!fix.images.empty()) return fmt::format("offset bits to {} after {}", fmt::join(fix.images, ","), base);
  return base;
}

std::string to_text(const AccessAnswer& answer) {
  const AccessOptions& options = answer.options;
  std::string out = to_prefixed_string(answer.layout) + "\n";
  out += inner("order", order_text(answer.layout));
  if (options.shared) {
    out +=
        inner("memory", fmt::format("shared, {}: {} banks of {} bytes, {} lanes; elements of {}",
                                    options.target.name(), options.target.most_banks(), options.target.word(),
                                    options.target.lanes(), plural(options.element_bytes, "byte")));
  }
  if (options.global) {
    out += inner("memory", fmt::format("global: sectors of {} bytes, lines of {}; elements of {}",
                                       kSectorBytes, kLineBytes, plural(options.element_bytes, "byte")));
  }
  for (const AccessReport& report : answer.accesses) out += access_text(report, answer);
  if (answer.grid) {
    const GridReport& grid = *answer.grid;
    const Index fetched = kSectorBytes * grid.sum.sectors;
    out += row("grid", fmt::format("{}: {} bytes, {} sectors (ideal {}), {} lines, {}; exact",
                                   plural(grid.warps, "warp"), grid.sum.bytes, grid.sum.sectors,
                                   grid.sum.ideal_sectors, grid.sum.lines, percent(grid.sum.bytes, fetched)));
    out += inner("worst", fmt::format("warp {}: {} sectors", grid.worst_warp, grid.worst_sectors));
  }
  if (options.shared)
    out += row("total",
               fmt::format("{}, floor {}", plural(total_wavefronts(answer), "wavefront"), answer.floor));
  if (answer.fixes) out += fixes_text(answer);
  out.pop_back();
  return out;
}

std::string to_line(const AccessAnswer& answer) {
  std::string out;
  if (answer.options.shared)
    out = fmt::format("wavefronts {}, floor {}", total_wavefronts(answer), answer.floor);
  Index sectors = 0;
  for (const AccessReport& report : answer.accesses)
    if (report.global) sectors += report.global->sum.sectors;
  if (answer.options.global) out += fmt::format("{}sectors {}", out.empty() ? "" : ", ", sectors);
  if (answer.fixes) {
    const Fix& best = answer.fixes->best_fix();
    out += fmt::format(", best {} {}",
                       best.family == FixFamily::none ? "none"
                       : best.swizzle                 ? to_string(*best.swizzle)
                                                      : fixed_text(answer.layout, best),
                       best.wavefronts);
  }
  return fmt::format("{}: {}", to_prefixed_string(answer.layout), out);
}

std::string to_json(const AccessAnswer& answer, int status) {
  const AccessOptions& options = answer.options;
  Json out = {{"schema", "tessera.access/1"},
              {"status", status},
              {"layout", to_string(answer.layout)},
              {"notation", to_string(answer.layout.notation())},
              {"element_bytes", options.element_bytes}};
  out["target"] = {
      {"name", options.target.name()}, {"lanes", options.target.lanes()}, {"word", options.target.word()}};
  Json accesses = Json::array();
  Index ideal = 0;
  for (const AccessReport& report : answer.accesses) {
    accesses.push_back(access_json(report, options));
    if (report.shared) ideal += report.shared->ideal * report.access.weight;
  }
  out["accesses"] = std::move(accesses);
  out["total"] = nullptr;
  if (options.shared)
    out["total"] = {{"wavefronts", total_wavefronts(answer)}, {"ideal", ideal}, {"floor", answer.floor}};
  out["grid"] = nullptr;
  if (answer.grid) {
    out["grid"] = segments_json(answer.grid->sum, {});
    out["grid"]["warps"] = answer.grid->warps;
    out["grid"]["worst"] = {{"warp", answer.grid->worst_warp}, {"sectors", answer.grid->worst_sectors}};
  }
  out["fix"] = nullptr;
  if (answer.fixes) {
    Json candidates = Json::array();
    for (const Fix& fix : answer.fixes->candidates) candidates.push_back(fix_json(answer, fix));
    out["fix"] = {{"best", nullptr}, {"candidates", std::move(candidates)}};
    if (answer.fixes->best_fix().family != FixFamily::none) out["fix"]["best"] = answer.fixes->best;
  }
  return out.dump();
}

}  // namespace tessera
