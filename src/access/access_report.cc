// SPDX-License-Identifier: Apache-2.0
#include "tessera/access/access_report.h"

#include <algorithm>

#include "access/fix_problem.h"
#include "access/offset_table.h"

namespace tessera {
namespace {

// The byte address at which each lane's access begins.
std::vector<Index> bytes_of(const AccessInstruction& one, std::span<const Index> offsets, Index element_bytes,
                            Index base) {
  std::vector<Index> out;
  for (const Index i : one.indices)
    out.push_back(offsets[static_cast<std::size_t>(i)] * element_bytes + base);
  return out;
}

}  // namespace

Result<AccessReport> analyze_access(const Layout& layout, const Access& access,
                                    const AccessOptions& options) {
  const Result<std::vector<Index>> offsets = offset_table(layout, kMostBoxIndices);
  if (!offsets) return fail(offsets.error());
  const auto instructions = access_instructions(access, *offsets, options.element_bytes, options.target);
  if (!instructions) return fail(instructions.error());
  AccessReport out{.access = access, .instructions = instructions->size()};
  const int width = static_cast<int>(access.vector * options.element_bytes);
  out.phases = options.target.rule(access.kind, width).phases.size();
  if (options.shared) out.shared.emplace();
  if (options.global) out.global.emplace();
  for (std::size_t i = 0; i < instructions->size(); ++i) {
    const AccessInstruction& one = (*instructions)[i];
    const std::vector<Index> bytes = bytes_of(one, *offsets, options.element_bytes, access.base);
    const LaneAddresses lanes{.bytes = bytes, .active = one.active, .width = width};
    for (std::size_t l = 0; l < bytes.size() && !out.misaligned; ++l)
      if ((one.active >> l & 1) != 0 && mod(bytes[l], width) != 0) out.misaligned = {i, static_cast<int>(l)};
    if (out.shared) {
      const BankReport banks = count_banks(lanes, access.kind, options.target);
      out.shared->wavefronts += banks.wavefronts;
      out.shared->wavefronts_at_least += banks.wavefronts_at_least;
      out.shared->ideal += banks.ideal;
      if (banks.ways > out.shared->ways) {
        out.shared->ways = banks.ways;
        out.shared->worst_instruction = i;
        out.shared->conflict = banks.conflict;
      }
    }
    if (out.global) {
      const SegmentReport segments = count_segments(lanes, options.segments);
      out.global->sum += segments;
      if (segments.sectors > out.global->worst_sectors) {
        out.global->worst_sectors = segments.sectors;
        out.global->worst_instruction = i;
      }
    }
  }
  if (out.shared && !instructions->empty()) {
    const AccessInstruction& worst = (*instructions)[out.shared->worst_instruction];
    const std::vector<Index> bytes = bytes_of(worst, *offsets, options.element_bytes, access.base);
    out.shared->bits =
        bank_bits({.bytes = bytes, .active = worst.active, .width = width}, access.kind, options.target);
    out.shared->floor =
        detail::access_floor(*instructions, access, *offsets, options.element_bytes, options.target);
  }
  if (out.global) {
    std::vector<Index> touched;
    const Result<std::vector<Index>> table = offset_table(access.tv, kMostBoxIndices);
    if (!table) return fail(table.error());
    for (const Index i : *table) touched.push_back((*offsets)[static_cast<std::size_t>(i)]);
    out.global->width = widest_vector(touched, access.tv.rank() == 0 ? 1 : access.tv.shape()[0],
                                      options.element_bytes, options.base_align);
  }
  return out;
}

}  // namespace tessera
