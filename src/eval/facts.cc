// SPDX-License-Identifier: Apache-2.0
// Functions that give facts about tuples and layouts.
#include <fmt/format.h>

#include "eval/chain.h"
#include "eval/limits.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using Path = std::vector<Index>;

/// The element of a tuple, or the mode of a layout, at a path of indices, outermost first.
Result<Value> element(Call& call, const Value& x, const Path& path) {
  const int levels = static_cast<int>(path.size());
  if (const auto* coord = x.as<TrackedCoord>(); coord != nullptr && coord->coord.holes == 0) {
    IntTuple at = coord->coord.tuple;
    for (const Index i : path) {
      const Outcome<IntTuple> next = get(at, i);
      if (!next) return call.refuse(next.error);
      at = *next;
    }
    return Value(at);
  }
  const Result<Chain> chain = Parameter<Chain>::read(x);
  if (!chain) return fail(detail::misfit(call, 0, "a layout or a tuple", chain.error()));
  return on_domain(call, *chain, [&](const StridedLayout& l) { return sublayout(l, path.data(), levels); });
}

/// The value of `ask(shape)` for the shape of the element at a path.
template <class Ask>
Result<Value> of_shape(Call& call, const Value& x, const Path& path, Ask&& ask) {
  Result<Value> part = element(call, x, path);
  if (!part) return part;
  if (const auto* coord = part->as<TrackedCoord>()) return detail::answer(call, ask(coord->coord.tuple));
  const Result<Shape> shape = Parameter<Shape>::read(*part);
  if (!shape) return no_shape(call);
  return detail::answer(call, ask(shape->tuple));
}

IntTuple strides_of(const StridedLayout& l) {
  IntTuple out;
  out.profile = l.profile;
  for (int i = 0; i < l.leaves(); ++i) out.leaf[i] = l.stride[i];
  return out;
}

/// The smallest or the largest offset, computed by `ask`.
template <class Ask>
Result<Value> extreme(const Call& call, const Chain& c, Ask&& ask) {
  if (!c.layout.has_domain()) return no_shape(call);
  if (c.layout.domain().has_basis()) return call.refuse(refuse(Code::unsupported_codomain));
  return detail::answer(call, ask(c.layout));
}

}  // namespace

void add_facts(FunctionTable& table) {
  const Group add{table, "Facts"};
  add("rank(X, i...)", "the number of modes, of X or of its mode at a path",
      [](Call& call, const Value& x, const Path& path) {
        return of_shape(call, x, path, [](const IntTuple& t) { return t.rank(); });
      });
  add("depth(X, i...)", "0 for an integer, else 1 + the depth of the deepest mode",
      [](Call& call, const Value& x, const Path& path) {
        return of_shape(call, x, path, [](const IntTuple& t) { return depth(t); });
      });
  add("size(X, i...)", "the number of coordinates: the product of the extents",
      [](Call& call, const Value& x, const Path& path) {
        return of_shape(call, x, path, [](const IntTuple& t) { return size(t); });
      });
  add("shape(L, i...)", "the extents", [](Call& call, const Value& x, const Path& path) {
    return of_shape(call, x, path, [](const IntTuple& t) { return t; });
  });
  add("stride(L, i...)", "the strides, if they are integers",
      [](Call& call, const StridedLayout& l, const Path& path) -> Result<Value> {
        const Outcome<StridedLayout> part = sublayout(l, path.data(), static_cast<int>(path.size()));
        if (!part) return call.refuse(part.error);
        if (part->has_basis()) return call.refuse(refuse(Code::unsupported_codomain));
        return Value(strides_of(*part));
      });
  add("cosize(L)", "1 + the largest offset (for strides >= 0); of a chain, that of its last layout",
      [](Call& call, const Chain& c) {
        return of_domain(call, c, [](const StridedLayout& l) { return cosize(l); });
      });
  add("coshape(L)", "the extents of the codomain, one for each component",
      [](Call&, const StridedLayout& l) { return coshape(l); });
  add("image_min(L)", "the smallest offset, exact also with swizzles", [](Call& call, const Chain& c) {
    return extreme(call, c, [](const auto& x) { return image_min(x); });
  });
  add("image_max(L)", "the largest offset, exact also with swizzles", [](Call& call, const Chain& c) {
    return extreme(call, c, [](const auto& x) { return image_max(x); });
  });
  add("get(X, i...)", "the element of a tuple, or the mode of a layout, at a path of indices",
      [](Call& call, const Value& x, const Path& path) { return element(call, x, path); });
  add("values(L)", "the offsets of all coordinates, in 1-D order",
      [](Call& call, const ChainOrBases& c) -> Result<Value> {
        if (!c.layout.has_domain()) return no_shape(call);
        const Index n = c.bases ? Index{1} << c.bases->total() : c.layout.size();
        if (n > kEvalLimits.listed) {
          return fail(Code::limit,
                      fmt::format("values: {} coordinates are too many: at most {} are listed", n,
                                  kEvalLimits.listed),
                      call.span);
        }
        std::vector<Index> out;
        for (Index i = 0; i < n; ++i) {
          const Outcome<Index> value = c.bases ? (*c.bases)(i) : offset(c.layout, i);
          if (!value) return call.refuse(value.error);
          out.push_back(*value);
        }
        return Value(Value::Data(std::move(out)));
      });
}

}  // namespace tessera::eval
