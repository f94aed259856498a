// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/plural.h"
#include "report/access_answer.h"
#include "report/answer_rows.h"
#include "report/fix_text.h"
#include "report/layout_answer.h"
#include "tessera/notation/cute.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

using detail::inner;
using detail::plural;
using detail::row;
using detail::size_text;

// The number of words that the text shows of a conflict.
constexpr std::size_t kShownWords = 3;

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

std::string meet_text(const BankBits& bits) {
  return bits.same_bank.empty()
             ? "no two lanes share a bank"
             : fmt::format("lanes n and n xor {} share a bank", fmt::join(bits.same_bank, ", "));
}

std::string why_text(const AccessReport& report, const AccessOptions& options) {
  const BankBits& bits = *report.shared->bits.bits;
  std::uint64_t moved = static_cast<std::uint64_t>(report.access.vector * options.element_bits / 8 - 1);
  std::uint64_t by_lanes = 0;
  for (const Index d : bits.lane_bytes) by_lanes |= static_cast<std::uint64_t>(d);
  moved |= by_lanes;
  const std::uint64_t banks = bits.bank_mask;
  const std::uint64_t still = banks & ~moved;
  const std::uint64_t all_lanes = (std::uint64_t{1} << bits.lane_bytes.size()) - 1;
  std::string text = fmt::format("lane bits {} move address bits {}; the bank is bits {}", ranges(all_lanes),
                                 by_lanes == 0 ? "none" : ranges(by_lanes), ranges(banks));
  if (still == banks) return text + " (all fixed)";
  if (still != 0) text += fmt::format(" (fixed: {})", ranges(still));
  return text + "; " + meet_text(bits);
}

// One row for each lane bit: the address bits that it changes.
std::string why_table(const AccessReport& report, const AccessOptions& options) {
  const BankBits& bits = *report.shared->bits.bits;
  const auto vector = static_cast<std::uint64_t>(report.access.vector * options.element_bits / 8 - 1);
  const std::uint64_t banks = bits.bank_mask;
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

std::string width_text(const VectorWidth& width, Index base_align) {
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
      limit = fmt::format("the first element is aligned to {} bytes", base_align);
      break;
  }
  return fmt::format("{}: {}", width.vector, limit);
}

std::string segments_text(const SegmentReport& sum, const AccessOptions& options) {
  std::string out;
  for (std::size_t i = 0; i < options.segments.size(); ++i)
    out += inner("segments", fmt::format("{} of {} bytes (ideal {})", sum.segments[i], options.segments[i],
                                         sum.ideal_segments[i]));
  return out;
}

// All instructions if only global memory was counted, in closed form; else those that were counted one by
// one.
Index counted_instructions(const AccessReport& report) {
  const bool all = report.sampled_of && !report.shared && report.global && report.global->exact;
  return all ? *report.sampled_of : static_cast<Index>(report.instructions);
}

std::string sample_text(const AccessReport& report) {
  const std::string counted =
      fmt::format("{} instructions, of which {} were counted", *report.sampled_of, report.instructions);
  if (!report.global || !report.global->exact) return counted + ": the sums are those of the sample";
  return counted + ": the wavefronts are those of the sample; the bytes are those of all";
}

std::string access_text(const AccessReport& report, const AccessAnswer& answer) {
  const AccessOptions& options = answer.options;
  const std::string each = report.shared ? plural(static_cast<Index>(report.phases), "phase")
                                         : plural(options.target.lanes(), "lane");
  std::string out =
      row(report.access.name, fmt::format("{} of {} a lane, {} of {}", kind_text(report.access),
                                          size_text(report.access.vector * options.element_bits),
                                          plural(counted_instructions(report), "instruction"), each));
  if (report.sampled_of && counted_instructions(report) != *report.sampled_of)
    out += inner("sample", sample_text(report));
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
    out += inner("bytes", fmt::format("{} of {} fetched, {}: {} (ideal {}), {} (ideal {}), overfetch {}",
                                      global.sum.bytes, fetched, percent(global.sum.bytes, fetched),
                                      plural(global.sum.sectors, "sector"), global.sum.ideal_sectors,
                                      plural(global.sum.lines, "line"), global.sum.ideal_lines,
                                      global.sum.overfetch()));
    out += segments_text(global.sum, options);
    if (global.width)
      out += inner("vector", width_text(*global.width, std::gcd(report.access.base, options.base_align)));
  }
  for (const std::string& note : report.notes) out += inner("note", note);
  return out;
}

}  // namespace

std::string tv_text(const Access& access) {
  if (const auto* const map = std::get_if<IndexMap>(&access.tv)) return "map:" + to_string(*map);
  return to_string(std::get<Layout>(access.tv));
}

std::string kind_text(const Access& access) {
  return is_matrix(access.kind) ? fmt::format("{}.x{}", to_string(access.kind), access.matrices)
                                : std::string(to_string(access.kind));
}

std::string to_text(const AccessAnswer& answer) {
  const AccessOptions& options = answer.options;
  std::string out = to_prefixed_string(answer.layout) + "\n";
  out += inner("order", order_text(answer.layout));
  if (options.shared) {
    out +=
        inner("memory", fmt::format("shared, {}: {} banks of {} bytes, {} lanes; elements of {}",
                                    options.target.name(), options.target.most_banks(), options.target.word(),
                                    options.target.lanes(), size_text(options.element_bits)));
  }
  if (options.global) {
    out += inner("memory", fmt::format("global: sectors of {} bytes, lines of {}; elements of {}",
                                       kSectorBytes, kLineBytes, size_text(options.element_bits)));
  }
  for (const AccessReport& report : answer.reports.each) out += access_text(report, answer);
  if (answer.grid) {
    const GridReport& grid = *answer.grid;
    const Index fetched = kSectorBytes * grid.sum.sectors;
    out += row("grid", fmt::format("{}: {} bytes, {} sectors (ideal {}), {} lines, {}; exact",
                                   plural(grid.warps, "warp"), grid.sum.bytes, grid.sum.sectors,
                                   grid.sum.ideal_sectors, grid.sum.lines, percent(grid.sum.bytes, fetched)));
    out += segments_text(grid.sum, options);
    out += inner("worst", fmt::format("warp {}: {} sectors", grid.worst_warp, grid.worst_sectors));
  }
  if (options.shared)
    out += row("total", fmt::format("{}, floor {}", plural(answer.reports.wavefronts, "wavefront"),
                                    answer.reports.floor));
  if (answer.fixes) out += detail::fixes_text(answer);
  out.pop_back();
  return out;
}

std::string to_line(const AccessAnswer& answer) {
  std::string out;
  if (answer.options.shared)
    out = fmt::format("wavefronts {}, floor {}", answer.reports.wavefronts, answer.reports.floor);
  Index sectors = 0;
  for (const AccessReport& report : answer.reports.each)
    if (report.global) sectors += report.global->sum.sectors;
  if (answer.options.global) out += fmt::format("{}sectors {}", out.empty() ? "" : ", ", sectors);
  if (answer.fixes) {
    const Fix& best = answer.fixes->best_fix();
    out += fmt::format(", best {} {}",
                       best.family == FixFamily::none ? "none"
                       : best.swizzle                 ? to_string(*best.swizzle)
                                                      : fixed_text(answer, best),
                       best.wavefronts);
  }
  return fmt::format("{}: {}", to_prefixed_string(answer.layout), out);
}

}  // namespace tessera
