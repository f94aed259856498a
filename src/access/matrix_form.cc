// SPDX-License-Identifier: Apache-2.0
#include "access/matrix_form.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::detail {

std::string MatrixForm::name() const { return fmt::format("{}.x{}", to_string(kind), matrices); }

Result<std::optional<MatrixForm>> parse_matrix_form(const TextPart& text) {
  MatrixForm form;
  for (const AccessKind kind : {AccessKind::ldmatrix, AccessKind::stmatrix}) {
    if (text.text.starts_with(to_string(kind))) form.kind = kind;
  }
  const std::string_view word = to_string(form.kind);
  if (!text.text.starts_with(word)) return std::optional<MatrixForm>{};
  const TextPart rest = text.from(word.size());
  const bool is_count = rest.text.starts_with('=');
  if (!rest.text.empty() && rest.text[0] != '.' && !is_count) return std::optional<MatrixForm>{};

  const std::string help = fmt::format("write {0}.x4, or {0}=4", word);
  if (rest.text.size() < 2) {
    return bad_part(text, fmt::format("{} needs its number of matrices: 1, 2 or 4", word), help);
  }
  const TextPart count_text = is_count ? rest.from(1) : rest.from(1).first(rest.text.substr(1).find('.'));
  std::string_view digits = count_text.text;
  if (!is_count) digits = digits.starts_with('x') ? digits.substr(1) : "";
  const std::optional<Index> count = whole_number(digits);
  if (!count || (*count != 1 && *count != 2 && *count != 4)) {
    return bad_part(count_text, fmt::format("{} takes 1, 2 or 4 matrices, not '{}'", word, count_text.text),
                    help);
  }
  form.matrices = static_cast<int>(*count);
  const TextPart suffix = text.from(count_text.at + count_text.text.size() - text.at);
  form.trans = suffix.text == ".trans";
  if (!suffix.text.empty() && !form.trans) {
    return bad_part(suffix, fmt::format("'{}' is not a form of {}", suffix.text, form.name()),
                    fmt::format("write {0}, or {0}.trans", form.name()));
  }
  return std::optional(form);
}

}  // namespace tessera::detail
