// SPDX-License-Identifier: Apache-2.0
/// \file
/// The four meanings of "equal" for layouts, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/notation/equality.h"

namespace tessera {

/// text: the canonical texts are the same. structure: one notation, and every field. map: equal shapes and
/// one function. storage: that, and equal buffer size, element width and splits.
enum class EqualityNotion : std::uint8_t { text, structure, map, storage };

/// `text`, `structure`, `map`, `storage`.
std::string_view to_string(EqualityNotion notion);
std::optional<EqualityNotion> parse_equality_notion(std::string_view word);

/// Are the layouts equal in this meaning? Text and structure are decided at once; for the others see
/// same_map and same_storage. Exact.
LayoutEquality equal(const Layout& a, const Layout& b, EqualityNotion notion,
                     const LayoutEqualityOptions& options = {});

/// `yes`, `no at (0, 4): 8 and 4`, `no: different_shape: the shapes are (4,8) and (8,4)`, `undecided:
/// REASON`.
std::string to_string(const LayoutEquality& equality);

}  // namespace tessera
