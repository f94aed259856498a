// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tests of loop nests and of copies, in their own language.
#pragma once

#include <string>
#include <vector>

#include "code/function.h"
#include "code/test_text.h"
#include "tessera/base/result.h"

namespace tessera::coding {

/// A program that hashes the variables and values of all visits of a loop nest, in their order, and compares
/// the hash. Requires a nest without parameters outside the loops. Errors: limit (too many points),
/// not_applicable (MLIR).
Result<std::string> nest_test(const LoopNest& nest, const Expected& expected);

/// A test of a copy: `dst` has the elements that the copy leaves in a destination of elements kUntouched, if
/// source element i is source_value(i).
struct CopyTest {
  std::string name;
  Index element_bytes = 4;
  Index src_elements = 0;
  std::vector<std::uint64_t> dst = {};  ///< the elements of the destination after the copy
  Index threads = 0;                    ///< number of elements that a kernel copies
};
inline constexpr std::uint64_t kUntouched = 0xA5;
constexpr std::uint64_t source_value(Index i, Index element_bytes) {
  const std::uint64_t value = static_cast<std::uint64_t>(i) * 2654435761u + 1;
  return element_bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * element_bytes)) - 1);
}
/// A program that copies and compares a hash of the destination. Errors: not_applicable (MLIR).
Result<std::string> copy_test(const Rules& rules, const CopyTest& test);

}  // namespace tessera::coding
