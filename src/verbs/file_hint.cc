// SPDX-License-Identifier: Apache-2.0
#include "verbs/file_hint.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "tessera/files/tensor_file.h"
#include "tessera/notation/layout.h"

namespace tessera::verbs {

std::optional<Diagnostic> file_in_place_of_layout(const std::string& text) {
  const TensorPath path = parse_tensor_path(text);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path.path, error)) return std::nullopt;
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
