// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layout with the type and the width of its elements.
#pragma once

#include <optional>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/files/tensor_file.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// element_bits are those in memory: 8 for s4, 4 with E(4).
struct Tensor {
  Layout layout;
  std::optional<DType> dtype = {};
  Index element_bits = 0;

  bool is_packed() const { return element_bits % 8 != 0; }
};

/// What is known about the elements besides layouts and headers.
struct ElementHint {
  std::optional<DType> dtype = {};           ///< must agree with the header and the layout
  Index bytes = 0;                           ///< the same for the width alone; 0: not known
  std::optional<DType> fallback_dtype = {};  ///< used if nothing else gives the type
};

/// The tensor of a file, from its header and the layout `from`, which must agree where both are given.
/// Errors: missing_layout if neither gives the layout or the width; different_shape, different_type;
/// bad_option for a layout that contradicts the header; buffer_too_small, and bad_file for a file that is
/// longer than an array with all its padding; unsupported_width, those of Layout::buffer_size.
Result<Tensor> source_tensor(const TensorFile& file, const std::optional<Layout>& from,
                             const ElementHint& hint = {});

/// The tensor that the source becomes: `to` with the source's type, or row-major without padding. Errors:
/// different_shape, different_type, unsupported_width, those of Layout::buffer_size.
Result<Tensor> destination_tensor(const Tensor& source, const std::optional<Layout>& to);

/// Bytes of an element in memory: 1 if it is narrower.
Index moved_bytes(const Tensor& source, const Tensor& destination);

}  // namespace tessera
