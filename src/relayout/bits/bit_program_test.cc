// SPDX-License-Identifier: Apache-2.0
#include "relayout/bits/bit_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/index_walk.h"
#include "relayout/bits/bit_run.h"

namespace tessera::moving {
namespace {

using BitRandom = std::mt19937;

Index upto(BitRandom& random, Index most) {
  return static_cast<Index>(random() % static_cast<unsigned>(most + 1));
}

bool bit_at(const std::vector<std::byte>& bytes, Index at) {
  return (std::to_integer<unsigned>(bytes[static_cast<std::size_t>(at / 8)]) >> (at % 8) & 1) != 0;
}
void set_bit(std::vector<std::byte>& bytes, Index at, bool value) {
  std::byte& byte = bytes[static_cast<std::size_t>(at / 8)];
  const auto mask = static_cast<std::byte>(1u << (at % 8));
  byte = value ? byte | mask : byte & ~mask;
}

// Cuts a number into factors, from the lowest digit up.
std::vector<Index> factors_of(BitRandom& random, Index number) {
  std::vector<Index> out;
  while (number > 1) {
    Index f = 2 + upto(random, number - 2);
    while (number % f != 0) f = 2 + upto(random, number - 2);
    out.push_back(f);
    number /= f;
  }
  return out;
}

// A random order of the cells of a box, whose digits may exceed it (padding), with a hole now and then.
struct RandomForm {
  BitForm form;
  Index bits = 0;  // of the buffer
};

RandomForm random_form(BitRandom& random, const std::vector<Index>& shape, int width) {
  // The bits of a value in one or two parts.
  std::vector<std::pair<int, int>> parts = {{0, width}};
  if (width > 1 && upto(random, 2) == 0) {
    const int low = 1 + static_cast<int>(upto(random, width - 2));
    parts = {{0, low}, {low, width - low}};
  }
  RandomForm out;
  for (const auto& [first, count] : parts) {
    struct Piece {
      std::size_t dim;
      Index div, ext;
    };
    std::vector<Piece> pieces;
    std::vector<BitDim> dims(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Index padded = upto(random, 2) == 0 ? shape[d] + upto(random, 5) : shape[d];
      Index div = 1;
      for (const Index f : factors_of(random, padded)) {
        pieces.push_back({d, div, f});
        div *= f;
      }
    }
    std::ranges::shuffle(pieces, random);
    Index stride = count + (upto(random, 3) == 0 ? upto(random, 3) : 0);
    for (const Piece& piece : pieces) {
      dims[piece.dim].digits.push_back({piece.div, piece.ext, stride});
      stride *= piece.ext;
      if (upto(random, 5) == 0) stride += upto(random, 16);
    }
    for (BitDim& dim : dims) {
      std::ranges::sort(dim.digits, {}, &BitDigit::div);
      if (!dim.digits.empty()) dim.digits.back().ext = 0;
    }
    const Index base = out.bits + upto(random, 9);
    out.form.push_back({first, count, base, std::move(dims)});
    out.bits = base + stride;
  }
  return out;
}

std::vector<std::byte> random_bytes(BitRandom& random, Index bits) {
  std::vector<std::byte> out(static_cast<std::size_t>((bits + 7) / 8));
  for (std::byte& byte : out) byte = static_cast<std::byte>(random());
  return out;
}

const BitPart& part_with(const BitForm& form, int bit) {
  return *std::ranges::find_if(form, [bit](const BitPart& p) { return bit < p.first + p.width; });
}

// Law: the programs of a copy set the bits of the elements, as one bit after another says, and no others.
// Returns false if a block would be too large for a program.
bool check_copies_bits(BitRandom& random) {
  std::vector<Index> shape(1 + static_cast<std::size_t>(upto(random, 2)));
  for (Index& extent : shape) extent = 1 + upto(random, shape.size() == 1 ? 200 : 20);
  const int width = 1 + static_cast<int>(upto(random, 8));
  const bool wider = upto(random, 3) == 0;
  const int to_width = wider ? width + static_cast<int>(upto(random, 4)) : width;
  const RandomForm from = random_form(random, shape, width);
  const RandomForm to = random_form(random, shape, to_width);
  const Widening widening = upto(random, 1) == 0 ? Widening::zero : Widening::sign;
  const std::uint64_t flip = upto(random, 2) == 0 ? random() & ((1u << width) - 1) : 0;
  const std::vector<std::byte> source = random_bytes(random, from.bits);
  std::vector<std::byte> expected = random_bytes(random, to.bits);
  std::vector<std::byte> got = expected;
  std::vector<Index> lo(shape.size(), 0);
  std::vector<Index> hi = shape;
  if (upto(random, 2) == 0) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      lo[d] = upto(random, shape[d] - 1);
      hi[d] = lo[d] + 1 + upto(random, shape[d] - lo[d] - 1);
    }
  }
  std::vector<Index> index = lo;
  do {
    for (int bit = 0; bit < to_width; ++bit) {
      const int of = std::min(bit, width - 1);
      const BitPart& a = part_with(from.form, of);
      const BitPart& b = part_with(to.form, bit);
      bool value = bit_at(source, a.at(index) + of - a.first) != ((flip >> of & 1) != 0);
      if (bit >= width && widening == Widening::zero) value = false;
      set_bit(expected, b.at(index) + bit - b.first, value);
    }
  } while (detail::next_index(index, lo, hi));
  const auto nests = bit_nests(from.form, to.form, bit_ranges(from.form, to.form, widening, flip), lo, hi);
  if (!nests) return false;
  for (const BitNest& nest : *nests) {
    const auto programs = bit_programs(nest);
    if (!programs) return false;
    for (const BitProgram& program : *programs) run(program, 0, program.chunks(), source.data(), got.data());
  }
  EXPECT_EQ(got, expected);
  return true;
}

TEST(BitProgram, CopiesEveryBitAndNoOther) {
  int planned = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    BitRandom random(seed);  // NOLINT: the same copies in every run
    planned += check_copies_bits(random) ? 1 : 0;
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(planned, 4400);
}

TEST(BitProgram, GroupsNibblesInWords) {
  // AWQ to plain rows: eight nibbles of a word, columns 0, 2, 4, 6, 1, 3, 5, 7.
  const BitForm awq = {{0, 4, 0, {{{}, {{1, 0, 256}}}, {{}, {{1, 2, 16}, {2, 4, 4}, {8, 0, 32}}}}}};
  const BitForm plain = {{0, 4, 0, {{{}, {{1, 0, 256}}}, {{}, {{1, 0, 4}}}}}};
  const std::vector<Index> lo = {0, 0};
  const std::vector<Index> hi = {64, 64};
  const auto nests = bit_nests(awq, plain, bit_ranges(awq, plain, Widening::none), lo, hi);
  ASSERT_TRUE(nests);
  ASSERT_EQ(nests->size(), 1u);
  const auto programs = bit_programs((*nests)[0]);
  ASSERT_TRUE(programs);
  ASSERT_EQ(programs->size(), 1u);
  const BitProgram& program = (*programs)[0];
  EXPECT_EQ(program.in.size(), 1u);
  EXPECT_EQ(program.out.size(), 1u);
  EXPECT_EQ(program.lanes, kLanes);
  EXPECT_TRUE(program.writes_whole_slots());
}

}  // namespace
}  // namespace tessera::moving
