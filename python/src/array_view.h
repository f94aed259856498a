// SPDX-License-Identifier: Apache-2.0
// Memory exported by the buffer protocol, `__array_interface__`, or DLPack.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/src/python.h"
#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/notation/layout.h"

namespace tessera::python {

/// Bytes [begin, end), relative to the element of index 0.
struct Extent {
  Index begin = 0;
  Index end = 0;
};

/// An array in the memory of this process, which stays alive and in place while the view exists.
class ArrayView {
 public:
  /// Tries the buffer protocol, then `__array_interface__`, then DLPack. Raises TypeError for other objects,
  /// for NumPy scalars without a buffer, for arrays of Python objects, for malformed exports, and for arrays
  /// on a device; Error for elements narrower than a byte (unsupported_width) and for big-endian elements.
  explicit ArrayView(nb::handle array);
  ArrayView(const ArrayView&) = delete;
  ArrayView& operator=(const ArrayView&) = delete;
  ~ArrayView();

  /// The element of index 0.
  std::byte* data() const { return data_; }
  const std::vector<Index>& shape() const { return shape_; }
  Index element_bytes() const { return element_bytes_; }
  std::optional<DType> dtype() const { return dtype_; }
  bool read_only() const { return read_only_; }
  bool is_empty() const;
  /// True if the elements are contiguous in row-major or column-major order, so that the memory is a buffer.
  bool is_dense() const {
    return extent().end - extent().begin == size() * element_bytes_ && extent().begin == 0;
  }
  Index size() const;
  /// The bytes that the elements occupy.
  Extent extent() const;
  /// The layout, with strides in elements. Raises NotRepresentable if a stride is not a whole number of
  /// elements.
  Layout layout(Index offset = 0) const;

 private:
  void read(nb::handle array);
  bool from_buffer(nb::handle array, std::string& why_not);
  bool from_interface(nb::handle array);
  bool from_dlpack(nb::handle array);
  void keep_unit_strides(nb::handle array);
  void set_dense_strides();
  void check(nb::handle array) const;
  void release();

  std::byte* data_ = nullptr;
  std::vector<Index> shape_;
  std::vector<Index> strides_;  // in bytes
  Index element_bytes_ = 1;
  std::optional<DType> dtype_;
  bool read_only_ = false;
  Py_buffer buffer_ = {};
  nb::object owner_;
  std::shared_ptr<void> view_;  // of DLPack
};

}  // namespace tessera::python
