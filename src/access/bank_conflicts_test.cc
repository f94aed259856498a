// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tessera/access/memory_target.h"

namespace tessera {
namespace {

MemoryTarget named(std::string_view name) { return *MemoryTarget::parse(name); }

// Counts according to the definition, byte by byte.
Index wavefronts_by_bytes(const LaneAddresses& lanes, const PhaseRule& rule, int word) {
  Index out = 0;
  for (const std::uint64_t phase : rule.phases) {
    std::map<Index, std::set<Index>> words_of_bank;
    for (std::size_t l = 0; l < lanes.bytes.size(); ++l) {
      if ((phase & lanes.active) >> l & 1)
        for (int b = 0; b < lanes.width; ++b) {
          const Index w = floor_div(lanes.bytes[l] + b, word);
          words_of_bank[mod(w, rule.banks)].insert(w);
        }
    }
    std::size_t ways = 0;
    for (const auto& [bank, words] : words_of_bank) ways = std::max(ways, words.size());
    out += static_cast<Index>(ways);
  }
  return out;
}

TEST(BankConflicts, RandomInstructionsCountAsByteByByte) {
  const std::uint64_t seed = 77;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 3000; ++round) {
    const char* const names[] = {"nvidia", "nvidia-7x", "cdna3",      "cdna4",
                                 "rdna3",  "rdna4",     "banks:12x4", "banks:8x8@16/4"};
    const MemoryTarget target = named(names[random() % 8]);
    const AccessKind kind = random() % 2 == 0 ? AccessKind::read : AccessKind::write;
    const int width = 1 << random() % 5;
    std::vector<Index> bytes;
    for (int l = 0; l < target.lanes(); ++l)
      bytes.push_back(static_cast<Index>(random() % 300) * (random() % 8 == 0 ? 1 : width) - 200);
    const LaneAddresses lanes{.bytes = bytes, .active = random() | random(), .width = width};
    const PhaseRule rule = target.rule(kind, width);
    const BankReport report = count_banks(lanes, kind, target);
    const Index expected = wavefronts_by_bytes(lanes, rule, target.word());
    ASSERT_EQ(report.wavefronts, expected);
    ASSERT_EQ(count_wavefronts(lanes, rule, target.word()), expected);
    ASSERT_LE(report.wavefronts_at_least, expected);
    ASSERT_EQ(report.conflict.has_value(), report.ways > 1);
    if (report.conflict) {
      ASSERT_EQ(std::ssize(report.conflict->words), report.ways);
    }
  }
}

TEST(BankConflicts, BitsGiveTheWaysOfEveryPhase) {
  const std::uint64_t seed = 4711;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  int linear = 0;
  for (int round = 0; round < 3000; ++round) {
    const char* const names[] = {"nvidia", "cdna3", "cdna4", "rdna3"};
    const MemoryTarget target = named(names[random() % 4]);
    const int width = 1 << random() % 5;
    Index images[6];
    for (Index& image : images) image = static_cast<Index>(random() % 64) * width;
    std::vector<Index> bytes;
    for (int l = 0; l < target.lanes(); ++l) {
      Index at = 0;
      for (int k = 0; k < 6; ++k)
        if ((l >> k & 1) != 0) at ^= images[k];
      bytes.push_back(at);
    }
    const LaneAddresses lanes{.bytes = bytes, .width = width};
    const BankBitsAnswer answer = bank_bits(lanes, AccessKind::read, target);
    ASSERT_TRUE(answer.bits) << answer.no_bits;
    const BankReport report = count_banks(lanes, AccessKind::read, target);
    for (const BankPhase& phase : report.phases) {
      ASSERT_EQ(phase.ways, 1 << (answer.bits->dim - answer.bits->rank));
      ASSERT_EQ(phase.banks, 1 << answer.bits->rank);
    }
    ++linear;
  }
  EXPECT_EQ(linear, 3000);
}

TEST(BankConflicts, BankBitsAreThoseOfTheKindAndTheWord) {
  std::vector<Index> bytes(64);
  for (std::size_t lane = 0; lane < bytes.size(); ++lane) bytes[lane] = static_cast<Index>(lane) * 4;
  const LaneAddresses lanes{.bytes = bytes};
  const auto mask_of = [&](const char* target, AccessKind kind) {
    const BankBitsAnswer answer = bank_bits(lanes, kind, named(target));
    return answer.bits ? answer.bits->bank_mask : 0;
  };
  EXPECT_EQ(mask_of("cdna3", AccessKind::read), 0x7cu);   // 32 banks of 4 bytes
  EXPECT_EQ(mask_of("cdna4", AccessKind::read), 0xfcu);   // 64
  EXPECT_EQ(mask_of("cdna4", AccessKind::write), 0x7cu);  // 32
  EXPECT_EQ(mask_of("banks:16x8@64", AccessKind::read), 0x78u);
}

TEST(BankConflicts, SaysWhyThereAreNoBits) {
  std::vector<Index> bytes(32, 0);
  bytes[3] = 5;
  EXPECT_EQ(bank_bits({.bytes = bytes}, AccessKind::read, {}).no_bits,
            "the address of lane 3 is not aligned");
  bytes[3] = 8;
  EXPECT_EQ(bank_bits({.bytes = bytes}, AccessKind::read, {}).no_bits,
            "the address of lane 3 is not the XOR of the addresses of its bits");
  EXPECT_EQ(bank_bits({.bytes = bytes, .active = 1}, AccessKind::read, {}).no_bits,
            "not all lanes take part");
}

TEST(MemoryTarget, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(MemoryTarget::parse("nvidea").error().code, Code::unknown_name);
  EXPECT_EQ(MemoryTarget::parse("banks:32").error().code, Code::bad_option);
  EXPECT_EQ(MemoryTarget::parse("banks:0x4").error().code, Code::bad_option);
  EXPECT_EQ(MemoryTarget::parse("banks:32x4@65").error().code, Code::bad_option);
  EXPECT_EQ(named("banks:32x4@64/16").rule(AccessKind::read, 4).phases.size(), 4u);
}

}  // namespace
}  // namespace tessera
