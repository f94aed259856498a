// SPDX-License-Identifier: Apache-2.0
// Calls with arrays of indices, which broadcast as in NumPy.
#pragma once

#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <vector>

#include "python/src/python.h"
#include "tessera/base/index.h"

namespace tessera::python {

/// The indices of a call: one array of integers for each variable, broadcast to one shape.
class IndexArrays {
 public:
  /// True if all arguments are integers or tuples of them, so that the call is for a single index.
  static bool is_single_index(const nb::args& arguments);
  /// Raises TypeError unless the arrays hold integers, and ValueError if their shapes do not broadcast.
  explicit IndexArrays(const nb::args& arguments);

  std::size_t variables() const { return columns_.size(); }
  std::size_t size() const { return columns_.empty() ? 1 : columns_[0].size(); }
  /// Writes index number `i`, in row-major order.
  void read(std::size_t i, std::span<Index> index) const {
    for (std::size_t v = 0; v < data_.size(); ++v) index[v] = data_[v][i];
  }
  /// A NumPy array of the common shape, which takes over `values`.
  nb::object array_of(std::unique_ptr<Index[]> values) const;

 private:
  using Column = nb::ndarray<const Index, nb::c_contig, nb::device::cpu>;
  std::vector<Column> columns_;
  std::vector<const Index*> data_;
};

}  // namespace tessera::python
