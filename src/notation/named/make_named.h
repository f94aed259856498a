// SPDX-License-Identifier: Apache-2.0
/// \file
/// NamedLayout::make for fields from a text.
#pragma once

#include "notation/named/named_text.h"

namespace tessera::detail {

/// NamedLayout::make, with errors that have spans.
Result<NamedLayout> make_named(const NamedFields& fields, const NamedSpans& spans);

}  // namespace tessera::detail
