// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plain strides, as in NumPy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// offset + sum of stride[i] * x[i] over the box of `shape`: one stride per extent. In elements.
struct Strides {
  std::vector<Index> shape;
  std::vector<Index> strides;
  Index offset = 0;
  friend bool operator==(const Strides&, const Strides&) = default;
};

/// `(6,8):(1,6) + 7`: sizes, element strides, and the offset of index 0, which may be omitted. The
/// prefix `np:` is optional. Errors, each with its span: syntax, number_range, bad_extent (a negative size),
/// rank_mismatch. Example: parse_strides("np:(6,8):(1,6)")->strides == {1, 6}.
Result<Strides> parse_strides(std::string_view text);

/// `np:(6,8):(1,6) + 7`; an offset of 0 is omitted. parse_strides(to_string(x)) == x.
std::string to_string(const Strides& strides);

}  // namespace tessera
