// SPDX-License-Identifier: Apache-2.0
// `model.safetensors.index.json`: which file holds which tensor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

struct WeightEntry {
  std::string tensor;
  std::string file;
  Span place = {};  // the tensor's name in the index
};

// Parses an index file into the entries of its `weight_map`, in file order. Errors: bad_file.
Result<std::vector<WeightEntry>> parse_weight_map(std::string_view text);

// The text of an index with these entries; total_size: bytes of all tensors.
std::string weight_map_text(const std::vector<WeightEntry>& entries, Index total_size);

}  // namespace tessera
