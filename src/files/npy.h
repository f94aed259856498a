// SPDX-License-Identifier: Apache-2.0
/// \file
/// The header of NumPy's `.npy` files.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// The header of a .npy file. Extents >= 0; element_bytes >= 1; the numbers of elements and bytes fit in
/// 64 bits.
struct NpyHeader {
  std::optional<DType> dtype;  ///< empty if the type is unknown: bf16 is written as `<V2`
  Index element_bytes = 0;
  std::vector<Index> shape = {};
  bool fortran_order = false;  ///< the first dimension is the fastest
  std::size_t data_begin = 0;  ///< bytes

  Index element_count() const;
};

/// Parses the header of a file, versions 1 to 3; ignores what follows it. Spans are byte positions in the
/// file. Errors: bad_file; byte_order; unknown_type for elements that are not numbers (strings, objects,
/// dates, records); overflow; limit (more than 64 dimensions). O(header). Example: the header `{'descr':
/// '<f4', 'fortran_order': False, 'shape': (3, 4), }` is f32, shape 3x4.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> file);

/// The header that NumPy writes for such an array: version 1 (2 if it does not fit), padded to a multiple of
/// 64 bytes. Types that NumPy does not know are written by their width (`<V2` for bf16, `|V1` for s4), as
/// ml_dtypes does. Requires a type with elements. parse_npy_header parses it back.
std::string npy_header(DType dtype, std::span<const Index> shape, bool fortran_order);

}  // namespace tessera
