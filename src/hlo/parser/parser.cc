// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "hlo/parser/foreign_text.h"
#include "hlo/parser/module_parser.h"
#include "hlo/verify/verify.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

// "// -----" at the beginning of a line, from `begin` on; or the end of the text.
std::size_t find_separator(std::string_view text, std::size_t begin) {
  constexpr std::string_view kMark = "// -----";
  if (begin == 0 && text.starts_with(kMark)) return 0;
  const std::size_t found = text.find("\n// -----", begin == 0 ? 0 : begin - 1);
  return found == std::string_view::npos ? text.size() : found + 1;
}

}  // namespace

bool ParsedModules::ok() const {
  return std::ranges::none_of(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::error; });
}

ParsedModules parse_hlo(std::shared_ptr<const Source> source, const ParseHloOptions& options) {
  ParsedModules out;
  const std::string_view text = source->text();
  if (auto foreign = detail::foreign_text(text)) {
    out.source = std::move(source);
    out.diagnostics.push_back(*std::move(foreign));
    return out;
  }
  detail::DiagnosticSink sink(options.max_diagnostics);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    const auto at = static_cast<std::uint32_t>(nul);
    sink.add({.code = Code::syntax, .message = "the text contains a zero byte", .span = {at, at + 1}});
  }
  std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // a byte order mark
  while (begin < text.size() && text[begin] == '#') {            // some test files begin with # comments
    const std::size_t line_end = text.find('\n', begin);
    begin = line_end == std::string_view::npos ? text.size() : line_end + 1;
  }
  while (begin < text.size() || out.modules.empty()) {
    const std::size_t end = find_separator(text, begin);
    detail::ModuleParser parser(source, begin, end, sink);
    // An empty part between separators is skipped, but a text without any module is an error.
    const bool last = end == text.size();
    while (!parser.done() || (last && out.modules.empty())) {
      out.modules.push_back(parser.parse());
      if (options.verify) detail::verify(out.modules.back(), sink, parser.entry_is_cut(), options.sizes);
    }
    if (last) break;
    begin = std::min(text.find('\n', end), text.size());
  }
  std::erase_if(out.modules, [](const HloModule& module) { return module.computations.empty(); });
  out.source = std::move(source);
  out.diagnostics = sink.take();
  return out;
}

ParsedModules parse_hlo(std::string_view text, const ParseHloOptions& options) {
  return parse_hlo(std::make_shared<const Source>("<text>", std::string(text)), options);
}

}  // namespace tessera
