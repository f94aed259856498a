// SPDX-License-Identifier: Apache-2.0
#include "ttgir/cures.h"

#include <algorithm>
#include <utility>

#include "ttgir/limits.h"

namespace tessera::ttgir {
namespace {

// The dimensions of a memory, the fastest first; nothing if it has no map.
std::optional<std::vector<Index>> fastest_first(const TritonLayout& memory) {
  const auto bases = triton_bases(memory);
  if (!bases) return std::nullopt;
  std::vector<Index> out;
  const auto add = [&](Index d) {
    if (std::ranges::find(out, d) == out.end()) out.push_back(d);
  };
  for (const std::vector<Index>& basis : bases->of("offset")) {
    // A swizzle adds bits of a faster dimension, so the last one that is new leads the order.
    for (Index d = std::ssize(basis); d-- > 0;)
      if (basis[static_cast<std::size_t>(d)] != 0 && std::ranges::count(basis, 0) + 1 == std::ssize(basis))
        add(d);
  }
  for (Index d = memory.attribute.rank; d-- > 0;) add(d);
  return out;
}

bool is_counted(const LocalAccess& access) { return access.matrix || (access.counted && !access.transposes); }

// What no layout of the memory goes below, on an NVIDIA processor: a wavefront moves 128 bytes, 4 for each of
// 32 lanes, and an instruction of vectors of v bytes takes at least v / 4. 0 for others.
Index floor_of(const BufferAccess& access, std::string_view target) {
  if (!target.starts_with("cuda:") || !access.now.counted) return 0;
  const Index bytes = std::max<Index>(8, access.element_bits) / 8;
  return (access.now.instructions * access.now.vector * bytes + 3) / 4;
}

}  // namespace

Index cost_of(const LocalAccess& access) {
  return access.matrix ? access.matrix->wavefronts : access.wavefronts;
}

Index ideal_of(const LocalAccess& access) { return access.matrix ? access.matrix->matrices : access.ideal; }

void BufferCures::add(std::size_t buffer, const std::string& key, BufferAccess access) {
  buffers_[buffer].each.emplace(key, std::move(access));
}

std::optional<LocalAccess> BufferCures::with(const BufferAccess& access,
                                             const TritonAttribute& memory) const {
  auto seen = seen_through(memory, access.order);
  if (!seen) return std::nullopt;
  TritonLayout tried = access.memory;
  tried.attribute = *std::move(seen);
  auto found = local_access(access.registers, tried, access.element_bits, access.writes, target_);
  if (!found || !is_counted(*found)) return std::nullopt;
  return *std::move(found);
}

const BufferCures::Search& BufferCures::search_of(const Accesses& buffer, bool is_filled) {
  std::string id = is_filled ? "filled" : "";
  for (const auto& [key, access] : buffer.each) id += '\n' + key;
  const auto [found, is_new] = searches_.try_emplace(std::move(id));
  if (is_new) search(buffer, is_filled, found->second);
  return found->second;
}

void BufferCures::search(const Accesses& buffer, bool is_filled, Search& out) const {
  Index least = 0;
  for (const auto& [key, access] : buffer.each) {
    if (!is_counted(access.now)) return;  // nothing to compare with
    out.now += cost_of(access.now);
    least += floor_of(access, target_);
  }
  out.then = out.now;
  const BufferAccess& first = buffer.each.begin()->second;
  const TritonAttribute& memory = first.memory.attribute;
  TritonAttribute tried{.kind = TritonKind::swizzled_shared, .rank = memory.rank, .blocks = memory.blocks};
  const auto order = fastest_first(first.memory);
  if (!order) return;
  tried.order = *order;
  if (space_of(memory.kind) != TritonSpace::shared || memory.kind == TritonKind::shared_linear ||
      memory.kind == TritonKind::padded_shared || memory.kind == TritonKind::partitioned_shared)
    tried.blocks.clear();  // theirs have another form
  const auto of_buffer = seen_through(tried, inverse(first.order));
  if (!of_buffer) return;
  tried = *of_buffer;
  out.tried = true;
  constexpr Index kCopied = 4;  // bytes: the least that an asynchronous copy moves at once
  search_order(buffer, tried, is_filled ? kCopied : 1, least, out);
  // A copy moves whole vectors along the fastest dimension.
  if (is_filled || tried.order.size() > kTtgirLimits.ordered_rank) return;
  const std::vector<Index> own = tried.order;
  std::ranges::sort(tried.order);
  do {
    if (out.then == least) return;
    if (tried.order != own) search_order(buffer, tried, 1, least, out);
  } while (std::ranges::next_permutation(tried.order).found);
}

// The swizzles of one order that take fewer wavefronts than the best so far.
void BufferCures::search_order(const Accesses& buffer, TritonAttribute tried, Index least_bytes, Index least,
                               Search& out) const {
  const Index bytes = std::max<Index>(8, buffer.each.begin()->second.element_bits) / 8;
  for (Index vec = std::max<Index>(1, 16 / bytes); vec >= 1 && vec * bytes >= least_bytes; vec /= 2) {
    for (Index per_phase = 1; per_phase <= 8; per_phase *= 2) {
      // The order alone is one more candidate, the same for all vectors and phases.
      for (Index max_phase = vec == 1 && per_phase == 1 ? 1 : 2; max_phase <= 32; max_phase *= 2) {
        tried.vec = vec;
        tried.per_phase = per_phase;
        tried.max_phase = max_phase;
        Index cost = 0;
        for (const auto& [key, access] : buffer.each) {
          const auto found = with(access, tried);
          cost = found ? cost + cost_of(*found) : out.then;
          if (cost >= out.then) break;
        }
        if (cost >= out.then) continue;
        out.best = tried;
        out.then = cost;
        if (cost == least) return;
      }
    }
  }
}

bool BufferCures::tried(std::size_t buffer) const {
  const auto found = buffers_.find(buffer);
  return found != buffers_.end() && found->second.search != nullptr && found->second.search->tried;
}

std::optional<TtgirCure> BufferCures::cure(std::size_t buffer, const BufferAccess& access, bool is_filled) {
  if (!is_counted(access.now) || cost_of(access.now) == ideal_of(access.now)) return std::nullopt;
  Accesses& all = buffers_[buffer];
  if (all.search == nullptr) all.search = &search_of(all, is_filled);
  if (!all.search->best) return std::nullopt;
  const auto own = with(access, *all.search->best);
  if (!own) return std::nullopt;
  return TtgirCure{.memory = *all.search->best,
                   .wavefronts = cost_of(*own),
                   .accesses = std::ssize(all.each),
                   .now = all.search->now,
                   .then = all.search->then};
}

}  // namespace tessera::ttgir
