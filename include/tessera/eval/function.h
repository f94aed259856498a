// SPDX-License-Identifier: Apache-2.0
/// \file
/// The functions of the calculator, as help texts and completion show them.
#pragma once

#include <string_view>
#include <vector>

namespace tessera {

/// `signature` shows the parameters by name, the optional ones in brackets: `complement(L[, cotarget])`.
struct FunctionInfo {
  std::string_view name;
  std::string_view signature;
  std::string_view summary;
  std::string_view group;         ///< the heading it is listed under
  std::string_view example = {};  ///< a text for the calculator
};

/// All functions, by group, in the order of the documentation.
const std::vector<FunctionInfo>& eval_functions();

}  // namespace tessera
