// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of a named layout as text, and where each of them is written.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/notation/named_layout.h"

namespace tessera::detail {

/// Where the fields are; all empty for fields that were not read from a text.
struct NamedSpans {
  Span family = {};
  Span field = {};
  std::vector<Span> keys = {};
  std::vector<Span> values = {};
  Span type = {};
  Span extents = {};
  std::vector<Span> extent = {};
  std::string type_text = {};  ///< if it is no type
};

struct NamedText {
  NamedFields fields;
  NamedSpans spans;
};

/// Reads the grammar; knows no families. Errors: syntax, number_range.
Result<NamedText> parse_named_text(std::string_view text);

}  // namespace tessera::detail
