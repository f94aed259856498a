// SPDX-License-Identifier: Apache-2.0
/// \file
/// A tensor of integers in a file, as numbers.
#pragma once

#include <string>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

struct NumberTable {
  std::vector<Index> shape;
  std::vector<Index> values;  ///< row-major
};

/// Reads the tensor of a file. Errors: those of TensorFile::open, argument_type (the elements are not
/// integers), limit (more than kTableLimit), number_range (an unsigned integer of 2^63 or more).
Result<NumberTable> read_number_table(const std::string& path);

}  // namespace tessera
