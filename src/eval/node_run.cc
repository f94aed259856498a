// SPDX-License-Identifier: Apache-2.0
#include "eval/node_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "eval/interpreter.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {
namespace {

using symbolic::Leaf;
using symbolic::Polynomial;
using symbolic::SizeCondition;
using tessera_tracing::Number;
using tessera_tracing::TracedOperand;
using tessera_tracing::TracedReply;
using NodeKind = Node::Kind;
using OperandKind = TracedOperand::Kind;

/// One evaluation. After the first failure, every value is empty.
class Run {
 public:
  Run(const NamedNodes& variables, symbolic::Recording& recording)
      : variables_(&variables), recording_(recording) {}

  std::optional<TracedOperand> value(const Node& node) {
    if (failure_) return std::nullopt;
    switch (node.kind) {
      case NodeKind::integer:
        return TracedOperand::integer({node.number, 0});
      case NodeKind::hole:
        return TracedOperand{.leaf = {{0, 0}}, .hole = {true}};
      case NodeKind::name:
        return named(node);
      case NodeKind::tuple:
        return tuple(node);
      case NodeKind::tiler:
        return tiler(node);
      case NodeKind::layout:
        return layout(node.children[0], node.children[1]);
      case NodeKind::arithmetic:
        return arithmetic(node);
      case NodeKind::negative: {
        const auto inner = number(node.children[0]);
        if (!inner) return std::nullopt;
        return TracedOperand::integer(recording_.number(-recording_.polynomial(*inner)));
      }
      case NodeKind::call:
        return call(node);
      case NodeKind::apply:
        return apply(node);
      case NodeKind::comparison:
        return comparison(node);
      case NodeKind::logic:
        return logic(node);
      default:
        return stop("a swizzle, a chain or bases have numbers only");
    }
  }
  const std::optional<Leaf>& failure() const { return failure_; }
  std::optional<TracedOperand> stop(std::string reason) {
    if (!failure_) failure_ = Leaf{.kind = Leaf::Kind::undecided, .reason = std::move(reason)};
    return std::nullopt;
  }

 private:
  std::optional<TracedOperand> accepted(TracedReply reply, const Node& node) {
    if (reply.ok()) return std::move(reply.value);
    if (reply.misfit)
      return stop(fmt::format("'{}' does not take these operands with names of sizes", node.text));
    if (!failure_) {
      if (reply.code == "undecided") {
        stop("the values would have to be compared one by one, and their number depends on a size");
      } else {
        failure_ = Leaf{.kind = Leaf::Kind::error, .frame = reply.code, .reason = reply.reason};
      }
    }
    return std::nullopt;
  }

  /// The value of a variable, which is computed once.
  std::optional<TracedOperand> defined(const Definition& definition) {
    if (const auto known = defined_.find(definition.node); known != defined_.end()) return known->second;
    const NamedNodes* const outer = std::exchange(variables_, definition.before);
    auto out = value(*definition.node);
    variables_ = outer;
    if (out) defined_[definition.node] = *out;
    return out;
  }

  std::optional<TracedOperand> named(const Node& node) {
    if (const auto found = variables_->find(node.text); found != variables_->end())
      return defined(found->second);
    if (node.text == "true" || node.text == "false")
      return TracedOperand{.kind = OperandKind::truth, .yes = node.text == "true"};
    if (find_function(node.text) != nullptr || word_value(node.text))
      return stop(fmt::format("'{}' is not an operand for all sizes", node.text));
    const symbolic::SizeVariable size = recording_.run().space().parameter(node.text);
    if (!recording_.run().region().values().contains(size))
      return stop(fmt::format("'{}' has a value that answers for all sizes do not read", node.text));
    return TracedOperand::integer(recording_.number(Polynomial::of(size)));
  }

  std::optional<TracedOperand> tuple(const Node& node) {
    TracedOperand out;
    out.nesting = {static_cast<int>(node.children.size())};
    for (const Node& child : node.children) {
      if (child.kind == NodeKind::basis) return stop("a coordinate stride has a place only in a stride");
      const auto part = value(child);
      if (!part) return std::nullopt;
      if (part->kind != OperandKind::tuple) return stop("a tuple has numbers and tuples only");
      append(*part, out);
    }
    return out;
  }
  static void append(const TracedOperand& part, TracedOperand& out) {
    out.nesting.insert(out.nesting.end(), part.nesting.begin(), part.nesting.end());
    for (std::size_t i = 0; i < part.leaf.size(); ++i) {
      out.leaf.push_back(part.leaf[i]);
      out.hole.push_back(i < part.hole.size() && part.hole[i]);
      out.path.push_back(i < part.path.size() ? part.path[i] : 0);
    }
  }

  std::optional<TracedOperand> tiler(const Node& node) {
    TracedOperand out{.kind = OperandKind::tiler};
    out.nesting = {static_cast<int>(node.children.size())};
    for (const Node& child : node.children) {
      auto part = value(child);
      if (!part) return std::nullopt;
      if (part->kind == OperandKind::tiler) {
        out.nesting.insert(out.nesting.end(), part->nesting.begin(), part->nesting.end());
        out.parts.insert(out.parts.end(), part->parts.begin(), part->parts.end());
        continue;
      }
      if (part->kind == OperandKind::tuple && part->leaf.size() != 1)
        return stop("a tiler has integers, layouts and '_'");
      out.nesting.push_back(TracedOperand::kLeaf);
      out.parts.push_back(*std::move(part));
    }
    return out;
  }

  std::optional<TracedOperand> stride(const Node& node) {
    if (node.kind == NodeKind::basis) return TracedOperand{.leaf = {{node.number, 0}}, .path = {node.path}};
    if (node.kind != NodeKind::tuple) return value(node);
    TracedOperand out;
    out.nesting = {static_cast<int>(node.children.size())};
    for (const Node& child : node.children) {
      const auto part = stride(child);
      if (!part) return std::nullopt;
      if (part->kind != OperandKind::tuple) return stop("a stride has numbers and tuples only");
      append(*part, out);
    }
    return out;
  }

  std::optional<TracedOperand> layout(const Node& shape_node, const Node& stride_node) {
    const auto shape = value(shape_node);
    const auto strides = shape ? stride(stride_node) : std::nullopt;
    if (!strides) return std::nullopt;
    TracedReply made = tessera_tracing::layout_of(*shape, &*strides);
    if (made.code == "bad_extent" && !failure_) {
      failure_ = Leaf{.kind = Leaf::Kind::outside, .frame = made.code, .reason = "an extent is below 1"};
      return std::nullopt;
    }
    return accepted(std::move(made), shape_node);
  }

  std::optional<Number> number(const Node& node) {
    const Node* inner = &node;
    while (is_bracket(*inner)) inner = &inner->children[0];
    const auto operand = value(*inner);
    if (!operand) return std::nullopt;
    if (!operand->is_integer()) {
      stop("arithmetic takes integers");
      return std::nullopt;
    }
    return operand->leaf[0];
  }

  std::optional<TracedOperand> computed(char op, Number a, Number b) {
    const Polynomial x = recording_.polynomial(a);
    const Polynomial y = recording_.polynomial(b);
    symbolic::Space& space = recording_.run().space();
    if (op == '+') return TracedOperand::integer(recording_.number(x + y));
    if (op == '-') return TracedOperand::integer(recording_.number(x - y));
    if (op == '*') return TracedOperand::integer(recording_.number(x * y));
    if (op == '<') return TracedOperand::integer(recording_.number(space.minimum(x, y)));
    if (op == '>') return TracedOperand::integer(recording_.number(space.maximum(x, y)));
    if (!(y.is_constant() ? y.constant() >= 1 : recording_.run().decide(symbolic::at_least(y, 1)))) {
      if (!failure_) failure_ = Leaf{.kind = Leaf::Kind::error, .frame = "undefined_value"};
      return std::nullopt;
    }
    if (a.node == 0 && b.node == 0) {
      const auto down = symbolic::floor_div(a.value, b.value);
      const auto up = -symbolic::floor_div(-symbolic::Integer{a.value}, b.value);
      return TracedOperand::integer(recording_.number(op == '/'   ? down
                                                      : op == '^' ? up
                                                                  : a.value - down * b.value));
    }
    return TracedOperand::integer(recording_.computed(op == '/' ? 'f' : op == '%' ? 'm' : '^', a, b));
  }

  std::optional<TracedOperand> arithmetic(const Node& node) {
    if (const auto parts = computed_layout(node)) return layout(parts->shape, parts->stride);
    auto sum = number(node.children[0]);
    for (std::size_t i = 1; i < node.children.size() && sum; ++i) {
      const auto next = number(node.children[i]);
      const auto result = next ? computed(node.operators[i - 1], *sum, *next) : std::nullopt;
      if (!result) return std::nullopt;
      sum = result->leaf[0];
    }
    return sum ? std::optional(TracedOperand::integer(*sum)) : std::nullopt;
  }

  std::optional<TracedOperand> call(const Node& node) {
    if (const auto found = variables_->find(node.text); found != variables_->end()) {
      const auto callee = defined(found->second);
      return callee ? applied(*callee, node, 0) : std::nullopt;
    }
    std::vector<TracedOperand> arguments;
    for (const Node& child : node.children) {
      const auto argument = value(child);
      if (!argument) return std::nullopt;
      arguments.push_back(*argument);
    }
    const bool numbers = std::ranges::all_of(arguments, &TracedOperand::is_integer);
    if (is_term_function(node.text) && numbers && arguments.size() == 2) {
      const char op = node.text == "min" ? '<' : node.text == "max" ? '>' : '^';
      return computed(op, arguments[0].leaf[0], arguments[1].leaf[0]);
    }
    if (!tessera_tracing::has_operation(node.text))
      return stop(fmt::format("'{}' has answers for numbers only", node.text));
    return accepted(tessera_tracing::call(node.text, arguments), node);
  }

  std::optional<TracedOperand> apply(const Node& node) {
    const auto callee = value(node.children[0]);
    return callee ? applied(*callee, node, 1) : std::nullopt;
  }
  std::optional<TracedOperand> applied(const TracedOperand& callee, const Node& node, std::size_t first) {
    if (callee.kind != OperandKind::layout) return stop("only a layout takes a coordinate");
    TracedOperand coordinate;
    if (node.children.size() == first + 1) {
      const auto only = value(node.children[first]);
      if (!only) return std::nullopt;
      if (only->kind != OperandKind::tuple)
        return accepted(tessera_tracing::call("composition", std::vector{callee, *only}), node);
      coordinate = *only;
    } else {
      coordinate.nesting = {static_cast<int>(node.children.size() - first)};
      for (std::size_t i = first; i < node.children.size(); ++i) {
        const auto part = value(node.children[i]);
        if (!part) return std::nullopt;
        if (part->kind != OperandKind::tuple) return stop("a coordinate has numbers and tuples only");
        append(*part, coordinate);
      }
    }
    const bool hole = std::ranges::find(coordinate.hole, true) != coordinate.hole.end();
    return hole ? accepted(tessera_tracing::call("slice", std::vector{coordinate, callee}), node)
                : accepted(tessera_tracing::call("evaluate", std::vector{callee, coordinate}), node);
  }

  bool decide(const SizeCondition& c) {
    if (c.p.is_constant()) return recording_.run().space().holds(c, {}).value_or(false);
    return recording_.run().decide(c);
  }
  std::optional<TracedOperand> comparison(const Node& node) {
    const char op = node.operators[0];
    const auto a = value(node.children[0]);
    const auto b = a ? value(node.children[1]) : std::nullopt;
    if (!b) return std::nullopt;
    TracedOperand out{.kind = OperandKind::truth, .yes = true};
    if (op == '=' || op == '!') {
      if (a->kind != b->kind || a->kind == OperandKind::slice || a->kind == OperandKind::tiler)
        return stop("'==' compares values of one kind");
      out.yes = a->nesting == b->nesting && a->path == b->path && a->yes == b->yes;
      for (std::size_t i = 0; i < a->leaf.size() && out.yes; ++i) out.yes = same(a->leaf[i], b->leaf[i]);
      for (std::size_t i = 0; i < a->stride.size() && out.yes; ++i)
        out.yes = same(a->stride[i], b->stride[i]);
      out.yes = out.yes == (op == '=');
      return out;
    }
    if (!a->is_integer() || !b->is_integer()) return stop("comparisons take integers");
    const Polynomial x = recording_.polynomial(a->leaf[0]);
    const Polynomial y = recording_.polynomial(b->leaf[0]);
    switch (op) {
      case '<':
        out.yes = decide(symbolic::at_least(y, x + 1));
        break;
      case '>':
        out.yes = decide(symbolic::at_least(x, y + 1));
        break;
      case 'l':
        out.yes = decide(symbolic::at_least(y, x));
        break;
      default:
        out.yes = decide(symbolic::at_least(x, y));
    }
    return out;
  }
  bool same(Number a, Number b) {
    if (a.node == 0 && b.node == 0) return a.value == b.value;
    const bool outcome = a.value == b.value;
    recording_.decided('=', a, b, outcome);
    return outcome;
  }

  std::optional<TracedOperand> logic(const Node& node) {
    const char op = node.operators[0];
    TracedOperand out{.kind = OperandKind::truth};
    for (const Node& child : node.children) {
      const auto part = value(child);
      if (!part) return std::nullopt;
      if (part->kind != OperandKind::truth) return stop("'and', 'or' and 'not' take true or false");
      if (op == '!') {
        out.yes = !part->yes;
        return out;
      }
      out = *part;
      if (out.yes == (op == '|')) break;
    }
    return out;
  }

  const NamedNodes* variables_;
  symbolic::Recording& recording_;
  std::map<const Node*, TracedOperand> defined_ = {};
  std::optional<Leaf> failure_ = {};
};

/// Writes an operand as a frame and its numbers.
class Framed {
 public:
  Framed(const symbolic::Recording& recording, Leaf& out) : recording_(recording), out_(out) {}

  void operator()(const TracedOperand& o) {
    switch (o.kind) {
      case OperandKind::truth:
        out_.frame += o.yes ? "true" : "false";
        break;
      case OperandKind::tuple:
        tree(o, o.leaf, false);
        break;
      case OperandKind::layout:
        tree(o, o.leaf, false);
        out_.frame += ':';
        tree(o, o.stride, true);
        break;
      case OperandKind::slice:
      case OperandKind::thread_value:
        (*this)(o.parts[0]);
        out_.frame += o.kind == OperandKind::slice ? " at " : " over ";
        (*this)(o.parts[1]);
        break;
      case OperandKind::tiler:
        tiler(o);
    }
  }

 private:
  template <class Write>
  static void nested(const std::vector<int>& nesting, std::size_t& node, std::size_t& leaf, std::string& out,
                     char open, char close, const Write& write) {
    const int rank = nesting[node++];
    if (rank == TracedOperand::kLeaf) return write(leaf++);
    out += open;
    for (int i = 0; i < rank; ++i) {
      if (i > 0) out += ',';
      nested(nesting, node, leaf, out, open, close, write);
    }
    out += close;
  }
  void tree(const TracedOperand& o, const std::vector<Number>& numbers, bool strides) {
    std::size_t node = 0;
    std::size_t leaf = 0;
    nested(o.nesting, node, leaf, out_.frame, '(', ')', [&](std::size_t i) {
      if (i < o.hole.size() && o.hole[i]) {
        out_.frame += '_';
        return;
      }
      out_.frame += '#';
      out_.numbers.push_back(recording_.polynomial(numbers[i]));
      if (!strides || i >= o.path.size()) return;
      for (int level = path_levels(o.path[i]) - 1; level >= 0; --level)
        out_.frame += fmt::format("@{}", path_index(o.path[i], level));
    });
  }
  void tiler(const TracedOperand& o) {
    std::size_t node = 0;
    std::size_t leaf = 0;
    nested(o.nesting, node, leaf, out_.frame, '<', '>', [&](std::size_t i) { (*this)(o.parts[i]); });
  }

  const symbolic::Recording& recording_;
  Leaf& out_;
};

}  // namespace

bool is_for_all_sizes(std::string_view function) {
  return is_term_function(function) || tessera_tracing::has_operation(function);
}

Leaf evaluated(const Node& node, const NamedNodes& variables, symbolic::Recorder& recorder) {
  symbolic::Recording recording(recorder);
  Run run(variables, recording);
  const auto value = run.value(node);
  if (!value) return run.failure().value_or(Leaf{.kind = Leaf::Kind::undecided, .reason = "no value"});
  Leaf out{.layout = value->kind == OperandKind::layout};
  Framed(recording, out)(*value);
  return out;
}

}  // namespace tessera::eval
