// SPDX-License-Identifier: Apache-2.0
#include "python/src/picture.h"

#include <fmt/format.h>

#include "files/file_writer.h"
#include "python/src/errors.h"
#include "tessera/draw/layout_picture.h"
#include "verbs/show_picture.h"

namespace tessera::python {
namespace {

ThemeChoice theme_argument(std::string_view theme) {
  if (theme == "auto") return ThemeChoice::automatic;
  if (theme == "light") return ThemeChoice::light;
  if (theme == "dark") return ThemeChoice::dark;
  raise(Code::bad_option, fmt::format("'{}' is not a theme", theme), "write light, dark or auto");
}

Theme plain_theme(std::string_view theme) {
  return theme_argument(theme) == ThemeChoice::dark ? Theme::dark : Theme::light;
}

std::string picture_text(const ShownPicture& shown, bool ascii, Index width) {
  return render_text(shown.picture, {.ascii = ascii, .width = width});
}

nb::bytes png_of(const ShownPicture& shown, std::string_view theme) {
  const Theme chosen = plain_theme(theme);
  const std::string png = unwrap(released([&] { return render_png(shown.picture, chosen); }));
  return nb::bytes(png.data(), png.size());
}

void save(const ShownPicture& shown, const std::string& path, std::string_view theme) {
  const ThemeChoice choice = theme_argument(theme);
  std::string data;
  if (path.ends_with(".svg")) {
    data = render_svg(shown.picture, choice);
  } else if (path.ends_with(".html")) {
    data = render_html(shown.picture, shown.facts, choice);
  } else if (path.ends_with(".png")) {
    data = unwrap(render_png(shown.picture, plain_theme(theme)));
  } else if (path.ends_with(".tex")) {
    data = render_tikz(shown.picture, plain_theme(theme));
  } else if (path.ends_with(".json")) {
    data = render_json(shown.picture) + "\n";
  } else if (path.ends_with(".txt")) {
    data = render_text(shown.picture);
  } else {
    raise(Code::bad_option, fmt::format("the extension of '{}' is not a known format", path),
          "write .txt, .svg, .png, .tex, .html or .json");
  }
  unwrap(write_file(path, data, /*force=*/true));
}

}  // namespace

ShownPicture show(const Layout& layout, verbs::FieldTexts fields) {
  fields["layout"] = {"1:0"};  // replaced by the value
  const auto refused = [&](const Diagnostic& error) {
    const auto texts = fields.find(error.field);
    if (texts == fields.end()) raise(with_keywords(error));
    const std::string text = error.field == "layout" ? to_string(layout)
                             : texts->second.empty() ? "True"
                                                     : texts->second.front();
    Diagnostic shown = error;
    shown.span = verbs::span_in(error, text);
    raise(with_keywords(std::move(shown)), Source(fmt::format("<{}>", error.field), text));
  };
  Result<verbs::ShowRequest> request = verbs::read_request<verbs::ShowRequest>(fields);
  if (!request) refused(request.error());
  const std::string text = to_string(layout);
  const Result<NamedLayout> named = parse_named_layout(text);
  request->layout = {{.plain = {.named = named ? std::optional(*named) : std::nullopt, .layout = layout}},
                     text};
  verbs::Observer observer;
  if (const auto shown = verbs::show(*request, observer); !shown) refused(shown.error());
  Result<Picture> picture = released([&] { return verbs::picture_of(*request, {}); });
  if (!picture) refused(picture.error());
  return {*std::move(picture),
          fact_rows(released([&] { return facts_of(layout, verbs::element_bits(*request)); }))};
}

void add_picture(nb::module_& m) {
  nb::class_<ShownPicture>(m, "Picture",
                           "A picture of a layout. Notebooks show it; ``save`` writes a file.\n\n"
                           ">>> print(tessera.parse('(2,4):(4,1)').show().text(ascii=True).rstrip())\n"
                           "    0  1  2  3\n"
                           "  +------------+\n"
                           "0 | 0  1  2  3 |\n"
                           "1 | 4  5  6  7 |\n"
                           "  +------------+")
      .def_prop_ro("title", [](const ShownPicture& p) { return p.picture.title; })
      .def(
          "svg",
          [](const ShownPicture& p, std::string_view theme) {
            return render_svg(p.picture, theme_argument(theme));
          },
          "theme"_a = "auto",
          "A stand-alone SVG document. ``theme``: light, dark, or auto (the viewer's setting).")
      .def(
          "html",
          [](const ShownPicture& p, std::string_view theme) {
            return render_html(p.picture, p.facts, theme_argument(theme));
          },
          "theme"_a = "auto", "A self-contained interactive page with the facts of the layout.")
      .def("png", &png_of, "theme"_a = "light", nb::sig("def png(self, theme: str = 'light') -> bytes"),
           "A PNG image. Raises Error (bad_option) in builds without cairo.")
      .def(
          "tikz",
          [](const ShownPicture& p, std::string_view theme) {
            return render_tikz(p.picture, plain_theme(theme));
          },
          "theme"_a = "light", "A LaTeX document.")
      .def("text", &picture_text, "ascii"_a = false, "width"_a = 100, "The picture for a terminal.")
      .def(
          "to_json", [](const ShownPicture& p) { return render_json(p.picture); }, "The picture as data.")
      .def("save", &save, "path"_a, "theme"_a = "auto",
           "Writes .svg, .png, .tex, .html, .json or .txt, and replaces an existing file. Raises FileError.")
      .def("_repr_svg_", [](const ShownPicture& p) { return render_svg(p.picture); })
      .def("_repr_html_", [](const ShownPicture& p) { return render_svg(p.picture); })
      .def("__str__", [](const ShownPicture& p) { return picture_text(p, false, 100); })
      .def("__repr__", [](const ShownPicture& p) { return fmt::format("<Picture of {}>", p.picture.title); });
}

}  // namespace tessera::python
