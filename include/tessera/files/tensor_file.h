// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tensors in files: `.npy`, `.safetensors`, `.gguf`, and raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/named_layout.h"

namespace tessera {

/// A whole file as read-only memory. Pages are loaded when touched and count as the process's memory until
/// they are dropped. The file must not shrink while it is mapped, or the system sends SIGBUS.
class MappedFile {
 public:
  /// Maps a file. Errors: file_not_found; file_read for a file without read permission, a folder, something
  /// that cannot be mapped (a pipe, a terminal), or if the system refuses. An empty file has no bytes.
  static Result<MappedFile> open(const std::string& path);
  /// Like open, for a file that is already open; the descriptor may be closed afterward. `name` is for
  /// messages.
  static Result<MappedFile> map(int descriptor, const std::string& name);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Returns touched pages to the system, which reloads them from the file when they are needed. Slows down
  /// threads that are reading them.
  void drop_pages() const;

 private:
  std::span<const std::byte> bytes_;
};

/// How a tensor is stored: NumPy's format, Hugging Face's, llama.cpp's (which is only read), or bytes without
/// a header.
enum class FileFormat : std::uint8_t { npy, safetensors, gguf, raw };

/// `npy`, `safetensors`, `gguf`, `raw`.
std::string_view to_string(FileFormat format);

/// A file and one of its tensors: `weights.safetensors#layer.0`. An empty name selects the only tensor.
struct TensorPath {
  std::string path;
  std::string tensor = {};
};

/// Splits `FILE.safetensors#TENSOR` and `FILE.gguf#TENSOR` after the first such extension; any other `#`
/// belongs to the path.
TensorPath parse_tensor_path(std::string_view text);

/// The format by the extension: `.npy`, `.safetensors` or `.gguf`, upper or lower case; anything else is raw.
FileFormat format_of(std::string_view path);

/// A tensor as described by a file's header.
struct FileTensor {
  std::string name = {};              ///< only in .safetensors and .gguf
  std::optional<DType> dtype = {};    ///< empty if the header does not name a known type
  Index element_bits = 0;             ///< width in the file; 0: unknown
  std::optional<Layout> layout = {};  ///< empty for raw files
  /// A layout of kind bits, which has no Layout: `gguf:q6_k u6[4,256]`.
  std::optional<NamedLayout> named = {};
  Index begin = 0;  ///< position in the file, in bytes
  Index end = 0;
};

/// The text of the layout; empty if there is none.
std::string layout_text(const FileTensor& tensor);

/// A mapped file with its header.
class TensorFile {
 public:
  /// Maps the file and reads its header. Errors: those of MappedFile::open, parse_npy_header,
  /// parse_safetensors_header and parse_gguf_header; buffer_too_small for a file that ends before the array
  /// does; unknown_name for a tensor that does not exist; bad_option if the file has several tensors and none
  /// is named; bad_file for a broken layout in the metadata. For an error in the header, `*header` receives
  /// the beginning of the file, and the spans of the error refer to it.
  static Result<TensorFile> open(const TensorPath& path, std::shared_ptr<const Source>* header = nullptr);
  /// As above, but reads the file as `format`, whatever its extension.
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
  Result<void> read_gguf(const std::string& name);

  std::string path_;
  FileFormat format_ = FileFormat::raw;
  FileTensor tensor_;
  MappedFile mapping_;
};

/// The stored width of an element: E(...) if the layout has it, else the type's width in whole bytes (8 for
/// s4).
Index memory_bits(const Layout& layout, DType dtype);

/// The bytes before offset 0: M(...).
Index prefix_bytes(const Layout& layout);

/// The bytes of a tensor in memory or in a raw file, with padding and prefix. Errors: those of
/// Layout::buffer_size, overflow.
Result<Index> file_bytes(const Layout& layout, Index element_bits);

/// The header of a new file with this one tensor. `.npy` stores row-major and column-major order without
/// padding. `.safetensors` stores row-major order; any other layout is stored as a flat list of cells, with
/// its text in the metadata (`tessera.layout.NAME`, and `tessera.type.NAME` if that text has no type).
/// Errors: not_representable with reason `npy`; missing_layout without a type for a format that needs one;
/// reserved_name; bad_option for .gguf, which is only read.
Result<std::string> file_header(FileFormat format, const FileTensor& tensor);

/// The kind of a file, by its first bytes and its extension. index: `model.safetensors.index.json`. zip:
/// `.npz` and PyTorch's `.pt`. text: printable, plain or gzip.
enum class Content : std::uint8_t { npy, safetensors, index, gguf, zip, text, unknown };

/// The kind of the file; reads at most 4 KiB. Errors: those of MappedFile::open.
Result<Content> content_of(const std::string& path);

/// One tensor of a listing.
struct ListedTensor {
  std::string name = {};            ///< empty in .npy
  std::string file = {};            ///< for an index: the file that holds the tensor
  std::string type_name = {};       ///< in .safetensors as written, `F32`; in .gguf in lower case, `q4_k`
  std::optional<DType> dtype = {};  ///< empty if the header does not name a known type
  Index element_bits = 0;           ///< 0: not known
  std::vector<Index> shape = {};
  std::optional<Layout> layout = {};      ///< empty for types without a layout
  std::optional<NamedLayout> named = {};  ///< of kind bits, which has no Layout
  Index begin = 0;                        ///< byte position in its file
  Index end = 0;
};

/// The text of the layout; empty if there is none.
std::string layout_text(const ListedTensor& tensor);

/// A key of a .gguf file's metadata and its value. Values of arrays are not kept, because a vocabulary may
/// have 250,000 strings.
struct MetadataKey {
  std::string name = {};
  std::string type = {};  ///< `u32`, `string`, `array of string`
  /// Empty for arrays.
  std::variant<std::monostate, std::uint64_t, std::int64_t, double, bool, std::string> value = {};
  Index length = 0;  ///< of an array
};

/// All tensors of a file.
struct TensorListing {
  Content content = Content::npy;
  Index file_bytes = 0;  ///< for an index: the sum over the files that exist
  std::vector<ListedTensor> tensors = {};
  std::map<std::string, std::string, std::less<>> metadata = {};  ///< only in .safetensors
  std::vector<std::string> files = {};                            ///< for an index: sorted by name
  std::vector<std::string> missing = {};  ///< files that do not exist; their tensors have only a name
  std::uint32_t version = 0;              ///< only in .gguf
  Index alignment = 0;                    ///< only in .gguf; bytes
  std::vector<MetadataKey> keys = {};     ///< only in .gguf; in the order of the file
  std::vector<std::string> notes = {};    ///< sentences about the file as a whole
};

/// Reads only the headers of a `.npy`, `.safetensors` or `.gguf` file, or of all files of an index, so time
/// and memory do not depend on the size of the tensors. Errors: those of TensorFile::open; bad_file for an
/// invalid index, and for a tensor that is missing from the file that the index names. `header`: as in
/// TensorFile::open. Requires content_of(path) to be npy, safetensors, index or gguf.
Result<TensorListing> list_tensors(const std::string& path, Content content,
                                   std::shared_ptr<const Source>* header = nullptr);

}  // namespace tessera
