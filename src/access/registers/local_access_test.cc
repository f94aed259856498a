// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "access/registers/register_vector.h"
#include "access/registers/thread_values.h"
#include "tessera/access/access.h"
#include "tessera/access/register_access.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

// One instruction speaks for all: the wavefronts of an access are those of all its instructions, one by one.
TEST(LocalAccess, CountsWhatAllInstructionsCost) {
  std::mt19937 random(20261129);
  const auto power = [&](int most) { return Index{1} << random() % static_cast<unsigned>(most + 1); };
  int conflicts = 0;
  for (int round = 0; round < 300; ++round) {
    const Index lanes_0 = power(5);
    const Index warps_0 = power(2);
    const bool rows = random() % 2 == 0;
    const std::string registers = fmt::format(
        "#ttg.blocked<{{sizePerThread = [{}, {}], threadsPerWarp = [{}, {}], warpsPerCTA = [{}, {}], order = "
        "[{}]}}>",
        power(2), power(3), lanes_0, 32 / lanes_0, warps_0, 4 / warps_0, rows ? "1, 0" : "0, 1");
    const std::string memory =
        fmt::format("#ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = [{}]}}>",
                    power(3), power(2), power(4), random() % 2 == 0 ? "1, 0" : "0, 1");
    const std::string shape = fmt::format("{}x{}:", 8 * power(3), 8 * power(3));
    SCOPED_TRACE(shape + registers + " " + memory);
    const Index bits = 8 * power(2);
    const bool writes = random() % 2 == 0;
    const auto threads = parse_triton_layout(shape + registers);
    const auto place = parse_triton_layout(shape + memory);
    ASSERT_TRUE(threads && place);
    const auto bases = triton_bases(*threads);
    ASSERT_TRUE(bases);
    const auto found = local_access(*bases, *place, bits, writes, "cuda:60");
    ASSERT_TRUE(found && found->counted);

    const auto values = access::thread_values(*bases);
    const auto map = triton_bases(*place);
    ASSERT_TRUE(values && map);
    const auto images = access::offset_images(*values, *map);
    ASSERT_TRUE(images);
    const auto chosen = access::vector_registers(*images, *map, bits / 8);
    auto tv = access::thread_value_layout(*values, chosen);
    const auto layout = Layout::make(*place);
    const auto banks = MemoryTarget::parse("nvidia");
    ASSERT_TRUE(tv && layout && banks);
    const Access access = {.name = "a",
                           .tv = *std::move(tv),
                           .kind = writes ? AccessKind::write : AccessKind::read,
                           .vector = found->vector};
    AccessOptions options;
    options.element_bits = bits;
    options.target = *banks;
    options.global = false;
    const auto all = analyze_accesses(*layout, std::span(&access, 1), options);
    ASSERT_TRUE(all);
    const AccessReport& report = all->each.front();
    ASSERT_TRUE(report.shared && !report.sampled_of);
    EXPECT_EQ(found->instructions, static_cast<Index>(report.instructions));
    EXPECT_EQ(found->wavefronts, report.shared->wavefronts);
    EXPECT_EQ(found->ideal, report.shared->ideal);
    EXPECT_EQ(found->ways, report.shared->ways);
    EXPECT_EQ(found->misaligned, report.misaligned.has_value());
    conflicts += found->wavefronts > found->ideal ? 1 : 0;
  }
  EXPECT_GT(conflicts, 50);
}

}  // namespace
}  // namespace tessera
