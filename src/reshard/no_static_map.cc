// SPDX-License-Identifier: Apache-2.0
#include "reshard/no_static_map.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tessera::detail {

Failure no_static_map(std::string_view reason, Span span) {
  const auto say = [&](std::string message, std::string help) {
    return fail(Diagnostic{.code = Code::no_static_map,
                           .message = std::move(message),
                           .span = span,
                           .reason = std::string(reason),
                           .help = std::move(help)});
  };
  if (reason == "partial" || reason == "unreduced") {
    return say(fmt::format("a partial sum is not held anywhere: it must be added up first ({})", reason),
               "reduce it in your program, then reshard the result, e.g. from [Replicate()] or [Shard(0)]");
  }
  if (reason == "unconstrained") {
    return say("the compiler chooses this dimension's sharding (unconstrained)",
               "take the sharding of the compiled program");
  }
  return say(fmt::format("a sharding that does not say who holds an element ({})", reason),
             reason == "manual" ? "the program itself places this data: say where, e.g. with mesh[...]"
                                : "take the sharding of the compiled program");
}

}  // namespace tessera::detail
