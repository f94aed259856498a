// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers about named layouts, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "notation/named/sized_equality.h"
#include "notation/table_equality.h"
#include "tessera/notation/named_layout.h"

namespace tessera {

/// `named: rows first, elements of 3 bits`; `named: rows first, cells of 4 bits`.
std::string reading_text(const NamedLayout& layout);
/// As above, of either kind of layout.
std::string reading_text(const NamedOrLayout& layout);
/// The word of the notation: `named`, `cute`.
std::string_view notation_word(const NamedOrLayout& layout);

/// Where the bits of an element are. After an error, the input text and the error.
struct RunsAnswer {
  std::vector<Index> index = {};
  std::vector<BitRun> runs = {};
  std::string text = {};
  std::optional<Diagnostic> error = {};
};

/// A bit of the buffer, and its owner. After an error, the input text and the error.
struct BitAnswer {
  Index offset = 0;
  std::optional<BitOwner> owner = {};
  std::string text = {};
  std::optional<Diagnostic> error = {};
};

/// Reads an index of a layout of kind bits: `2,3`. Errors: those of parse_layout_index.
Result<std::vector<Index>> parse_named_index(std::string_view text, const NamedLayout& layout);

/// `{"schema": "tessera.at/1", ...}`, as for other layouts; a result has `runs`, or `index` and `bit`.
std::string to_json(const NamedLayout& layout, int status, std::span<const RunsAnswer> answers);
std::string to_json(const NamedLayout& layout, int status, std::span<const BitAnswer> answers);

/// `bits 0-3: (d0) -> (...)`, one line for each plane.
std::string to_text(std::span<const BitPlane> planes);
/// `{"schema": "tessera.convert/1", ..., "planes": [...]}`.
std::string to_json(const NamedLayout& layout, std::span<const BitPlane> planes);

/// `{"schema": "tessera.equal/1", ...}` of either kind of layout.
std::string to_json(const NamedOrLayout& a, const NamedOrLayout& b, EqualityNotion notion,
                    const LayoutEquality& equality);

/// `yes, for 1200 combinations`, `no for M=129, K=1 at 128,0: 512 and 1024`.
std::string to_text(const SizedPair& pair, const SizedEquality& answer);
std::string to_json(const SizedPair& pair, EqualityNotion notion, const SizedEquality& answer);

/// `yes`, `no at 7,3: 31 and 64`, `no at 7,3: 31, but the table lacks the element`.
std::string to_text(const std::optional<TableDifference>& difference);
std::string to_json(const Layout& layout, const std::optional<TableDifference>& difference);

/// The notation, the text and the fields of a layout.
Json described_side(const NamedOrLayout& side);
/// The fields of a named layout: prefix, family, field, params, kind, element_bits, container.
void add_fields(Json& json, const NamedLayout& layout);

}  // namespace tessera
