// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tests of generated functions that read or write the codes of a named layout.
#pragma once

#include <string>

#include "code/language.h"
#include "tessera/base/result.h"
#include "tessera/notation/named_layout.h"

namespace tessera::coding {

/// A program in the language that fills a buffer with numbers of a fixed sequence, calls the function `name`
/// for every element (for some, if there are more than point_limit), and compares: what a getter returns, or
/// with `set` the buffer after codes of that sequence were stored. The expected numbers follow from
/// NamedLayout::bit_offset, not from the generated offsets. Errors: limit (a buffer of more than 64 MiB).
Result<std::string> element_test(const NamedLayout& layout, const Rules& rules, const std::string& name,
                                 bool set);

}  // namespace tessera::coding
