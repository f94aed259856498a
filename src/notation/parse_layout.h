// SPDX-License-Identifier: Apache-2.0
/// \file
/// Helpers for reading the text of a layout.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tessera/notation/layout.h"

namespace tessera::detail {

/// The position of the first character from `at` on that is not blank, or the end.
std::size_t skip_blanks(std::string_view text, std::size_t at);
/// The letters, digits and `_` at `at`.
std::string_view word_at(std::string_view text, std::size_t at);
/// The span of a text without the blanks around it.
Span whole_span(std::string_view text);
/// If the error has no span, because it is about the whole value, sets its span to the whole text.
Result<Layout> placed(Result<Layout> layout, std::string_view text);
/// The error missing_layout: `what` needs a shape.
Failure missing_shape(std::string_view text, std::string_view what, std::string help);

}  // namespace tessera::detail
