// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tensors in files: `.npy`, `.safetensors`, and raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/base/source.h"
#include "tessera/files/mapped_file.h"
#include "tessera/notation/layout.h"

namespace tessera {

enum class FileFormat : std::uint8_t { npy, safetensors, raw };

/// `npy`, `safetensors`, `raw`.
std::string_view to_string(FileFormat format);

/// A file, and which tensor of it is meant: `weights.safetensors#layer.0`. Empty: the only one.
struct TensorPath {
  std::string path;
  std::string tensor = {};
};

/// The name begins behind the first `#` that follows `.safetensors`; any other `#` belongs to the path.
TensorPath parse_tensor_path(std::string_view text);

/// By the extension, `.npy` or `.safetensors` in letters of any case; everything else is raw.
FileFormat format_of(std::string_view path);

/// What the header says of a tensor.
struct FileTensor {
  std::string name = {};              ///< .safetensors
  std::optional<DType> dtype = {};    ///< nothing where the header gives no meaning to the bits
  Index element_bits = 0;             ///< of one element in the file; 0: not said
  std::optional<Layout> layout = {};  ///< nothing: raw
  Index begin = 0;                    ///< bytes of the file
  Index end = 0;
};

/// A file whose header was read; its bytes come through a mapping.
class TensorFile {
 public:
  /// Reads the header. Errors: those of MappedFile::open, parse_npy_header and parse_safetensors_header;
  /// buffer_too_small where the file ends before the array does; unknown_name for a tensor that is not there;
  /// bad_option where the file has several tensors and none is named; bad_file for a layout in the metadata
  /// that is none. Spans are places in the file, for which `header` gets its beginning.
  static Result<TensorFile> open(const TensorPath& path, std::shared_ptr<const Source>* header = nullptr);

  const std::string& path() const { return path_; }
  FileFormat format() const { return format_; }
  const FileTensor& tensor() const { return tensor_; }
  /// The bytes of the tensor.
  std::span<const std::byte> data() const;
  const MappedFile& mapping() const { return mapping_; }

 private:
  Result<void> read_npy();
  Result<void> read_safetensors(const std::string& name);

  std::string path_;
  FileFormat format_ = FileFormat::raw;
  FileTensor tensor_;
  MappedFile mapping_;
};

/// Bits of one element in memory: E(...) where the layout says it, else whole bytes of the type (8 for s4).
Index memory_bits(const Layout& layout, DType dtype);

/// Bytes in front of the first element: M(...).
Index prefix_bytes(const Layout& layout);

/// Bytes of a tensor in memory and in a raw file, with padding and prefix. Errors: those of
/// Layout::buffer_size, overflow.
Result<Index> file_bytes(const Layout& layout, Index element_bits);

/// The bytes in front of a tensor's data in a new file. `.npy` has row-major and column-major order without
/// padding.
/// `.safetensors` has row-major order; any other layout is stored as a list of cells, and its text in the
/// metadata
/// (`tessera.layout.NAME`, and `tessera.type.NAME` where that text has no type). Errors: not_representable
/// with reason `npy`; missing_layout without a type for a format that needs it; reserved_name.
Result<std::string> file_header(FileFormat format, const FileTensor& tensor);

}  // namespace tessera
