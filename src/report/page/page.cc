// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "report/page/page_files.h"

namespace tessera::detail {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// JSON for a script element: no text in it can end the element.
std::string for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

using Script = std::pair<std::string_view, const char*>;

std::string page_of(std::string_view title, std::string_view json, std::span<const Script> scripts) {
  const std::string heading = escaped(title);
  std::string out = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)";
  out += fmt::format("<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n{2}",
                     heading, kPageStyle, kPageBody);
  out += "<script type=\"application/json\" id=\"data\">" + for_script(json) + "</script>\n";
  for (const auto& [id, text] : scripts) out += fmt::format("<script id=\"{}\">\n{}</script>\n", id, text);
  out += "</body>\n</html>\n";
  return out;
}

}  // namespace

std::string report_page(std::string_view title, std::string_view report_json) {
  const Script scripts[] = {{"logic", kPageLogic}, {"pictures", kPagePictures},       {"lists", kPageTable},
                            {"costs", kPageCosts}, {"instruction", kPageInstruction}, {"views", kPageViews}};
  return page_of(title, report_json, scripts);
}

std::string kernel_page(std::string_view title, std::string_view json) {
  const Script scripts[] = {
      {"logic", kPageLogic}, {"pictures", kPagePictures}, {"lists", kPageTable}, {"kernel", kPageKernel}};
  return page_of(title, json, scripts);
}

}  // namespace tessera::detail
