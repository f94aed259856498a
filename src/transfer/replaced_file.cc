// SPDX-License-Identifier: Apache-2.0
#include "transfer/replaced_file.h"

#include <fmt/core.h>

#include <utility>

#include "files/safetensors.h"

namespace tessera::transfer {

std::optional<TensorFile> old_contents(const TensorPath& path, const CopyOptions& options, Index bytes) {
  if (options.padding != Padding::keep || !options.force || format_of(path.path) != FileFormat::raw)
    return std::nullopt;
  Result<TensorFile> old = TensorFile::open(path);
  if (!old || static_cast<Index>(old->data().size()) != bytes) return std::nullopt;
  return std::move(*old);
}

Result<void> check_replaced(const TensorPath& path, const CopyOptions& options) {
  if (!options.force || format_of(path.path) != FileFormat::safetensors) return {};
  const Result<MappedFile> old = MappedFile::open(path.path);
  if (!old) return {};
  const Result<SafetensorsHeader> header = parse_safetensors_header(old->bytes());
  if (!header || header->tensors.size() <= 1) return {};
  return fail(Code::file_exists,
              fmt::format("'{}' holds {} tensors, and the copy would replace them all", path.path,
                          header->tensors.size()),
              {}, "choose another name, or remove the file first");
}

}  // namespace tessera::transfer
