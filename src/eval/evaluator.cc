// SPDX-License-Identifier: Apache-2.0
#include "tessera/eval/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "eval/chain.h"

namespace tessera {
namespace {

using eval::Argument;
using eval::Call;
using eval::Node;

using Variables = std::map<std::string, Value, std::less<>>;

/// Letters to change, add or drop to get from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The function that was probably meant, or null: the nearest name, or one that the word is a part of.
const eval::Function* nearest(std::string_view word) {
  if (word.size() > 40) return nullptr;
  const eval::Function* best = nullptr;
  std::size_t distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const eval::Function& f : eval::function_table()) {
    const std::size_t d = edit_distance(word, f.info.name);
    if (d < distance) {
      distance = d;
      best = &f;
    }
  }
  if (best != nullptr || word.size() < 4) return best;
  for (const eval::Function& f : eval::function_table()) {
    if (f.info.name.find(word) != std::string_view::npos) return &f;
  }
  return nullptr;
}

bool is_reserved(std::string_view name) {
  return name == "o" || name == "left" || name == "right" || eval::find_function(name) != nullptr;
}

std::string shortened(std::string text) {
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

/// Evaluates the tree of one text.
class Interpreter {
 public:
  Interpreter(const Variables& variables, bool explain, Evaluation& out)
      : variables_(variables), explain_(explain), out_(out) {}

  Result<Value> value_of(const Node& node) {
    switch (node.kind) {
      case Node::Kind::integer:
      case Node::Kind::hole:
        return leaf(node);
      case Node::Kind::name:
        return named(node);
      case Node::Kind::tuple:
        return tuple(node);
      case Node::Kind::tiler:
        return tiler(node);
      case Node::Kind::layout:
        return layout(node);
      case Node::Kind::swizzle:
        return swizzle(node);
      case Node::Kind::chain:
        return chain(node);
      case Node::Kind::call:
        return called(node);
      case Node::Kind::apply:
        return applied(node);
      case Node::Kind::basis:
        break;  // inside of strides only
    }
    return fail(Code::syntax, "'@' stands in strides only", node.span);
  }

 private:
  static Value leaf(const Node& node) {
    TrackedCoord out;
    out.coord.tuple = IntTuple(node.number);
    out.coord.holes = node.kind == Node::Kind::hole ? 1 : 0;
    out.marks = node.marked ? 1 : 0;
    return Value(Value::Data(out));
  }

  Result<Value> named(const Node& node) {
    if (const auto found = variables_.find(node.text); found != variables_.end()) return found->second;
    if (node.text == "left") return Value(Value::Data(Order::left));
    if (node.text == "right") return Value(Value::Data(Order::right));
    std::string help =
        fmt::format("give it a value first: {} = (4,8):(8,1)", shortened(std::string(node.text)));
    if (const eval::Function* f = eval::find_function(node.text)) {
      help = fmt::format("it is a function: {}", f->info.signature);
    }
    return fail(Code::unknown_name, fmt::format("'{}' has no value", shortened(std::string(node.text))),
                node.span, std::move(help));
  }

  /// Appends the tuple of a node to the one that is built; `strides` also takes paths.
  struct TupleWriter {
    TrackedCoord tuple;
    IntTupleBuilder build{tuple.coord.tuple};
    BasisPath path[kMaxLeaves] = {};

    void append(const TrackedCoord& part) {
      const int before = build.out.leaves();
      for (int i = 0; i < part.coord.tuple.leaves(); ++i)
        mark(before + i, part.coord.is_hole(i), ((part.marks >> i) & 1) != 0);
      build.copy(part.coord.tuple);
    }
    void mark(int i, bool hole, bool marked) {
      if (i >= kMaxLeaves) return;
      const std::uint64_t bit = std::uint64_t{1} << i;
      if (hole) tuple.coord.holes |= bit;
      if (marked) tuple.marks |= bit;
    }
  };

  Result<void> write(const Node& node, TupleWriter& out) {
    if (out.build.profile.full) {
      return fail(
          Code::capacity,
          fmt::format("more than {} numbers or {} brackets in one tuple", kMaxLeaves, kMaxNodes - kMaxLeaves),
          node.span);
    }
    switch (node.kind) {
      case Node::Kind::integer:
      case Node::Kind::hole:
      case Node::Kind::basis: {
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
              fmt::format("{} elements in one tuple, at most {} fit", node.children.size(), kMaxLeaves),
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
                  fmt::format("a tuple has integers and tuples in it; '{}' is of kind {}",
                              shortened(to_string(*value)), kind_of(*value)),
                  node.span, "make_layout(A, B) makes one layout of several, <A,B> a tiler");
    }
    out.append(*part);
    return {};
  }
  static Result<void> finished(const TupleWriter& out, const Node& node) {
    if (!out.build.profile.full) return {};
    return fail(
        Code::capacity,
        fmt::format("more than {} numbers or {} brackets in one tuple", kMaxLeaves, kMaxNodes - kMaxLeaves),
        node.span);
  }

  Result<Value> tuple(const Node& node) {
    // Parentheses around one thing that is no tuple hold it together: (Sw<3,0,3> o L)(1).
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

  Result<Value> tiler(const Node& node) {
    std::vector<Tiler> parts;
    Marks marks;
    int leaves = 0;
    for (const Node& child : node.children) {
      const Result<Value> value = value_of(child);
      if (!value) return value;
      const Result<TrackedTiler> part = eval::Parameter<TrackedTiler>::read(*value);
      if (!part)
        return fail(other_kind(part.error(), child, *value,
                               "a part of a tiler is a layout, a shape, '_' or a tiler"));
      for (int i = 0; i < part->tiler.parts.leaves() && leaves < kMaxLeaves; ++i) {
        marks.set(leaves++, part->marks.extent(i), part->marks.stride(i));
      }
      parts.push_back(part->tiler);
    }
    const Outcome<Tiler> all = eval::by_mode(parts);
    if (!all) return fail(placed(to_diagnostic(all.error, "tiler", {}), node.span));
    return Value(Value::Data(TrackedTiler{*all, marks}));
  }

  Result<Value> layout(const Node& node) {
    TupleWriter shape;
    TupleWriter stride;
    for (const auto& [child, out] :
         {std::pair(&node.children[0], &shape), std::pair(&node.children[1], &stride)}) {
      if (const Result<void> written = write(*child, *out); !written) return fail(written.error());
      if (const Result<void> done = finished(*out, *child); !done) return fail(done.error());
      if (out->tuple.coord.holes != 0)
        return fail(Code::syntax, "'_' alone stands in coordinates and tilers, not in layouts", child->span);
    }
    TrackedLayout out;
    const IntTuple& extents = shape.tuple.coord.tuple;
    const IntTuple& steps = stride.tuple.coord.tuple;
    out.marks = {shape.tuple.marks, stride.tuple.marks};
    out.layout.profile = extents.profile;
    for (int i = 0; i < extents.leaves(); ++i) {
      if (extents.leaf[i] < 1) {
        return fail(Code::bad_extent, fmt::format("the extent {} is below 1", extents.leaf[i]),
                    eval::leaf_span(node.children[0], i).value_or(node.children[0].span));
      }
      out.layout.extent[i] = extents.leaf[i];
      out.layout.stride[i] = steps.leaf[i];
      out.layout.path[i] = stride.path[i];
    }
    if (!congruent(extents, steps)) {
      return fail(Code::not_congruent, "shape and stride are not nested alike", node.children[1].span);
    }
    const AlgebraError e = check_invariants(out.layout);
    if (e.code != AlgebraCode::none) {
      const std::string message =
          e.code == AlgebraCode::codomain_mismatch
              ? fmt::format("strides that count coordinates stand beside the stride {}", e.first)
              : "the size or an offset does not fit 63 bits";
      return fail(to_code(e.code), message,
                  eval::leaf_span(node.children[1], e.leaf).value_or(node.children[1].span));
    }
    return Value(Value::Data(out));
  }

  static Result<Value> swizzle(const Node& node) {
    const Index b = node.children[0].number;
    const Index m = node.children[1].number;
    const Index s = node.children[2].number;
    const Outcome<Swizzle> made = make_swizzle(b, m, s);
    if (!made) {
      return fail(Code::bad_swizzle, fmt::format("Sw<{},{},{}> is no swizzle", b, m, s), node.span,
                  "bits >= 0, base >= 0, |shift| >= bits, at most 62 together");
    }
    return Value(Value::Data(*made));
  }

  /// A o x o B: after a head, an integer that another 'o' follows is an offset. Built from the right.
  Result<Value> chain(const Node& node) {
    struct Link {
      ComposedLayout layout;
      Index offset = 0;  // behind it
    };
    std::vector<Link> links;
    const std::size_t n = node.children.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Node& child = node.children[i];
      const Result<Value> head = value_of(child);
      if (!head) return head;
      const Result<eval::Chain> layout = eval::Parameter<eval::Chain>::read(*head);
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
      const Outcome<ComposedLayout> joined = make_composed(links[i].layout, links[i].offset, out);
      if (!joined) return fail(placed(to_diagnostic(joined.error, "o", {}), node.span));
      out = *joined;
    }
    return Value(out);
  }

  Result<Value> called(const Node& node) {
    if (const auto found = variables_.find(node.text); found != variables_.end())
      return apply(found->second, node, 0);
    const eval::Function* function = eval::find_function(node.text);
    if (function == nullptr) {
      const eval::Function* meant = nearest(node.text);
      return fail(Code::unknown_function,
                  fmt::format("there is no function '{}'", shortened(std::string(node.text))),
                  Span{node.span.begin, node.span.begin + static_cast<std::uint32_t>(node.text.size())},
                  meant == nullptr ? "tessera eval --list shows all functions"
                                   : fmt::format("did you mean {}?", meant->info.signature));
    }
    std::vector<Argument> arguments;
    for (const Node& child : node.children) {
      Result<Value> value = value_of(child);
      if (!value) return value;
      arguments.push_back({*std::move(value), &child});
    }
    return invoke(*function, node, std::move(arguments));
  }

  Result<Value> applied(const Node& node) {
    const Result<Value> callee = value_of(node.children[0]);
    if (!callee) return callee;
    return apply(*callee, node, 1);
  }

  /// L(c): the arguments from `first` on are a coordinate, a slice where one is `_`, or a layout to compose
  /// with.
  Result<Value> apply(const Value& callee, const Node& node, std::size_t first) {
    const std::size_t count = node.children.size() - first;
    if (count == 0) {
      return fail(Code::argument_count, fmt::format("'{}' takes a coordinate", shortened(to_string(callee))),
                  node.span);
    }
    Argument argument{Value(), &node};
    if (count == 1) {
      Result<Value> only = value_of(node.children[first]);
      if (!only) return only;
      argument = {*std::move(only), &node.children[first]};
    } else {
      TupleWriter out;
      out.build.tuple(static_cast<int>(std::min<std::size_t>(count, kMaxLeaves)));
      for (std::size_t i = first; i < node.children.size(); ++i) {
        if (const Result<void> written = write(node.children[i], out); !written) return fail(written.error());
      }
      if (const Result<void> done = finished(out, node); !done || count > kMaxLeaves) {
        return fail(Code::capacity, fmt::format("{} coordinates, at most {} fit", count, kMaxLeaves),
                    node.span);
      }
      argument.value = Value(Value::Data(out.tuple));
    }
    const Argument self{callee, &node};
    const auto* coord = argument.value.as<TrackedCoord>();
    if (coord == nullptr) return invoke(*eval::find_function("composition"), node, {self, argument});
    if (coord->coord.holes != 0) return invoke(*eval::find_function("slice"), node, {argument, self});
    return invoke(*eval::find_function("evaluate"), node, {self, argument});
  }

  Result<Value> invoke(const eval::Function& function, const Node& node, std::vector<Argument> arguments) {
    Call call{.name = function.info.name,
              .signature = function.info.signature,
              .span = node.span,
              .arguments = std::move(arguments)};
    call.steps.wanted = explain_;
    Result<Value> result = eval::invoke(function, call);
    if (explain_) {
      out_.explanations.push_back(
          {to_string(call), std::move(call.steps.lines), result ? to_string(*result) : ""});
    }
    for (std::string& note : call.notes) {
      if (std::ranges::find(out_.notes, note) == out_.notes.end()) out_.notes.push_back(std::move(note));
    }
    return result;
  }

  static Diagnostic placed(Diagnostic d, Span span) {
    d.span = span;
    return d;
  }
  static Diagnostic other_kind(Diagnostic d, const Node& node, const Value& value, std::string_view rule) {
    d.span = node.span;
    if (d.message.empty())
      d.message = fmt::format("{}; '{}' is of kind {}", rule, shortened(to_string(value)), kind_of(value));
    return d;
  }

  const Variables& variables_;
  bool explain_;
  Evaluation& out_;
};

}  // namespace

Evaluation Evaluator::evaluate(std::string_view text, bool explain) {
  Evaluation out;
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    out.error = Diagnostic{.code = Code::limit, .message = "the text is 4 GiB or longer"};
    return out;
  }
  const Result<std::vector<eval::Statement>> program = eval::parse_program(text);
  if (!program) {
    out.error = program.error();
    return out;
  }
  if (program->empty()) {
    out.error = Diagnostic{.code = Code::syntax, .message = "the expression is empty"};
    out.error->help = "write an expression like logical_divide((4,2,3):(2,1,8), 4:2)";
    return out;
  }
  for (const eval::Statement& statement : *program) {
    if (!statement.name.empty() && is_reserved(statement.name)) {
      out.error = Diagnostic{
          .code = Code::reserved_name,
          .message = fmt::format("'{}' is a word of the language and cannot be a variable", statement.name),
          .span = statement.name_span};
      return out;
    }
    Result<Value> value = Interpreter(variables_, explain, out).value_of(statement.expr);
    if (!value) {
      out.error = value.error();
      return out;
    }
    if (!statement.name.empty()) variables_.insert_or_assign(std::string(statement.name), *value);
    out.answers.push_back({std::string(statement.name), *std::move(value)});
  }
  return out;
}

}  // namespace tessera
