// SPDX-License-Identifier: Apache-2.0
#include "tessera/report/html_report.h"

#include "report/html_page.h"
#include "tessera/report/indexing_json.h"

namespace tessera {
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
std::string for_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string HtmlReport::begin(std::string_view title) {
  count_ = 0;
  std::string out(detail::kPageHead);
  out += "<title>" + escaped(title) + "</title>\n";
  out += detail::kPageStyle;
  out += "<h1>" + escaped(title) + "</h1>\n";
  out += detail::kPageBody;
  out += "<script type=\"application/json\" id=\"data\">[\n";
  return out;
}

std::string HtmlReport::instruction(const InstructionPlace& place, const InstructionIndexing& maps,
                                    IndexingDirection direction) {
  return (count_++ == 0 ? "" : ",\n") + for_script(to_json(place, maps, direction));
}

std::string HtmlReport::end(const StatsReport& stats) {
  std::string out = "\n]</script>\n<script type=\"application/json\" id=\"stats\">";
  out += for_script(to_json(stats)) + "</script>\n";
  out += detail::kPageScript;
  return out;
}

}  // namespace tessera
