// SPDX-License-Identifier: Apache-2.0
// Copies between random pairs of packings, bit by bit against where other programs put the bits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "packings/placed_bits.h"
#include "tessera/notation/named_layout.h"
#include "transfer/code_mover.h"

namespace tessera::packings {
namespace {

using Bytes = std::vector<std::byte>;

bool bit_of(const Bytes& bytes, std::int64_t at) {
  return (std::to_integer<unsigned>(bytes[static_cast<std::size_t>(at / 8)]) >> (at % 8) & 1) != 0;
}
void put_bit(Bytes& bytes, std::int64_t at, bool value) {
  const auto mask = static_cast<std::byte>(1u << (at % 8));
  std::byte& byte = bytes[static_cast<std::size_t>(at / 8)];
  byte = value ? byte | mask : byte & ~mask;
}

class PairJudge {
 public:
  explicit PairJudge(unsigned seed) : random_(seed) {}

  // Copies a random array between two random packings of its width.
  void judge() {
    const PackingCase& from = any();
    const int width = from.widths[below(from.widths.size())];
    const std::string type = from.type.empty() ? fmt::format("u{}", width) : from.type;
    std::vector<std::pair<const PackingCase*, int>> others;
    for (const PackingCase& other : cases_) {
      for (const int w : other.widths) {
        const bool fields = other.type.empty() || other.type == type;
        const bool widens = w == 8 && width < 8 && from.type.empty() && other.type.empty();
        if ((w == width && fields) || widens) others.emplace_back(&other, w);
      }
    }
    const auto [to, to_width] = others[below(others.size())];
    const std::string to_type = to_width == width ? type : "u8";
    if (!takes(from, type) || !takes(*to, to_type)) return;
    const Numbers shape = shape_for(from, *to);
    check(grouped(from, shape), type, width, grouped(*to, shape), to_type, to_width, shape);
  }

  int judged() const { return judged_; }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  const PackingCase& any() { return cases_[below(cases_.size())]; }

  // Scales take only types of whole bytes, and named fields their own.
  static bool takes(const PackingCase& packing, const std::string& type) {
    return packing.type.empty() ? packing.name.substr(0, 4) != "gguf" || type[0] == 'u'
                                : packing.type == type;
  }

  // Some orders of tiles, cut into groups of any sizes.
  PackingCase grouped(const PackingCase& packing, const Numbers& shape) {
    PackingCase out = packing;
    const bool tiles =
        packing.name == "scale:128x4" || packing.name == "scale:64x4" || packing.name == "scale:8x4";
    if (!tiles || shape.size() != 2 || below(2) == 0) return out;
    const bool by_columns = below(2) == 0;
    std::int64_t left = shape[by_columns ? 1 : 0];
    std::string text;
    while (text.empty() || left > 0) {
      const auto size = static_cast<std::int64_t>(below(static_cast<std::size_t>(left) + 1));
      text += fmt::format("{}{}", text.empty() ? "" : "+", size);
      left -= size;
    }
    out.name += fmt::format("({}={})", by_columns ? "kgroups" : "groups", text);
    return out;
  }

  Numbers shape_for(const PackingCase& a, const PackingCase& b) {
    const std::size_t rank = std::max(a.rank, b.rank) + below(2);
    Numbers multiples(rank, 1);
    for (const PackingCase* one : {&a, &b}) {
      for (std::size_t d = 0; d < one->rank; ++d) {
        std::int64_t& multiple = multiples[rank - one->rank + d];
        multiple = std::lcm(multiple, one->multiples[d]);
      }
    }
    Numbers shape;
    for (std::size_t d = 0; d < rank; ++d) {
      const bool batch = d + std::max(a.rank, b.rank) < rank;
      const std::int64_t multiple = multiples[d];
      const std::size_t most = batch ? 3 : multiple >= 64 ? 3 : multiple >= 8 ? 6 : d + 1 == rank ? 40 : 70;
      shape.push_back(multiple * static_cast<std::int64_t>(1 + below(most)));
    }
    return shape;
  }

  void check(const PackingCase& from, const std::string& type, int width, const PackingCase& to,
             const std::string& to_type, int to_width, const Numbers& shape) {
    const std::string a = fmt::format("{} {}[{}]", from.name, type, fmt::join(shape, ","));
    const std::string b = fmt::format("{} {}[{}]", to.name, to_type, fmt::join(shape, ","));
    SCOPED_TRACE(a + " -> " + b);
    const auto source = parse_named_layout(a);
    const auto destination = parse_named_layout(b);
    ASSERT_TRUE(source) << to_string(source.error());
    ASSERT_TRUE(destination) << to_string(destination.error());
    const PlacedBits at = place(from, width, shape);
    const PlacedBits goes = place(to, to_width, shape);
    ASSERT_EQ(source->buffer_bits(), at.bits);
    ASSERT_EQ(destination->buffer_bits(), goes.bits);
    std::optional<Recode> recode;
    if (type[0] == 'u' && below(3) == 0) {
      recode = Recode{below(2) == 0 ? Recode::Kind::add : Recode::Kind::invert,
                      random_() & (~std::uint64_t{0} >> (64 - width))};
    }
    Bytes in(static_cast<std::size_t>((at.bits + 7) / 8));
    for (std::byte& byte : in) byte = static_cast<std::byte>(random_());
    const bool kept = below(2) == 0;
    Bytes expected(static_cast<std::size_t>((goes.bits + 7) / 8));
    if (kept) {
      for (std::byte& byte : expected) byte = static_cast<std::byte>(random_());
    }
    Bytes got = expected;
    for (std::size_t e = 0; e < at.where.size(); ++e) {
      std::uint64_t code = 0;
      for (std::size_t bit = 0; bit < at.where[e].size(); ++bit)
        code |= std::uint64_t{bit_of(in, at.where[e][bit])} << bit;
      if (recode) {
        code = recode->kind == Recode::Kind::add ? code + recode->value : code ^ recode->value;
        code &= ~std::uint64_t{0} >> (64 - width);
      }
      for (std::size_t bit = 0; bit < goes.where[e].size(); ++bit)
        put_bit(expected, goes.where[e][bit], (code >> bit & 1) != 0);
    }
    const auto mover = CodeMover::make(*code_side(*source), *code_side(*destination), recode);
    ASSERT_TRUE(mover) << to_string(mover.error());
    const auto moved = move_codes(*mover, in, got);
    ASSERT_TRUE(moved) << to_string(moved.error());
    ASSERT_TRUE(got == expected);
    ++judged_;
  }

  std::mt19937_64 random_;
  std::vector<PackingCase> cases_ = packing_cases();
  int judged_ = 0;
};

// TESSERA_PACKING_PAIRS asks for more pairs than those of every run.
TEST(MovedCodes, AreWhereOtherProgramsPutThem) {
  const char* const wanted = std::getenv("TESSERA_PACKING_PAIRS");
  const int pairs = wanted != nullptr ? std::atoi(wanted) : 1000;
  PairJudge judge(wanted != nullptr ? static_cast<unsigned>(pairs) : 20261129);
  for (int i = 0; i < pairs && !testing::Test::HasFatalFailure(); ++i) judge.judge();
  EXPECT_GT(judge.judged(), pairs / 2);
  RecordProperty("judged", judge.judged());
}

}  // namespace
}  // namespace tessera::packings
