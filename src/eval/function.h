// SPDX-License-Identifier: Apache-2.0
// Turns a callable into a function of the calculator: the types of its parameters determine which arguments
// it takes and which error a wrong call gets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "eval/parameter.h"
#include "eval/syntax.h"
#include "notation/cute/cute_steps.h"
#include "tessera/eval/evaluator.h"

namespace tessera::eval {

struct Argument {
  Value value;
  const Node* node;
};

/// The steps of one call, if they are requested.
struct Steps {
  bool wanted = false;
  std::vector<std::string> lines = {};
  void operator()(const TraceStep& step) {
    if (wanted) lines.push_back(to_string(step));
  }
};

/// One call: its arguments, its steps and its notes.
struct Call {
  std::string_view name;
  std::string_view signature;
  Span span;
  std::vector<Argument> arguments;
  Steps steps = {};
  std::vector<std::string> notes = {};

  TraceTo<Steps> trace() { return TraceTo<Steps>{&steps}; }
  void say(std::string line) {
    if (steps.wanted) steps.lines.push_back(std::move(line));
  }
  void note(std::string line) { notes.push_back(std::move(line)); }
  /// The diagnostic for an error of the layout algebra, with the operands and the span of the call.
  Diagnostic refusal(const tessera::detail::AlgebraError& error) const;
  Failure refuse(const tessera::detail::AlgebraError& error) const { return fail(refusal(error)); }
};

/// `name(operand, …)`, with the values of the arguments.
std::string to_string(const Call& call);

struct Builtin {
  FunctionInfo info;
  std::size_t least = 0;  ///< the minimum number of arguments
  std::size_t most = 0;
  std::vector<bool> holes = {};  ///< whether each parameter takes `_` as a hole; the last one may repeat
  std::vector<std::string_view> kinds = {};  ///< of each parameter: Parameter<T>::kind
  bool takes_hole(std::size_t argument) const {
    return !holes.empty() && holes[argument < holes.size() ? argument : holes.size() - 1];
  }
  std::function<Result<Value>(Call&)> call;
  bool of_axe = false;  ///< for a call whose first argument is an Axe layout; its name is not reserved
};

/// All functions, in the order of the documentation.
const std::vector<Builtin>& function_table();
/// The function with a given name, or null. Two functions may share a name, one of which is of Axe layouts:
/// it is found only if there is no other, or for a call whose first argument is one.
const Builtin* find_function(std::string_view name);
const Builtin* find_function(std::string_view name, const std::vector<Argument>& arguments);

/// The span of leaf `leaf` of a literal layout or tuple; empty for an expression.
std::optional<Span> leaf_span(const Node& node, int leaf);

/// Checks the number of arguments, then calls. Errors: argument_count, argument_type, those of the function.
Result<Value> invoke(const Builtin& function, Call& call);

// Each of these adds the functions of one group to the table.
using FunctionTable = std::vector<Builtin>;
void add_facts(FunctionTable& table);
void add_coordinates(FunctionTable& table);
void add_construction(FunctionTable& table);
void add_modes(FunctionTable& table);
void add_simplification(FunctionTable& table);
void add_inverses(FunctionTable& table);
void add_tiling(FunctionTable& table);
void add_swizzles(FunctionTable& table);
void add_partitions(FunctionTable& table);
void add_questions(FunctionTable& table);
void add_emulation(FunctionTable& table);
void add_axe(FunctionTable& table);

namespace detail {

/// The arguments of a call that a parameter of type T takes.
template <class T>
struct ArgumentsOf {
  static constexpr std::string_view kind = Parameter<T>::kind;
  static constexpr std::size_t least = 1;
  static constexpr std::size_t most = 1;
  static constexpr bool hole = std::same_as<T, Coord> || std::same_as<T, TrackedCoord> ||
                               std::same_as<T, Tiler> || std::same_as<T, TrackedTiler> ||
                               std::same_as<T, TilerOrChain>;
};
template <class T>
struct ArgumentsOf<std::optional<T>> {
  static constexpr std::string_view kind = ArgumentsOf<T>::kind;
  static constexpr std::size_t least = 0;
  static constexpr std::size_t most = 1;
  static constexpr bool hole = ArgumentsOf<T>::hole;
};
template <class T>
struct ArgumentsOf<std::vector<T>> {
  static constexpr std::string_view kind = ArgumentsOf<T>::kind;
  static constexpr std::size_t least = 0;
  static constexpr std::size_t most = 1000;
  static constexpr bool hole = ArgumentsOf<T>::hole;
};

/// The error for an argument that is of the wrong kind or could not be converted.
Diagnostic misfit(const Call& call, std::size_t index, std::string_view kind, const Diagnostic& why);

template <class T>
bool bind_argument(const Call& call, std::size_t& next, T& out, std::optional<Diagnostic>& error) {
  const std::size_t index = next++;
  Result<T> read = Parameter<T>::read(call.arguments[index].value);
  if (!read) {
    error = misfit(call, index, Parameter<T>::kind, read.error());
    return false;
  }
  out = *std::move(read);
  return true;
}
template <class T>
bool bind_argument(const Call& call, std::size_t& next, std::optional<T>& out,
                   std::optional<Diagnostic>& error) {
  return next == call.arguments.size() || bind_argument(call, next, out.emplace(), error);
}
template <class T>
bool bind_argument(const Call& call, std::size_t& next, std::vector<T>& out,
                   std::optional<Diagnostic>& error) {
  while (next < call.arguments.size()) {
    if (!bind_argument(call, next, out.emplace_back(), error)) return false;
  }
  return true;
}

template <class T>
Result<Value> answer(const Call&, const T& value) {
  return to_value(value);
}
template <class T>
Result<Value> answer(const Call& call, const tessera::detail::Outcome<T>& computed) {
  if (!computed) return call.refuse(computed.error);
  return to_value(*computed);
}
inline Result<Value> answer(const Call&, const Result<Value>& result) { return result; }

template <class F, class... P>
Builtin define(std::string_view group, std::string_view signature, std::string_view summary, F f,
               std::type_identity<std::tuple<P...>>) {
  Builtin out;
  out.info = {signature.substr(0, signature.find('(')), signature, summary, group};
  out.least = (std::size_t{0} + ... + ArgumentsOf<P>::least);
  out.most = (std::size_t{0} + ... + ArgumentsOf<P>::most);
  out.holes = {ArgumentsOf<P>::hole...};
  out.kinds = {ArgumentsOf<P>::kind...};
  out.call = [f](Call& call) -> Result<Value> {
    std::tuple<P...> values;
    std::optional<Diagnostic> error;
    std::size_t next = 0;
    const bool bound =
        std::apply([&](P&... value) { return (bind_argument(call, next, value, error) && ...); }, values);
    if (!bound) return fail(*std::move(error));
    return answer(call, std::apply([&](P&... value) { return f(call, value...); }, values));
  };
  return out;
}
template <class F, class R, class... P>
Builtin define(std::string_view group, std::string_view signature, std::string_view summary, F f,
               R (F::*)(Call&, P...) const) {
  return define(group, signature, summary, f, std::type_identity<std::tuple<std::remove_cvref_t<P>...>>{});
}

}  // namespace detail

/// Adds functions of one group: `add("size(X)", "the number of coordinates", [](Call&, const Chain& c) {…})`.
/// A callable returns a value, an Outcome, or a Result<Value>.
struct Group {
  FunctionTable& table;
  std::string_view name;
  template <class F>
  void operator()(std::string_view signature, std::string_view summary, F f) const {
    table.push_back(detail::define(name, signature, summary, f, &F::operator()));
  }
};

}  // namespace tessera::eval
