// SPDX-License-Identifier: Apache-2.0
/// \file
/// Long input in short messages.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// A text for a message: itself up to `most` bytes, else its begin, `...` and its end, at most `most` bytes
/// and never half a character of UTF-8. Requires most >= 16. O(most).
std::string shortened(std::string_view text, std::size_t most = 60);

}  // namespace tessera
