// SPDX-License-Identifier: Apache-2.0
/// \file
/// The messages of the layout algebra's errors. The whole diagnostic, `detail::algebra_diagnostic`, is
/// declared in to_result.h, because templates of the public headers call it.
#pragma once

#include <string>

#include "tessera/algebra/detail/outcome.h"
#include "tessera/notation/detail/to_result.h"

namespace tessera {

/// The error as a sentence, with its numbers but without its operation. Empty for not_representable.
std::string message_of(const detail::AlgebraError& error);
/// message_of for a layout that is read from a text or made from a shape and strides.
std::string literal_message(const detail::AlgebraError& error);
/// What to write instead, for the errors of literal_message; empty if its sentence already says it.
std::string literal_help(const detail::AlgebraError& error);

}  // namespace tessera
