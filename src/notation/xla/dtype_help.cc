// SPDX-License-Identifier: Apache-2.0
#include "notation/xla/dtype_help.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tessera/base/dtype.h"

namespace tessera {
namespace {

constexpr std::string_view kTypes[] = {
#define TESSERA_DTYPE(name, bits, kind) #name,
    TESSERA_DTYPES(TESSERA_DTYPE)
#undef TESSERA_DTYPE
};

// Names with one meaning in NumPy, PyTorch, MLIR and Triton, in lower case.
constexpr std::array<std::pair<std::string_view, std::string_view>, 34> kSame = {{
    {"float16", "f16"},
    {"float32", "f32"},
    {"float64", "f64"},
    {"half", "f16"},
    {"double", "f64"},
    {"fp16", "f16"},
    {"fp32", "f32"},
    {"fp64", "f64"},
    {"bfloat16", "bf16"},
    {"bool", "pred"},
    {"i1", "pred"},
    {"int1", "pred"},
    {"int4", "s4"},
    {"int8", "s8"},
    {"int16", "s16"},
    {"int32", "s32"},
    {"int64", "s64"},
    {"uint4", "u4"},
    {"uint8", "u8"},
    {"uint16", "u16"},
    {"uint32", "u32"},
    {"uint64", "u64"},
    {"complex64", "c64"},
    {"complex128", "c128"},
    {"fp8e4nv", "f8e4m3fn"},
    {"fp8e5", "f8e5m2"},
    {"fp8e4b8", "f8e4m3fnuz"},
    {"fp8e5b16", "f8e5m2fnuz"},
    {"float8e4nv", "f8e4m3fn"},
    {"float8e5", "f8e5m2"},
    {"float8_e4m3fn", "f8e4m3fn"},
    {"float8_e5m2", "f8e5m2"},
    {"float8_e4m3fnuz", "f8e4m3fnuz"},
    {"float8_e5m2fnuz", "f8e5m2fnuz"},
}};

// Names that may mean another type elsewhere.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOthers = {{
    {"float", "f32"},
    {"int", "s32"},
    {"f8", "f8e4m3fn"},
    {"fp8", "f8e4m3fn"},
    {"byte", "u8"},
}};

std::string lower_case(std::string_view word) {
  std::string out(word);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

// Whether changing, adding or dropping one letter turns one word into the other.
bool is_near(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  const auto [left, right] = std::ranges::mismatch(a, b);
  const std::string_view rest(left, a.end());
  const std::string_view other(right, b.end());
  return rest.substr(a.size() == b.size() ? std::min<std::size_t>(1, rest.size()) : 0) ==
         other.substr(std::min<std::size_t>(1, other.size()));
}

std::optional<std::string_view> intended_type(std::string_view word) {
  const std::string lower = lower_case(word);
  if (const auto same = read_dtype(lower)) return to_string(*same);
  for (const auto& [other, type] : kOthers) {
    if (lower == other) return type;
  }
  const auto common = {"f32", "bf16", "f16", "f64", "s32", "s8", "u8"};
  for (const std::string_view type : common) {
    if (lower.size() > 1 && is_near(lower, type)) return type;
  }
  for (const std::string_view type : kTypes) {
    if (lower.size() > 2 && is_near(lower, type)) return type;
  }
  return std::nullopt;
}

}  // namespace

std::optional<DType> read_dtype(std::string_view name) {
  constexpr std::size_t kLongest = 20;
  if (name.size() > kLongest) return std::nullopt;
  const std::string lower = lower_case(name);
  if (const auto own = parse_dtype(lower)) return own;
  for (const auto& [other, type] : kSame) {
    if (lower == other) return parse_dtype(type);
  }
  return lower.starts_with('i') ? parse_dtype("s" + lower.substr(1)) : std::nullopt;
}

std::string dtype_help(std::string_view word) {
  if (const auto type = intended_type(word)) return fmt::format("did you mean {}?", *type);
  return "the types are those of XLA: pred, s8, u16, f32, bf16, f8e4m3fn, c64, ...";
}

}  // namespace tessera
