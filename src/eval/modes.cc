// SPDX-License-Identifier: Apache-2.0
// Functions that select and combine the modes of layouts and tuples.
#include "eval/chain.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

/// A tuple as a layout whose strides are its numbers and whose extents are all 1, so that operations on the
/// modes of layouts also work on tuples.
StridedLayout carrier(const IntTuple& t) {
  StridedLayout out;
  out.profile = t.profile;
  for (int i = 0; i < t.leaves(); ++i) {
    out.extent[i] = 1;
    out.stride[i] = t.leaf[i];
  }
  return out;
}
IntTuple carried(const StridedLayout& l) {
  IntTuple out;
  out.profile = l.profile;
  for (int i = 0; i < l.leaves(); ++i) out.leaf[i] = l.stride[i];
  return out;
}

const TrackedCoord* tuple_of(const Value& value) {
  const auto* coord = value.as<TrackedCoord>();
  return coord != nullptr && coord->coord.holes == 0 ? coord : nullptr;
}

/// `op(x, y…)` on layouts, or on tuples if all operands are tuples. If some operand is a layout, a tuple
/// means a compact layout.
template <class Op, class... Y>
Result<Value> on_modes(Call& call, Op&& op, const Value& x, const Y&... y) {
  if (tuple_of(x) != nullptr && ((tuple_of(y) != nullptr) && ...)) {
    const Outcome<StridedLayout> out =
        op(carrier(tuple_of(x)->coord.tuple), carrier(tuple_of(y)->coord.tuple)...);
    if (!out) return call.refuse(out.error);
    return Value(carried(*out));
  }
  const Result<Chain> chain = Parameter<Chain>::read(x);
  if (!chain) return fail(detail::misfit(call, 0, "a layout or a tuple", chain.error()));
  std::size_t index = call.arguments.size() - sizeof...(Y);
  std::optional<Diagnostic> error;
  [[maybe_unused]] const auto layout = [&](const Value& v) {
    Result<StridedLayout> read = Parameter<StridedLayout>::read(v);
    if (!read && !error) error = detail::misfit(call, index, "a layout or a tuple", read.error());
    ++index;
    return read ? *read : StridedLayout{};
  };
  const std::tuple<decltype(static_cast<void>(y), StridedLayout{})...> others{layout(y)...};
  if (error) return fail(*std::move(error));
  return on_domain(call, *chain, [&](const StridedLayout& l) {
    return std::apply([&](const auto&... other) { return op(l, other...); }, others);
  });
}

}  // namespace

void add_modes(FunctionTable& table) {
  const Group add{table, "Modes"};
  add("select(X, i...)", "the tuple of the given modes",
      [](Call& call, const Value& x, const std::vector<Index>& modes) {
        return on_modes(
            call,
            [&](const StridedLayout& l) { return select(l, modes.data(), static_cast<int>(modes.size())); },
            x);
      });
  add("take(X, b, e)", "modes b to e-1 as a tuple", [](Call& call, const Value& x, Index begin, Index end) {
    return on_modes(call, [&](const StridedLayout& l) { return take(l, begin, end); }, x);
  });
  add("append(X, Y)", "X with Y as one more mode at the end", [](Call& call, const Value& x, const Value& y) {
    return on_modes(call, [](const StridedLayout& l, const StridedLayout& m) { return append(l, m); }, x, y);
  });
  add("prepend(X, Y)", "X with Y as one more mode at the start",
      [](Call& call, const Value& x, const Value& y) {
        return on_modes(
            call, [](const StridedLayout& l, const StridedLayout& m) { return prepend(l, m); }, x, y);
      });
  add("append_to_rank(L, n[, X])", "L with X (by default 1:0) appended until the rank is n",
      [](Call& call, const Chain& c, Index n, const std::optional<StridedLayout>& x) {
        return on_domain(call, c, [&](const StridedLayout& l) {
          return append_to_rank(l, n, x.value_or(StridedLayout{}));
        });
      });
  add("replace(X, i, Y)", "X with Y in place of mode i",
      [](Call& call, const Value& x, Index i, const Value& y) {
        return on_modes(
            call, [&](const StridedLayout& l, const StridedLayout& m) { return replace(l, i, m); }, x, y);
      });
  add("group(X, b, e)", "modes b to e-1 become one nested mode",
      [](Call& call, const Value& x, Index begin, Index end) {
        return on_modes(call, [&](const StridedLayout& l) { return group(l, begin, end); }, x);
      });
  add("group_modes(X, b, e)", "CuTe's other name for group",
      [](Call& call, const Value& x, Index begin, Index end) {
        return on_modes(call, [&](const StridedLayout& l) { return group(l, begin, end); }, x);
      });
  add("flatten(X)", "the leaves in order, without nesting", [](Call& call, const Value& x) {
    return on_modes(call, [](const StridedLayout& l) { return Outcome<StridedLayout>(flatten(l)); }, x);
  });
  add("unflatten(X, profile)", "the leaves of X in the nesting of a tuple",
      [](Call& call, const Value& x, const IntTuple& profile) {
        return on_modes(call, [&](const StridedLayout& l) { return unflatten(l, profile.profile); }, x);
      });
  add("zip(X, Y)", "((X0,Y0),(X1,Y1),…)", [](Call& call, const Value& x, const Value& y) {
    return on_modes(call, [](const StridedLayout& l, const StridedLayout& m) { return zip(l, m); }, x, y);
  });
}

}  // namespace tessera::eval
