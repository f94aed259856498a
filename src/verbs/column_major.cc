// SPDX-License-Identifier: Apache-2.0
#include "verbs/column_major.h"

#include <fmt/core.h>

#include <utility>

#include "tessera/algebra/detail/construct.h"
#include "tessera/notation/cute.h"

namespace tessera::verbs {

std::string column_major_note(std::string_view text) {
  // A text with a prefix, strides or a swizzle contains a colon or an angle bracket.
  if (text.find_first_of(":<") != std::string_view::npos) return {};
  const auto columns = parse_cute_layout(text);
  if (!columns) return {};
  const detail::Outcome<StridedLayout> rows = detail::make_layout(columns->layout.shape(), Order::right);
  if (!rows || *rows == columns->layout) return {};
  return fmt::format(
      "a CuTe shape without strides is column-major (leftmost mode fastest): {}; row-major is {}",
      to_string(columns->layout), to_string(*rows));
}

std::vector<std::string> column_major_notes(const std::vector<std::string>& texts) {
  std::vector<std::string> notes;
  for (const std::string& text : texts) {
    if (std::string note = column_major_note(text); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace tessera::verbs
