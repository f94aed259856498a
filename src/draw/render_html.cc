// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "draw/render_svg.h"

namespace tessera {
namespace {

std::string page_rules(Theme theme) {
  const ThemeColors& c = colors_of(theme);
  return fmt::format(
      "body{{background:{0};color:{1}}}th,.hint{{color:{2}}}#selected{{background:{0};border-color:{3}}}"
      ".on rect,g:focus rect{{stroke:{4}}}\n",
      to_string(c.paper), to_string(c.ink), to_string(c.muted), to_string(c.grid), to_string(c.mark));
}

constexpr std::string_view kRules =
    "body{margin:24px;font:15px/1.5 system-ui,sans-serif}"
    "h1{font:600 20px/1.4 'DejaVu Sans Mono',Menlo,Consolas,monospace;overflow-wrap:anywhere;margin:0 0 8px}"
    "table{border-collapse:collapse;margin:8px "
    "0}th{text-align:left;font-weight:400;padding-right:24px;vertical-align:top}"
    "td{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:13px;overflow-wrap:anywhere}"
    "#selected{position:sticky;top:0;padding:6px 10px;border:1px solid;border-radius:6px;min-height:1.5em;"
    "font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    ".figure{overflow-x:auto}.figure svg{max-width:none}.colors svg{max-width:100%;height:auto}"
    ".grid g{cursor:default;outline:none}.on rect,g:focus rect{stroke-width:3;paint-order:stroke}\n";

// Tab selects a cell of the drawing, and the arrow keys move from there. Cells with the same number (data-k)
// correspond.
constexpr std::string_view kScript = R"js(
const selected = document.getElementById('selected');
const cells = [...document.querySelectorAll('g[data-p]')];
const at = new Map(), linked = new Map();
for (const cell of cells) {
  const {p, r, c, k} = cell.dataset;
  at.set(p + '/' + r + '/' + c, cell);
  if (k >= 0) (linked.get(k) ?? linked.set(k, []).get(k)).push(cell);
}
let shown = [], entry = cells[0];
function show(cell) {
  for (const one of shown) one.classList.remove('on');
  shown = [cell, ...(linked.get(cell.dataset.k) ?? [])];
  for (const one of shown) one.classList.add('on');
  selected.textContent = cell.getAttribute('aria-label');
}
for (const cell of cells) {
  cell.addEventListener('mouseenter', () => show(cell));
  cell.addEventListener('focus', () => {
    entry.tabIndex = -1;
    entry = cell;
    entry.tabIndex = 0;
    show(cell);
  });
}
if (entry) entry.tabIndex = 0;
const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
document.addEventListener('keydown', (event) => {
  const step = steps[event.key], cell = document.activeElement;
  if (!step || !cell || cell.dataset.p === undefined) return;
  const {p, r, c} = cell.dataset;
  const next = at.get(p + '/' + (+r + step[0]) + '/' + (+c + step[1]));
  if (next) next.focus();
  event.preventDefault();
});
)js";

}  // namespace

std::string render_html(const Picture& picture, const FactRows& facts, ThemeChoice theme) {
  const std::string title = detail::xml_escaped(picture.title);
  std::string style(kRules);
  style += page_rules(theme == ThemeChoice::dark ? Theme::dark : Theme::light);
  if (theme == ThemeChoice::automatic) {
    style += "@media (prefers-color-scheme:dark){" + page_rules(Theme::dark) + "}\n";
  }
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "</head>\n<body>\n<h1>{}</h1>\n",
      title, style, title);
  auto end = std::back_inserter(out);
  if (!facts.empty()) {
    out += "<table>\n";
    for (const auto& [name, value] : facts) {
      fmt::format_to(end, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", detail::xml_escaped(name),
                     detail::xml_escaped(value));
    }
    out += "</table>\n";
  }
  out +=
      "<div id=\"selected\" role=\"status\" aria-live=\"polite\">Point at a cell, or press Tab and the arrow "
      "keys.</div>\n"
      "<div class=\"figure";
  // A picture without text in its cells may shrink to the page's width.
  if (std::ranges::none_of(picture.panels, &Panel::draws_text)) out += " colors";
  out += "\">\n";
  out += detail::svg_element(picture, detail::svg_style(picture, theme), /*interactive=*/true);
  return out + "</div>\n<script>" + std::string(kScript) + "</script>\n</body>\n</html>\n";
}

}  // namespace tessera
