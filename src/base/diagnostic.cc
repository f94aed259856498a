// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "base/limits.h"
#include "base/printable.h"
#include "base/shortened.h"
#include "tessera/base/result.h"

namespace tessera {
namespace {

std::string bounded(std::string_view text, bool lines = false) {
  return detail::printable(shortened(text, detail::kBaseLimits.message), lines);
}

// The visible part of a line. Each tab or control byte becomes a blank, and each byte that is not UTF-8 a
// `?`, so that the caret stays aligned.
struct Excerpt {
  std::string text;
  std::size_t caret = 0;  // column of the caret in `text`, from 0
};

Excerpt excerpt(std::string_view line, std::size_t column) {
  std::size_t begin = 0;
  std::size_t end = line.size();
  if (const std::size_t width = detail::kBaseLimits.source_line; line.size() > width) {
    begin = column > width / 2 ? column - width / 2 : 0;
    end = std::min(line.size(), begin + width);
  }
  Excerpt out;
  if (begin > 0) out.text = "...";
  out.caret = out.text.size() + (column - begin);
  // If the cut splits a character, each remaining byte counts as invalid.
  for (std::size_t i = begin; i < end;) {
    const std::size_t length = detail::utf8_length(line.substr(0, end), i);
    const bool control = static_cast<unsigned char>(line[i]) < 0x20 || line[i] == 0x7f;
    if (length == 0 || control) {
      out.text += control ? ' ' : '?';
      ++i;
    } else {
      out.text += line.substr(i, length);
      i += length;
    }
  }
  if (end < line.size()) out.text += "...";
  return out;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  return fmt::format("{}[{}]: {}", diagnostic.severity == Severity::error ? "error" : "warning",
                     to_string(diagnostic.code), bounded(diagnostic.message));
}

std::string render(const Diagnostic& diagnostic, const Source& source, Color color) {
  const bool colored = color == Color::always;
  const char* bold = colored ? "\x1b[1m" : "";
  const char* tint = !colored ? "" : diagnostic.severity == Severity::error ? "\x1b[1;31m" : "\x1b[1;35m";
  const char* green = colored ? "\x1b[1;32m" : "";
  const char* reset = colored ? "\x1b[0m" : "";
  const Position at = source.position(diagnostic.span.begin);
  std::string out =
      fmt::format("{}{}:{}:{}: {}{}[{}]:{} {}{}{}\n", bold, detail::printable(source.name()), at.line,
                  at.column, tint, diagnostic.severity == Severity::error ? "error" : "warning",
                  to_string(diagnostic.code), reset, bold, bounded(diagnostic.message), reset);
  const std::string_view line = source.line(at.line);
  const Excerpt shown = excerpt(line, at.column - 1);
  const std::size_t marked = std::max<std::size_t>(
      1, std::min<std::size_t>(
             diagnostic.span.end > diagnostic.span.begin ? diagnostic.span.end - diagnostic.span.begin : 1,
             shown.text.size() > shown.caret ? shown.text.size() - shown.caret : 1));
  const std::string number = fmt::format("{:>5}", at.line);
  out += fmt::format("{} | {}\n", number, shown.text);
  out += fmt::format("{:{}} | {:{}}{}^{}{}\n", "", number.size(), "", shown.caret, green,
                     std::string(marked - 1, '~'), reset);
  const auto add = [&](const char* what, std::string_view text) {
    if (text.empty()) return;
    out += fmt::format("{:{}} = {}: {}\n", "", number.size(), what, bounded(text, /*lines=*/true));
  };
  for (const auto& note : diagnostic.notes) add("note", note);
  add("witness", diagnostic.witness);
  add("help", diagnostic.help);
  return out;
}

}  // namespace tessera
