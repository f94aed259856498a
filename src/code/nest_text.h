// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of loop nests.
#pragma once

#include <string>
#include <vector>

#include "code/function.h"
#include "tessera/base/result.h"

namespace tessera::coding {

/// The text of one function for a list of nests: comment, signature, body. Errors: bits_of.
Result<std::string> nest_text(const std::vector<LoopNest>& nests);

/// The text of a function that copies element number n for each n: a kernel for CUDA, HIP or Triton, or a
/// function on arrays. The only parameter of `function` is n.
Result<std::string> element_copy_text(const Function& function, Index element_bytes);

}  // namespace tessera::coding
