// SPDX-License-Identifier: Apache-2.0
/// \file
/// The page that describes the keys of answers, as CMake embeds it.
#pragma once

namespace tessera::detail {

/// docs/lookup/json.md.
extern const char* const kAnswerKeys;

}  // namespace tessera::detail
