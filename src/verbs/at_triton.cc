// SPDX-License-Identifier: Apache-2.0
#include "verbs/at_triton.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "text/integers.h"
#include "text/lexer.h"
#include "text/point.h"

namespace tessera::verbs {
namespace {

Span whole(const std::string& text) { return {0, static_cast<std::uint32_t>(text.size())}; }

template <class T>
Result<T> about(Result<T> result, const std::string& text) {
  if (!result && result.error().span.begin == result.error().span.end) result.error().span = whole(text);
  return result;
}

Index lanes_of(const TritonBases& bases) { return Index{1} << bases.of("lane").size(); }

std::string place_text(const TritonBases& bases, const TritonPlace& place) {
  const std::string block = bases.of("block").empty() ? "" : fmt::format("B{}:", place.block);
  return fmt::format("{}T{}:{}", block, place.lane + lanes_of(bases) * place.warp, place.reg);
}

constexpr std::string_view kPlaceHelp = "places are T13:2 (thread 13, register 2) or r2,l13,w0,b0";

// `T13:2`, `B1:T13:2`, or letters with numbers: `r2,l13,w0,b0`.
Result<TritonPlace> parse_place(const std::string& text, const TritonBases& bases) {
  TritonPlace out;
  const auto number = [&](std::string_view word, std::size_t at) -> Result<Index> {
    const auto value = integer_value(word, false);
    if (!value || word.empty())
      return fail(Code::syntax, "expected a number",
                  {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text.size())},
                  std::string(kPlaceHelp));
    return *value;
  };
  const bool thread = text.starts_with("T") || text.starts_with("B");
  std::string seen;  // the letters of the parts so far; a thread is a lane and a warp
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(thread ? ":" : ",", at), text.size());
    const std::string_view part = std::string_view(text).substr(at, end - at);
    const char letter = part.empty() ? '\0' : part.front();
    const bool bare = thread && letter >= '0' && letter <= '9';
    TESSERA_TRY(value, number(bare ? part : part.substr(std::min<std::size_t>(1, part.size())), at));
    const Span part_span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
    const char kind = bare ? 'r' : letter == 'B' ? 'b' : letter;
    const std::string_view kinds = letter == 'T' ? std::string_view("lw") : std::string_view(&kind, 1);
    if (seen.find_first_of(kinds) != std::string::npos)
      return fail(Code::duplicate_name, fmt::format("'{}' gives a part of the place again", part), part_span,
                  std::string(kPlaceHelp));
    seen += kinds;
    if (kind == 'r')
      out.reg = value;
    else if (letter == 'T')
      out.lane = value % lanes_of(bases), out.warp = value / lanes_of(bases);
    else if (letter == 'l')
      out.lane = value;
    else if (letter == 'w')
      out.warp = value;
    else if (kind == 'b')
      out.block = value;
    else
      return fail(Code::unknown_name, fmt::format("'{}' is not a part of a place", part), part_span,
                  std::string(kPlaceHelp));
    at = end + 1;
  }
  return out;
}

TritonAnswer holders_answer(const TritonBases& bases, const std::vector<Index>& index,
                            const TritonHolders& holders) {
  std::vector<std::string> places;
  TritonAnswer out;
  out.json = {{"index", index}, {"count", holders.count}, {"holders", Json::array()}};
  for (const TritonPlace& place : holders.places) {
    places.push_back(place_text(bases, place));
    out.json["holders"].push_back({place.reg, place.lane, place.warp, place.block});
  }
  out.line = fmt::format("{}", fmt::join(places, " "));
  if (holders.count > std::ssize(places))
    out.line += fmt::format(" and {} more", holders.count - std::ssize(places));
  if (holders.count == 0) out.line = "no register";
  return out;
}

// The answer has no target. NVIDIA has 32 banks of 4 bytes; two kinds are of AMD alone, where the banks
// depend on the chip.
bool has_32_banks(const TritonAttribute& attribute) {
  return attribute.kind != TritonKind::partitioned_shared &&
         attribute.kind != TritonKind::amd_rotating_shared;
}

TritonAnswer offset_answer(const TritonLayout& layout, const TritonBases& bases,
                           const std::vector<Index>& index, const TritonOffset& found) {
  TritonAnswer out;
  out.json = {
      {"index", index}, {"offset", found.offset}, {"partition", found.partition}, {"blocks", found.blocks}};
  if (space_of(layout.attribute.kind) == TritonSpace::tensor_memory) {
    const Index columns = Index{1} << bases.of("col").size();
    const Index rows = Index{1} << bases.of("row").size();
    out.line = fmt::format("row {}, column {}", found.offset / columns % rows, found.offset % columns);
    if (index.size() > bases.shape.size()) out.line += fmt::format(" of buffer {}", index.front());
  } else {
    out.line = fmt::format("offset {}", found.offset);
    if (const Index bits = triton_element_bits(layout.element); bits >= 8) {
      const Index byte = found.offset * (bits / 8);
      out.line += fmt::format(", byte {}", byte);
      out.json["byte"] = byte;
      if (has_32_banks(layout.attribute)) {
        constexpr Index kBanks = 32;
        constexpr Index kWord = 4;
        const Index bank = byte / kWord % kBanks;
        const Index line = byte / (kWord * kBanks);
        out.line += fmt::format(", bank {}, line {}", bank, line);
        out.json.update({{"bank", bank}, {"line", line}});
      }
    }
  }
  if (!bases.of("partition").empty()) out.line += fmt::format(", partition {}", found.partition);
  if (!bases.of("block").empty())
    out.line +=
        fmt::format(", block{} {}", found.blocks.size() == 1 ? "" : "s", fmt::join(found.blocks, ", "));
  return out;
}

}  // namespace

Result<TritonAnswer> triton_answer(const TritonLayout& layout, const std::string& text) {
  TESSERA_TRY(bases, triton_bases(layout));
  const bool registers = space_of(layout.attribute.kind) == TritonSpace::registers;
  const bool letter = !text.empty() && text.find_first_of("TBrlwb") == 0;
  if (letter && registers) {
    TESSERA_TRY(place, parse_place(text, bases));
    const std::vector<Index> values = {place.reg, place.lane, place.warp, place.block};
    TESSERA_TRY(element, about(triton_element(bases, values), text));
    TritonAnswer out;
    out.line = fmt::format("({})", fmt::join(element, ", "));
    out.json = {{"place", values}, {"index", element}};
    return out;
  }
  TESSERA_TRY(index, parse_point(text));
  if (registers) {
    TESSERA_TRY(holders, about(triton_holders(bases, index), text));
    return holders_answer(bases, index, holders);
  }
  TESSERA_TRY(found, about(triton_offset(layout, index), text));
  return offset_answer(layout, bases, index, found);
}

}  // namespace tessera::verbs
