// SPDX-License-Identifier: Apache-2.0
#include "laws/bit_image_gguf.h"

#include <functional>
#include <map>

namespace tessera::laws {
namespace {

using Int = std::int64_t;

// The bytes of one block while it is taken apart: notes which entry a bit belongs to.
class Block {
 public:
  explicit Block(Int bytes) : owner_(static_cast<std::size_t>(bytes * 8), -1) {}

  // `count` bits of byte `byte` from `shift` on are the bits of `entry` from `to` on.
  void take(Int byte, Int shift, Int count, Int entry, Int to = 0) {
    for (Int i = 0; i < count; ++i)
      owner_[static_cast<std::size_t>(byte * 8 + shift + i)] = entry * 64 + to + i;
  }
  const std::vector<Int>& owner() const { return owner_; }

 private:
  std::vector<Int> owner_;
};

void half(Block& b, Int byte) {
  b.take(byte, 0, 8, 0);
  b.take(byte + 1, 0, 8, 0, 8);
}

// Nibbles of blocks of 32: the low ones are the first half.
void nibbles(Block& b, Int byte, Int entry = 0, Int count = 16) {
  for (Int j = 0; j < count; ++j) {
    b.take(byte + j, 0, 4, entry + j);
    b.take(byte + j, 4, 4, entry + j + count);
  }
}

void nibbles_of_64(Block& b, Int byte) {
  for (Int j = 0; j < 4; ++j) {
    for (Int l = 0; l < 32; ++l) {
      b.take(byte + 32 * j + l, 0, 4, 64 * j + l);
      b.take(byte + 32 * j + l, 4, 4, 64 * j + 32 + l);
    }
  }
}

// 2 bits: four shifts of 32 bytes give 128 elements.
void pairs(Block& b, Int byte, Int to = 0) {
  for (Int n = 0; n < 2; ++n) {
    for (Int shift = 0; shift < 4; ++shift) {
      for (Int l = 0; l < 32; ++l) b.take(byte + 32 * n + l, 2 * shift, 2, 128 * n + 32 * shift + l, to);
    }
  }
}

// get_scale_min_k4 of ggml, for the scales at byte 4.
void scales_of_k4(Block& b, bool minima) {
  for (Int j = 0; j < 8; ++j) {
    if (j < 4) {
      b.take(4 + (minima ? j + 4 : j), 0, 6, j);
    } else {
      b.take(4 + j + 4, minima ? 4 : 0, 4, j);
      b.take(4 + (minima ? j : j - 4), 6, 2, j, 4);
    }
  }
}

struct Layer {
  Int entries;
  int width;
  std::function<void(Block&)> take;
};
struct Type {
  Int bytes;
  std::map<std::string, Layer> fields;
};

Layer scale16(Int byte) {
  return {1, 16, [byte](Block& b) { half(b, byte); }};
}

void high_bits_of_32(Block& b, Int byte, Int to) {
  for (Int j = 0; j < 32; ++j) b.take(byte + j / 8, j % 8, 1, j, to);
}

void mask_bits_of_256(Block& b, Int byte, Int to) {
  for (Int j = 0; j < 8; ++j) {
    for (Int l = 0; l < 32; ++l) b.take(byte + l, j, 1, 32 * j + l, to);
  }
}

void low_of_q6(Block& b) {
  for (Int n = 0; n < 2; ++n) {
    for (Int l = 0; l < 32; ++l) {
      b.take(64 * n + l, 0, 4, 128 * n + l);
      b.take(64 * n + l + 32, 0, 4, 128 * n + l + 32);
      b.take(64 * n + l, 4, 4, 128 * n + l + 64);
      b.take(64 * n + l + 32, 4, 4, 128 * n + l + 96);
    }
  }
}

const std::map<std::string, Type>& types() {
  static const std::map<std::string, Type> all = [] {
    std::map<std::string, Type> t;
    const auto nibble_block = [](Int byte) { return Layer{32, 4, [byte](Block& b) { nibbles(b, byte); }}; };
    const auto high = [](Int byte) {
      return Layer{32, 1, [byte](Block& b) { high_bits_of_32(b, byte, 0); }};
    };
    t["q4_0"] = {18, {{"", nibble_block(2)}, {"d", scale16(0)}}};
    t["iq4_nl"] = t["q4_0"];
    t["q4_1"] = {20, {{"", nibble_block(4)}, {"d", scale16(0)}, {"m", scale16(2)}}};
    t["q5_0"] = {22,
                 {{"",
                   {32, 5,
                    [](Block& b) {
                      nibbles(b, 6);
                      high_bits_of_32(b, 2, 4);
                    }}},
                  {"qs", nibble_block(6)},
                  {"qh", high(2)},
                  {"d", scale16(0)}}};
    t["q5_1"] = {24,
                 {{"",
                   {32, 5,
                    [](Block& b) {
                      nibbles(b, 8);
                      high_bits_of_32(b, 4, 4);
                    }}},
                  {"qs", nibble_block(8)},
                  {"qh", high(4)},
                  {"d", scale16(0)},
                  {"m", scale16(2)}}};
    t["q8_0"] = {34,
                 {{"",
                   {32, 8,
                    [](Block& b) {
                      for (Int j = 0; j < 32; ++j) b.take(2 + j, 0, 8, j);
                    }}},
                  {"d", scale16(0)}}};
    const auto half_scales = [](Int shift) {
      return Layer{16, 4, [shift](Block& b) {
                     for (Int j = 0; j < 16; ++j) b.take(j, shift, 4, j);
                   }};
    };
    t["q2_k"] = {84,
                 {{"", {256, 2, [](Block& b) { pairs(b, 16); }}},
                  {"sc", half_scales(0)},
                  {"mn", half_scales(4)},
                  {"d", scale16(80)},
                  {"dmin", scale16(82)}}};
    t["q3_k"] = {110,
                 {{"",
                   {256, 3,
                    [](Block& b) {
                      pairs(b, 32);
                      mask_bits_of_256(b, 0, 2);
                    }}},
                  {"qs", {256, 2, [](Block& b) { pairs(b, 32); }}},
                  {"hmask", {256, 1, [](Block& b) { mask_bits_of_256(b, 0, 0); }}},
                  {"sc",
                   {16, 6,
                    [](Block& b) {
                      for (Int j = 0; j < 16; ++j) {
                        b.take(96 + j % 8, j < 8 ? 0 : 4, 4, j);
                        b.take(96 + 8 + j % 4, 2 * (j / 4), 2, j, 4);
                      }
                    }}},
                  {"d", scale16(108)}}};
    const Layer scales = {8, 6, [](Block& b) { scales_of_k4(b, false); }};
    const Layer minima = {8, 6, [](Block& b) { scales_of_k4(b, true); }};
    t["q4_k"] = {144,
                 {{"", {256, 4, [](Block& b) { nibbles_of_64(b, 16); }}},
                  {"sc", scales},
                  {"mn", minima},
                  {"d", scale16(0)},
                  {"dmin", scale16(2)}}};
    t["q5_k"] = {176,
                 {{"",
                   {256, 5,
                    [](Block& b) {
                      nibbles_of_64(b, 48);
                      mask_bits_of_256(b, 16, 4);
                    }}},
                  {"qs", {256, 4, [](Block& b) { nibbles_of_64(b, 48); }}},
                  {"qh", {256, 1, [](Block& b) { mask_bits_of_256(b, 16, 0); }}},
                  {"sc", scales},
                  {"mn", minima},
                  {"d", scale16(0)},
                  {"dmin", scale16(2)}}};
    t["q6_k"] = {210,
                 {{"",
                   {256, 6,
                    [](Block& b) {
                      low_of_q6(b);
                      pairs(b, 128, 4);
                    }}},
                  {"ql", {256, 4, low_of_q6}},
                  {"qh", {256, 2, [](Block& b) { pairs(b, 128); }}},
                  {"sc",
                   {16, 8,
                    [](Block& b) {
                      for (Int j = 0; j < 16; ++j) b.take(192 + j, 0, 8, j);
                    }}},
                  {"d", scale16(208)}}};
    t["iq4_xs"] = {136,
                   {{"",
                     {256, 4,
                      [](Block& b) {
                        for (Int i = 0; i < 8; ++i) nibbles(b, 8 + 16 * i, 32 * i);
                      }}},
                    {"sc",
                     {8, 6,
                      [](Block& b) {
                        for (Int i = 0; i < 8; ++i) {
                          b.take(4 + i / 2, 4 * (i % 2), 4, i);
                          b.take(2 + i / 4, 2 * (i % 4), 2, i, 4);
                        }
                      }}},
                    {"d", scale16(0)}}};
    t["tq2_0"] = {66, {{"", {256, 2, [](Block& b) { pairs(b, 0); }}}, {"d", scale16(64)}}};
    t["mxfp4"] = {17, {{"", nibble_block(1)}, {"d", {1, 8, [](Block& b) { b.take(0, 0, 8, 0); }}}}};
    t["nvfp4"] = {36,
                  {{"",
                    {64, 4,
                     [](Block& b) {
                       for (Int i = 0; i < 4; ++i) nibbles(b, 4 + 8 * i, 16 * i, 8);
                     }}},
                   {"d", {4, 8, [](Block& b) {
                            for (Int j = 0; j < 4; ++j) b.take(j, 0, 8, j);
                          }}}}};
    t["q1_0"] = {18,
                 {{"",
                   {128, 1,
                    [](Block& b) {
                      for (Int j = 0; j < 128; ++j) b.take(2 + j / 8, j % 8, 1, j);
                    }}},
                  {"d", scale16(0)}}};
    return t;
  }();
  return all;
}

}  // namespace

std::vector<GgufFieldCase> gguf_field_cases() {
  std::vector<GgufFieldCase> all;
  for (const auto& [name, type] : types()) {
    for (const auto& [field, layer] : type.fields) all.push_back({name, field, layer.entries, layer.width});
  }
  return all;
}

std::vector<Int> gguf_image(const std::string& name, const std::string& field,
                            const std::vector<Int>& values) {
  const Type& type = types().at(name);
  const Layer& layer = type.fields.at(field);
  std::vector<Int> image;
  for (std::size_t begin = 0; begin < values.size(); begin += static_cast<std::size_t>(layer.entries)) {
    Block block(type.bytes);
    layer.take(block);
    for (const Int owner : block.owner())
      image.push_back(owner < 0 ? -1
                                : values[begin + static_cast<std::size_t>(owner / 64)] * 64 + owner % 64);
  }
  return image;
}

}  // namespace tessera::laws
