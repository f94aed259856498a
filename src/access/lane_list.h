// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lanes that take part in an access, as text.
#pragma once

#include <cstdint>

#include "access/text_part.h"
#include "tessera/access/memory_target.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// Reads a mask such as `0xff`, or lanes and ranges of lanes joined by commas (or by +): `0-15,24`. Errors:
/// bad_option, at the item that is wrong.
Result<std::uint64_t> parse_lanes(const TextPart& list, const MemoryTarget& target);

/// Whether the text after a comma is one more item of a list of lanes, and not a key: it begins with a digit
/// or a minus, or nothing is there.
bool continues_lanes(std::string_view text);

}  // namespace tessera::detail
