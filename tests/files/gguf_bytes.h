// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes GGUF files for tests and benchmarks, from their description.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing_files {

/// Little-endian numbers and strings, one after another.
class GgufBytes {
 public:
  GgufBytes& u8(std::uint8_t value) { return number(value, 1); }
  GgufBytes& u32(std::uint32_t value) { return number(value, 4); }
  GgufBytes& u64(std::uint64_t value) { return number(value, 8); }
  GgufBytes& f32(float value) { return u32(std::bit_cast<std::uint32_t>(value)); }
  GgufBytes& raw(std::string_view bytes) {
    text_ += bytes;
    return *this;
  }
  /// A length and its bytes.
  GgufBytes& string(std::string_view value) { return u64(value.size()).raw(value); }

  GgufBytes& header(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version = 3) {
    return raw("GGUF").u32(version).u64(tensors).u64(keys);
  }
  GgufBytes& key(std::string_view name, std::uint32_t type) { return string(name).u32(type); }
  /// `extents` are fastest first, as in the file.
  GgufBytes& tensor(std::string_view name, const std::vector<std::uint64_t>& extents, std::uint32_t type,
                    std::uint64_t offset) {
    string(name).u32(static_cast<std::uint32_t>(extents.size()));
    for (const std::uint64_t extent : extents) u64(extent);
    return u32(type).u64(offset);
  }
  /// Zeros up to a multiple of the alignment, and `bytes` of data.
  GgufBytes& data(std::size_t bytes, std::size_t alignment = 32) {
    text_.append((alignment - text_.size() % alignment) % alignment, '\0');
    text_.append(bytes, '\1');
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  GgufBytes& number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>(value >> (8 * i));
    return *this;
  }

  std::string text_;
};

/// A model with this many strings in its vocabulary and this many tensors of 64x256 elements in Q4_K.
inline std::string model_file(std::size_t strings, std::size_t tensors) {
  constexpr std::uint64_t kBytes = 64 * 144;
  GgufBytes out;
  out.header(tensors, 4)
      .key("general.architecture", 8)
      .string("llama")
      .key("llama.rope.freq_base", 6)
      .f32(1e4F);
  out.key("tokenizer.ggml.tokens", 9).u32(8).u64(strings);
  for (std::size_t i = 0; i < strings; ++i) out.string("token" + std::to_string(i));
  out.key("tokenizer.ggml.scores", 9).u32(6).u64(strings);
  for (std::size_t i = 0; i < strings; ++i) out.f32(0);
  for (std::size_t i = 0; i < tensors; ++i)
    out.tensor("blk." + std::to_string(i) + ".ffn_up.weight", {256, 64}, 12, i * kBytes);
  return out.data(tensors * kBytes).text();
}

}  // namespace tessera::testing_files
