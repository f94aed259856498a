// SPDX-License-Identifier: Apache-2.0
#include "notation/not_representable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace tessera::detail {

std::string point_text(std::span<const Index> index) { return fmt::format("({})", fmt::join(index, ", ")); }

Failure not_representable(std::string reason, std::string message, std::string witness) {
  message += fmt::format(" ({})", reason);
  return fail(Diagnostic{.code = Code::not_representable,
                         .message = std::move(message),
                         .reason = std::move(reason),
                         .witness = std::move(witness)});
}

Failure entangled(std::span<const std::size_t> dims, std::span<const Index> index, Index value, Index sum) {
  return not_representable(
      "entangled",
      fmt::format("the offset mixes dimensions {{{}}}: no per-dimension digits exist", fmt::join(dims, ", ")),
      fmt::format("{} has offset {}, but the offsets of its coordinates add up to {}", point_text(index),
                  value, sum));
}

}  // namespace tessera::detail
