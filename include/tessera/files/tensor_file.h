// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tensors in files: `.npy`, `.safetensors`, and raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/base/source.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// A whole file as read-only memory. Pages are loaded when touched and count as the process's memory until
/// they are dropped. The file must not shrink while it is mapped: the system then sends SIGBUS.
class MappedFile {
 public:
  /// Errors: file_not_found; file_read for a file that may not be read, for a folder, for something without a
  /// size to map (a pipe, a terminal), and if the system refuses. An empty file has no bytes.
  static Result<MappedFile> open(const std::string& path);
  /// The same for an open file; the descriptor may be closed afterward. `name` is for messages.
  static Result<MappedFile> map(int descriptor, const std::string& name);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Returns touched pages to the system, which reloads them from the file when they are needed. Threads that
  /// read them at the same time become slow.
  void drop_pages() const;

 private:
  std::span<const std::byte> bytes_;
};

enum class FileFormat : std::uint8_t { npy, safetensors, raw };

/// `npy`, `safetensors`, `raw`.
std::string_view to_string(FileFormat format);

/// A file and one of its tensors: `weights.safetensors#layer.0`. An empty name means the only tensor.
struct TensorPath {
  std::string path;
  std::string tensor = {};
};

/// The name begins after the first `#` that follows `.safetensors`; any other `#` belongs to the path.
TensorPath parse_tensor_path(std::string_view text);

/// From the extension: `.npy` or `.safetensors` in either case; anything else is raw.
FileFormat format_of(std::string_view path);

/// What the header says of a tensor.
struct FileTensor {
  std::string name = {};              ///< .safetensors
  std::optional<DType> dtype = {};    ///< empty if the header does not say what the bits mean
  Index element_bits = 0;             ///< of one element in the file; 0: unknown
  std::optional<Layout> layout = {};  ///< empty for raw files
  Index begin = 0;                    ///< bytes of the file
  Index end = 0;
};

/// A mapped file with its header.
class TensorFile {
 public:
  /// Reads the header. Errors: those of MappedFile::open, parse_npy_header and parse_safetensors_header;
  /// buffer_too_small for a file that ends before the array does; unknown_name for a tensor that does not
  /// exist; bad_option if the file has several tensors and none is named; bad_file for a broken layout in the
  /// metadata. Spans are places in the file; then `header` is its beginning.
  static Result<TensorFile> open(const TensorPath& path, std::shared_ptr<const Source>* header = nullptr);
  /// The same for a file whose extension does not say the format.
  static Result<TensorFile> open(const TensorPath& path, std::shared_ptr<const Source>* header,
                                 FileFormat format);

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

/// Bits of one element in memory: E(...) if the layout has it, else whole bytes of the type (8 for s4).
Index memory_bits(const Layout& layout, DType dtype);

/// Bytes before the first element: M(...).
Index prefix_bytes(const Layout& layout);

/// Bytes of a tensor in memory and in a raw file, with padding and prefix. Errors: those of
/// Layout::buffer_size, overflow.
Result<Index> file_bytes(const Layout& layout, Index element_bits);

/// The bytes before a tensor's data in a new file. `.npy` has row-major and column-major order without
/// padding.
/// `.safetensors` has row-major order; any other layout is stored as a list of cells, with its text in the
/// metadata (`tessera.layout.NAME`, and `tessera.type.NAME` if that text has no type). Errors:
/// not_representable with reason `npy`; missing_layout without a type for a format that needs it;
/// reserved_name.
Result<std::string> file_header(FileFormat format, const FileTensor& tensor);

/// What the first bytes of a file say about the rest. index: `model.safetensors.index.json`. zip: `.npz` and
/// PyTorch's `.pt`. text: printable, plain or gzip.
enum class Content : std::uint8_t { npy, safetensors, index, zip, text, unknown };

/// Reads at most 4 KiB. Errors: those of MappedFile::open.
Result<Content> content_of(const std::string& path);

/// One tensor.
struct ListedTensor {
  std::string name = {};            ///< empty in .npy
  std::string file = {};            ///< of an index: the file that holds the tensor
  std::string type_name = {};       ///< .safetensors: as written, `F32`
  std::optional<DType> dtype = {};  ///< empty if the header does not say what the bits mean
  Index element_bits = 0;           ///< 0: not known
  std::vector<Index> shape = {};
  std::optional<Layout> layout = {};  ///< empty for types without a layout
  Index begin = 0;                    ///< bytes of its file
  Index end = 0;
};

/// All tensors of a file.
struct TensorListing {
  Content content = Content::npy;
  Index file_bytes = 0;  ///< of an index: of all its files that were found
  std::vector<ListedTensor> tensors = {};
  std::map<std::string, std::string, std::less<>> metadata = {};  ///< .safetensors
  std::vector<std::string> files = {};                            ///< of an index: in order of their names
  std::vector<std::string> missing = {};  ///< those that do not exist; their tensors have no type
};

/// Reads the headers of a `.npy` or `.safetensors` file, or of all files of an index, and no data: time and
/// memory do not depend on the size of the tensors. Errors: those of TensorFile::open; bad_file for an index
/// that is not one, and for a tensor that the file named by the index lacks. `header`: as in
/// TensorFile::open. Requires content_of(path) to be npy, safetensors or index.
Result<TensorListing> list_tensors(const std::string& path, Content content,
                                   std::shared_ptr<const Source>* header = nullptr);

}  // namespace tessera
