// SPDX-License-Identifier: Apache-2.0
/// \file
/// The plan of a conversion between two register layouts.
#pragma once

#include <string>
#include <string_view>

#include "tessera/notation/layout.h"
#include "tessera/notation/triton_layout.h"
#include "tessera/relayout/register_plan.h"
#include "verbs/request.h"

namespace tessera::verbs {

/// Either layout may have the shape and the type of the elements for both; `type` is used if neither has one.
/// `target`: `cuda:90` if empty. Errors, each with its field: those of triton_bases and plan_registers,
/// different_type, missing_layout (no shape, or no element type), bad_option (an unknown target).
Result<RegisterPlan> register_plan(TritonLayout from, TritonLayout to, const std::string& type,
                                   const std::string& target);

/// Whether this is a register layout of Triton.
bool are_registers(const Layout& layout);
/// The error where both sides of a copy are register layouts.
Failure no_copy_of_registers(std::string_view field);

}  // namespace tessera::verbs
