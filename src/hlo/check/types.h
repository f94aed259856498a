// SPDX-License-Identifier: Apache-2.0
/// \file
/// Types as the rules compare them and as messages show them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// Whether rules treat the element types alike.
bool same_element_type(DType a, DType b);

/// The error in a written type, with its place. `text` is the type as written, which starts at byte `begin`
/// of the source.
std::optional<Diagnostic> validate_written(const HloType& type, std::string_view text, std::size_t begin);

/// Whether the types have the same element types and dimensions. Layouts do not matter, and an unbounded
/// dimension is compatible with any extent.
bool compatible(const HloType& a, const HloType& b);

/// `token[]`
inline HloType token_type() { return HloType(TensorType{.dtype = DType::token}); }

/// The type as messages show it: without layouts, and with long tuples shortened.
std::string short_text(const HloType& type);

}  // namespace tessera::detail
