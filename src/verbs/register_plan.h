// SPDX-License-Identifier: Apache-2.0
/// \file
/// The plan of a conversion between two register layouts, from texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tessera/relayout/register_plan.h"

namespace tessera::verbs {

/// Whether both texts are layouts of Triton, so that `plan` is about registers.
bool is_register_pair(std::string_view from, std::string_view to);

struct RegisterPlanTexts {
  std::string from = {};
  std::string to = {};
  std::string type = {};    ///< of the elements, if the texts have none
  std::string target = {};  ///< `cuda:90` if empty
  std::string expect = {};  ///< `none`, `renaming`, `selection`, `lanes`, `warps`, `blocks`, or empty
};

struct RegisterPlanAnswer {
  RegisterPlan plan;
  bool farther = false;  ///< than expected
};

/// Errors, each with its field: those of parse_triton_layout and plan_registers, missing_layout (no shape, or
/// no element type), bad_option (an unknown level or target).
Result<RegisterPlanAnswer> register_plan(const RegisterPlanTexts& texts);

}  // namespace tessera::verbs
