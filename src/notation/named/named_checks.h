// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the family, the field, the parameters and the type of a named layout.
#pragma once

#include <optional>
#include <vector>

#include "notation/named/named_state.h"
#include "notation/named/named_text.h"

namespace tessera::detail {

struct CheckedFields {
  NamedLayout::State state;              ///< without what follows from the extents
  std::optional<BlockField> field = {};  ///< of a GGUF block
  std::vector<Index> values = {};        ///< of all parameters of the family, in its order; 0 for groups
  std::optional<NamedParameter> groups = {};
  Span groups_span = {};
};

/// Whether there is such a family. Errors: unknown_name, not_representable (elements without a place of their
/// own).
Result<void> check_family(const NamedFields& fields, const NamedSpans& spans);

/// Errors: those of check_family, unknown_name, duplicate_name, bad_option, number_range, unknown_type,
/// argument_type.
Result<CheckedFields> check_fields(const NamedFields& fields, const NamedSpans& spans);

}  // namespace tessera::detail
