// SPDX-License-Identifier: Apache-2.0
#include "notation/named/refused.h"

#include <utility>

#include "notation/not_representable.h"

namespace tessera::detail {

Failure refused(std::string_view reason, std::string message, std::string help, Span span) {
  Result<void> failed = not_representable(std::string(reason), std::move(message));
  failed.error().span = span;
  failed.error().help = std::move(help);
  return fail(std::move(failed.error()));
}

}  // namespace tessera::detail
