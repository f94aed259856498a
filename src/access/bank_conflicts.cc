// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "algebra/bit_space.h"
#include "tessera/access/memory_target.h"

namespace tessera {
namespace {

using detail::is_power_of_two;

// A word that a lane touches.
struct Touch {
  Index bank;
  Index word;
  int lane;
};

std::uint64_t present(const LaneAddresses& lanes) {
  const std::size_t count = std::min<std::size_t>(lanes.bytes.size(), 64);
  return lanes.active & (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
}

// All words that the lanes of `mask` touch, sorted by bank, then by word, then by lane.
std::vector<Touch> touches(const LaneAddresses& lanes, std::uint64_t mask, int banks, int word) {
  std::vector<Touch> out;
  for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Index first = lanes.bytes[static_cast<std::size_t>(lane)];
    for (Index w = floor_div(first, word); w <= floor_div(first + lanes.width - 1, word); ++w)
      out.push_back({mod(w, banks), w, lane});
  }
  std::sort(out.begin(), out.end(), [](const Touch& a, const Touch& b) {
    return a.bank != b.bank ? a.bank < b.bank : a.word != b.word ? a.word < b.word : a.lane < b.lane;
  });
  return out;
}

BankPhase measure(const std::vector<Touch>& touches, std::uint64_t lanes, int number = 0) {
  BankPhase out{.number = number, .lanes = lanes};
  int ways = 0;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const bool new_bank = i == 0 || touches[i].bank != touches[i - 1].bank;
    if (!new_bank && touches[i].word == touches[i - 1].word) continue;
    if (new_bank) {
      ++out.banks;
      ways = 0;
    }
    ++out.words;
    out.ways = std::max(out.ways, ++ways);
  }
  return out;
}

BankConflict conflict_of(const std::vector<Touch>& touches, int ways, int phase) {
  for (std::size_t begin = 0; begin < touches.size();) {
    BankConflict out{.phase = phase, .bank = touches[begin].bank};
    std::size_t end = begin;
    for (; end < touches.size() && touches[end].bank == out.bank; ++end) {
      if (out.words.empty() || out.words.back().first != touches[end].word)
        out.words.push_back({touches[end].word, 0});
      out.words.back().second |= std::uint64_t{1} << touches[end].lane;
    }
    if (std::ssize(out.words) == ways) return out;
    begin = end;
  }
  return {};
}

// True if the active lanes n and n xor `mask` always have equal addresses.
bool pairs_are_equal(const LaneAddresses& lanes, std::uint64_t active, unsigned mask) {
  for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned other = lane ^ mask;
    if (other < 64 && (active >> other & 1) != 0 && lanes.bytes[lane] != lanes.bytes[other]) return false;
  }
  return true;
}

}  // namespace

BankReport count_banks(const LaneAddresses& lanes, AccessKind kind, const MemoryTarget& target) {
  const PhaseRule rule = target.rule(kind, lanes.width);
  const std::uint64_t active = present(lanes);
  BankReport out;
  BankPhase worst;
  for (std::size_t i = 0; i < rule.phases.size(); ++i) {
    const std::uint64_t here = rule.phases[i] & active;
    if (here == 0) continue;
    const BankPhase phase =
        measure(touches(lanes, here, rule.banks, target.word()), here, static_cast<int>(i));
    if (phase.ways > worst.ways) worst = phase;
    out.wavefronts += phase.ways;
    ++out.ideal;
    out.phases.push_back(phase);
  }
  out.ways = worst.ways;
  if (out.ways > 1)
    out.conflict =
        conflict_of(touches(lanes, worst.lanes, rule.banks, target.word()), out.ways, worst.number);
  for (std::uint64_t rest = active; rest != 0 && !out.misaligned; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (mod(lanes.bytes[static_cast<std::size_t>(lane)], lanes.width) != 0) out.misaligned = lane;
  }
  out.wavefronts_at_least = out.wavefronts;
  if (target.may_pair_requests() && kind == AccessKind::read && lanes.width >= 8 &&
      (pairs_are_equal(lanes, active, 1) || pairs_are_equal(lanes, active, 2))) {
    out.wavefronts_at_least = 0;
    for (std::size_t i = 0; i < rule.phases.size(); i += 2) {
      const std::uint64_t next = i + 1 < rule.phases.size() ? rule.phases[i + 1] : 0;
      const std::uint64_t here = (rule.phases[i] | next) & active;
      if (here != 0)
        out.wavefronts_at_least += measure(touches(lanes, here, rule.banks, target.word()), here).ways;
    }
  }
  return out;
}

Index count_wavefronts(const LaneAddresses& lanes, const PhaseRule& rule, int word) {
  const std::uint64_t active = present(lanes);
  Index out = 0;
  std::array<Index, 64 * 17> words;
  for (const std::uint64_t phase : rule.phases) {
    std::size_t count = 0;
    for (std::uint64_t rest = phase & active; rest != 0; rest &= rest - 1) {
      const Index first = lanes.bytes[static_cast<std::size_t>(std::countr_zero(rest))];
      for (Index w = floor_div(first, word); w <= floor_div(first + lanes.width - 1, word); ++w)
        words[count++] = w;
    }
    if (count == 0) continue;
    std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    const auto end = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    count = static_cast<std::size_t>(end - words.begin());
    for (std::size_t i = 0; i < count; ++i) words[i] = mod(words[i], rule.banks);
    std::sort(words.begin(), end);
    Index ways = 0;
    Index run = 0;
    for (std::size_t i = 0; i < count; ++i) {
      run = i > 0 && words[i] == words[i - 1] ? run + 1 : 1;
      ways = std::max(ways, run);
    }
    out += ways;
  }
  return out;
}

BankBitsAnswer bank_bits(const LaneAddresses& lanes, AccessKind kind, const MemoryTarget& target) {
  const auto none = [](std::string why) { return BankBitsAnswer{.bits = {}, .no_bits = std::move(why)}; };
  const PhaseRule rule = target.rule(kind, lanes.width);
  const Index word = target.word();
  // In a matrix instruction, only the listed lanes supply an address.
  const Index count = is_matrix(kind) ? std::ssize(lanes.bytes) : target.lanes();
  if (!is_power_of_two(count) || !rule.has_lane_masks)
    return none("the number of lanes is not a power of two");
  if (!is_power_of_two(rule.banks) || !is_power_of_two(word))
    return none("the number of banks is not a power of two");
  const std::uint64_t all = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  if ((present(lanes) & all) != all) return none("not all lanes take part");
  const Index origin = lanes.bytes[0];
  BankBits out;
  detail::BitMap difference;
  difference.size = std::countr_zero(static_cast<std::uint64_t>(count));
  for (int k = 0; k < difference.size; ++k) {
    const auto d = lanes.bytes[std::size_t{1} << k] ^ origin;
    difference.image[static_cast<std::size_t>(k)] = static_cast<std::uint64_t>(d);
    out.lane_bytes.push_back(d);
  }
  for (Index lane = 0; lane < count; ++lane) {
    const Index at = lanes.bytes[static_cast<std::size_t>(lane)];
    if (at < 0) return none("an address is negative");
    if (at % lanes.width != 0) return none(fmt::format("the address of lane {} is not aligned", lane));
    if ((static_cast<std::uint64_t>(origin) ^ difference(static_cast<std::uint64_t>(lane))) !=
        static_cast<std::uint64_t>(at))
      return none(fmt::format("the address of lane {} is not the XOR of the addresses of its bits", lane));
  }
  detail::BitSpace served;  // XORs of the lane numbers that are served together
  for (const unsigned mask : rule.lane_masks)
    if (mask < count) served.add(mask);
  const int word_bits = std::countr_zero(static_cast<std::uint64_t>(word));
  const auto bank_mask = static_cast<std::uint64_t>(rule.banks) - 1;
  detail::BitSpace words;
  for (const std::uint64_t m : served.basis()) words.add(difference(m) >> word_bits);
  for (Index bit = 1; bit < lanes.width; bit *= 2) words.add(static_cast<std::uint64_t>(bit) >> word_bits);
  detail::BitSpace in_banks;
  for (const std::uint64_t v : words.basis()) in_banks.add(v & bank_mask);
  out.bank_mask = bank_mask << word_bits;
  out.dim = words.dim();
  out.rank = in_banks.dim();
  const auto vector_mask = static_cast<std::uint64_t>(std::max<Index>(lanes.width, word)) - 1;
  detail::BitMap high = difference;
  detail::BitMap low = difference;
  for (int k = 0; k < difference.size; ++k) {
    high.image[static_cast<std::size_t>(k)] &= out.bank_mask & ~vector_mask;
    low.image[static_cast<std::size_t>(k)] >>= word_bits;
  }
  const detail::BitSpace same_bank = detail::kernel(served, high);
  const detail::BitSpace same_word = detail::kernel(served, low);
  for (const std::uint64_t m : same_bank.basis()) out.same_bank.push_back(static_cast<unsigned>(m));
  for (const std::uint64_t m : same_word.basis()) out.same_word.push_back(static_cast<unsigned>(m));
  return {.bits = std::move(out)};
}

}  // namespace tessera
