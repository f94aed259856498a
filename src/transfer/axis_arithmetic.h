// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arithmetic on axes and on keys of config.json: `$head_dim | $hidden_size / a`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::transfer {

/// The value of the text of an axis: `+ - * /`, where a division must leave no remainder, and `cdiv(a, b)`,
/// which rounds up. Of several texts separated by `|`, the first whose names are known. `size_of` gives the
/// size of another axis; `config` is the object of config.json, or null. Errors: unknown_name (a key or an
/// axis), syntax, limit (deep parentheses), shape_mismatch (a remainder), number_range, overflow, bad_file (a
/// key that is not a count).
Result<Index> axis_arithmetic(std::string_view text, const std::string& axis, const Json* config,
                              const std::function<Result<Index>(const std::string&)>& size_of);

}  // namespace tessera::transfer
