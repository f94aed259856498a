// SPDX-License-Identifier: Apache-2.0
// The checks of vectors/cute: one function per operation, from the arguments of a vector to its answer.
#include "tessera/notation/cute.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "algebra/cute_emulation.h"
#include "runner/check.h"
#include "tessera/algebra/detail/equality.h"
#include "tessera/algebra/detail/linear.h"
#include "tessera/algebra/detail/thread_value.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using json = nlohmann::json;

/// The answer of an operation: a value, or the code of its error.
struct Answer {
  json value;
  std::string error = {};
  std::string reason = {};
};

Answer no(const AlgebraError& e) { return {nullptr, word(e.code), word(e.reason)}; }
Answer no(const Diagnostic& d) { return {nullptr, std::string(to_string(d.code)), d.reason}; }
template <class T>
Answer yes(const T& value) {
  return {json(value)};
}
/// The text of the result of an operation.
template <class T>
Answer text(const Outcome<T>& out) {
  return out ? yes(to_string(*out)) : no(out.error);
}

/// A parse error of an argument becomes the answer of the operation.
struct BadArgument {
  Diagnostic diagnostic;
};
template <class T>
T must(const Result<T>& parsed) {
  if (!parsed) throw BadArgument{parsed.error()};
  return *parsed;
}

struct Args {
  const json& whole;
  const json& j = whole.at("args");

  std::string str(const char* name) const {
    const json& v = j.at(name);
    return v.is_string() ? v.get<std::string>() : v.dump();
  }
  Index num(const char* name) const {
    const json& v = j.at(name);
    return v.is_string() ? std::stoll(v.get<std::string>()) : v.get<Index>();
  }
  bool has(const char* name) const { return j.contains(name); }
  StridedLayout layout(const char* name) const { return must(parse_cute_layout(str(name))).layout; }
  TrackedLayout tracked(const char* name) const { return must(parse_cute_layout(str(name))); }
  IntTuple tuple(const char* name) const { return must(parse_cute_coord(str(name))).coord.tuple; }
  TrackedTuple tracked_shape(const char* name) const { return must(parse_cute_shape(str(name))); }
  Coord coord(const char* name) const { return must(parse_cute_coord(str(name))).coord; }
  Tiler tiler(const char* name) const { return must(parse_cute_tiler(str(name))).tiler; }
  TrackedTiler tracked_tiler(const char* name) const { return must(parse_cute_tiler(str(name))); }
  Swizzle swizzle(const char* name) const { return must(parse_cute_swizzle(str(name))); }
  ComposedLayout composed(const char* name) const { return must(parse_cute_expression(str(name))).layout; }
};

template <class F>
Answer values(Index n, F&& f) {
  json list = json::array();
  for (Index i = 0; i < n; ++i) {
    const Outcome<Index> v = f(i);
    if (!v) return no(v.error);
    list.push_back(*v);
  }
  return {list};
}

Answer slice_object(const Outcome<Slice>& s) {
  if (!s) return no(s.error);
  return yes(json{{"layout", to_string(s->layout)}, {"offset", s->offset.leaf[0]}});
}

Answer facts(const StridedLayout& l) {
  const Outcome<IntTuple> shape = coshape(l);
  if (!shape) return no(shape.error);
  return yes(json{{"rank", l.rank()},
                  {"depth", depth(l)},
                  {"size", l.size()},
                  {"cosize", *cosize(l)},
                  {"coshape", to_string(*shape)}});
}

Answer concat_all(const json& layouts) {
  // The first layout becomes the only mode of a layout. The others are appended.
  Outcome<StridedLayout> all = concat(must(parse_cute_layout(layouts[0].get<std::string>())).layout);
  for (std::size_t i = 1; i < layouts.size() && all; ++i) {
    all = append(*all, must(parse_cute_layout(layouts[i].get<std::string>())).layout);
  }
  return text(all);
}

Answer to_linear_lists(const ComposedLayout& c) {
  const Outcome<LinearBases> table = to_linear(c);
  if (!table) return no(table.error);
  json lists = json::array();
  int n = 0;
  for (int i = 0; i < table->leaves; ++i) {
    json list = json::array();
    for (int b = 0; b < table->bits[i]; ++b) list.push_back(table->basis[n++]);
    lists.push_back(list);
  }
  return {lists};
}

/// The inverse of a bijection, as the list of the coordinates with values 0, 1, …
Answer composed_inverse(const ComposedLayout& c) {
  const Outcome<ComposedLayout> r = right_inverse(c);
  if (!r) return no(r.error);
  return values(c.size(), [&](Index v) { return offset(*r, v); });
}

/// The values along the only hole of a coordinate.
Answer composed_slice(const ComposedLayout& c, const Coord& at) {
  const Outcome<ComposedLayout> s = slice(at, c);
  if (!s) return no(s.error);
  return values(s->size(), [&](Index k) { return offset(*s, k); });
}

Answer order_of(const Args& a) {
  const std::string order = a.str("order");
  return text(make_layout(a.tuple("shape"), order == "right" ? Order::right : Order::left));
}

Answer tile_to(const Args& a) {
  const std::string order = a.str("order");
  const StridedLayout block = a.layout("block");
  const IntTuple target = a.tuple("shape");
  if (order == "left" || order == "right") {
    return text(tile_to_shape(block, target, order == "left" ? Order::left : Order::right));
  }
  return text(tile_to_shape(block, target, a.tuple("order")));
}

std::vector<Index> list(const json& j) { return j.get<std::vector<Index>>(); }

using Operation = std::function<Answer(const Args&)>;

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> table = {
      {"evaluate", [](const Args& a) { return text(evaluate(a.layout("a"), a.tuple("coord"))); }},
      {"values",
       [](const Args& a) {
         const StridedLayout l = a.layout("a");
         return values(l.size(), [&](Index i) { return Outcome<Index>(l(i)); });
       }},
      {"idx2crd", [](const Args& a) { return text(idx2crd(a.tuple("coord"), a.tuple("shape"))); }},
      {"crd2idx",
       [](const Args& a) {
         const Outcome<Index> i = crd2idx(a.tuple("coord"), a.tuple("shape"));
         return i ? yes(std::to_string(*i)) : no(i.error);
       }},
      {"crd2crd",
       [](const Args& a) { return text(crd2crd(a.tuple("coord"), a.tuple("src"), a.tuple("dst"))); }},
      {"compatible", [](const Args& a) { return yes(compatible(a.tuple("a"), a.tuple("b"))); }},
      {"congruent", [](const Args& a) { return yes(congruent(a.tuple("a"), a.tuple("b"))); }},
      {"weakly_congruent", [](const Args& a) { return yes(weakly_congruent(a.tuple("a"), a.tuple("b"))); }},
      {"evenly_divides", [](const Args& a) { return yes(evenly_divides(a.tuple("a"), a.tiler("tiler"))); }},
      {"shape_div", [](const Args& a) { return text(shape_div(a.tuple("a"), a.tuple("b"))); }},
      {"shape_mod", [](const Args& a) { return text(shape_mod(a.tuple("a"), a.num("b"))); }},
      {"ceil_div", [](const Args& a) { return text(ceil_div(a.tuple("a"), a.tuple("b"))); }},
      {"make_layout", order_of},
      {"make_ordered_layout",
       [](const Args& a) { return text(make_ordered_layout(a.tuple("shape"), a.tuple("order"))); }},
      {"make_layout_like", [](const Args& a) { return text(make_layout_like(a.layout("a"))); }},
      {"sublayout",
       [](const Args& a) {
         const std::vector<Index> path = list(a.j.at("path"));
         return text(sublayout(a.layout("a"), path.data(), static_cast<int>(path.size())));
       }},
      {"select",
       [](const Args& a) {
         const std::vector<Index> modes = list(a.j.at("modes"));
         return text(select(a.layout("a"), modes.data(), static_cast<int>(modes.size())));
       }},
      {"take", [](const Args& a) { return text(take(a.layout("a"), a.num("begin"), a.num("end"))); }},
      {"concat", [](const Args& a) { return concat_all(a.j.at("layouts")); }},
      {"append", [](const Args& a) { return text(append(a.layout("a"), a.layout("x"))); }},
      {"prepend", [](const Args& a) { return text(prepend(a.layout("a"), a.layout("x"))); }},
      {"replace", [](const Args& a) { return text(replace(a.layout("a"), a.num("mode"), a.layout("x"))); }},
      {"group", [](const Args& a) { return text(group(a.layout("a"), a.num("begin"), a.num("end"))); }},
      {"flatten", [](const Args& a) { return yes(to_string(flatten(a.layout("a")))); }},
      {"unflatten", [](const Args& a) { return text(unflatten(a.layout("a"), a.tuple("profile").profile)); }},
      {"append_to_rank", [](const Args& a) { return text(append_to_rank(a.layout("a"), a.num("rank"))); }},
      {"zip", [](const Args& a) { return text(zip(a.layout("a"), a.layout("b"))); }},
      {"facts", [](const Args& a) { return facts(a.layout("a")); }},
      {"coalesce",
       [](const Args& a) {
         if (a.has("profile")) return text(coalesce(a.layout("a"), a.tuple("profile").profile));
         return yes(to_string(coalesce(a.layout("a"))));
       }},
      {"filter",
       [](const Args& a) {
         if (a.has("profile")) return text(filter(a.layout("a"), a.tuple("profile").profile));
         return yes(to_string(filter(a.layout("a"))));
       }},
      {"filter_zeros", [](const Args& a) { return yes(to_string(filter_zeros(a.layout("a")))); }},
      {"composition", [](const Args& a) { return text(composition(a.layout("a"), a.tiler("b"))); }},
      {"complement",
       [](const Args& a) {
         return a.has("cotarget") ? text(complement(a.layout("a"), a.tuple("cotarget")))
                                  : text(complement(a.layout("a")));
       }},
      {"right_inverse", [](const Args& a) { return text(right_inverse(a.layout("a"))); }},
      // The vectors define left_inverse by L(R(L(i))) = L(i), even for layouts that repeat offsets. Our
      // left_inverse refuses those, so compare with generalized_inverse.
      {"left_inverse", [](const Args& a) { return text(generalized_inverse(a.layout("a"))); }},
      {"nullspace", [](const Args& a) { return yes(to_string(nullspace(a.layout("a")))); }},
      {"max_common_layout",
       [](const Args& a) { return text(max_common_layout(a.layout("a"), a.layout("b"))); }},
      {"max_common_vector",
       [](const Args& a) {
         const Outcome<Index> n = max_common_vector(a.layout("a"), a.layout("b"));
         return n ? yes(std::to_string(*n)) : no(n.error);
       }},
      {"logical_divide", [](const Args& a) { return text(logical_divide(a.layout("a"), a.tiler("tiler"))); }},
      {"zipped_divide", [](const Args& a) { return text(zipped_divide(a.layout("a"), a.tiler("tiler"))); }},
      {"tiled_divide", [](const Args& a) { return text(tiled_divide(a.layout("a"), a.tiler("tiler"))); }},
      {"flat_divide", [](const Args& a) { return text(flat_divide(a.layout("a"), a.tiler("tiler"))); }},
      {"domain_distribute",
       [](const Args& a) { return text(domain_distribute(a.tuple("shape"), a.num("n"))); }},
      {"logical_product",
       [](const Args& a) { return text(logical_product(a.layout("a"), a.tiler("tiler"))); }},
      {"zipped_product", [](const Args& a) { return text(zipped_product(a.layout("a"), a.tiler("tiler"))); }},
      {"tiled_product", [](const Args& a) { return text(tiled_product(a.layout("a"), a.tiler("tiler"))); }},
      {"flat_product", [](const Args& a) { return text(flat_product(a.layout("a"), a.tiler("tiler"))); }},
      {"blocked_product", [](const Args& a) { return text(blocked_product(a.layout("a"), a.layout("b"))); }},
      {"raked_product", [](const Args& a) { return text(raked_product(a.layout("a"), a.layout("b"))); }},
      {"tile_to_shape", tile_to},
      {"upcast", [](const Args& a) { return text(upcast(a.layout("a"), a.num("n"))); }},
      {"downcast", [](const Args& a) { return text(downcast(a.layout("a"), a.num("n"))); }},
      {"recast",
       [](const Args& a) { return text(recast(a.layout("a"), a.num("old_bits"), a.num("new_bits"))); }},
      {"swizzle_values",
       [](const Args& a) {
         const Swizzle s = a.swizzle("swizzle");
         return values(a.num("count"), [&](Index i) { return Outcome<Index>(s(i)); });
       }},
      {"swizzle_points",
       [](const Args& a) {
         const Swizzle s = a.swizzle("swizzle");
         json points = json::array();
         for (const Index x : list(a.j.at("x"))) points.push_back(s(x));
         return Answer{points};
       }},
      {"parse_swizzle", [](const Args& a) { return yes(to_string(a.swizzle("swizzle"))); }},
      {"make_swizzle", [](const Args& a) { return text(swizzle_from_masks(a.num("y"), a.num("z"))); }},
      {"swizzle_compose",
       [](const Args& a) { return text(swizzle_compose(a.swizzle("a"), a.swizzle("b"))); }},
      {"swizzle_upcast",
       [](const Args& a) { return text(swizzle_upcast(a.swizzle("swizzle"), a.num("n"))); }},
      {"swizzle_downcast",
       [](const Args& a) { return text(swizzle_downcast(a.swizzle("swizzle"), a.num("n"))); }},
      {"composed_values",
       [](const Args& a) {
         const ComposedLayout c = a.composed("a");
         return values(c.size(), [&](Index k) { return offset(c, k); });
       }},
      {"composed_inverse", [](const Args& a) { return composed_inverse(a.composed("a")); }},
      {"composed_slice", [](const Args& a) { return composed_slice(a.composed("a"), a.coord("coord")); }},
      {"layout_after_swizzle",
       [](const Args& a) {
         const StridedLayout l = a.layout("a");
         const Outcome<ComposedLayout> c = composition(l, a.swizzle("swizzle"));
         if (!c) return no(c.error);
         // The swizzle must move to the left if that is possible.
         const bool pushed = c->has_domain();
         if (pushed != a.whole.contains("push_through")) return Answer{"pushed through: " + to_string(*c)};
         if (pushed) {
           // The vectors contain the identity swizzle, which our text omits.
           ComposedLayout wanted =
               must(parse_cute_expression(a.whole.at("push_through").get<std::string>())).layout;
           wanted = *make_composed(wanted.part[0].swizzle, 0, wanted.domain());
           if (!(wanted == *c)) return Answer{to_string(*c)};
         }
         return values(l.size(), [&](Index k) { return offset(*c, k); });
       }},
      {"slice_and_offset",
       [](const Args& a) { return slice_object(slice_and_offset(a.coord("coord"), a.layout("a"))); }},
      {"make_layout_tv",
       [](const Args& a) {
         const Outcome<ThreadValue> tv = make_layout_tv(a.layout("thr"), a.layout("val"));
         if (!tv) return no(tv.error);
         return yes(json{{"tiler", to_string(tv->tile)}, {"tv", to_string(tv->layout)}});
       }},
      {"local_tile",
       [](const Args& a) {
         return slice_object(local_tile(a.layout("a"), a.tiler("tiler"), a.coord("coord")));
       }},
      {"local_partition",
       [](const Args& a) {
         return slice_object(local_partition(a.layout("a"), a.layout("threads"), a.num("index")));
       }},
      {"to_linear", [](const Args& a) { return to_linear_lists(a.composed("a")); }},
      {"parse",
       [](const Args& a) {
         const Result<CuteValue> v = parse_cute(a.str("text"));
         return v ? yes(to_string(*v)) : no(v.error());
       }},
      {"print_layout",
       [](const Args& a) {
         const ComposedLayout c = a.composed("a");
         const Result<std::string> grid =
             c.parts == 1 && c.has_domain() ? print_layout(c.domain()) : print_layout(c);
         return grid ? yes(*grid) : no(grid.error());
       }},
      {"cute.composition",
       [](const Args& a) { return text(cute::composition(a.tracked("a"), a.tracked_tiler("b"))); }},
      {"cute.make_layout",
       [](const Args& a) {
         return text(cute::make_layout(a.tracked_shape("shape"),
                                       a.str("order") == "right" ? Order::right : Order::left));
       }},
      {"cute.make_ordered_layout",
       [](const Args& a) {
         const TrackedCoord order = must(parse_cute_coord(a.str("order")));
         return text(cute::make_ordered_layout(a.tracked_shape("shape"), {order.coord.tuple, order.marks}));
       }},
      {"cute.make_layout_like", [](const Args& a) { return text(cute::make_layout_like(a.tracked("a"))); }},
      {"cute.coalesce", [](const Args& a) { return text(cute::coalesce(a.tracked("a"))); }},
      {"cute.complement",
       [](const Args& a) { return text(cute::complement(a.tracked("a"), a.tracked_shape("cotarget"))); }},
      {"cute.logical_divide",
       [](const Args& a) { return text(cute::logical_divide(a.tracked("a"), a.tracked_tiler("tiler"))); }},
      {"cute.right_inverse", [](const Args& a) { return text(cute::right_inverse(a.tracked("a"))); }},
  };
  return table;
}

vectors::VectorResult judge(const json& row) {
  const auto op = operations().find(row.at("op").get<std::string>());
  if (op == operations().end()) return vectors::unknown_op(row);
  Answer answer;
  try {
    answer = op->second(Args{row});
  } catch (const BadArgument& bad) {
    answer = no(bad.diagnostic);
  }
  const std::string got = answer.error.empty() ? answer.value.dump() : "error " + answer.error;
  if (row.contains("error")) {
    const std::string wanted = row.at("error").get<std::string>();
    const std::string reason = row.value("reason", "");
    return vectors::VectorResult::when(answer.error == wanted && (reason.empty() || reason == answer.reason),
                                       "error " + wanted + " " + reason, got + " " + answer.reason);
  }
  const json& wanted = row.at("expect");
  return vectors::VectorResult::when(answer.error.empty() && answer.value == wanted, wanted.dump(), got);
}

std::vector<std::string> names_of_operations() {
  std::vector<std::string> out;
  for (const auto& [name, operation] : operations()) out.push_back(name);
  return out;
}

const vectors::Register kCute = vectors::row_check("cute", "*", judge, names_of_operations());

}  // namespace
}  // namespace tessera
