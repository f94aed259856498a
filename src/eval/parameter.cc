// SPDX-License-Identifier: Apache-2.0
#include "eval/parameter.h"

#include <fmt/format.h>

#include "notation/cute/algebra_diagnostic.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {
namespace {

Failure other_kind() { return fail(Code::argument_type, ""); }

/// The tuple, if the value is a tuple without holes.
const TrackedCoord* full_tuple(const Value& value) {
  const auto* coord = value.as<TrackedCoord>();
  return coord != nullptr && coord->coord.holes == 0 ? coord : nullptr;
}

/// `value`, or an error if an extent is below 1.
template <class T>
Result<T> checked(const IntTuple& extents, T value) {
  for (int i = 0; i < extents.leaves(); ++i) {
    if (extents.leaf[i] < 1) {
      return fail(Code::bad_extent,
                  fmt::format("the extent is {}, but it must be at least 1", extents.leaf[i]));
    }
  }
  return value;
}

}  // namespace

Result<Value> Parameter<Value>::read(const Value& value) { return value; }
Result<TilerOrChain> Parameter<TilerOrChain>::read(const Value& value) { return TilerOrChain{value}; }

Result<Index> Parameter<Index>::read(const Value& value) {
  const Index* number = value.integer();
  if (number == nullptr) return other_kind();
  return *number;
}

Result<IntTuple> Parameter<IntTuple>::read(const Value& value) {
  const TrackedCoord* tuple = full_tuple(value);
  if (tuple == nullptr) return other_kind();
  return tuple->coord.tuple;
}

Result<TrackedTuple> Parameter<TrackedTuple>::read(const Value& value) {
  const TrackedCoord* tuple = full_tuple(value);
  if (tuple == nullptr) return other_kind();
  return TrackedTuple{tuple->coord.tuple, tuple->marks};
}

Result<Coord> Parameter<Coord>::read(const Value& value) {
  const auto* coord = value.as<TrackedCoord>();
  if (coord == nullptr) return other_kind();
  return coord->coord;
}

Result<TrackedCoord> Parameter<TrackedCoord>::read(const Value& value) {
  const auto* coord = value.as<TrackedCoord>();
  if (coord == nullptr) return other_kind();
  return *coord;
}

Result<Shape> Parameter<Shape>::read(const Value& value) {
  if (const auto* layout = value.as<TrackedLayout>()) return Shape{layout->layout.shape()};
  if (const auto* chain = value.as<TrackedComposed>(); chain != nullptr && chain->layout.has_domain()) {
    return Shape{chain->layout.domain().shape()};
  }
  const TrackedCoord* tuple = full_tuple(value);
  if (tuple == nullptr) return other_kind();
  return checked(tuple->coord.tuple, Shape{tuple->coord.tuple});
}

Result<TrackedLayout> Parameter<TrackedLayout>::read(const Value& value) {
  if (const auto* layout = value.as<TrackedLayout>()) return *layout;
  const TrackedCoord* tuple = full_tuple(value);
  if (tuple == nullptr) return other_kind();
  // A shape alone is the compact layout.
  const tessera::detail::Outcome<TrackedLayout> compact =
      tessera::detail::make_compact({tuple->coord.tuple, tuple->marks}, Order::left);
  if (!compact) return fail(compact.error.code, literal_message(compact.error));
  return *compact;
}

Result<StridedLayout> Parameter<StridedLayout>::read(const Value& value) {
  Result<TrackedLayout> layout = Parameter<TrackedLayout>::read(value);
  if (!layout) return fail(layout.error());
  return layout->layout;
}

Result<Chain> Parameter<Chain>::read(const Value& value) {
  if (const auto* chain = value.as<TrackedComposed>()) return Chain{chain->layout};
  if (const auto* swizzle = value.as<Swizzle>()) return Chain{ComposedLayout(*swizzle)};
  const Result<StridedLayout> layout = Parameter<StridedLayout>::read(value);
  if (!layout) return fail(layout.error());
  return Chain{ComposedLayout(*layout)};
}

Result<ChainOrBases> Parameter<ChainOrBases>::read(const Value& value) {
  if (const auto* bases = value.as<LinearBases>()) return ChainOrBases{.bases = *bases};
  const Result<Chain> chain = Parameter<Chain>::read(value);
  if (!chain) return fail(chain.error());
  return ChainOrBases{.layout = chain->layout};
}

Result<TrackedTiler> Parameter<TrackedTiler>::read(const Value& value) {
  if (const auto* tiler = value.as<TrackedTiler>()) return *tiler;
  if (const auto* layout = value.as<TrackedLayout>())
    return TrackedTiler{Tiler(layout->layout), layout->marks};
  const auto* coord = value.as<TrackedCoord>();
  if (coord == nullptr) return other_kind();
  // A shape tiles by mode, and `_` leaves a mode alone.
  const IntTuple& tuple = coord->coord.tuple;
  TrackedTiler out;
  out.tiler.nesting = tuple.profile;
  LayoutBuilder build(out.tiler.parts);
  build.tuple(tuple.leaves());
  for (int i = 0; i < tuple.leaves(); ++i) {
    const bool hole = coord->coord.is_hole(i);
    if (!hole && tuple.leaf[i] < 1) return checked(tuple, out);
    build.leaf(hole ? 1 : tuple.leaf[i], hole ? 0 : 1);
    out.tiler.kind[i] = hole ? Tiler::Kind::everything : Tiler::Kind::integer;
    out.marks.set(i, ((coord->marks >> i) & 1) != 0, false);
  }
  return out;
}

Result<Tiler> Parameter<Tiler>::read(const Value& value) {
  Result<TrackedTiler> tiler = Parameter<TrackedTiler>::read(value);
  if (!tiler) return fail(tiler.error());
  return tiler->tiler;
}

Result<AxeLayout> Parameter<AxeLayout>::read(const Value& value) {
  const auto* layout = value.as<AxeLayout>();
  if (layout == nullptr) return other_kind();
  return *layout;
}

Result<Swizzle> Parameter<Swizzle>::read(const Value& value) {
  const auto* swizzle = value.as<Swizzle>();
  if (swizzle == nullptr) return other_kind();
  return *swizzle;
}

}  // namespace tessera::eval
