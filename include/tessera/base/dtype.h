// SPDX-License-Identifier: Apache-2.0
/// \file
/// Element types, by their XLA names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// How the bits of an element are interpreted.
enum class DTypeClass : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex, none };

/// Every element type: X(xla name, bits, class). Types without elements (token, opaque) have 0 bits.
// clang-format off
#define TESSERA_DTYPES(X)                                                                        \
  X(pred, 8, boolean)                                                                            \
  X(s1, 1, signed_integer) X(s2, 2, signed_integer) X(s4, 4, signed_integer)                     \
  X(s8, 8, signed_integer) X(s16, 16, signed_integer) X(s32, 32, signed_integer)                 \
  X(s64, 64, signed_integer)                                                                     \
  X(u1, 1, unsigned_integer) X(u2, 2, unsigned_integer) X(u4, 4, unsigned_integer)               \
  X(u8, 8, unsigned_integer) X(u16, 16, unsigned_integer) X(u32, 32, unsigned_integer)           \
  X(u64, 64, unsigned_integer)                                                                   \
  X(f16, 16, floating) X(bf16, 16, floating) X(f32, 32, floating) X(f64, 64, floating)           \
  X(c64, 64, complex) X(c128, 128, complex)                                                      \
  X(f8e5m2, 8, floating) X(f8e4m3, 8, floating) X(f8e4m3fn, 8, floating)                         \
  X(f8e4m3b11fnuz, 8, floating) X(f8e5m2fnuz, 8, floating) X(f8e4m3fnuz, 8, floating)            \
  X(f8e3m4, 8, floating) X(f8e8m0fnu, 8, floating)                                               \
  X(f4e2m1fn, 4, floating) X(f6e2m3fn, 6, floating) X(f6e3m2fn, 6, floating)                     \
  X(token, 0, none) X(opaque, 0, none)
// clang-format on

/// An element type. C++ names are XLA names.
enum class DType : std::uint8_t {
#define TESSERA_DTYPE(name, bits, kind) name,
  TESSERA_DTYPES(TESSERA_DTYPE)
#undef TESSERA_DTYPE
};

/// The XLA name: `bf16`.
std::string_view to_string(DType type);

/// The type of an XLA name, or nothing. O(1).
std::optional<DType> parse_dtype(std::string_view name);

/// Bits of one element: 8 for pred, 4 for s4, 0 for token and opaque.
int bit_width(DType type);

/// How the bits of the type's elements are interpreted; none for token and opaque.
DTypeClass dtype_class(DType type);

/// Whether the type has elements; false for token and opaque.
inline bool is_array_type(DType type) { return dtype_class(type) != DTypeClass::none; }
/// Whether the elements are signed or unsigned integers; false for pred.
inline bool is_integer(DType type) {
  return dtype_class(type) == DTypeClass::signed_integer || dtype_class(type) == DTypeClass::unsigned_integer;
}

}  // namespace tessera
