// SPDX-License-Identifier: Apache-2.0
#include "verbs/field_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "notation/symbolic/symbolic_layout.h"
#include "notation/symbolic/symbolic_map.h"
#include "notation/xla/dtype_help.h"
#include "tessera/text/index_map.h"
#include "text/point.h"
#include "verbs/byte_size.h"
#include "verbs/file_hint.h"
#include "verbs/map_text.h"

namespace tessera::verbs {
namespace {

// A layout with names for sizes, where numbers are needed.
std::optional<Diagnostic> names_in_place_of_numbers(const std::string& text) {
  if (!symbolic::is_about_sizes(text)) return std::nullopt;
  const auto sized = symbolic::SymbolicLayout::parse(text);
  const std::vector<std::string> names = sized->where().names(sized->names());
  return Diagnostic{
      .code = Code::missing_attribute,
      .message = fmt::format("this needs numbers for the sizes {}", fmt::join(names, ", ")),
      .span = {0, static_cast<std::uint32_t>(text.size())},
      .help = "write numbers; eval, equal, convert, show, at, access and code also read names of sizes"};
}

Span whole(std::string_view text) { return {0, static_cast<std::uint32_t>(text.size())}; }

}  // namespace

Result<bool> FieldType<bool>::read(std::string_view text) {
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  return fail(Code::bad_option, fmt::format("'{}' is neither true nor false", text), whole(text));
}

Result<Index> FieldType<Index>::read(std::string_view text) {
  Index value = 0;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* const begin = text.data() + (hexadecimal ? 2 : 0);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
  if (error == std::errc::result_out_of_range)
    return fail(Code::bad_option, fmt::format("{} does not fit in 64 bits", text), whole(text));
  if (error != std::errc() || stop != end || value < 0)
    return fail(Code::bad_option, fmt::format("'{}' is not a whole number from 0", text), whole(text));
  return value;
}

Result<IndexList> FieldType<IndexList>::read(std::string_view text) {
  IndexList out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const Result<Index> one = FieldType<Index>::read(text.substr(at, end - at));
    if (!one)
      return fail(Code::bad_option, fmt::format("'{}' is not a list of whole numbers from 0", text),
                  {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
    out.push_back(*one);
    at = end + 1;
  }
  return out;
}

Json FieldType<IndexList>::schema() {
  const Json item = {{"type", "integer"}, {"minimum", 0}};
  return {{"oneOf", {{{"type", "array"}, {"items", item}}, item, {{"type", "string"}}}}};
}

Result<ByteCount> FieldType<ByteCount>::read(std::string_view text) {
  const std::optional<Index> bytes = parse_byte_size(text);
  if (!bytes || *bytes < 1)
    return fail(Code::bad_option, fmt::format("'{}' is not a number of bytes", text), whole(text));
  return ByteCount{*bytes};
}

Json FieldType<ByteCount>::schema() {
  return {{"oneOf", {{{"type", "integer"}, {"minimum", 1}}, {{"type", "string"}}}}};
}

Result<PointList> FieldType<PointList>::read(std::string_view text) {
  Result<std::vector<Index>> values = parse_point(text);
  if (!values) return fail(std::move(values.error()));
  return PointList{*std::move(values)};
}

Json FieldType<PointList>::schema() {
  const Json item = {{"type", "integer"}};
  return {{"oneOf", {{{"type", "array"}, {"items", item}}, item, {{"type", "string"}}}}};
}

Result<Index> read_size(std::string_view text, Index least) {
  constexpr Index kMebi = Index{1} << 20;
  const std::optional<Index> bytes = parse_byte_size(text);
  if (bytes && *bytes >= least) return *bytes;
  return fail(Code::bad_option,
              !bytes ? fmt::format("'{}' is not a size", text)
              : least >= kMebi && least % kMebi == 0
                  ? fmt::format("{} is too little; the minimum is {}M", text, least / kMebi)
                  : fmt::format("{} is too little; the minimum is {}", text, least),
              {}, "write a number followed by K, M, G or T:");
}

Result<LeafChoice> FieldType<LeafChoice>::read(std::string_view text) {
  if (text == "all") return LeafChoice{.all = true};
  const Result<Index> leaf = FieldType<Index>::read(text);
  if (!leaf)
    return fail(Code::bad_option, fmt::format("'{}' is neither the number of an array nor 'all'", text),
                whole(text));
  return LeafChoice{.leaf = *leaf};
}

Json FieldType<LeafChoice>::schema() {
  return {{"oneOf", {{{"type", "integer"}, {"minimum", 0}}, {{"const", "all"}}}}};
}

Result<MapOrProgram> FieldType<MapOrProgram>::read(std::string_view text) {
  if (!is_map_text(text)) return MapOrProgram(ProgramPath{std::string(text)});
  Result<IndexMap> map = parse_index_map(text);
  if (map) return MapOrProgram(*std::move(map));
  if (symbolic::declared_names(text).empty() && !symbolic::has_sizes(text))
    return fail(std::move(map.error()));
  return MapOrProgram(SizedMapText{std::string(text), std::move(map.error())});
}

Json FieldType<MapOrProgram>::schema() { return {{"type", "string"}}; }

Layout Reading<Layout>::none() {
  static const Layout kScalar = *parse_layout("1:0");
  return kScalar;
}

Result<Layout> Reading<Layout>::read(const std::string& text) {
  Result<Layout> layout = parse_layout(text);
  if (layout) return layout;
  if (auto names = names_in_place_of_numbers(text)) return fail(*std::move(names));
  return fail(file_in_place_of_layout(text).value_or(std::move(layout.error())));
}

Result<NamedOrLayout> Reading<NamedOrLayout>::read(const std::string& text) {
  Result<NamedOrLayout> layout = parse_named_or_layout(text);
  if (layout) return layout;
  if (auto names = names_in_place_of_numbers(text)) return fail(*std::move(names));
  return fail(file_in_place_of_layout(text).value_or(std::move(layout.error())));
}

Result<CellType> FieldType<CellType>::read(std::string_view text) {
  std::optional<CellType> type = parse_cell_type(text);
  if (const auto dtype = read_dtype(text); !type && dtype) type = parse_cell_type(to_string(*dtype));
  if (type) return *type;
  return fail(Code::unknown_type, fmt::format("'{}' is not an element type, such as u8", text), whole(text));
}

Result<std::size_t> read_word(std::string_view text, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end())
    return fail(Code::bad_option, fmt::format("'{}' is not one of {}", text, fmt::join(words, ", ")),
                whole(text));
  return static_cast<std::size_t>(found - words.begin());
}

Json words_schema(std::span<const std::string_view> words) {
  Json all = Json::array();
  for (const std::string_view word : words) all.push_back(word);
  return {{"enum", std::move(all)}};
}

}  // namespace tessera::verbs
