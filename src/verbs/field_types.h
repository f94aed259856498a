// SPDX-License-Identifier: Apache-2.0
/// \file
/// The types of fields: how a value is read from a text, and what JSON has for it.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/json.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/named_layout.h"

namespace tessera::verbs {

/// A file with an HLO program.
struct ProgramPath {
  std::string path;
};
/// The text of a map that is not one of numbers, but may have names for sizes.
struct SizedMapText {
  std::string text;
  Diagnostic unread;
};
using MapOrProgram = std::variant<ProgramPath, IndexMap, SizedMapText>;

/// How a text becomes a value of Given<T>, and the value before there is one.
template <class T>
struct Reading;

/// A value and the text that it was read from, which hints and errors quote.
template <class T>
struct Given {
  T value = Reading<T>::none();
  std::string text = {};
};

/// Numbers that are not negative: `0,128,64`.
using IndexList = std::vector<Index>;

/// A number of bytes above 0: `48K`.
struct ByteCount {
  Index bytes = 0;
};

/// The number of an array of a tuple, or all of them.
struct LeafChoice {
  bool all = false;
  Index leaf = 0;
};

/// Numbers that may be negative: `1,0,-1`.
struct PointList {
  std::vector<Index> values = {};
};

/// `1 is too little; the minimum is 1M`, or `x is not a size`.
Result<Index> read_size(std::string_view text, Index least);

/// A number of bytes for memory or files, from `Least` on.
template <Index Least, Index Default>
struct ByteSize {
  Index bytes = Default;
};

/// Reads values of type T from texts, writes them as JSON, and says in JSON Schema what they are. Errors of
/// `read` point into the text.
template <class T>
struct FieldType;

template <>
struct FieldType<std::string> {
  static Result<std::string> read(std::string_view text) { return std::string(text); }
  static Json schema() { return {{"type", "string"}}; }
};
template <>
struct FieldType<bool> {
  static Result<bool> read(std::string_view text);
  static Json schema() { return {{"type", "boolean"}}; }
};
/// Not negative.
template <>
struct FieldType<Index> {
  static Result<Index> read(std::string_view text);
  static Json schema() { return {{"type", "integer"}, {"minimum", 0}}; }
};
template <>
struct FieldType<IndexList> {
  static Result<IndexList> read(std::string_view text);
  static Json schema();
};
template <>
struct FieldType<ByteCount> {
  static Result<ByteCount> read(std::string_view text);
  static Json schema();
};
template <>
struct FieldType<PointList> {
  static Result<PointList> read(std::string_view text);
  static Json schema();
};
template <Index Least, Index Default>
struct FieldType<ByteSize<Least, Default>> {
  static Result<ByteSize<Least, Default>> read(std::string_view text) {
    const Result<Index> bytes = read_size(text, Least);
    if (!bytes) return fail(bytes.error());
    return ByteSize<Least, Default>{*bytes};
  }
  static Json schema() {
    return {{"oneOf", {{{"type", "integer"}, {"minimum", Least}}, {{"type", "string"}}}}};
  }
};
template <>
struct FieldType<LeafChoice> {
  static Result<LeafChoice> read(std::string_view text);
  static Json schema();
};
/// A text with `->`, or one of the words for maps, is a map; other texts are paths.
template <>
struct FieldType<MapOrProgram> {
  static Result<MapOrProgram> read(std::string_view text);
  static Json schema();
};

/// The words for the values of an enumeration, in their order.
template <class E>
struct Words;

/// The number of the word. Errors: bad_option.
Result<std::size_t> read_word(std::string_view text, std::span<const std::string_view> words);
Json words_schema(std::span<const std::string_view> words);

/// `a|b|c`.
template <class E>
const std::string& joined_words() {
  static const std::string kJoined = [] {
    std::string out;
    for (const std::string_view word : Words<E>::words) out += (out.empty() ? "" : "|") + std::string(word);
    return out;
  }();
  return kJoined;
}

/// The words that a value of type T may be, as help texts show them; empty for other types.
template <class T>
inline std::string_view words_text() {
  return {};
}
template <class T>
  requires std::is_enum_v<T>
std::string_view words_text() {
  return joined_words<T>();
}
template <class T>
  requires std::is_enum_v<typename T::value_type>
std::string_view words_text() {
  return joined_words<typename T::value_type>();
}

template <class E>
  requires std::is_enum_v<E>
struct FieldType<E> {
  static Result<E> read(std::string_view text) {
    const Result<std::size_t> word = read_word(text, Words<E>::words);
    if (!word) return fail(word.error());
    return static_cast<E>(*word);
  }
  static Json schema() { return words_schema(Words<E>::words); }
};

template <>
struct Reading<Layout> {
  /// The layout of a scalar.
  static Layout none();
  /// Errors: those of parse_layout; argument_type (the text is the path of a file).
  static Result<Layout> read(const std::string& text);
};

template <>
struct Reading<NamedOrLayout> {
  static NamedOrLayout none() { return {.layout = Reading<Layout>::none()}; }
  /// Errors: those of parse_named_or_layout; argument_type (the text is the path of a file).
  static Result<NamedOrLayout> read(const std::string& text);
};
/// The type of the elements of a named layout: `u3`.
template <>
struct FieldType<CellType> {
  static Result<CellType> read(std::string_view text);
  static Json schema() { return {{"type", "string"}}; }
};

template <class T>
struct FieldType<Given<T>> {
  static Result<Given<T>> read(std::string_view text) {
    std::string own(text);
    Result<T> value = Reading<T>::read(own);
    if (!value) return fail(std::move(value.error()));
    return Given<T>{*std::move(value), std::move(own)};
  }
  static Json schema() { return {{"type", "string"}}; }
};

/// Several texts that belong together.
template <std::size_t N>
struct FieldType<std::array<std::string, N>> {
  static Json schema() {
    return {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", N}, {"maxItems", N}};
  }
};

/// Whether a field of this type takes a list of values.
template <class T>
inline constexpr bool kRepeated = false;
template <class T>
inline constexpr bool kRepeated<std::vector<T>> = true;
template <>
inline constexpr bool kRepeated<IndexList> = false;

/// Whether a field of this type takes one value that is a list of numbers.
template <class T>
inline constexpr bool kList = false;
template <>
inline constexpr bool kList<IndexList> = true;
template <>
inline constexpr bool kList<PointList> = true;
template <>
inline constexpr bool kList<std::optional<PointList>> = true;

/// The number of texts that a field of this type takes together; 0 if it takes one.
template <class T>
inline constexpr std::size_t kCount = 0;
template <std::size_t N>
inline constexpr std::size_t kCount<std::optional<std::array<std::string, N>>> = N;

/// Visits the numbers of a value, whose range its field may limit.
template <class T, class Visit>
void for_each_number(const T& value, Visit&& visit) {
  if constexpr (std::is_same_v<T, Index>) {
    visit(value);
  } else if constexpr (std::is_same_v<T, std::optional<Index>>) {
    if (value) visit(*value);
  } else if constexpr (std::is_same_v<T, IndexList>) {
    for (const Index one : value) visit(one);
  }
}

/// Empty if the request does not have the field.
template <class T>
struct FieldType<std::optional<T>> {
  static Result<std::optional<T>> read(std::string_view text) {
    Result<T> value = FieldType<T>::read(text);
    if (!value) return fail(std::move(value.error()));
    return std::optional<T>(*std::move(value));
  }
  static Json schema() { return FieldType<T>::schema(); }
};

}  // namespace tessera::verbs
