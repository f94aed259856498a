// SPDX-License-Identifier: Apache-2.0
// Functions for slices, tiles, and the elements of each thread.
#include <fmt/format.h>

#include "eval/bounds.h"
#include "eval/chain.h"
#include "eval/projection.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

/// A slice as the calculator shows it: a layout alone if it starts at 0.
Result<Value> shown(const Call& call, const Outcome<Slice>& slice) {
  if (!slice) return call.refuse(slice.error);
  if (slice->offset == IntTuple(0)) return Value(slice->layout);
  return to_value(*slice);
}

Result<Value> sliced(Call& call, const Coord& c, const Chain& chain) {
  if (!chain.layout.has_domain()) return no_shape(call);
  note_outside(call, c, chain.layout.domain().shape());
  if (chain.layout.parts > 1) return detail::answer(call, slice(c, chain.layout));
  return shown(call, slice_and_offset(c, chain.layout.domain()));
}

/// Partitions the last layout of a chain by a tiler nested like `nesting`: `part(layout, trace)`. The offset
/// of the partition is added to the offset of the part before it.
template <class Part>
Result<Value> partitioned(Call& call, const Chain& chain, const Profile& nesting, Part&& part) {
  const ComposedLayout& c = chain.layout;
  if (!c.has_domain()) return no_shape(call);
  const Outcome<Slice> slice = part(c.domain(), call.trace());
  if (!slice) return call.refuse(slice.error);
  note_overhang(call, c.domain(), nesting, [&](const StridedLayout& l) { return part(l, NoTrace{}); });
  if (c.parts == 1) return shown(call, slice);
  return detail::answer(call, with_slice(c, *slice));
}

/// A flat tuple of rank `n`.
Profile flat_tuple(int n) {
  Profile out;
  ProfileBuilder build(out);
  build.tuple(n);
  for (int i = 0; i < n; ++i) build.leaf();
  return out;
}

/// A partition of L by a tiler at a coordinate, both projected.
template <class Op>
auto partition_by(Op op) {
  return [op](Call& call, const Chain& l, const Tiler& t, const Coord& c,
              const std::optional<Coord>& projection) -> Result<Value> {
    const Result<Projection> keep = Projection::make(call, 3, projection);
    if (!keep) return fail(keep.error());
    const Outcome<Tiler> tiler = keep->of(t);
    if (!tiler) return call.refuse(tiler.error);
    const Outcome<Coord> at = keep->of(c);
    if (!at) return call.refuse(at.error);
    return partitioned(call, l, tiler->nesting,
                       [&](const StridedLayout& d, auto trace) { return op(d, *tiler, *at, trace); });
  };
}

/// Adds a note if the thread layout has no thread `i`: CuTe then divides the number by the strides and takes
/// the remainders by the extents.
void note_thread(Call& call, const StridedLayout& threads, Index i) {
  Index limit = evaluation_limit();
  if (threads.has_basis() || threads.size() > limit) return;
  for (Index k = 0; k < threads.size(); ++k) {
    if (threads(k) == i) return;
  }
  call.note(fmt::format(
      "{} has no thread {}: as in CuTe, the number is divided by the strides, which gives another thread",
      to_string(threads), i));
}

/// Turns a thread-value layout of offsets into one of coordinates of `data`. Every offset must occur in
/// `data`.
Result<Value> of_addresses(const Call& call, const StridedLayout& data, const StridedLayout& tv) {
  const Outcome<StridedLayout> out = tv_of_addresses(data, tv);
  if (!out) return call.refuse(out.error);
  Index limit = evaluation_limit();
  if (tv.size() > limit) return call.refuse(refuse(Code::undecided, tv.size(), limit));
  for (Index k = 0; k < tv.size(); ++k) {
    const Index at = (*out)(k);
    if (at >= 0 && at < data.size() && data(at) == tv(k)) continue;
    Diagnostic d{.code = Code::index_out_of_range,
                 .message = fmt::format("{}: no coordinate of {} has the offset {}", to_string(call),
                                        to_string(data), tv(k)),
                 .span = call.span};
    d.witness = fmt::format("coordinate {} of {}", k, to_string(tv));
    return fail(std::move(d));
  }
  return Value(*out);
}

}  // namespace

void add_partitions(FunctionTable& table) {
  const Group add{table, "Slices and partitions"};
  add("slice(c, L)", "the modes paired with _ in c, and the offset of the fixed part: LAYOUT at OFFSET",
      [](Call& call, const Coord& c, const Chain& l) { return sliced(call, c, l); });
  add("slice_and_offset(c, L)", "CuTe's other name for slice",
      [](Call& call, const Coord& c, const Chain& l) { return sliced(call, c, l); });
  add("dice(c, L)", "the modes paired with integers in c", [](Call& call, const Coord& c, const Chain& l) {
    return of_domain(call, l, [&](const StridedLayout& domain) { return dice(c, domain); });
  });
  add("layout_of(S)", "the layout of a slice, or of a thread-value layout",
      [](Call& call, const Value& v) -> Result<Value> {
        if (const auto* slice = v.as<Slice>()) return Value(slice->layout);
        if (const auto* tv = v.as<ThreadValue>()) return Value(tv->layout);
        const Result<Chain> chain = Parameter<Chain>::read(v);
        if (!chain) return fail(detail::misfit(call, 0, "a slice", chain.error()));
        return Value(chain->layout);
      });
  add("offset_of(S)", "the offset of a slice; 0 for a layout",
      [](Call& call, const Value& v) -> Result<Value> {
        if (const auto* slice = v.as<Slice>()) return Value(slice->offset);
        const Result<Chain> chain = Parameter<Chain>::read(v);
        if (!chain) return fail(detail::misfit(call, 0, "a slice", chain.error()));
        return to_value(0);
      });
  add("local_tile(L, T, c[, projection])",
      "the tile at c of the grid of tiles; missing coordinates are _; (_1,X,_1) drops mode 1 of T and c",
      partition_by([](const auto&... x) { return local_tile(x...); }));
  add("inner_partition(L, T, c[, projection])", "CuTe's other name for local_tile",
      partition_by([](const auto&... x) { return inner_partition(x...); }));
  add("outer_partition(L, T, c[, projection])", "the elements at c of every tile",
      partition_by([](const auto&... x) { return outer_partition(x...); }));
  add("local_partition(L, threads, i[, projection])",
      "the elements of thread i when tiles of the threads' shape cover L",
      [](Call& call, const Chain& l, const StridedLayout& threads, Index i,
         const std::optional<Coord>& projection) -> Result<Value> {
        const Result<Projection> keep = Projection::make(call, 3, projection);
        if (!keep) return fail(keep.error());
        const Outcome<StridedLayout> kept = keep->of(threads);
        if (!kept) return call.refuse(kept.error);
        note_thread(call, threads, i);
        return partitioned(call, l, flat_tuple(kept->rank()), [&](const StridedLayout& d, auto trace) {
          return local_partition(d, *kept, i, trace);
        });
      });
  add("make_layout_tv(threads, values)",
      "the layout from (thread, value) to the coordinates of a tile: LAYOUT over TILE",
      [](Call& call, const StridedLayout& threads, const StridedLayout& values) -> Result<Value> {
        const Outcome<ThreadValue> tv = make_layout_tv(threads, values, call.trace());
        if (!tv) return call.refuse(tv.error);
        if (!tv->compact)
          call.note("threads and values leave gaps: the layout covers only a part of the tile");
        return to_value(*tv);
      });
  add("tv_of_addresses(L, tv)", "turns a thread-value layout of offsets of L into one of coordinates",
      [](Call& call, const StridedLayout& data, const StridedLayout& tv) {
        return of_addresses(call, data, tv);
      });
}

}  // namespace tessera::eval
