// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fixes of accesses, as text.
#pragma once

#include <string>

#include "report/access_answer.h"

namespace tessera {

/// The layout with a fix, as text that parse_layout can read if some notation expresses it.
std::string fixed_text(const AccessAnswer& answer, const Fix& fix);

namespace detail {

/// The rows of --fix. Requires answer.fixes.
std::string fixes_text(const AccessAnswer& answer);

}  // namespace detail
}  // namespace tessera
