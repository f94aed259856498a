// SPDX-License-Identifier: Apache-2.0
// Interpreter: evaluates syntax trees.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/shortened.h"
#include "eval/function.h"
#include "tessera/eval/evaluator.h"

namespace tessera::eval {

using Variables = std::map<std::string, Value, std::less<>>;

/// Builds a tuple element by element. In strides, an element may be a scaled basis, whose path is kept.
struct TupleWriter {
  bool strides = false;
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

/// Evaluates the nodes of one text. Explanations and notes go to `out`; variables and the last answer (null
/// before the first) are only read.
class Interpreter {
 public:
  Interpreter(const Variables& variables, const Value* last, bool explain, Evaluation& out)
      : variables_(variables), last_(last), explain_(explain), out_(out) {}

  /// The value of a statement. `_` is the last answer, or a hole if there is none.
  Result<Value> statement(const Node& node) {
    return node.kind == Node::Kind::hole && node.text == "_" && last_ != nullptr ? *last_ : value_of(node);
  }

 private:
  /// The value of a node inside a coordinate or tiler, where `_` is a hole.
  Result<Value> value_of(const Node& node);
  /// The value of an operand, where `_` is the last answer.
  Result<Value> operand(const Node& node);
  /// The last answer, which the text calls `word`: `_` or `ans`.
  Result<Value> last_answer(std::string_view word, Span span) const;
  // Literals.
  static Value leaf(const Node& node);
  Result<void> write(const Node& node, TupleWriter& out);
  static Result<void> finished(const TupleWriter& out, const Node& node);
  Result<Value> tuple(const Node& node);
  Result<Value> tiler(const Node& node);
  Result<Value> layout(const Node& node);
  Result<Value> chain(const Node& node);
  // Operators.
  Result<Value> arithmetic(const Node& node);
  Result<Value> negative(const Node& node);
  Result<Value> comparison(const Node& node);
  Result<Value> logic(const Node& node);
  static Failure not_a_number(const Node& node, const Value& value, std::string_view op);
  // Names and calls.
  Result<Value> named(const Node& node);
  Result<Value> called(const Node& node);
  Result<Value> applied(const Node& node);
  Result<Value> apply(const Value& callee, const Node& node, std::size_t first);
  Result<Value> apply_coordinate(const Value& layout, const Node& node, const Argument& argument);
  Result<Value> invoke(const Builtin& function, const Node& node, std::vector<Argument> arguments);

  const Variables& variables_;
  const Value* last_;
  bool explain_;
  Evaluation& out_;
};

/// The value of a word of the language: an order or a boolean.
std::optional<Value> word_value(std::string_view word);
/// The diagnostic with `span` as its span.
Diagnostic placed(Diagnostic d, Span span);
/// The error for a value that is not of the required kind, or could not be read as that kind.
Diagnostic other_kind(Diagnostic d, const Node& node, const Value& value, std::string_view rule);

}  // namespace tessera::eval
