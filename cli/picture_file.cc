// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_file.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

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

std::optional<verbs::PictureFormat> picture_format(std::string_view path) {
  using verbs::PictureFormat;
  static constexpr std::pair<std::string_view, PictureFormat> kExtensions[] = {
      {".svg", PictureFormat::svg},
      {".png", PictureFormat::png},
      {".tex", PictureFormat::tex},
      {".html", PictureFormat::html},
      {".json", PictureFormat::json}};
  for (const auto& [extension, format] : kExtensions) {
    if (path.ends_with(extension)) return format;
  }
  return {};
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

}  // namespace tessera::cli
