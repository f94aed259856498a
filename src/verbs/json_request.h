// SPDX-License-Identifier: Apache-2.0
/// \file
/// Requests as JSON objects.
#pragma once

#include "base/json.h"
#include "tessera/base/result.h"
#include "verbs/verb.h"

namespace tessera::verbs {

/// The text of a string, a number or a boolean. Errors: bad_option (null, a list, an object, or a number that
/// JSON may have rounded).
Result<std::string> text_of(const Json& value);

/// The fields of a request, whether or not a verb has them. A null and a false are fields that it does not
/// have. Errors: those of text_of.
Result<FieldTexts> field_texts(const Json& request);

}  // namespace tessera::verbs
