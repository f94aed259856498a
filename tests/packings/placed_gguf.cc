// SPDX-License-Identifier: Apache-2.0
#include "packings/placed_gguf.h"

#include <functional>
#include <map>
#include <numeric>

namespace tessera::packings {
namespace {

// The places of the bits of one entry, from the lowest bit up: (byte, bit).
class Bits {
 public:
  Bits& byte(std::int64_t byte, int bit, int count) {
    for (int i = 0; i < count; ++i) at_.push_back(byte * 8 + bit + i);
    return *this;
  }
  const Numbers& at() const { return at_; }

 private:
  Numbers at_;
};

using Entry = std::function<Bits(std::int64_t)>;

struct Field {
  std::int64_t bytes;
  std::int64_t entries;
  Entry entry;
};

// Two halves of a block share bytes.
Bits halves(std::int64_t begin, std::int64_t i) { return Bits().byte(begin + i % 16, i < 16 ? 0 : 4, 4); }

// get_scale_min_k4 of ggml-quants.c; the twelve bytes begin at byte 4.
Bits scale_k4(std::int64_t j) {
  if (j < 4) return Bits().byte(4 + j, 0, 6);
  return Bits().byte(4 + j + 4, 0, 4).byte(4 + j - 4, 6, 2);
}
Bits min_k4(std::int64_t j) {
  if (j < 4) return Bits().byte(4 + j + 4, 0, 6);
  return Bits().byte(4 + j + 4, 4, 4).byte(4 + j, 6, 2);
}

// Low nibbles of 32 bytes, then high ones, for each 64 elements.
Bits nibbles_64(std::int64_t begin, std::int64_t i) {
  return Bits().byte(begin + i / 64 * 32 + i % 32, i % 64 < 32 ? 0 : 4, 4);
}

// Pairs of bits of 32 bytes, from the lowest up, for each 128 elements.
Bits pairs_128(std::int64_t begin, std::int64_t i) {
  return Bits().byte(begin + i / 128 * 32 + i % 32, static_cast<int>(i % 128 / 32 * 2), 2);
}

Bits q6(std::int64_t i) {
  const std::int64_t n = i / 128;
  const std::int64_t l = i % 32;
  const std::int64_t quarter = i % 128 / 32;
  Bits out;
  out.byte(n * 64 + l + (quarter % 2) * 32, quarter < 2 ? 0 : 4, 4);
  return out.byte(128 + n * 32 + l, static_cast<int>(quarter) * 2, 2);
}

Bits whole(std::int64_t byte, int bits) { return Bits().byte(byte, 0, bits); }

const std::map<std::string, Field>& fields() {
  static const std::map<std::string, Field> all = {
      {"q4_0", {18, 32, [](auto i) { return halves(2, i); }}},
      {"q4_0.d", {18, 1, [](auto) { return whole(0, 16); }}},
      {"iq4_nl", {18, 32, [](auto i) { return halves(2, i); }}},
      {"q4_1", {20, 32, [](auto i) { return halves(4, i); }}},
      {"q4_1.m", {20, 1, [](auto) { return whole(2, 16); }}},
      {"q5_0", {22, 32, [](auto i) { return halves(6, i).byte(2 + i / 8, static_cast<int>(i % 8), 1); }}},
      {"q5_1", {24, 32, [](auto i) { return halves(8, i).byte(4 + i / 8, static_cast<int>(i % 8), 1); }}},
      {"q8_0", {34, 32, [](auto i) { return whole(2 + i, 8); }}},
      {"q2_k", {84, 256, [](auto i) { return pairs_128(16, i); }}},
      {"q2_k.sc", {84, 16, [](auto i) { return Bits().byte(i, 0, 4); }}},
      {"q2_k.mn", {84, 16, [](auto i) { return Bits().byte(i, 4, 4); }}},
      {"q2_k.dmin", {84, 1, [](auto) { return whole(82, 16); }}},
      {"q3_k", {110, 256, [](auto i) { return pairs_128(32, i).byte(i % 32, static_cast<int>(i / 32), 1); }}},
      {"q3_k.sc",
       {110, 16,
        [](auto i) {
          Bits out;
          out.byte(96 + i % 8, i < 8 ? 0 : 4, 4);
          return out.byte(96 + 8 + i % 4, static_cast<int>(i / 4) * 2, 2);
        }}},
      {"q4_k", {144, 256, [](auto i) { return nibbles_64(16, i); }}},
      {"q4_k.sc", {144, 8, [](auto i) { return scale_k4(i); }}},
      {"q4_k.mn", {144, 8, [](auto i) { return min_k4(i); }}},
      {"q4_k.d", {144, 1, [](auto) { return whole(0, 16); }}},
      {"q5_k",
       {176, 256, [](auto i) { return nibbles_64(48, i).byte(16 + i % 32, static_cast<int>(i / 32), 1); }}},
      {"q5_k.sc", {176, 8, [](auto i) { return scale_k4(i); }}},
      {"q5_k.mn", {176, 8, [](auto i) { return min_k4(i); }}},
      {"q6_k", {210, 256, [](auto i) { return q6(i); }}},
      {"q6_k.sc", {210, 16, [](auto i) { return whole(192 + i, 8); }}},
      {"q6_k.d", {210, 1, [](auto) { return whole(208, 16); }}},
      {"iq4_xs", {136, 256, [](auto i) { return halves(8 + i / 32 * 16, i % 32); }}},
      {"iq4_xs.sc",
       {136, 8,
        [](auto i) {
          Bits out;
          out.byte(4 + i / 2, i % 2 == 0 ? 0 : 4, 4);
          return out.byte(2 + i / 4, static_cast<int>(i % 4) * 2, 2);
        }}},
      {"tq2_0", {66, 256, [](auto i) { return pairs_128(0, i); }}},
      {"mxfp4", {17, 32, [](auto i) { return halves(1, i); }}},
      {"mxfp4.d", {17, 1, [](auto) { return whole(0, 8); }}},
      {"nvfp4", {36, 64, [](auto i) { return Bits().byte(4 + i / 16 * 8 + i % 8, i % 16 < 8 ? 0 : 4, 4); }}},
      {"nvfp4.d", {36, 4, [](auto i) { return whole(i, 8); }}},
      {"q1_0", {18, 128, [](auto i) { return Bits().byte(2 + i / 8, static_cast<int>(i % 8), 1); }}},
  };
  return all;
}

}  // namespace

std::vector<GgufFieldCase> gguf_field_cases() {
  const std::map<std::string, std::string> types = {{"q8_0", "s8"},           {"q6_k.sc", "s8"},
                                                    {"mxfp4", "f4e2m1fn"},    {"nvfp4", "f4e2m1fn"},
                                                    {"mxfp4.d", "f8e8m0fnu"}, {"nvfp4.d", "f8e4m3fn"}};
  std::vector<GgufFieldCase> out;
  for (const auto& [name, field] : fields()) {
    GgufFieldCase one{"gguf:" + name, static_cast<int>(field.entry(0).at().size()), field.entries};
    if (const auto found = types.find(name); found != types.end()) one.type = found->second;
    if (one.width == 16) one.type = "f16";
    out.push_back(one);
  }
  return out;
}

PlacedBits place_gguf(const std::string& name, const Numbers& shape) {
  const Field& field = fields().at(name);
  const std::int64_t elements =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  PlacedBits out{elements / field.entries * field.bytes * 8, {}};
  for (std::int64_t e = 0; e < elements; ++e) {
    Numbers where = field.entry(e % field.entries).at();
    for (std::int64_t& bit : where) bit += e / field.entries * field.bytes * 8;
    out.where.push_back(std::move(where));
  }
  return out;
}

}  // namespace tessera::packings
