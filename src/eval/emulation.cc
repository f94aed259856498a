// SPDX-License-Identifier: Apache-2.0
// Functions that emulate CuTe C++, where `_4` and `4` differ. Each result is compared with the exact result.
#include <fmt/format.h>

#include "algebra/cute_emulation.h"
#include "eval/chain.h"
#include "tessera/algebra/detail/equality.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

/// Returns CuTe's result, with a note if it is not the exact function or if there is no exact result.
Result<Value> beside(Call& call, const Outcome<TrackedLayout>& cute, const Outcome<StridedLayout>& exact) {
  if (!cute) {
    if (exact) call.note(fmt::format("the exact answer is {}", to_string(*exact)));
    Diagnostic d = call.refusal(cute.error);
    if (cute.error.code == Code::dynamic_stride) d.help = "mark the strides static: (2,3):(_1,_2)";
    if (cute.error.code == Code::div_by_zero) d.help = "mark the stride static: _0";
    return fail(std::move(d));
  }
  const bool valid = !check_invariants(cute->layout).failed;
  if (!exact) {
    call.note(fmt::format("wrong: the exact answer is a refusal ({})", word(exact.error.code)));
  } else if (!valid || !equal_function(cute->layout, *exact)) {
    call.note(fmt::format("wrong: the exact answer is {}, a different function", to_string(*exact)));
  }
  // A CuTe result with an extent of 0 is shown as text, but cannot be used further.
  if (!valid) return to_value(TextBlock{to_string(*cute)});
  return to_value(*cute);
}

/// A shape whose leaves may be marked as compile-time constants (`_4`).
struct TrackedShape {
  TrackedTuple tuple = {};
};

}  // namespace

template <>
struct Parameter<TrackedShape> {
  static constexpr std::string_view kind = "a shape";
  static Result<TrackedShape> read(const Value& value) {
    const Result<Shape> shape = Parameter<Shape>::read(value);
    if (!shape) return fail(shape.error());
    const Result<TrackedTuple> marked = Parameter<TrackedTuple>::read(value);
    return TrackedShape{marked ? *marked : TrackedTuple{shape->tuple, 0}};
  }
};

void add_emulation(FunctionTable& table) {
  const Group add{table, "What CuTe C++ prints (_4 is static, 4 dynamic)"};
  add("cute.make_layout(S[, order])", "compact strides in an order, or the given strides",
      [](Call& call, const TrackedShape& s, const std::optional<Value>& order) -> Result<Value> {
        const Order* end = order ? order->as<Order>() : nullptr;
        const auto* stride = order ? order->as<TrackedCoord>() : nullptr;
        if (stride != nullptr && stride->coord.holes != 0) return call.refuse(refuse(Code::not_congruent));
        if (stride != nullptr)
          return detail::answer(call, make_tracked(s.tuple, {stride->coord.tuple, stride->marks}));
        if (order && end == nullptr)
          return fail(detail::misfit(call, 1, "left or right",
                                     Diagnostic{.code = Code::argument_type, .message = {}}));
        const Outcome<StridedLayout> exact = make_layout(s.tuple.tuple, end != nullptr ? *end : Order::left);
        if (!exact) return call.refuse(exact.error);
        return beside(call, cute::make_layout(s.tuple, end != nullptr ? *end : Order::left), exact);
      });
  add("cute.make_ordered_layout(S, order)",
      "modes with static order values first; modes with equal values alias",
      [](Call& call, const TrackedShape& s, const TrackedTuple& order) {
        return beside(call, cute::make_ordered_layout(s.tuple, order),
                      make_ordered_layout(s.tuple.tuple, order.tuple));
      });
  add("cute.make_layout_like(L)", "compact strides in the order of the strides of L",
      [](Call& call, const TrackedLayout& l) {
        return beside(call, cute::make_layout_like(l), make_layout_like(l.layout));
      });
  add("cute.coalesce(L)", "merges modes whose extents and strides are static",
      [](Call& call, const TrackedLayout& l) { return beside(call, cute::coalesce(l), coalesce(l.layout)); });
  add("cute.composition(A, B)", "composition leaf by leaf, without a check for carries between leaves",
      [](Call& call, const TrackedLayout& a, const TrackedTiler& b) {
        return beside(call, cute::composition(a, b), composition(a.layout, b.tiler));
      });
  add("cute.complement(L, cotarget)", "the complement; only a single mode may have a dynamic stride",
      [](Call& call, const TrackedLayout& l, const TrackedShape& t) {
        return beside(call, cute::complement(l, t.tuple), complement(l.layout, t.tuple.tuple));
      });
  add("cute.logical_divide(L, T)", "logical_divide by complement and composition",
      [](Call& call, const TrackedLayout& l, const TrackedTiler& t) {
        return beside(call, cute::logical_divide(l, t), logical_divide(l.layout, t.tiler));
      });
  add("cute.right_inverse(L)", "right_inverse, which ignores dynamic strides",
      [](Call& call, const TrackedLayout& l) {
        return beside(call, cute::right_inverse(l), right_inverse(l.layout));
      });
}

}  // namespace tessera::eval
