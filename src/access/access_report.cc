// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "access/accessed_layout.h"
#include "access/limits.h"
#include "access/map_grid.h"
#include "base/plural.h"
#include "tessera/access/access.h"

namespace tessera {
namespace {

using detail::AccessedLayout;
using detail::AccessInstruction;
using detail::CountedAccess;

LaneAddresses addresses(const std::vector<Index>& bytes, const AccessInstruction& one, int width) {
  return {.bytes = bytes, .active = one.active, .width = width};
}

// Two lanes of one instruction that write the same byte.
std::optional<std::string> write_collision(const AccessedLayout& layout, const CountedAccess& counted) {
  if (counted.access->kind != AccessKind::write && counted.access->kind != AccessKind::stmatrix) return {};
  std::vector<std::pair<Index, int>> first_bytes;
  for (std::size_t i = 0; i < counted.instructions.size(); ++i) {
    const AccessInstruction& one = counted.instructions[i];
    const std::vector<Index> bytes = layout.bytes_of(counted, one);
    first_bytes.clear();
    for (std::uint64_t rest = one.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      first_bytes.emplace_back(bytes[static_cast<std::size_t>(lane)], lane);
    }
    std::sort(first_bytes.begin(), first_bytes.end());
    for (std::size_t k = 1; k < first_bytes.size(); ++k) {
      if (first_bytes[k].first - first_bytes[k - 1].first >= counted.width) continue;
      return fmt::format("lanes {} and {} of instruction {} write byte {}: the result is undefined",
                         first_bytes[k - 1].second, first_bytes[k].second, i, first_bytes[k].first);
    }
  }
  return {};
}

// The elements beyond the box that vectors move which begin inside.
std::optional<std::string> overhang(const CountedAccess& counted) {
  const Index elements = std::ranges::count(counted.table.index, detail::kBeyond);
  if (elements == 0) return {};
  const AccessKind kind = counted.access->kind;
  const bool writes = kind == AccessKind::write || kind == AccessKind::stmatrix;
  return fmt::format("{} {} {} beyond the box, by vectors that begin inside it",
                     detail::plural(elements, "element"), elements == 1 ? "is" : "are",
                     writes ? "written" : "read");
}

SharedMemoryReport shared_report(const AccessedLayout& layout, const CountedAccess& counted) {
  SharedMemoryReport out;
  const AccessKind kind = counted.access->kind;
  for (std::size_t i = 0; i < counted.instructions.size(); ++i) {
    const AccessInstruction& one = counted.instructions[i];
    const std::vector<Index> bytes = layout.bytes_of(counted, one);
    const BankReport banks = count_banks(addresses(bytes, one, counted.width), kind, layout.target);
    out.wavefronts += banks.wavefronts;
    out.wavefronts_at_least += banks.wavefronts_at_least;
    out.ideal += banks.ideal;
    if (banks.ways > out.ways) {
      out.ways = banks.ways;
      out.worst_instruction = i;
      out.conflict = banks.conflict;
    }
  }
  if (!counted.instructions.empty()) {
    const AccessInstruction& worst = counted.instructions[out.worst_instruction];
    const std::vector<Index> bytes = layout.bytes_of(counted, worst);
    out.bits = bank_bits(addresses(bytes, worst, counted.width), kind, layout.target);
  }
  out.floor = detail::wavefront_floor(layout, counted, counted.width);
  return out;
}

GlobalMemoryReport global_report(const AccessedLayout& layout, const CountedAccess& counted,
                                 const AccessOptions& options) {
  GlobalMemoryReport out;
  out.sum.segments.assign(options.segments.size(), 0);
  out.sum.ideal_segments = out.sum.segments;
  for (std::size_t i = 0; i < counted.instructions.size(); ++i) {
    const AccessInstruction& one = counted.instructions[i];
    const std::vector<Index> bytes = layout.bytes_of(counted, one);
    const SegmentReport segments = count_segments(addresses(bytes, one, counted.width), options.segments);
    out.sum += segments;
    if (segments.sectors > out.worst_sectors) {
      out.worst_sectors = segments.sectors;
      out.worst_warp = one.warp;
      out.worst_instruction = i;
    }
  }
  if (counted.table.is_sample()) {
    out.exact = false;
    return out;
  }
  std::vector<Index> touched;
  touched.reserve(counted.table.index.size());
  for (const Index i : counted.table.index)
    touched.push_back(i < 0 ? kNoOffset : layout.offsets[static_cast<std::size_t>(i)]);
  out.width = widest_vector({.offsets = touched,
                             .threads = counted.table.threads,
                             .element_bits = options.element_bits,
                             .base_align = options.base_align,
                             .base = counted.access->base});
  return out;
}

// Replaces the sums of a sample by those of the whole access, if these have a closed form.
void count_all(const Layout& layout, const AccessOptions& options, AccessReport& report) {
  const auto all = detail::count_in_closed_form(report.access, layout, options,
                                                std::min(options.most_pairs, detail::kAccessLimits.starts));
  if (!all) return;
  GlobalMemoryReport& global = *report.global;
  global.sum = all->sum;
  global.exact = true;
  global.worst_warp = all->worst_warp;
  global.worst_sectors = all->worst_sectors;
  if (!all->aligned && !report.misaligned)
    report.notes.emplace_back("some lane is not aligned to its width: that instruction cannot run");
}

}  // namespace

Result<AccessReports> analyze_accesses(const Layout& layout, std::span<const Access> accesses,
                                       const AccessOptions& options) {
  for (const Index bytes : options.segments) {
    if (bytes < 1) return fail(Code::bad_option, fmt::format("a segment cannot have {} bytes", bytes));
  }
  const Result<AccessedLayout> made =
      AccessedLayout::make(layout, accesses, options, detail::LargeAccess::sample);
  if (!made) return fail(made.error());
  AccessReports out;
  for (const CountedAccess& counted : made->accesses) {
    AccessReport report{.access = *counted.access,
                        .warps = counted.table.warps,
                        .instructions = counted.instructions.size(),
                        .phases = counted.rule.phases.size(),
                        .misaligned = made->misaligned(counted)};
    if (counted.table.is_sample()) report.sampled_of = counted.table.all_instructions;
    if (options.shared) {
      report.shared = shared_report(*made, counted);
      out.wavefronts += report.shared->wavefronts * counted.access->weight;
      out.ideal += report.shared->ideal * counted.access->weight;
    }
    if (options.global) {
      report.global = global_report(*made, counted, options);
      if (report.sampled_of) count_all(layout, options, report);
    }
    if (std::optional<std::string> note = overhang(counted)) report.notes.push_back(*note);
    if (std::optional<std::string> note = write_collision(*made, counted)) report.notes.push_back(*note);
    if (options.shared && options.target.name() == "cdna4" && counted.access->kind == AccessKind::read &&
        counted.width <= 4)
      report.notes.emplace_back("sources disagree whether these reads of cdna4 use 64 banks, as here, or 32");
    out.each.push_back(std::move(report));
  }
  if (options.shared) out.floor = detail::total(detail::wavefront_floors(*made));
  return out;
}

}  // namespace tessera
