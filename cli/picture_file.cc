// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_file.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "draw/text_lines.h"

namespace tessera::cli {
namespace {

// The dark theme, unless COLORFGBG says otherwise: its last number, the background, is a light color.
Theme terminal_theme(const TerminalRequest& request) {
  if (request.theme != "auto") return request.theme == "dark" ? Theme::dark : Theme::light;
  const char* colors = std::getenv("COLORFGBG");
  const std::string_view text = colors == nullptr ? "" : colors;
  return text.ends_with(";7") || text.ends_with(";15") ? Theme::light : Theme::dark;
}

}  // namespace

std::optional<ShowFile> kind_of(const std::string& path) {
  static constexpr std::pair<std::string_view, ShowFile> kKinds[] = {
      {".txt", ShowFile::text}, {".svg", ShowFile::svg},   {".png", ShowFile::png},
      {".tex", ShowFile::tex},  {".html", ShowFile::html}, {".json", ShowFile::json}};
  for (const auto& [extension, kind] : kKinds) {
    if (path.ends_with(extension)) return kind;
  }
  return {};
}

Diagnostic no_such_kind(const std::string& path) {
  return {.code = Code::bad_option,
          .message = fmt::format("the extension of '{}' is not a known format", path),
          .help = "write .txt, .svg, .png, .tex, .html or .json"};
}

Result<std::string> render_file(const Picture& picture, ShowFile kind, const std::string& theme,
                                const FactRows& facts) {
  const ThemeChoice choice = theme == "auto"   ? ThemeChoice::automatic
                             : theme == "dark" ? ThemeChoice::dark
                                               : ThemeChoice::light;
  const Theme one = theme == "dark" ? Theme::dark : Theme::light;
  switch (kind) {
    case ShowFile::svg:
      return render_svg(picture, choice);
    case ShowFile::png:
      return render_png(picture, one);
    case ShowFile::tex:
      return render_tikz(picture, one);
    case ShowFile::html:
      return render_html(picture, facts, choice);
    case ShowFile::json:
    case ShowFile::text:
      break;
  }
  return render_json(picture) + "\n";
}

TextOptions terminal_options(const Session& session, const TerminalRequest& request, bool to_file) {
  TextOptions options{.ascii = request.ascii, .theme = terminal_theme(request)};
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  const std::string_view terminal = variable("TERM");
  const std::string_view depth = variable("COLORTERM");
  // In 16 colors, several classes would have the same color.
  const bool few = depth.empty() && (terminal == "linux" || terminal == "ansi" || terminal.starts_with("vt"));
  if (!to_file && !few && session.output_color() == Color::always) {
    const bool all = depth == "truecolor" || depth == "24bit";
    options.colors = all ? ColorDepth::truecolor : ColorDepth::ansi256;
  }
  options.width = terminal_width(request.width);
  return options;
}

Index text_columns(const Picture& picture, bool compact) {
  const std::string text = render_text(picture, {.ascii = true, .width = 1, .compact = compact});
  Index width = 0;
  for (const std::string_view line : lines_of(text)) width = std::max(width, text_width(line));
  return width;
}

Index terminal_width(Index width) {
  if (width > 0) return width;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::string_view text = columns;
    Index value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value > 0) return value;
  }
  winsize size = {};
  if (::isatty(1) != 0 && ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

std::string terminal_text(const Picture& picture, TextOptions options) {
  options.compact = text_columns(picture) > options.width && text_columns(picture, true) <= options.width;
  return render_text(picture, options);
}

}  // namespace tessera::cli
