// SPDX-License-Identifier: Apache-2.0
#include "eval/function.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "base/shortened.h"
#include "eval/examples.h"
#include "eval/limits.h"
#include "notation/cute/algebra_diagnostic.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace eval {
namespace {

/// The name of parameter `index` in a signature such as `slice(c, L)` or `select(L, i, ...)`.
std::string_view parameter_name(std::string_view signature, std::size_t index) {
  std::string_view last = "";
  const auto is_word = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  std::size_t at = signature.find('(');
  for (std::size_t n = 0; at < signature.size() && n <= index; ++n) {
    while (at < signature.size() && !is_word(signature[at])) ++at;
    const std::size_t begin = at;
    while (at < signature.size() && (is_word(signature[at]) || signature[at] == '_')) ++at;
    if (at == begin) break;  // `...`: the last parameter repeats
    last = signature.substr(begin, at - begin);
  }
  return last;
}

/// The help for a call of `function` whose result cannot be written as a layout.
std::string_view without_layout(std::string_view function) {
  if (function == "recognise") return "split the list where its pattern of steps changes";
  if (function == "simplify") return "every other function takes the chain as it is";
  if (function == "to_linear" || function == "from_linear")
    return "bits need extents that are powers of two, and bases that share no bit";
  if (function == "composition")
    return "A(B(c)) has a value at every coordinate c, even if no layout has these values";
  return "choose a tiler whose extents divide those of the layout";
}

std::string counted(std::size_t least, std::size_t most) {
  if (most > 100) return fmt::format("at least {}", tessera::detail::plural(least, "argument"));
  if (least == most) return tessera::detail::plural(least, "argument");
  return fmt::format("{} to {} arguments", least, most);
}

/// The span of leaf `leaf` of a literal layout (its stride) or of a tuple. Counts `leaf` down.
std::optional<Span> find_leaf(const Node& node, int& leaf) {
  switch (node.kind) {
    case Node::Kind::layout:
      return find_leaf(node.children[1], leaf);
    case Node::Kind::tuple:
      for (const Node& child : node.children) {
        if (const std::optional<Span> span = find_leaf(child, leaf); span || leaf < 0) return span;
      }
      return std::nullopt;
    case Node::Kind::integer:
    case Node::Kind::basis:
      return leaf-- == 0 ? std::optional(node.span) : std::nullopt;
    default:
      leaf = -1;  // an expression, whose leaves are not in the text
      return std::nullopt;
  }
}

}  // namespace

std::optional<Span> leaf_span(const Node& node, int leaf) { return find_leaf(node, leaf); }

std::string to_string(const Call& call) {
  std::string out = fmt::format("{}(", call.name);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    out += (i > 0 ? ", " : "") + to_string(call.arguments[i].value);
  }
  return out + ")";
}

Diagnostic Call::refusal(const tessera::detail::AlgebraError& error) const {
  std::vector<std::string> texts;
  for (const Argument& one : arguments) {
    texts.push_back(shortened(to_string(one.value), eval::kEvalLimits.shown));
  }
  Diagnostic d = tessera::detail::algebra_diagnostic(error, name, texts);
  d.span = span;
  if (error.code == Code::not_representable) d.help = without_layout(name);
  if (name == "composition" && error.leaf >= 0 && arguments.size() == 2) {
    const Node& right = *arguments[1].node;
    d.span = leaf_span(right, error.leaf).value_or(right.span);
  }
  return d;
}

Diagnostic detail::misfit(const Call& call, std::size_t index, std::string_view kind, const Diagnostic& why) {
  const Argument& argument = call.arguments[index];
  Diagnostic out = why;
  out.span = argument.node->span;
  if (why.code == Code::argument_type && why.message.empty()) {
    out.message =
        fmt::format("{} of {} must be {}; '{}' is of kind {}", parameter_name(call.signature, index),
                    call.signature, kind, shortened(to_string(argument.value)), kind_of(argument.value));
  }
  return out;
}

const std::vector<Builtin>& function_table() {
  static const FunctionTable table = [] {
    FunctionTable t;
    add_facts(t);
    add_coordinates(t);
    add_construction(t);
    add_modes(t);
    add_simplification(t);
    add_inverses(t);
    add_tiling(t);
    add_swizzles(t);
    add_partitions(t);
    add_questions(t);
    add_axe(t);
    add_emulation(t);
    return t;
  }();
  return table;
}

const Builtin* find_function(std::string_view name) {
  const auto found = std::ranges::find(function_table(), name, [](const Builtin& f) { return f.info.name; });
  if (found != function_table().end()) return &*found;
  // `cute` may be the Python module: `cute.size(L)` is size(L).
  constexpr std::string_view kModule = "cute.";
  return name.starts_with(kModule) ? find_function(name.substr(kModule.size())) : nullptr;
}

const Builtin* find_function(std::string_view name, const std::vector<Argument>& arguments) {
  const bool of_axe = !arguments.empty() && arguments.front().value.as<AxeLayout>() != nullptr;
  if (of_axe) {
    const auto own = std::ranges::find_if(function_table(),
                                          [&](const Builtin& f) { return f.of_axe && f.info.name == name; });
    if (own != function_table().end()) return &*own;
  }
  return find_function(name);
}

Result<Value> invoke(const Builtin& function, Call& call) {
  const std::size_t given = call.arguments.size();
  if (given < function.least || given > function.most) {
    return fail(Code::argument_count,
                fmt::format("{} takes {}, not {}", function.info.signature,
                            counted(function.least, function.most), given),
                call.span, fmt::format("{}: {}", function.info.signature, function.info.summary));
  }
  Result<Value> result = function.call(call);
  if (!result && result.error().span == Span{}) {
    Diagnostic d = result.error();
    d.span = call.span;
    return fail(std::move(d));
  }
  return result;
}

}  // namespace eval

const std::vector<FunctionInfo>& eval_functions() {
  static const std::vector<FunctionInfo> infos = [] {
    std::vector<FunctionInfo> out;
    for (const eval::Builtin& f : eval::function_table()) {
      out.push_back(f.info);
      if (!f.of_axe) out.back().example = eval::example_of(f.info.name);
    }
    return out;
  }();
  return infos;
}

}  // namespace tessera
