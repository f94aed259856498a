// SPDX-License-Identifier: Apache-2.0
// The types of the functions of tessera.cute, for their signatures and stubs.
#pragma once

#include <string>
#include <vector>

#include "eval/function.h"

namespace tessera::python {

/// The overloads of a function, the narrowest first: `def size(X: tessera._types.LayoutLike, *i: int | str)
/// -> int`. The last one takes every argument.
std::vector<std::string> signatures_of(const eval::Builtin& function);

}  // namespace tessera::python
