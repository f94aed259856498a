// SPDX-License-Identifier: Apache-2.0
/// \file
/// The choice of a template instance by the size of an element.
#pragma once

#include <type_traits>

#include "tessera/base/index.h"

namespace tessera::moving {

/// f(std::integral_constant<int, kSize>()) for the kSize that equals `bytes`. If none does, a default result,
/// such as a null pointer.
template <int... kSizes, class F>
auto select_by_size(Index bytes, const F& f) {
  std::common_type_t<decltype(f(std::integral_constant<int, kSizes>()))...> found{};
  (void)((bytes == kSizes && (found = f(std::integral_constant<int, kSizes>()), true)) || ...);
  return found;
}

}  // namespace tessera::moving
