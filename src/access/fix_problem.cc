// SPDX-License-Identifier: Apache-2.0
#include "access/fix_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "tessera/access/bank_conflicts.h"

namespace tessera::detail {
namespace {

int log2_of(Index n) { return std::countr_zero(static_cast<std::uint64_t>(n)); }

// The differences between the words of a phase as a linear space, if all instructions of the access share it.
std::optional<LinearAccess> linear_access(const CountedAccess& access, const FixProblem& problem) {
  LinearAccess out;
  if (access.instructions.empty() || !is_power_of_two(problem.element_bytes)) return std::nullopt;
  const Index phases = std::ssize(access.rule.phases);
  Index served_phases = 0;
  for (std::size_t k = 0; k < access.instructions.size(); ++k) {
    const AccessInstruction& one = access.instructions[k];
    std::vector<Index> bytes;
    for (const Index i : one.indices)
      bytes.push_back(problem.offsets[static_cast<std::size_t>(i)] * problem.element_bytes +
                      access.access->base);
    const BankBitsAnswer answer = bank_bits({.bytes = bytes, .active = one.active, .width = access.width},
                                            access.access->kind, problem.target);
    if (!answer.bits) return std::nullopt;
    BitMap difference;
    for (std::size_t b = 0; b < answer.bits->lane_bytes.size(); ++b)
      difference.image[b] = static_cast<std::uint64_t>(answer.bits->lane_bytes[b]);
    BitSpace served;
    const auto lanes = static_cast<unsigned>(one.indices.size());
    for (const unsigned mask : access.rule.lane_masks)
      if (mask < lanes) served.add(difference(mask));
    if (k > 0 && !(served == out.served)) return std::nullopt;
    out.served = served;
    served_phases = 0;
    for (const std::uint64_t phase : access.rule.phases) served_phases += (phase & one.active) != 0;
  }
  (void)phases;
  out.vector_bits = static_cast<std::uint64_t>(std::max<Index>(access.width, problem.target.word())) - 1;
  out.bank_bits = log2_of(access.rule.banks * problem.target.word());
  out.cost = access.access->weight * std::ssize(access.instructions) * served_phases;
  return out;
}

Index count_access(const CountedAccess& access, const FixProblem& problem, std::span<const Index> offsets) {
  std::array<Index, 64> bytes;
  Index sum = 0;
  for (const AccessInstruction& one : access.instructions) {
    for (std::size_t l = 0; l < one.indices.size(); ++l)
      bytes[l] =
          offsets[static_cast<std::size_t>(one.indices[l])] * problem.element_bytes + access.access->base;
    sum += count_wavefronts(
        {.bytes = std::span(bytes).first(one.indices.size()), .active = one.active, .width = access.width},
        access.rule, problem.target.word());
  }
  return sum * access.access->weight;
}

}  // namespace

Index FixProblem::widest_vector() const {
  Index out = 1;
  for (const CountedAccess& a : accesses) out = std::max(out, a.access->vector);
  return out;
}

Index FixProblem::block_bytes() const {
  Index out = target.word();
  for (const CountedAccess& a : accesses) out = std::max<Index>(out, a.width);
  return out;
}

bool FixProblem::is_linear() const {
  return std::all_of(accesses.begin(), accesses.end(),
                     [](const CountedAccess& a) { return a.linear.has_value(); });
}

Result<FixProblem> FixProblem::make(std::vector<Index> offsets, Index element_bytes,
                                    const MemoryTarget& target, std::span<const Access> accesses) {
  FixProblem out{.offsets = std::move(offsets), .element_bytes = element_bytes, .target = target};
  for (const Index offset : out.offsets) out.cosize = std::max(out.cosize, offset + 1);
  for (const Access& access : accesses) {
    CountedAccess counted{.access = &access, .width = static_cast<int>(access.vector * element_bytes)};
    Result<std::vector<AccessInstruction>> instructions =
        access_instructions(access, out.offsets, element_bytes, target);
    if (!instructions) return fail(instructions.error());
    counted.instructions = std::move(*instructions);
    counted.rule = target.rule(access.kind, counted.width);
    for (const AccessInstruction& one : counted.instructions) {
      for (std::size_t l = 0; l < one.indices.size(); ++l) {
        const Index at = out.offsets[static_cast<std::size_t>(one.indices[l])] * element_bytes + access.base;
        if ((one.active >> l & 1) != 0 && mod(at, counted.width) != 0) {
          return fail(Code::not_applicable,
                      fmt::format("{}: lane {} touches byte {}, which is not a multiple of {}", access.name,
                                  l, at, counted.width),
                      {}, "use a narrower vector");
        }
      }
    }
    out.accesses.push_back(std::move(counted));
  }
  for (CountedAccess& access : out.accesses) access.linear = linear_access(access, out);
  return out;
}

std::vector<Index> count_at(const FixProblem& problem, std::span<const Index> offsets) {
  std::vector<Index> out;
  for (const CountedAccess& access : problem.accesses) out.push_back(count_access(access, problem, offsets));
  return out;
}

std::vector<Index> count_moved(const FixProblem& problem, const std::function<Index(Index)>& move) {
  std::vector<Index> offsets = problem.offsets;
  for (Index& offset : offsets) offset = move(offset);
  return count_at(problem, offsets);
}

std::vector<Index> count_linear(const FixProblem& problem, const BitMap& map) {
  std::vector<Index> out;
  std::vector<Index> moved;  // only if some access is not linear
  const int shift = log2_of(problem.element_bytes);
  const int word_bits = log2_of(problem.target.word());
  for (const CountedAccess& access : problem.accesses) {
    if (!access.linear) {
      if (moved.empty()) {
        moved = problem.offsets;
        for (Index& offset : moved) offset = static_cast<Index>(map(static_cast<std::uint64_t>(offset)));
      }
      out.push_back(count_access(access, problem, moved));
      continue;
    }
    const LinearAccess& linear = *access.linear;
    BitSpace words;
    for (const std::uint64_t v : linear.served.basis()) {
      const std::uint64_t low = v & ((std::uint64_t{1} << shift) - 1);
      words.add((map(v >> shift) << shift | low) >> word_bits);
    }
    words.add(BitSpace::of_bits(linear.vector_bits >> word_bits));
    BitSpace banks;
    const auto mask = static_cast<std::uint64_t>(access.rule.banks) - 1;
    for (const std::uint64_t v : words.basis()) banks.add(v & mask);
    out.push_back(linear.cost << (words.dim() - banks.dim()));
  }
  return out;
}

Index total(std::span<const Index> wavefronts) {
  return std::accumulate(wavefronts.begin(), wavefronts.end(), Index{0});
}

namespace {

// The bound for a list of instructions if `block` words stay together.
Index floor_of(std::span<const AccessInstruction> instructions, std::span<const Index> offsets,
               Index element_bytes, Index base, int width, const PhaseRule& rule, Index word, Index block) {
  const Index banks_of_class = std::max<Index>(1, rule.banks / block);
  Index sum = 0;
  for (const AccessInstruction& one : instructions) {
    for (const std::uint64_t phase : rule.phases) {
      std::vector<Index> words;
      for (std::uint64_t rest = phase & one.active; rest != 0; rest &= rest - 1) {
        const Index i = one.indices[static_cast<std::size_t>(std::countr_zero(rest))];
        const Index at = offsets[static_cast<std::size_t>(i)] * element_bytes + base;
        for (Index w = floor_div(at, word); w <= floor_div(at + width - 1, word); ++w) words.push_back(w);
      }
      if (words.empty()) continue;
      std::sort(words.begin(), words.end());
      words.erase(std::unique(words.begin(), words.end()), words.end());
      std::vector<Index> in_class(static_cast<std::size_t>(block), 0);
      for (const Index w : words) ++in_class[static_cast<std::size_t>(mod(w, block))];
      sum += ceil_div(*std::max_element(in_class.begin(), in_class.end()), banks_of_class);
    }
  }
  return sum;
}

}  // namespace

std::vector<Index> wavefront_floor(const FixProblem& problem) {
  std::vector<Index> out;
  const Index word = problem.target.word();
  for (const CountedAccess& access : problem.accesses) {
    out.push_back(access.access->weight * floor_of(access.instructions, problem.offsets,
                                                   problem.element_bytes, access.access->base, access.width,
                                                   access.rule, word, problem.block_bytes() / word));
  }
  return out;
}

Index access_floor(std::span<const AccessInstruction> instructions, const Access& access,
                   std::span<const Index> offsets, Index element_bytes, const MemoryTarget& target) {
  const int width = static_cast<int>(access.vector * element_bytes);
  return floor_of(instructions, offsets, element_bytes, access.base, width, target.rule(access.kind, width),
                  target.word(), std::max<Index>(1, width / target.word()));
}

}  // namespace tessera::detail
