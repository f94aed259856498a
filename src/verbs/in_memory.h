// SPDX-License-Identifier: Apache-2.0
/// \file
/// Work that may need more memory or threads than the machine has. For front ends, which are compiled with
/// exceptions.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "tessera/base/result.h"

namespace tessera::verbs {

/// What `work` returns, a Result. Catches exceptions: third-party libraries and the standard library throw
/// when memory or threads run out. Errors: limit.
template <class Work>
auto in_memory(const Work& work) -> decltype(work()) {
  const auto too_little = [](std::string message) {
    return fail(Code::limit, std::move(message), {},
                "use a smaller --memory or fewer --threads; ulimit -v shows the limit of the process");
  };
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return too_little("out of memory");
  } catch (const std::runtime_error& error) {
    return too_little(error.what());
  }
}

}  // namespace tessera::verbs
