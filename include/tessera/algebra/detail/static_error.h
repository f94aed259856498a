// SPDX-License-Identifier: Apache-2.0
/// \file
/// How the compiler reports an error of a static layout: as the arguments of a template that is not defined.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tessera/algebra/detail/format.h"

namespace tessera {

/// A text as a template argument. The array is exactly as long as the text, because only then do compilers
/// print it as text.
template <std::size_t N>
struct FixedString {
  char text[N] = {};
  constexpr FixedString() = default;
  constexpr FixedString(const char (&s)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = s[i];
  }
  static constexpr Index size() { return static_cast<Index>(N) - 1; }
};

// These are never defined: if an operation fails, the compiler's first error line names one of them.

/// Reports that a result of `composition`, or of an operation that uses it, is not a layout: the reason, the
/// smallest coordinate that shows it, and the operands.
template <FixedString reason, Index witness, FixedString... operands>
struct not_representable;
/// Reports any other error: its code, its two numbers, and the operands.
template <FixedString code, Index first, Index second, FixedString... operands>
struct refused;
/// Reports a text that is not a layout: the code, the byte, what was expected there, and the text.
template <FixedString code, Index position, FixedString expected, FixedString text>
struct unreadable;

namespace detail {

/// Writes into the characters of a FixedString.
struct ArraySink {
  char* next;
  constexpr void put(char c) { *next++ = c; }
};
template <auto value>
constexpr auto text_of() {
  constexpr int size = [] {
    CountSink sink;
    format_to(sink, value);
    return sink.size;
  }();
  FixedString<static_cast<std::size_t>(size) + 1> out;
  ArraySink sink{out.text};
  format_to(sink, value);
  return out;
}
/// The string that the captureless lambda `get` returns, as a FixedString.
template <auto get>
constexpr auto fixed() {
  constexpr int size = [] {
    CountSink sink;
    put_text(sink, get());
    return sink.size;
  }();
  FixedString<static_cast<std::size_t>(size) + 1> out;
  ArraySink sink{out.text};
  put_text(sink, get());
  return out;
}

/// Instantiates the undefined template whose name and arguments state the error.
template <AlgebraError error, auto... operands>
constexpr auto refusal() {
  if constexpr (error.code == Code::not_representable) {
    return std::type_identity<not_representable<fixed<[] { return word(error.reason); }>(), error.witness,
                                                text_of<operands>()...>>{};
  } else {
    return std::type_identity<refused<fixed<[] { return word(error.code); }>(), error.first, error.second,
                                      text_of<operands>()...>>{};
  }
}
template <AlgebraError error, auto... operands>
struct Refusal {
  using type = typename decltype(refusal<error, operands...>())::type;
};

}  // namespace detail

}  // namespace tessera
