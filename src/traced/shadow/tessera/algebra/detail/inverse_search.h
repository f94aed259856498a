// SPDX-License-Identifier: Apache-2.0
/// \file
/// The stand-in for tessera/algebra/detail/inverse_search.h: for all sizes, no layout is searched by its
/// values.
#pragma once

#include "tessera/algebra/detail/coalesce.h"

namespace tessera::detail {

struct Sample {
  Index offset = 0;
  Index value = 0;
};

struct LayoutSearch {
  enum class End : std::uint8_t { found, contradiction, none, limit };
  End end = End::limit;
  StridedLayout layout = {};
  Sample first = {};
  Sample second = {};
};

constexpr Index drop_repeats(Sample* /*sample*/, Index count) { return count; }
constexpr LayoutSearch find_layout(Sample* /*sample*/, Index /*count*/, Index /*most_steps*/) { return {}; }

}  // namespace tessera::detail
