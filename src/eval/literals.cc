// SPDX-License-Identifier: Apache-2.0
// Evaluates literals: tuples, layouts, tilers, swizzles, chains.
#include <fmt/format.h>

#include "eval/chain.h"
#include "eval/construction.h"
#include "eval/interpreter.h"
#include "notation/cute/algebra_diagnostic.h"

namespace tessera::eval {
Value Interpreter::leaf(const Node& node) {
  TrackedCoord out;
  out.coord.tuple = IntTuple(node.number);
  out.coord.holes = node.kind == Node::Kind::hole ? 1 : 0;
  out.marks = node.marked ? 1 : 0;
  return Value(Value::Data(out));
}

Result<void> Interpreter::write(const Node& node, TupleWriter& out) {
  if (const Result<void> room = finished(out, node); !room) return room;
  switch (node.kind) {
    case Node::Kind::integer:
    case Node::Kind::hole:
    case Node::Kind::basis: {
      if (node.kind == Node::Kind::basis && !out.strides) break;
      const int i = out.build.out.leaves();
      out.mark(i, node.kind == Node::Kind::hole, node.marked);
      if (i < kMaxLeaves) out.path[i] = node.path;
      out.build.leaf(node.number);
      return {};
    }
    case Node::Kind::tuple: {
      if (node.children.size() > kMaxLeaves) {
        return fail(
            Code::capacity,
            fmt::format("the tuple has {} elements, but the limit is {}", node.children.size(), kMaxLeaves),
            node.span);
      }
      out.build.tuple(static_cast<int>(node.children.size()));
      for (const Node& child : node.children) {
        if (const Result<void> written = write(child, out); !written) return written;
      }
      return {};
    }
    default:
      break;
  }
  const Result<Value> value = value_of(node);
  if (!value) return fail(value.error());
  const auto* part = value->as<TrackedCoord>();
  if (part == nullptr) {
    return fail(Code::argument_type,
                fmt::format("a tuple holds integers and tuples; '{}' is of kind {}",
                            shortened(to_string(*value)), kind_of(*value)),
                node.span, "make_layout(A, B) makes one layout of several, <A,B> a tiler");
  }
  out.append(*part);
  return {};
}

Result<void> Interpreter::finished(const TupleWriter& out, const Node& node) {
  if (!out.build.profile.full) return {};
  return fail(Code::capacity,
              fmt::format("the tuple has more than {} numbers, or more than {} numbers and brackets",
                          kMaxLeaves, kMaxNodes),
              node.span);
}

Result<Value> Interpreter::tuple(const Node& node) {
  // Parentheses around a single value that is not a tuple only group it: (Sw<3,0,3> o L)(1), (M + 1) * N.
  if (node.children.size() == 1 && node.children[0].kind != Node::Kind::integer &&
      node.children[0].kind != Node::Kind::hole) {
    Result<Value> inner = value_of(node.children[0]);
    if (!inner || inner->as<TrackedCoord>() == nullptr) return inner;
    TupleWriter out;
    out.build.tuple(1);
    out.append(*inner->as<TrackedCoord>());
    if (const Result<void> done = finished(out, node); !done) return fail(done.error());
    return Value(Value::Data(out.tuple));
  }
  TupleWriter out;
  if (const Result<void> written = write(node, out); !written) return fail(written.error());
  if (const Result<void> done = finished(out, node); !done) return fail(done.error());
  return Value(Value::Data(out.tuple));
}

Result<Value> Interpreter::tiler(const Node& node) {
  std::vector<Tiler> parts;
  Marks marks;
  int leaves = 0;
  for (const Node& child : node.children) {
    const Result<Value> value = value_of(child);
    if (!value) return value;
    const Result<TrackedTiler> part = Parameter<TrackedTiler>::read(*value);
    if (!part)
      return fail(
          other_kind(part.error(), child, *value, "a part of a tiler is a layout, a shape, '_' or a tiler"));
    for (int i = 0; i < part->tiler.parts.leaves() && leaves < kMaxLeaves; ++i) {
      marks.set(leaves++, part->marks.extent(i), part->marks.stride(i));
    }
    parts.push_back(part->tiler);
  }
  const tessera::detail::Outcome<Tiler> all = by_mode(parts);
  if (!all) return fail(placed(tessera::detail::algebra_diagnostic(all.error, "tiler", {}), node.span));
  return Value(Value::Data(TrackedTiler{*all, marks}));
}

Result<Value> Interpreter::layout(const Node& node) {
  TupleWriter shape;
  TupleWriter stride;
  stride.strides = true;
  for (const auto& [child, out] :
       {std::pair(&node.children[0], &shape), std::pair(&node.children[1], &stride)}) {
    if (const Result<void> written = write(*child, *out); !written) return fail(written.error());
    if (const Result<void> done = finished(*out, *child); !done) return fail(done.error());
    if (out->tuple.coord.holes != 0)
      return fail(Code::syntax, "'_' alone belongs to coordinates and tilers, not to layouts", child->span);
  }
  const tessera::detail::Outcome<TrackedLayout> made =
      tessera::detail::make_tracked({shape.tuple.coord.tuple, shape.tuple.marks},
                                    {stride.tuple.coord.tuple, stride.tuple.marks}, stride.path);
  if (made) return Value(Value::Data(*made));
  const tessera::detail::AlgebraError& e = made.error;
  const Node& part = node.children[e.code == Code::bad_extent ? 0 : 1];
  return fail(e.code, literal_message(e), leaf_span(part, e.leaf).value_or(part.span), literal_help(e));
}

/// A o x o B. An integer between two 'o' is an offset. Built from the right.
Result<Value> Interpreter::chain(const Node& node) {
  struct Link {
    ComposedLayout layout;
    Index offset = 0;  // added after the layout
  };
  std::vector<Link> links;
  const std::size_t n = node.children.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Node& child = node.children[i];
    const Result<Value> head = operand(child);
    if (!head) return head;
    const Result<Chain> layout = Parameter<Chain>::read(*head);
    if (!layout) return fail(other_kind(layout.error(), child, *head, "'o' joins layouts and swizzles"));
    links.push_back({layout->layout});
    if (i + 2 >= n) continue;
    const Result<Value> next = value_of(node.children[i + 1]);
    if (!next) return next;
    if (next->integer() == nullptr) continue;
    links.back().offset = *next->integer();
    ++i;
  }
  ComposedLayout out = links.back().layout;
  for (std::size_t i = links.size() - 1; i-- > 0;) {
    const tessera::detail::Outcome<ComposedLayout> joined =
        tessera::detail::make_composed(links[i].layout, links[i].offset, out);
    if (!joined) return fail(placed(tessera::detail::algebra_diagnostic(joined.error, "o", {}), node.span));
    out = *joined;
  }
  return Value(out);
}

}  // namespace tessera::eval
