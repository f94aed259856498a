// SPDX-License-Identifier: Apache-2.0
/// \file
/// The shortest text of a normal form.
#pragma once

#include "expr/spelling/text.h"

namespace tessera::detail {

/// A short text of `form`; memoized for the generation. Starts with a text for each summand (term_text.h) and
/// takes the best proposal (quotient_texts.h, extremum_texts.h) as long as the cost falls.
Text spell(Workspace& ws, const Form* form);

/// Whether the form has atoms other than variables.
bool needs_spelling(const Form* form);

}  // namespace tessera::detail
