// SPDX-License-Identifier: Apache-2.0
// Evaluates names, calls and applications.
#include "eval/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tessera/notation/cute.h"

namespace tessera::eval {
namespace {

/// The Levenshtein distance of two words.
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

/// The function whose name is nearest to a word, or contains it; null if none is near.
const Builtin* nearest(std::string_view word) {
  if (word.size() > 40) return nullptr;
  const Builtin* best = nullptr;
  std::size_t distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const Builtin& f : function_table()) {
    const std::size_t d = edit_distance(word, f.info.name);
    if (d < distance) {
      distance = d;
      best = &f;
    }
  }
  if (best != nullptr || word.size() < 4) return best;
  for (const Builtin& f : function_table()) {
    if (f.info.name.find(word) != std::string_view::npos) return &f;
  }
  return nullptr;
}

/// Adds `by` to an offset, or to the offset of a slice.
Result<Value> moved(const Result<Value>& value, Index by, const Node& node) {
  if (!value) return value;
  const auto* part = value->as<Slice>();
  const auto* layout = value->as<TrackedLayout>();
  const Index* at =
      part != nullptr ? (part->offset.is_integer() ? &part->offset.leaf[0] : nullptr) : value->integer();
  if (layout != nullptr) return Value(Value::Data(Slice{layout->layout, IntTuple(by)}));
  if (at == nullptr)
    return fail(Code::unsupported_codomain, "only a slice with integer offsets can be moved by an offset",
                node.span);
  Index sum = 0;
  if (add_overflows(*at, by, sum))
    return fail(Code::overflow, fmt::format("{} + {} does not fit in 64 bits", *at, by), node.span);
  if (part == nullptr) return Value(IntTuple(sum));
  return Value(Value::Data(Slice{part->layout, IntTuple(sum)}));
}

}  // namespace

std::optional<Value> word_value(std::string_view word) {
  for (const std::string_view left : {"left", "LayoutLeft", "GenColMajor"}) {
    if (word == left) return Value(Value::Data(Order::left));
  }
  for (const std::string_view right : {"right", "LayoutRight", "GenRowMajor"}) {
    if (word == right) return Value(Value::Data(Order::right));
  }
  if (word == "true" || word == "false") return Value(Value::Data(Truth{word == "true", {}}));
  return std::nullopt;
}

Diagnostic placed(Diagnostic d, Span span) {
  d.span = span;
  return d;
}

Diagnostic other_kind(Diagnostic d, const Node& node, const Value& value, std::string_view rule) {
  d.span = node.span;
  if (d.message.empty())
    d.message = fmt::format("{}; '{}' is of kind {}", rule, shortened(to_string(value)), kind_of(value));
  return d;
}

Result<Value> Interpreter::value_of(const Node& node) {
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
    case Node::Kind::literal:
      return *node.literal;
    case Node::Kind::chain:
      return chain(node);
    case Node::Kind::arithmetic:
      return arithmetic(node);
    case Node::Kind::negative:
      return negative(node);
    case Node::Kind::comparison:
      return comparison(node);
    case Node::Kind::logic:
      return logic(node);
    case Node::Kind::call:
      return called(node);
    case Node::Kind::apply:
      return applied(node);
    case Node::Kind::basis:
      break;
  }
  return fail(Code::syntax, "'@' can occur only in strides", node.span,
              "coordinate strides: (4,5):(1@0,1@1)");
}

Result<Value> Interpreter::operand(const Node& node) {
  return node.kind == Node::Kind::hole && node.text == "_" ? last_answer("_", node.span) : value_of(node);
}

Result<Value> Interpreter::last_answer(std::string_view word, Span span) const {
  if (last_ != nullptr) return *last_;
  return fail(Code::unknown_name, fmt::format("'{}' is the last answer, and there is none yet", word), span,
              word == "_" ? "inside a coordinate or a tiler it is a hole: L(_,3)"
                          : "evaluate an expression first: (4,8):(8,1); size(ans)");
}

Result<Value> Interpreter::named(const Node& node) {
  if (const auto found = variables_.find(node.text); found != variables_.end()) return found->second;
  if (const std::optional<Value> word = word_value(node.text)) return *word;
  if (node.text == "ans") return last_answer("ans", node.span);
  const std::string name = shortened(node.text);
  std::string help = fmt::format("give it a value first: {} = (4,8):(8,1)", name);
  if (const Builtin* f = find_function(node.text)) {
    help = fmt::format("it is a function: {}", f->info.signature);
  }
  return fail(Code::unknown_name, fmt::format("'{}' has no value", name), node.span, std::move(help));
}

Result<Value> Interpreter::called(const Node& node) {
  if (const auto found = variables_.find(node.text); found != variables_.end())
    return apply(found->second, node, 0);
  if (node.text == "ans") {
    const Span name = {node.span.begin, node.span.begin + static_cast<std::uint32_t>(node.text.size())};
    const Result<Value> last = last_answer("ans", name);
    return last ? apply(*last, node, 0) : last;
  }
  const Builtin* function = find_function(node.text);
  if (function == nullptr) {
    const Builtin* meant = nearest(node.text);
    return fail(Code::unknown_function, fmt::format("there is no function '{}'", shortened(node.text)),
                Span{node.span.begin, node.span.begin + static_cast<std::uint32_t>(node.text.size())},
                meant == nullptr ? "tessera eval --list shows all functions"
                                 : fmt::format("did you mean {}?", meant->info.signature));
  }
  std::vector<Argument> arguments;
  for (const Node& child : node.children) {
    // `_` is a hole for a parameter that takes coordinates or tilers, else the last answer.
    const bool last = !function->takes_hole(arguments.size()) && last_ != nullptr;
    Result<Value> value = last ? operand(child) : value_of(child);
    if (!value) return value;
    arguments.push_back({*std::move(value), &child});
  }
  function = find_function(node.text, arguments);
  return invoke(*function, node, std::move(arguments));
}

Result<Value> Interpreter::applied(const Node& node) {
  const Result<Value> callee = operand(node.children[0]);
  if (!callee) return callee;
  return apply(*callee, node, 1);
}

/// Applies a layout: L(c). The arguments from `first` on are a coordinate, which slices L if it contains `_`,
/// or a layout, which is composed with L.
Result<Value> Interpreter::apply(const Value& callee, const Node& node, std::size_t first) {
  if (callee.as<TrackedCoord>() != nullptr) {
    const bool integer = callee.integer() != nullptr;
    return fail(Code::argument_type,
                fmt::format("{} {} takes no coordinate", integer ? "the integer" : "the tuple",
                            shortened(to_string(callee))),
                {node.opened, node.span.end},
                integer ? "give all coordinates at once, L(2,3), or write an operator"
                        : "make_layout(S)(2,3) is an offset of the compact layout, get(S, 1) an element");
  }
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
      return fail(Code::capacity,
                  fmt::format("{} coordinates are too many: at most {} fit", count, kMaxLeaves), node.span);
    }
    argument.value = Value(Value::Data(out.tuple));
  }
  if (const auto* part = callee.as<Slice>(); part != nullptr && part->offset.is_integer()) {
    const auto* at = argument.value.as<TrackedCoord>();
    if (at != nullptr)
      return moved(apply_coordinate(Value(part->layout), node, argument), part->offset.leaf[0], node);
  }
  const auto* tv = callee.as<ThreadValue>();
  return apply_coordinate(tv != nullptr ? Value(tv->layout) : callee, node, argument);
}

Result<Value> Interpreter::apply_coordinate(const Value& layout, const Node& node, const Argument& argument) {
  const Argument self{layout, &node};
  if (layout.as<AxeLayout>() != nullptr) return invoke(*find_function("places"), node, {self, argument});
  const auto* coord = argument.value.as<TrackedCoord>();
  if (coord == nullptr) return invoke(*find_function("composition"), node, {self, argument});
  if (coord->coord.holes != 0) return invoke(*find_function("slice"), node, {argument, self});
  return invoke(*find_function("evaluate"), node, {self, argument});
}

Result<Value> Interpreter::invoke(const Builtin& function, const Node& node,
                                  std::vector<Argument> arguments) {
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

}  // namespace tessera::eval
