// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shortens long input for messages.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// The text, shortened for a message: unchanged up to `most` bytes, else its beginning, `...` and its end in
/// at most `most` bytes. Never splits a UTF-8 character. Requires most >= 16. O(most).
std::string shortened(std::string_view text, std::size_t most = 60);

}  // namespace tessera
