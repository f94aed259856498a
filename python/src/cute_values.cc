// SPDX-License-Identifier: Apache-2.0
// Converts values of the calculator to Python objects, and back.
#include <fmt/format.h>

#include <functional>
#include <limits>

#include "eval/function.h"
#include "python/src/cute_layout.h"
#include "python/src/errors.h"
#include "python/src/layout_argument.h"
#include "tessera/notation/cute.h"

namespace tessera::python {
namespace {

bool is_sequence(nb::handle value) {
  return nb::isinstance<nb::tuple>(value) || nb::isinstance<nb::list>(value);
}

[[noreturn]] void refuse_type(nb::handle value) {
  throw nb::type_error(
      fmt::format("expected a layout, an integer, None, a tuple of these or a string, not {}",
                  nb::cast<std::string>(nb::handle(value.type()).attr("__name__")))
          .c_str());
}

void check(const detail::AlgebraError& error) {
  if (!error.failed) return;
  raise(Code::capacity, "a tuple has more than 64 leaves, or nests too deep", "split it");
}

void write_coord(nb::handle value, Coord& coord, IntTupleBuilder& build) {
  if (is_sequence(value)) {
    build.tuple(static_cast<int>(std::min<std::size_t>(nb::len(value), kMaxNodes)));
    for (const nb::handle part : nb::iter(value)) write_coord(part, coord, build);
    return;
  }
  if (value.is_none()) {
    if (build.out.leaves() < kMaxLeaves) coord.holes |= std::uint64_t{1} << build.out.leaves();
    return build.leaf(0);
  }
  build.leaf(index_argument(value));
}

// True if every leaf is an integer or None.
bool is_coordinate(nb::handle value) {
  if (!is_sequence(value)) return value.is_none() || PyIndex_Check(value.ptr()) != 0;
  for (const nb::handle part : nb::iter(value)) {
    if (!is_coordinate(part)) return false;
  }
  return true;
}

// Writes the by-mode tiler that a tuple with layouts means.
void write_tiler(nb::handle value, TrackedTiler& out, ProfileBuilder& nesting, LayoutBuilder& parts,
                 int& terminals) {
  if (is_sequence(value)) {
    nesting.tuple(static_cast<int>(std::min<std::size_t>(nb::len(value), kMaxNodes)));
    for (const nb::handle part : nb::iter(value)) write_tiler(part, out, nesting, parts, terminals);
    return;
  }
  if (nesting.leaf() < 0) return;
  const int at = terminals++;
  const Value one = value_argument(value);
  const Result<TrackedTiler> tiler = eval::Parameter<TrackedTiler>::read(one);
  if (!tiler || tiler->tiler.by_mode()) refuse_type(value);
  out.tiler.kind[at] = tiler->tiler.kind[0];
  parts.copy(terminal(tiler->tiler, 0));
}

Value tiler_of(nb::handle value) {
  TrackedTiler out;
  ProfileBuilder nesting(out.tiler.nesting);
  LayoutBuilder parts(out.tiler.parts);
  const int top = parts.tuple();
  int terminals = 0;
  write_tiler(value, out, nesting, parts, terminals);
  parts.set_rank(top, terminals);
  check(nesting.error());
  check(parts.profile.error());
  return Value(Value::Data(out));
}

Value value_of_text(std::string_view text) {
  if (text == "left") return Value(Value::Data(Order::left));
  if (text == "right") return Value(Value::Data(Order::right));
  Evaluation evaluation = Evaluator().evaluate(text);
  if (evaluation.error) raise(*evaluation.error, text);
  if (evaluation.answers.empty())
    raise(Diagnostic{.code = Code::syntax, .message = "the text is empty"}, text);
  return evaluation.answers.back().value;
}

nb::object tiler_object(const Tiler& tiler) {
  int at = 0;
  const std::function<nb::object(Cursor)> build = [&](Cursor here) -> nb::object {
    if (tiler.nesting.is_leaf(here.node)) {
      const int i = at++;
      const StridedLayout part = terminal(tiler, i);
      if (tiler.kind[i] == Tiler::Kind::everything) return nb::none();
      if (tiler.kind[i] == Tiler::Kind::integer) return nb::int_(part.extent[0]);
      return nb::cast(CuteLayout{part});
    }
    nb::list parts;
    Cursor mode = first_mode(tiler.nesting, here);
    for (int k = tiler.nesting.rank(here.node); k > 0; --k, mode = after(tiler.nesting, mode))
      parts.append(build(mode));
    return nb::tuple(parts);
  };
  return build({});
}

// Nested Python objects with the structure of a profile.
nb::object nested(const Profile& profile, Cursor at, const std::function<nb::object(int)>& leaf) {
  if (profile.is_leaf(at.node)) return leaf(at.leaf);
  const int rank = profile.rank(at.node);
  nb::object out = nb::steal(PyTuple_New(rank));
  Cursor mode = first_mode(profile, at);
  for (int i = 0; i < rank; ++i, mode = after(profile, mode)) {
    PyTuple_SetItem(out.ptr(), i, nested(profile, mode, leaf).release().ptr());
  }
  return out;
}

struct ToObject {
  nb::object operator()(const TrackedCoord& v) const { return tuple_object(v.coord); }
  nb::object operator()(const TrackedLayout& v) const { return nb::cast(CuteLayout{v.layout}); }
  nb::object operator()(const TrackedComposed& v) const { return nb::cast(CuteChain{v.layout}); }
  nb::object operator()(const Swizzle& v) const { return nb::cast(v); }
  nb::object operator()(const TrackedTiler& v) const { return tiler_object(v.tiler); }
  nb::object operator()(const Slice& v) const {
    return nb::make_tuple(CuteLayout{v.layout}, tuple_object(v.offset));
  }
  nb::object operator()(const ThreadValue& v) const {
    return nb::make_tuple(tuple_object(v.tile), CuteLayout{v.layout});
  }
  nb::object operator()(const LinearBases& v) const {
    return nb::str(to_string(Value(Value::Data(v))).c_str());
  }
  nb::object operator()(const std::vector<Index>& v) const { return nb::cast(v); }
  nb::object operator()(const Truth& v) const { return nb::bool_(v.yes); }
  nb::object operator()(const Order& v) const { return nb::str(v == Order::left ? "left" : "right"); }
  nb::object operator()(const TextBlock& v) const { return nb::str(v.text.c_str()); }
  nb::object operator()(const AxeLayout& v) const { return nb::str(to_string(v).c_str()); }
};

}  // namespace

Value value_argument(nb::handle value) {
  if (const CuteLayout* cute = nullptr;
      nb::try_cast<const CuteLayout*>(value, cute, false) && cute != nullptr) {
    return Value(cute->value);
  }
  if (PyLong_Check(value.ptr()) != 0) return Value(IntTuple(index_argument(value)));
  if (is_coordinate(value)) {
    TrackedCoord out;
    IntTupleBuilder build(out.coord.tuple);
    write_coord(value, out.coord, build);
    check(build.profile.error());
    return Value(Value::Data(out));
  }
  if (is_sequence(value)) return tiler_of(value);
  if (const CuteChain* chain = nullptr;
      nb::try_cast<const CuteChain*>(value, chain, false) && chain != nullptr) {
    return Value(chain->value);
  }
  if (const Swizzle* swizzle = nullptr;
      nb::try_cast<const Swizzle*>(value, swizzle, false) && swizzle != nullptr) {
    return Value(Value::Data(*swizzle));
  }
  if (nb::isinstance<nb::str>(value)) return value_of_text(nb::cast<std::string_view>(value));
  if (const Layout* layout = nullptr;
      nb::try_cast<const Layout*>(value, layout, false) && layout != nullptr) {
    if (layout->shape_stride() != nullptr && !layout->is_cropped()) return Value(*layout->shape_stride());
    if (layout->composed() != nullptr && !layout->is_cropped()) return Value(*layout->composed());
    raise(Code::argument_type, "the layout is not a whole layout of CuTe: " + to_string(*layout),
          "layout.to_cute() converts it");
  }
  refuse_type(value);
}

nb::object object_of(const Value& value) { return std::visit(ToObject(), value.data()); }

nb::object tuple_object(const Coord& coord) {
  return nested(coord.tuple.profile, {}, [&](int i) -> nb::object {
    if (coord.is_hole(i)) return nb::none();
    return nb::int_(coord.tuple.leaf[i]);
  });
}

nb::object tuple_object(const IntTuple& tuple) { return tuple_object(Coord(tuple)); }

nb::object stride_object(const StridedLayout& layout) {
  return nested(layout.profile, {}, [&](int i) -> nb::object {
    if (layout.path[i] == 0) return nb::int_(layout.stride[i]);
    std::string text = std::to_string(layout.stride[i]);
    for (int level = path_levels(layout.path[i]); level-- > 0;) {
      text += fmt::format("@{}", path_index(layout.path[i], level));
    }
    return nb::str(text.c_str());
  });
}

IntTuple int_tuple_argument(nb::handle value) {
  Coord coord;
  IntTupleBuilder build(coord.tuple);
  write_coord(value, coord, build);
  check(build.profile.error());
  if (coord.holes != 0) refuse_type(nb::none());
  return coord.tuple;
}

Value call_function(std::string_view name, std::vector<Value> arguments) {
  const eval::Builtin* const function = eval::find_function(name);
  static const eval::Node kNoNode;  // an expression without text
  eval::Call call{
      .name = function->info.name, .signature = function->info.signature, .span = {}, .arguments = {}};
  for (Value& value : arguments) call.arguments.push_back({std::move(value), &kNoNode});
  Value value = unwrap(eval::invoke(*function, call));
  for (const std::string& note : call.notes) warn(note);
  return value;
}

std::string python_text(nb::handle nested) {
  if (!is_sequence(nested)) return nb::cast<std::string>(nb::repr(nested));
  std::string out = "(";
  std::size_t count = 0;
  for (const nb::handle part : nb::iter(nested)) out += (count++ > 0 ? "," : "") + python_text(part);
  return out + (count == 1 ? ",)" : ")");
}

}  // namespace tessera::python
