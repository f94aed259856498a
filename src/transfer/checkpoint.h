// SPDX-License-Identifier: Apache-2.0
/// \file
/// A checkpoint: the tensors of several files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/files/tensor_file.h"
#include "tessera/notation/named_layout.h"
#include "transfer/name_pattern.h"
#include "transfer/row_blocks.h"

namespace tessera::transfer {

/// A tensor of a checkpoint.
struct CheckpointTensor {
  std::string name;
  std::size_t file = 0;
  std::string type_name = {};  ///< the type's name in .safetensors: `BF16`
  std::optional<DType> dtype = {};
  Index element_bits = 0;
  std::vector<Index> shape = {};
  std::vector<Index> strides = {};  ///< in elements; with `cells`, those of a row-major array
  /// The layout and its digits, if the elements are not where `strides` says: tiles, packings, padding. A
  /// swizzle or a map has no digits, and a named layout of kind bits is `named`.
  std::optional<Layout> layout = {};
  std::optional<Digits> cells = {};
  std::optional<NamedLayout> named = {};
  RowBlocks rows = {};  ///< of a layout whose elements are named by number
  Index begin = 0;      ///< position in the file, in bytes
  Index end = 0;
  /// Why its elements cannot be moved: an unknown type, blocks of GGUF. An error only for those who need the
  /// tensor.
  std::optional<Diagnostic> unusable = {};

  /// Whether elements are named by their row-major numbers, because no sum of digits says where they are.
  bool by_number() const { return named || (layout && !cells); }
  /// The offset of an element, in elements, by the layout itself; or its number.
  Index offset(std::span<const Index> index) const;
  /// The same for the element with this row-major number, of a tensor whose `strides` are row-major.
  Index offset_of_number(Index number) const;
};

struct CheckpointFile {
  std::string path;
  std::string name;  ///< without the folder
  MappedFile mapping;
  Index bytes = 0;
  std::int64_t changed = 0;  ///< time of change in nanoseconds: `cp -p` sets the modification time
  /// The device and the inode: files that change at the same time, as by `chmod`, have equal times.
  std::string number = {};
  std::map<std::string, std::string, std::less<>> metadata = {};  ///< from .safetensors
  std::map<std::string, std::size_t, std::less<>> tensors = {};   ///< numbers in Checkpoint::tensors
  std::map<std::string, Index, std::less<>> axes = {};  ///< the numbers in the file's name, by the template
};

/// True for the small files that programs need to load tensors: `.json`, `.txt`, `.model`, `.jinja`.
bool is_settings(std::string_view name);

/// Opened, mapped files with their headers. The data is not read.
class Checkpoint {
 public:
  /// `source` is a folder, a file, `model.safetensors.index.json`, or a template such as
  /// `tp{place}.safetensors`. `files` is a template for the files of a folder; if it is empty, all files are
  /// opened. `raw` is the layout of files without a header; then no file may have one. Files are ordered by
  /// their names, with numbers as numbers; the files of a template are ordered by its numbers. Errors:
  /// file_not_found, bad_file (a header, an index that disagrees with the files, a folder without tensors),
  /// bad_option (files without a header and without `raw`, or with both), those of list_tensors. `header` is
  /// as in TensorFile::open.
  static Result<Checkpoint> open(const std::string& source, const std::string& files,
                                 std::shared_ptr<const Source>* header,
                                 const std::optional<NamedOrLayout>& raw = {});

  std::span<const CheckpointFile> files() const { return files_; }
  std::span<const CheckpointTensor> tensors() const { return tensors_; }
  std::span<const std::byte> bytes(const CheckpointTensor& tensor) const {
    return files_[tensor.file].mapping.bytes().subspan(static_cast<std::size_t>(tensor.begin),
                                                       static_cast<std::size_t>(tensor.end - tensor.begin));
  }
  /// All names, sorted, without duplicates.
  std::vector<std::string> names() const;
  /// The text of config.json next to the files, or empty.
  const std::string& config() const { return config_; }
  /// The folder of the files.
  const std::string& folder() const { return folder_; }
  /// True for a folder or an index: files next to the tensors then belong to the checkpoint.
  bool has_folder() const { return has_folder_; }
  /// True for files of one array each, without a name: .npy, raw.
  bool has_arrays() const { return has_arrays_; }
  void drop_pages() const;

  /// A tensor with the bytes of another, in a named layout, such as `pack:awq u4[64,128]`. Its name and file
  /// are the same. The same view is added once. Errors: shape_mismatch (another number of bytes),
  /// not_applicable (a tensor that is not row-major).
  Result<std::size_t> add_view(std::size_t number, const NamedLayout& layout);

 private:
  Result<void> add(const std::string& path, std::map<std::string, Index, std::less<>> axes,
                   std::shared_ptr<const Source>* header);
  Result<void> check_index(const std::string& path, std::shared_ptr<const Source>* header) const;

  std::vector<CheckpointFile> files_;
  std::vector<CheckpointTensor> tensors_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> views_;  // tensor and layout -> view
  std::string config_;
  std::string folder_;
  bool has_folder_ = false;
  bool has_arrays_ = false;
  std::optional<NamedOrLayout> raw_;  // the layout of files without a header
};

}  // namespace tessera::transfer
