// SPDX-License-Identifier: Apache-2.0
#include "verbs/file_hint.h"

#include <fmt/core.h>

#include "tessera/files/tensor_file.h"
#include "tessera/notation/layout.h"

namespace tessera::verbs {

bool names_a_file(const std::string& path) { return MappedFile::open(path).has_value(); }

std::optional<Diagnostic> file_in_place_of_layout(const std::string& text) {
  const TensorPath path = parse_tensor_path(text);
  if (!names_a_file(path.path)) return std::nullopt;
  Diagnostic diagnostic{.code = Code::argument_type,
                        .message = fmt::format("'{}' is a file, not a layout", text),
                        .span = {0, static_cast<std::uint32_t>(text.size())},
                        .help = fmt::format("tessera info {} shows what it holds", path.path)};
  if (format_of(path.path) == FileFormat::raw) return diagnostic;
  const Result<TensorFile> file = TensorFile::open(path);
  if (file && file->tensor().layout) {
    diagnostic.help = fmt::format("tessera info {} shows what it holds; its layout is '{}'", path.path,
                                  to_string(*file->tensor().layout));
  }
  return diagnostic;
}

}  // namespace tessera::verbs
