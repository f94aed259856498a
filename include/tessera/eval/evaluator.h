// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluator: the layout algebra as a calculator.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/algebra/operands.h"
#include "tessera/base/result.h"
#include "tessera/notation/axe.h"
#include "tessera/notation/sized_layout.h"

namespace tessera {

/// True, or false with the reason: `false, coordinates 0 and 2 both have the offset 0`.
struct Truth {
  bool yes = true;
  std::string reason = {};
};

/// Several lines for people: a table, a report.
struct TextBlock {
  std::string text;
};

/// An immutable value, shared by its copies. Shapes, coordinates and integers are all TrackedCoord; the
/// called function decides which is meant. A layout is a TrackedLayout, a chain of several parts a
/// TrackedComposed.
class Value {
 public:
  using Data = std::variant<TrackedCoord, TrackedLayout, TrackedComposed, Swizzle, TrackedTiler, Slice,
                            ThreadValue, LinearBases, std::vector<Index>, Truth, Order, TextBlock, AxeLayout>;

  /// The integer 0.
  Value() : Value(IntTuple(0)) {}
  explicit Value(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}
  /// Values without marks: an integer or a tuple, a layout, a chain (a layout if it has one part), a tiler.
  explicit Value(const IntTuple& tuple) : Value(Data(TrackedCoord{Coord(tuple), 0})) {}
  explicit Value(const StridedLayout& layout) : Value(Data(TrackedLayout{layout, {}})) {}
  explicit Value(const ComposedLayout& chain);
  explicit Value(const Tiler& tiler) : Value(Data(TrackedTiler{tiler, {}})) {}

  const Data& data() const { return *data_; }
  /// The value as a T, or null if it is something else.
  template <class T>
  const T* as() const {
    return std::get_if<T>(data_.get());
  }
  /// The integer, or null for every other value.
  const Index* integer() const;

 private:
  std::shared_ptr<const Data> data_;
};

/// The text of the value, which parses back if the notation has such values: `(4,8):(8,1)`, `<3:4,8:2>`,
/// `true`. A slice is `LAYOUT at OFFSET`, a thread-value layout `LAYOUT over TILE`, bases and lists are in
/// brackets.
std::string to_string(const Value& value);

/// The kind of the value as messages and JSON name it: `integer`, `tuple`, `coordinate` (with holes),
/// `layout`, `composed_layout`, `swizzle`, `tiler`, `slice`, `thread_value`, `bases`, `list`, `boolean`,
/// `order`, `text`, `axe_layout`.
std::string kind_of(const Value& value);

/// The value of a statement; `name` is the assigned variable, empty for an expression alone.
struct Answer {
  std::string name;
  Value value;
};

/// One call, its steps, and its result, which is empty if the call failed.
struct Explanation {
  std::string call;
  std::vector<std::string> steps;
  std::string result;
};

/// The result of evaluating a text: the answers up to the first error, and that error.
struct Evaluation {
  std::vector<Answer> answers = {};
  std::vector<Explanation> explanations = {};  ///< innermost call first; only on request
  std::vector<std::string> notes = {};         ///< remarks about answers: an overhang, a rounding
  std::optional<Diagnostic> error = {};        ///< its span is in the text
  bool incomplete = false;  ///< the error is that the text ends inside a bracket, so more may follow
};

/// Evaluates texts and keeps their variables. `;` separates statements: `L = (4,8):(8,1); L(2,3)`.
/// docs/lookup/eval.md has the grammar and every function. `_` and `ans` are the last answer. Errors: syntax,
/// unknown_name, reserved_name, unknown_function, argument_count, argument_type, limit (nesting), overflow
/// and undefined_value (arithmetic), those of the notation and of the algebra. If a statement fails, the
/// variables of the statements before it are kept. Exact; an operation that would need more than
/// evaluation_limit() evaluations fails with `undecided`.
class Evaluator {
 public:
  Evaluation evaluate(std::string_view text, bool explain = false);
  const std::map<std::string, Value, std::less<>>& variables() const { return variables_; }

 private:
  std::map<std::string, Value, std::less<>> variables_;
  std::optional<Value> last_;
};

/// `signature` shows the parameters by name, the optional ones in brackets: `complement(L[, cotarget])`.
struct FunctionInfo {
  std::string_view name;
  std::string_view signature;
  std::string_view summary;
  std::string_view group;         ///< the heading under which it is listed
  std::string_view example = {};  ///< a text that the calculator evaluates
};

/// All functions, by group, in the order of the documentation.
const std::vector<FunctionInfo>& eval_functions();

/// The value of an expression whose layouts have names for sizes, for all sizes: `zipped_divide((M,N):(N,1),
/// <8,4>)`. At given sizes it is the value for the expression of numbers. Errors: those of an Evaluation;
/// empty_range, reserved_name, unknown_name (no size has a name).
Result<SizeCases> evaluate_for_all_sizes(std::string_view expression, const SizeAssumptions& where = {});

}  // namespace tessera
