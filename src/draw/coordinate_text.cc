// SPDX-License-Identifier: Apache-2.0
#include "draw/coordinate_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {

std::string coordinate_text(std::span<const Index> index) {
  return index.empty() ? "()" : fmt::format("{}", fmt::join(index, ","));
}

}  // namespace tessera
