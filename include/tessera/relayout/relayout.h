// SPDX-License-Identifier: Apache-2.0
/// \file
/// A copy between two layouts in one call.
#pragma once

#include <cstddef>
#include <span>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/options.h"

namespace tessera {

/// Plans and runs: copies every element x of the common shape from from.offset(x) in src to to.offset(x) in
/// dst, on this thread. Elements have element_bytes bytes; both buffers begin at offset 0 and must not
/// overlap. For copies that are made once: the plan is on the stack and is not kept (otherwise see
/// RelayoutPlan, PlanCache). On an error, nothing is written. Errors: those of make_plan, buffer_too_small
/// (bytes needed and given), overlap. Does not allocate for layouts with digits (strides, tiles that divide
/// each other) of at most six dimensions, unless the plan needs tables or more than four loop nests.
Result<void> relayout(const Layout& from, const Layout& to, Index element_bytes,
                      std::span<const std::byte> src, std::span<std::byte> dst,
                      const PlanOptions& options = {});

}  // namespace tessera
