// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the header of a file says of all its tensors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/base/source.h"
#include "tessera/notation/layout.h"

namespace tessera {

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
