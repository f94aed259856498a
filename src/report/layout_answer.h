// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers about layouts, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// Where a cell below a byte is.
struct CellPlace {
  Index byte = 0;
  Index first_bit = 0;
  Index bits = 8;
};

/// An index and its offset. After an error, the input text and the error.
struct OffsetAnswer {
  std::vector<Index> index = {};
  Index offset = 0;
  std::optional<CellPlace> place = {};  ///< in a named layout
  std::string text = {};
  std::optional<Diagnostic> error = {};
};

/// An offset and the indices there. After an error, the input text and the error.
struct PreimageAnswer {
  Index offset = 0;
  Preimage preimage = {};
  std::string text = {};
  std::optional<Diagnostic> error = {};
};

/// The result of a conversion: a layout, or digits. `all` has every spelling in the target notation, if
/// requested.
struct ConversionAnswer {
  std::optional<Conversion> conversion = {};
  std::optional<Digits> digits = {};
  std::vector<Layout> all = {};
};

/// A layout in one of the notations, or why that notation cannot express it.
struct NotationAnswer {
  Notation notation = Notation::map;
  std::optional<Conversion> conversion = {};
  std::optional<Diagnostic> error = {};
  std::string word = {};  ///< of a view, such as `tv`, in place of the notation
  std::string text = {};  ///< an answer that is not a layout, in place of the conversion
};

/// The layout in every notation.
std::vector<NotationAnswer> in_all_notations(const Layout& layout);

/// One line for each notation: its text with notes in brackets, or `none: REASON`.
std::string to_text(std::span<const NotationAnswer> answers);

/// `xla: minor_to_major {1,0}`: the recognized notation, and how it orders dimensions.
std::string reading_text(const Layout& layout);

/// The offset of an index, with its place if the layout is named and its cells are below a byte.
OffsetAnswer offset_answer(const Layout& layout, std::vector<Index> index);
/// `17`, `54: byte 27, bits 0-3`.
std::string to_text(const OffsetAnswer& answer);

/// `(2, 3)`, `(0, 0) (1, 0)`, `padding`. Ends in ` and more` if the list is truncated.
std::string to_text(const Preimage& preimage);

/// Properties that the target layout cannot express, one line each: `the buffer has 24 elements`, `dropped
/// type f32`.
std::vector<std::string> notes_of(const Conversion& conversion);

/// One line of JSON each: `{"schema": "tessera.at/1", "status": 0, "layout": {...}, ...}`;
/// docs/lookup/json.md lists the keys. `status` is the exit status of the command line.
std::string to_json(const Layout& layout, int status, std::span<const OffsetAnswer> answers);
std::string to_json(const Layout& layout, int status, std::span<const PreimageAnswer> answers);
std::string to_json(const Layout& from, std::string_view to, const ConversionAnswer& answer);
std::string to_json(const Layout& from, std::span<const NotationAnswer> answers);
std::string to_json(std::string_view notation, std::string_view from,
                    std::span<const NotationAnswer> answers);
std::string to_json(const Layout& a, const Layout& b, EqualityNotion notion, const LayoutEquality& equality);

}  // namespace tessera
