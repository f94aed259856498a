// SPDX-License-Identifier: Apache-2.0
/// \file
/// The steps of make_plan.
#pragma once

#include <optional>

#include "relayout/state.h"
#include "tessera/base/result.h"

namespace tessera::moving {

/// Fills a newly constructed state with the plan. Errors: those of make_plan. Does not allocate if both
/// layouts have digits, at most six dimensions, and the plan needs at most four parts and no tables.
Result<void> build_plan(State& state, const Layout& src, const Layout& dst, Index element_bytes,
                        const PlanOptions& options);

/// The digits of a layout, if it has any. They are found from its offsets if there are few indices, otherwise
/// from its simplified map.
std::optional<Digits> digits_of(const Layout& layout);

}  // namespace tessera::moving
