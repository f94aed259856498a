// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "access/registers/thread_values.h"
#include "base/try.h"
#include "tessera/access/access.h"
#include "tessera/access/register_access.h"

namespace tessera {
namespace {

// Strides beyond every other index of the array, and multiples of a line.
std::vector<Index> known_strides(std::span<const std::optional<Index>> strides,
                                 std::span<const Index> shape) {
  Index far = Index{1} << 12;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!strides[d]) continue;
    while (far < Index{1} << 40 && far <= (shape[d] - 1) * std::max<Index>(*strides[d], -*strides[d]))
      far *= 2;
  }
  far *= Index{1} << 6;
  std::vector<Index> out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    out.push_back(strides[d].value_or(far));
    if (!strides[d]) far *= 2 * shape[d];
  }
  return out;
}

}  // namespace

Result<RegisterGlobalAccess> global_access(const TritonBases& registers,
                                           std::span<const std::optional<Index>> strides, Index element_bits,
                                           Index align) {
  TESSERA_TRY(values, access::thread_values(registers));
  if (strides.size() != values.shape.size())
    return fail(Code::rank_mismatch, fmt::format("{} strides are given for a tensor of rank {}",
                                                 strides.size(), values.shape.size()));
  const Index bits = std::max<Index>(8, element_bits);
  const Index bytes = bits / 8;
  const std::vector<Index> known = known_strides(strides, values.shape);
  const auto step_of = [&](const std::vector<Index>& basis) {
    Index step = 0;
    for (std::size_t d = 0; d < basis.size(); ++d) step += basis[d] * known[d];
    return step;
  };
  const auto multiple = [&](const TritonBasisList& list, std::size_t from, Index of) {
    for (std::size_t i = from; i < list.size(); ++i) {
      // A basis may move in several dimensions: each step counts by itself.
      for (std::size_t d = 0; d < list[i].size(); ++d) {
        const bool far = !strides[d];
        if (list[i][d] != 0 && !far && list[i][d] * known[d] % of != 0) return false;
      }
    }
    return true;
  };
  RegisterGlobalAccess out;
  for (std::size_t k = 1; k <= values.register_bases.size(); ++k) {
    const Index vector = Index{1} << k;
    if (vector * bytes > 16 || align % (vector * bytes) != 0) break;
    if (step_of(values.register_bases[k - 1]) != vector / 2) break;
    if (multiple(values.register_bases, k, vector) && multiple(values.lane_bases, 0, vector) &&
        multiple(values.warp_bases, 0, vector))
      out.vector = vector;
  }
  TESSERA_TRY(tv, access::thread_value_layout(values, {}));
  TESSERA_TRY(array, Layout::make(Strides{values.shape, known}));
  const Access access = {.name = "a", .tv = std::move(tv), .vector = out.vector};
  AccessOptions options;
  options.element_bits = bits;
  options.shared = false;
  // Only the number of lanes of a warp matters.
  TESSERA_TRY(target,
              MemoryTarget::parse(fmt::format("banks:32x4@{}", Index{1} << values.lane_bases.size())));
  options.target = target;
  TESSERA_TRY(reports, analyze_accesses(array, std::span(&access, 1), options));
  const AccessReport& report = reports.each.front();
  const SegmentReport& sum = report.global->sum;
  out.instructions = report.sampled_of.value_or(static_cast<Index>(report.instructions));
  out.requested = sum.requested;
  out.bytes = sum.bytes;
  out.sectors = sum.sectors;
  out.lines = sum.lines;
  return out;
}

}  // namespace tessera
