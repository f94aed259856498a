// SPDX-License-Identifier: Apache-2.0
// Helpers for operations on the last layout of a chain, shared by several groups of functions.
#pragma once

#include "eval/function.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {

inline Failure no_shape(const Call& call) {
  return fail(Code::argument_type, std::string(call.name) + " needs a shape, and a swizzle alone has none",
              call.span, "add a layout: Sw<3,4,3> o (8,64):(64,1)");
}

/// Applies `op` to the last layout of a chain: (A o x o L) becomes A o x o op(L).
template <class Op>
Result<Value> on_domain(const Call& call, const Chain& chain, Op&& op) {
  const ComposedLayout& c = chain.layout;
  if (!c.has_domain()) return no_shape(call);
  const tessera::detail::Outcome<StridedLayout> result = [&]() -> tessera::detail::Outcome<StridedLayout> {
    return op(c.domain());
  }();
  if (!result) return call.refuse(result.error);
  ComposedLayout out = c;
  out.part[c.parts - 1].layout = *result;
  return Value(out);
}

/// The value of `ask(L)` for the last layout L of a chain.
template <class Ask>
Result<Value> of_domain(const Call& call, const Chain& chain, Ask&& ask) {
  if (!chain.layout.has_domain()) return no_shape(call);
  return detail::answer(call, ask(chain.layout.domain()));
}

}  // namespace tessera::eval
