// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of a function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "code/function.h"
#include "tessera/base/result.h"

namespace tessera::coding {

/// The width of the integers: 32 or 64 bits. Errors: overflow.
Result<int> bits_of(const Function& function);

/// The text of one function: comment, signature, body. Errors: bits_of.
Result<std::string> function_text(const Function& function);

/// The comment: the lines of `about`, the ranges of the first `parameters` parameters, and the integer type.
std::string about_text(const Function& function, std::size_t parameters, int bits);

/// Checks that MLIR's affine maps can express the values and conditions. Errors: not_applicable.
Result<void> check_affine(const Function& function);

/// `text` in lines of at most 100 characters, each after `start`.
std::string comment(std::string_view start, std::string_view text);

}  // namespace tessera::coding
