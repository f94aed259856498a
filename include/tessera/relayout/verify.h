// SPDX-License-Identifier: Apache-2.0
/// \file
/// Proof that a plan does what two layouts say.
#pragma once

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera {

/// Elements that verify enumerates if the structure does not decide.
inline constexpr Index kVerifyLimit = Index{1} << 22;

/// Proves from the layouts and the plan's loops, without data: every element of the destination is written
/// exactly once, from the source offset of the same index, and no other byte is written, unless the plan sets
/// padding: then all of it, to one value (RelayoutPlan::fill), in whole elements that never overlap data.
/// Uses the structure of both layouts if possible, in time that does not depend on the sizes; otherwise
/// checks element by element. Errors: different_shape, verify_failed (the witness names what is written
/// wrongly), undecided beyond kVerifyLimit elements. Exact.
Result<void> verify(const RelayoutPlan& plan, const Layout& src, const Layout& dst);

}  // namespace tessera
