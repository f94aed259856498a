// SPDX-License-Identifier: Apache-2.0
#include "verbs/answer.h"

#include <algorithm>

#include "draw/text_lines.h"

namespace tessera::verbs {

Result<std::string> VerbAnswer::to_picture(PictureFormat format) const {
  if (format == PictureFormat::json) return to_json();
  return fail(Code::not_applicable, "the answer has no picture");
}

Result<std::string> VerbAnswer::to_cells() const {
  return fail(Code::not_applicable, "the answer has no cells", {}, "`show` of a layout has");
}

std::string problem_line(const Diagnostic& diagnostic) {
  const std::string& witness = diagnostic.witness;
  return to_string(diagnostic) + (witness.empty() ? "" : " (witness: " + witness + ")");
}

Span span_in(const Diagnostic& error, std::string_view text) {
  if (error.span.begin != 0 || error.span.end != 0) return error.span;
  return {0, static_cast<std::uint32_t>(text.size())};
}

Result<std::string> full_text(const VerbAnswer& answer, const Terminal& terminal) {
  Result<std::string> body = answer.to_text(terminal);
  if (!body) return body;
  std::string text = answer.heading();
  if (!text.empty()) text += '\n';
  text += *body;
  for (const std::string& note : answer.notes()) text += "\nnote: " + note;
  return text;
}

Result<std::string> render_file(const Picture& picture, PictureFormat format, ThemeChoice theme,
                                const FactRows& facts) {
  const Theme plain = theme == ThemeChoice::dark ? Theme::dark : Theme::light;
  switch (format) {
    case PictureFormat::svg:
      return render_svg(picture, theme);
    case PictureFormat::png:
      return render_png(picture, plain);
    case PictureFormat::tex:
      return render_tikz(picture, plain);
    case PictureFormat::html:
      return render_html(picture, facts, theme);
    case PictureFormat::json:
      break;
  }
  return render_json(picture);
}

Index text_columns(const Picture& picture, bool compact) {
  const std::string text = render_text(picture, {.ascii = true, .width = 1, .compact = compact});
  Index width = 0;
  for (const std::string_view line : lines_of(text)) width = std::max(width, text_width(line));
  return width;
}

std::string terminal_text(const Picture& picture, TextOptions options) {
  options.compact = text_columns(picture) > options.width && text_columns(picture, true) <= options.width;
  std::string text = render_text(picture, options);
  text.resize(text.find_last_not_of('\n') + 1);
  return text;
}

}  // namespace tessera::verbs
