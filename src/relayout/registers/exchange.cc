// SPDX-License-Identifier: Apache-2.0
// The plan is a pair of vectors, 2^a elements for the write and 2^b for the read. Each pair is reached
// without a bank conflict: two words of a phase share a bank only if their difference is in the span of the
// low bits and the line bits of the memory, and the line bits are chosen outside what the phases of both
// sides span.
#include "relayout/registers/exchange.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::moving {
namespace {

using detail::BitSpace;

struct Side {
  const FlatBases& of;
  int bits() const { return static_cast<int>(of.registers().size()); }
  ExchangeSide cost(int vector, Index bytes) const {
    ExchangeSide out;
    const Index one = Index{1} << vector;
    out.vector = one;
    out.instructions = of.warps() << (bits() - vector);
    out.wavefronts = out.instructions * std::max<Index>(1, one * bytes / 4);
    out.floor = of.warps() * std::max<Index>(1, (bytes << bits()) / 4);
    return out;
  }
};

struct Vectors {
  int write = 0;
  int read = 0;
};

Vectors best_vectors(const Side& write, const Side& read, Index bytes) {
  const int common = write.of.span(1).meet(read.of.span(1)).dim();
  const int most = std::min(common, triton::log2_of(std::max<Index>(1, 16 / bytes)));
  std::vector<Vectors> plans = {{most, most}};
  if ((bytes << most) < 4) {
    const int word = triton::log2_of(4 / bytes);
    plans.push_back({std::min(word, write.bits()), most});
    plans.push_back({most, std::min(word, read.bits())});
  }
  const auto key = [&](const Vectors& plan) {
    const ExchangeSide w = write.cost(plan.write, bytes);
    const ExchangeSide r = read.cost(plan.read, bytes);
    return std::pair(w.wavefronts + r.wavefronts, w.instructions + r.instructions);
  };
  return *std::ranges::min_element(plans, {}, key);
}

// Vectors of an independent list, and their span.
struct Grown {
  std::vector<std::uint64_t> list = {};
  BitSpace span = {};
  bool add(std::uint64_t v) {
    if (!span.add(v)) return false;
    list.push_back(v);
    return true;
  }
  void fill(std::span<const std::uint64_t> from, std::size_t size) {
    for (const std::uint64_t v : from) {
      if (list.size() < size) add(v);
    }
  }
};

std::vector<std::uint64_t> units(int bits) {
  std::vector<std::uint64_t> out;
  for (int k = 0; k < bits; ++k) out.push_back(std::uint64_t{1} << k);
  return out;
}

// The span of the addresses of one phase, filled up to the 128 bytes of a line.
BitSpace phase_span(const Grown& low, const FlatBases& side, Index vector_bytes, int line, int all) {
  const std::size_t lanes = vector_bytes >= 16 ? 3 : vector_bytes == 8 ? 4 : 5;
  BitSpace out = low.span;
  for (std::size_t i = 0; i < std::min(lanes, side.lanes().size()); ++i) {
    if (out.dim() < line) out.add(side.lanes()[i]);
  }
  for (const std::uint64_t unit : units(all)) {
    if (out.dim() < line) out.add(unit);
  }
  return out;
}

// The first unit vector that is not in the space, from number `from` on. The space only grows, so the units
// before it stay inside.
std::uint64_t outside(const BitSpace& space, int bits, int& from) {
  for (; from < bits; ++from) {
    const std::uint64_t unit = std::uint64_t{1} << from;
    if (!space.contains(unit)) return unit;
  }
  return 0;
}

std::vector<std::uint64_t> memory_of(const FlatBases& from, const FlatBases& to, Vectors vectors, Index bytes,
                                     const std::vector<std::uint64_t>& elements) {
  const int all = static_cast<int>(elements.size());
  const int line = triton::log2_of(std::max<Index>(1, 128 / bytes));
  const auto word = static_cast<std::size_t>(triton::log2_of(std::max<Index>(1, 4 / bytes)));
  const auto less = static_cast<std::size_t>(std::min(vectors.write, vectors.read));
  const auto more = static_cast<std::size_t>(std::max(vectors.write, vectors.read));
  Grown low;
  const BitSpace common = from.span(1).meet(to.span(1));
  // Bases of registers first, so that a vector is made of whole registers.
  for (const std::uint64_t v : from.registers()) {
    if (low.list.size() < less && std::ranges::find(to.registers(), v) != to.registers().end()) low.add(v);
  }
  low.fill(common.basis(), less);
  low.fill(vectors.write > vectors.read ? from.registers() : to.registers(), more);
  low.fill(elements, std::max(word, more));
  BitSpace write = phase_span(low, from, bytes << vectors.write, std::min(line, all), all);
  BitSpace read = phase_span(low, to, bytes << vectors.read, std::min(line, all), all);
  Grown lines;
  int first_write = 0;
  int first_read = 0;
  while (static_cast<int>(lines.list.size()) < all - line) {
    const std::uint64_t x = outside(write, all, first_write);
    const std::uint64_t y = outside(read, all, first_read);
    std::uint64_t chosen = x ^ y;
    if (!read.contains(x))
      chosen = x;
    else if (!write.contains(y))
      chosen = y;
    lines.list.push_back(chosen);
    write.add(chosen);
    read.add(chosen);
  }
  Grown whole = low;
  for (const std::uint64_t v : lines.list) whole.span.add(v);
  whole.fill(elements, elements.size() - lines.list.size());
  whole.list.insert(whole.list.end(), lines.list.begin(), lines.list.end());
  return whole.list;
}

// How a side moves 16 bytes: `vector` all from its registers; `row` a register word, then lanes 0 and 1;
// `trans` lanes 2, 3 and 4. A position is a basis of a lane, or 0 for any of the registers.
std::optional<std::vector<std::uint64_t>> positions(std::string_view mode, const FlatBases& side,
                                                    Index bytes) {
  const auto count = static_cast<std::size_t>(triton::log2_of(std::max<Index>(1, 16 / bytes)));
  std::vector<std::uint64_t> out(count, 0);
  if (mode == "vector") return out;
  const std::vector<std::uint64_t>& lanes = side.lanes();
  if (lanes.size() < 5 || bytes > 4 || (mode == "trans" && (bytes != 2 || side.registers().empty())))
    return std::nullopt;
  const std::size_t first = mode == "row" ? 0 : 2;
  for (std::size_t p = mode == "row" ? count - 2 : 0, lane = first; p < count; ++p, ++lane) {
    if (lanes[lane] == 0) return std::nullopt;
    out[p] = lanes[lane];
  }
  return out;
}

bool same_bytes(const std::vector<std::uint64_t>& write, const std::vector<std::uint64_t>& read,
                const FlatBases& from, const FlatBases& to) {
  const BitSpace sources = from.span(1);
  const BitSpace targets = to.span(1);
  BitSpace used;
  int free = 0;
  for (std::size_t p = 0; p < write.size(); ++p) {
    if (write[p] == 0 && read[p] == 0) {
      ++free;
      continue;
    }
    if (write[p] != 0 && read[p] != 0 && write[p] != read[p]) return false;
    if (write[p] == 0 && !sources.contains(read[p])) return false;
    if (read[p] == 0 && !targets.contains(write[p])) return false;
    if (!used.add(write[p] != 0 ? write[p] : read[p])) return false;
  }
  // Common registers for the rest, independent of what is used.
  const int before = used.dim();
  used.add(sources.meet(targets));
  return used.dim() - before >= free;
}

}  // namespace

Exchange exchange_of(const FlatBases& from, const FlatBases& to, std::span<const Index> shape,
                     Index element_bits, Index compute_capability) {
  const Index bytes = std::max<Index>(1, element_bits / 8);
  const Side write{from};
  const Side read{to};
  const Vectors vectors = best_vectors(write, read, bytes);
  Exchange out;
  out.bytes = bytes << from.element_bits;
  out.write = write.cost(vectors.write, bytes);
  out.read = read.cost(vectors.read, bytes);
  const std::vector<std::uint64_t> elements = units(from.element_bits);
  for (const std::uint64_t v : memory_of(from, to, vectors, bytes, elements))
    out.memory.push_back(triton::unflat(static_cast<Index>(v), shape));
  if (out.write.wavefronts == out.write.floor && out.read.wavefronts == out.read.floor) return out;
  constexpr Index kLoads = 75;
  constexpr Index kStores = 90;
  for (const std::string_view w : {"vector", "row", "trans"}) {
    for (const std::string_view r : {"vector", "row", "trans"}) {
      if ((w == "vector" && r == "vector") || out.matrix) continue;
      if ((w != "vector" && compute_capability < kStores) || (r != "vector" && compute_capability < kLoads))
        continue;
      const auto a = positions(w, from, bytes);
      const auto b = positions(r, to, bytes);
      if (a && b && same_bytes(*a, *b, from, to)) out.matrix = std::pair(w, r);
    }
  }
  return out;
}

}  // namespace tessera::moving
