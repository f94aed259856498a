// SPDX-License-Identifier: Apache-2.0
#include "ttgir/cures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera::ttgir {

Index cost_of(const LocalAccess& access) {
  return access.matrix ? access.matrix->wavefronts : access.wavefronts;
}

Index ideal_of(const LocalAccess& access) { return access.matrix ? access.matrix->matrices : access.ideal; }

std::string BufferCures::key_of(const std::string& name, const BufferAccess& access) {
  const std::vector<Index> whole = access.memory.allocated.value_or(*access.memory.shape);
  const std::size_t rank = std::min(whole.size(), static_cast<std::size_t>(access.memory.attribute.rank));
  return fmt::format(
      "{} {} {}", name, access.element_bits,
      fmt::join(std::vector<Index>(whole.end() - static_cast<std::ptrdiff_t>(rank), whole.end()), "x"));
}

void BufferCures::add(const std::string& name, const BufferAccess& access) {
  buffers_[key_of(name, access)].accesses.push_back(access);
}

std::optional<LocalAccess> BufferCures::with(const BufferAccess& access,
                                             const TritonAttribute& memory) const {
  TritonLayout tried = access.memory;
  tried.form = TritonForm::shape;
  tried.allocated.reset();
  tried.attribute = memory;
  auto found = local_access(access.registers, tried, access.element_bits, access.writes, target_);
  if (!found || (!found->matrix && !found->counted)) return std::nullopt;
  return *std::move(found);
}

void BufferCures::search(Buffer& buffer) const {
  buffer.searched = true;
  Index ideal = 0;
  for (const BufferAccess& access : buffer.accesses) {
    if (!access.now.matrix && !access.now.counted) return;  // nothing to compare with
    buffer.now += cost_of(access.now);
    ideal += ideal_of(access.now);
  }
  if (buffer.now == ideal) return;
  const BufferAccess& first = buffer.accesses.front();
  const TritonAttribute& memory = first.memory.attribute;
  TritonAttribute tried{.kind = TritonKind::swizzled_shared, .rank = memory.rank, .blocks = memory.blocks};
  if (memory.kind == TritonKind::swizzled_shared || memory.kind == TritonKind::amd_rotating_shared) {
    tried.order = memory.order;
  } else {
    for (Index d = memory.rank; d-- > 0;) tried.order.push_back(d);
  }
  Index least = buffer.now;
  const Index widest = std::max<Index>(1, 128 / std::max<Index>(8, first.element_bits));
  for (Index vec = widest; vec >= 1; vec /= 2) {
    for (Index per_phase = 1; per_phase <= 8; per_phase *= 2) {
      for (Index max_phase = 2; max_phase <= 32; max_phase *= 2) {
        tried.vec = vec;
        tried.per_phase = per_phase;
        tried.max_phase = max_phase;
        Index cost = 0;
        for (const BufferAccess& access : buffer.accesses) {
          const auto found = with(access, tried);
          cost = found ? cost + cost_of(*found) : least;
          if (cost >= least) break;
        }
        if (cost >= least) continue;
        least = cost;
        buffer.best = tried;
        buffer.then = cost;
        if (cost == ideal) return;
      }
    }
  }
}

std::optional<TtgirCure> BufferCures::cure(const std::string& name, const BufferAccess& access) {
  if ((!access.now.matrix && !access.now.counted) || cost_of(access.now) == ideal_of(access.now))
    return std::nullopt;
  Buffer& buffer = buffers_[key_of(name, access)];
  if (!buffer.searched) search(buffer);
  if (!buffer.best) return std::nullopt;
  const auto own = with(access, *buffer.best);
  if (!own) return std::nullopt;
  return TtgirCure{*buffer.best, cost_of(*own), std::ssize(buffer.accesses), buffer.now, buffer.then};
}

}  // namespace tessera::ttgir
