// SPDX-License-Identifier: Apache-2.0
#include "files/gguf_types.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tessera {
namespace {

constexpr GgufType plain(std::uint32_t number, std::string_view name, DType dtype, Index bytes) {
  return {.number = number, .name = name, .block_bytes = bytes, .dtype = dtype};
}
constexpr GgufType blocks(std::uint32_t number, std::string_view name, Index elements, Index bytes) {
  return {.number = number, .name = name, .block_elements = elements, .block_bytes = bytes, .dtype = {}};
}
// Indices into grids, or digits in base 3: several elements at a time.
constexpr GgufType coded(std::uint32_t number, std::string_view name, Index elements, Index bytes) {
  return {.number = number,
          .name = name,
          .block_elements = elements,
          .block_bytes = bytes,
          .dtype = {},
          .has_codes = false};
}

// By number: enum ggml_type, with the sizes of ggml-common.h.
constexpr std::array kTypes = {
    plain(0, "f32", DType::f32, 4),  plain(1, "f16", DType::f16, 2),  blocks(2, "q4_0", 32, 18),
    blocks(3, "q4_1", 32, 20),       blocks(6, "q5_0", 32, 22),       blocks(7, "q5_1", 32, 24),
    blocks(8, "q8_0", 32, 34),       blocks(10, "q2_k", 256, 84),     blocks(11, "q3_k", 256, 110),
    blocks(12, "q4_k", 256, 144),    blocks(13, "q5_k", 256, 176),    blocks(14, "q6_k", 256, 210),
    coded(16, "iq2_xxs", 256, 66),   coded(17, "iq2_xs", 256, 74),    coded(18, "iq3_xxs", 256, 98),
    coded(19, "iq1_s", 256, 50),     blocks(20, "iq4_nl", 32, 18),    coded(21, "iq3_s", 256, 110),
    coded(22, "iq2_s", 256, 82),     blocks(23, "iq4_xs", 256, 136),  plain(24, "s8", DType::s8, 1),
    plain(25, "s16", DType::s16, 2), plain(26, "s32", DType::s32, 4), plain(27, "s64", DType::s64, 8),
    plain(28, "f64", DType::f64, 8), coded(29, "iq1_m", 256, 56),     plain(30, "bf16", DType::bf16, 2),
    coded(34, "tq1_0", 256, 54),     blocks(35, "tq2_0", 256, 66),    blocks(39, "mxfp4", 32, 17),
    blocks(40, "nvfp4", 64, 36),     blocks(41, "q1_0", 128, 18),
};
static_assert(std::ranges::is_sorted(kTypes, {}, &GgufType::number));

}  // namespace

const GgufType* find_gguf_type(std::uint32_t number) {
  const auto found = std::ranges::lower_bound(kTypes, number, {}, &GgufType::number);
  return found == kTypes.end() || found->number != number ? nullptr : &*found;
}

std::string_view gguf_type_story(std::uint32_t number) {
  switch (number) {
    case 4:
    case 5:
      return "it was Q4_2 or Q4_3, which ggml has removed";
    case 9:
    case 15:
      return "it is Q8_1 or Q8_K, in which ggml computes but stores no tensors";
    case 31:
    case 32:
    case 33:
    case 36:
    case 37:
    case 38:
      return "it was a type of interleaved rows, which ggml has removed";
    default:
      return "";
  }
}

std::string gguf_layout_text(const GgufType& type, const std::vector<Index>& shape) {
  if (!type.has_codes) return "";
  if (!type.is_plain()) return fmt::format("gguf:{}[{}]", type.name, fmt::join(shape, ","));
  std::string order;
  for (std::size_t i = shape.size(); i-- > 0;) order += fmt::format("{}{}", i, i > 0 ? "," : "");
  return fmt::format("{}[{}]{}", type.name, fmt::join(shape, ","), order.empty() ? "" : "{" + order + "}");
}

}  // namespace tessera
