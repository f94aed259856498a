// SPDX-License-Identifier: Apache-2.0
#include "files/packed_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tessera::packed_elements_test {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

// Packs `elements` in calls of these lengths, and the rest in a last call.
std::vector<std::byte> packed(const Packing& packing, std::vector<std::byte> elements,
                              std::vector<std::size_t> pieces) {
  Packer packer(packing);
  std::vector<std::byte> out;
  std::size_t at = 0;
  pieces.push_back(elements.size());
  for (const std::size_t piece : pieces) {
    const std::size_t count = std::min(piece, elements.size() - at);
    const auto whole = packer.pack(std::span(elements).subspan(at, count));
    out.insert(out.end(), whole.begin(), whole.end());
    at += count;
  }
  if (const auto last = packer.finish()) out.push_back(*last);
  return out;
}

TEST(PackedElements, LowerElementsAreInLowerBits) {
  EXPECT_EQ(packed({4, false}, bytes({0, 1, 2, 3}), {}), bytes({0x10, 0x32}));
  EXPECT_EQ(packed({4, true}, bytes({0xff, 7, 0xf8}), {}), bytes({0x7f, 0x08}));
  EXPECT_EQ(packed({2, false}, bytes({3, 0, 1, 2, 1}), {}), bytes({0x93, 0x01}));
  EXPECT_EQ(packed({1, false}, bytes({1, 0, 0, 0, 0, 0, 0, 1, 1}), {}), bytes({0x81, 0x01}));
}

TEST(PackedElements, TheLastByteKeepsTheBitsBehindTheLastElement) {
  for (const int bits : {1, 2, 4}) {
    Packer packer({bits, false});
    std::vector<std::byte> one = bytes({1});
    EXPECT_TRUE(packer.pack(one).empty());
    EXPECT_EQ(packer.finish(std::byte{0xa4}), static_cast<std::byte>((0xa4 >> bits << bits) | 1));
    EXPECT_EQ(packer.finish(std::byte{0xa4}), std::nullopt);
  }
}

TEST(PackedElements, SignsAreRepeatedInMemory) {
  std::vector<std::byte> out(3);
  unpack({4, true}, bytes({0x7f, 0x08}), 0, out);
  EXPECT_EQ(out, bytes({0xff, 7, 0xf8}));
  unpack({4, false}, bytes({0x7f, 0x08}), 0, out);
  EXPECT_EQ(out, bytes({0x0f, 7, 8}));
}

TEST(PackedElements, UnpackingUndoesPackingInAnyPieces) {
  const unsigned seed = 7;
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const Packing packing{1 << (round % 3), round % 2 == 0};
    std::vector<std::byte> elements(random() % 70);
    for (std::byte& e : elements) {
      const std::byte value[] = {static_cast<std::byte>(random())};
      unpack(packing, value, 0, std::span(&e, 1));
    }
    std::vector<std::size_t> pieces(random() % 6);
    for (std::size_t& piece : pieces) piece = random() % 12;
    const std::vector<std::byte> out = packed(packing, elements, pieces);
    ASSERT_EQ(std::ssize(out), packing.bytes_of(std::ssize(elements)));
    const std::size_t first = elements.empty() ? 0 : random() % elements.size();
    std::vector<std::byte> back(elements.size() - first);
    unpack(packing, out, static_cast<Index>(first), back);
    ASSERT_EQ(back,
              std::vector<std::byte>(elements.begin() + static_cast<std::ptrdiff_t>(first), elements.end()))
        << "seed " << seed << ", round " << round;
  }
}

TEST(PackedElements, TheFirstElementThatDoesNotFitIsNamed) {
  Packer packer({4, false});
  std::vector<std::byte> fits = bytes({15, 0, 3});
  packer.pack(fits);
  EXPECT_EQ(packer.misfit(), std::nullopt);
  std::vector<std::byte> misfits = bytes({1, 16, 255});
  packer.pack(misfits);
  EXPECT_EQ(packer.misfit(), 4);
  Packer with_sign({4, true});
  std::vector<std::byte> eight = bytes({0xf8, 8});
  with_sign.pack(eight);
  EXPECT_EQ(with_sign.misfit(), 1);
}

}  // namespace
}  // namespace tessera::packed_elements_test
