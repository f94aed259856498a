// SPDX-License-Identifier: Apache-2.0
#include "eval/node_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "eval/interpreter.h"
#include "eval/limits.h"
#include "eval/node_run.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {
namespace {

using NodeKind = Node::Kind;
using Numbers = std::map<std::string, symbolic::Integer, std::less<>>;
/// The texts of variables, each written once.
using Texts = std::map<const Node*, std::optional<std::string>>;

std::optional<std::string> written(const Node& node, const NamedNodes& variables, const Numbers& at,
                                   Texts& texts);

std::optional<std::string> text_of(const Definition& variable, const Numbers& at, Texts& texts) {
  const auto known = texts.find(variable.node);
  if (known != texts.end()) return known->second;
  auto out = written(*variable.node, *variable.before, at, texts);
  if (out && out->size() > kEvalLimits.written) out.reset();
  texts[variable.node] = out;
  return out;
}

}  // namespace

bool is_term_function(std::string_view name) {
  return name == "min" || name == "max" || name == "ceil_div" || name == "ceildiv";
}

bool is_bracket(const Node& node) { return node.kind == NodeKind::tuple && node.children.size() == 1; }

std::optional<ShapeAndStride> computed_layout(const Node& node) {
  if (node.kind == NodeKind::layout) {
    if (node.children[0].kind == NodeKind::tuple && !is_bracket(node.children[0])) return std::nullopt;
    if (node.children[1].kind == NodeKind::tuple && !is_bracket(node.children[1])) return std::nullopt;
    return ShapeAndStride{node.children[0], node.children[1]};
  }
  if (node.kind != NodeKind::arithmetic) return std::nullopt;
  std::optional<ShapeAndStride> found;
  std::size_t at = 0;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (auto parts = computed_layout(node.children[i])) {
      if (found) return std::nullopt;
      found = std::move(parts);
      at = i;
    }
  }
  if (!found) return std::nullopt;
  if (at > 0) {
    Node shape{.kind = NodeKind::arithmetic, .span = node.span, .operators = node.operators.substr(0, at)};
    shape.children.assign(node.children.begin(), node.children.begin() + static_cast<std::ptrdiff_t>(at));
    shape.children.push_back(std::move(found->shape));
    found->shape = std::move(shape);
  }
  if (at + 1 < node.children.size()) {
    Node stride{.kind = NodeKind::arithmetic, .span = node.span, .operators = node.operators.substr(at)};
    stride.children.push_back(std::move(found->stride));
    stride.children.insert(stride.children.end(), node.children.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                           node.children.end());
    found->stride = std::move(stride);
  }
  return found;
}

void add_free_names(const Node& node, const NamedNodes& variables, FreeNames& out, bool inside) {
  if (node.kind == NodeKind::name && !variables.contains(node.text) && !word_value(node.text) &&
      find_function(node.text) == nullptr) {
    const std::string name(node.text);
    if (std::ranges::find(out.names, name) == out.names.end()) out.names.push_back(name);
    out.strong = out.strong || inside;
  }
  const bool part = node.kind == NodeKind::tuple || node.kind == NodeKind::tiler ||
                    node.kind == NodeKind::layout || node.kind == NodeKind::arithmetic ||
                    node.kind == NodeKind::negative;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const bool later_argument = node.kind == NodeKind::call && i > 0 && is_for_all_sizes(node.text);
    add_free_names(node.children[i], variables, out, inside || part || later_argument);
  }
}

namespace {

std::optional<std::string> written(const Node& node, const NamedNodes& variables, const Numbers& at,
                                   Texts& texts) {
  const auto child = [&](const Node& n) { return written(n, variables, at, texts); };
  const auto number = [&](const Node& n) -> std::optional<symbolic::Integer> {
    const auto text = child(n);
    if (!text || text->empty()) return std::nullopt;
    std::string_view digits = *text;
    while (digits.starts_with('(') && digits.ends_with(')')) digits = digits.substr(1, digits.size() - 2);
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    symbolic::Integer value = 0;
    for (const char c : digits) value = value * 10 + (c - '0');
    return negative ? -value : value;
  };
  const auto list = [&](char open, char close) -> std::optional<std::string> {
    std::string out(1, open);
    for (const Node& n : node.children) {
      const auto text = child(n);
      if (!text) return std::nullopt;
      out += (out.size() > 1 ? "," : "") + *text;
    }
    return out + close;
  };
  switch (node.kind) {
    case NodeKind::integer:
      return std::to_string(node.number);
    case NodeKind::hole:
      return "_";
    case NodeKind::basis: {
      std::string out = std::to_string(node.number);
      for (int level = path_levels(node.path) - 1; level >= 0; --level)
        out += fmt::format("@{}", path_index(node.path, level));
      return out;
    }
    case NodeKind::name: {
      if (const auto found = variables.find(node.text); found != variables.end())
        return text_of(found->second, at, texts);
      const auto value = at.find(node.text);
      return value == at.end() ? std::string(node.text) : symbolic::to_string(value->second);
    }
    case NodeKind::tuple:
      return list('(', ')');
    case NodeKind::tiler:
      return list('<', '>');
    case NodeKind::layout: {
      const auto shape = child(node.children[0]);
      const auto stride = child(node.children[1]);
      return shape && stride ? std::optional(*shape + ":" + *stride) : std::nullopt;
    }
    case NodeKind::negative: {
      const auto value = number(node.children[0]);
      return value ? std::optional(symbolic::to_string(-*value)) : std::nullopt;
    }
    case NodeKind::arithmetic: {
      if (const auto parts = computed_layout(node)) {
        const auto shape = number(parts->shape);
        const auto stride = number(parts->stride);
        return shape && stride
                   ? std::optional(symbolic::to_string(*shape) + ":" + symbolic::to_string(*stride))
                   : std::nullopt;
      }
      auto sum = number(node.children[0]);
      if (!sum) {  // calls and layouts: as written
        std::string out;
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          const auto text = child(node.children[i]);
          if (!text) return std::nullopt;
          out += (i > 0 ? fmt::format(" {} ", node.operators[i - 1]) : "") + *text;
        }
        return "(" + out + ")";
      }
      for (std::size_t i = 1; i < node.children.size(); ++i) {
        const auto next = number(node.children[i]);
        if (!next) return std::nullopt;
        const char op = node.operators[i - 1];
        if ((op == '/' || op == '%') && *next < 1) return std::nullopt;
        sum = op == '+'   ? symbolic::checked_add(*sum, *next)
              : op == '-' ? symbolic::checked_add(*sum, -*next)
              : op == '*' ? symbolic::checked_mul(*sum, *next)
              : op == '/' ? symbolic::floor_div(*sum, *next)
                          : symbolic::floor_mod(*sum, *next);
        if (!sum) return std::nullopt;
      }
      return symbolic::to_string(*sum);
    }
    case NodeKind::call: {
      if (is_term_function(node.text) && node.children.size() == 2) {
        const auto a = number(node.children[0]);
        const auto b = number(node.children[1]);
        if (a && b) {
          if (node.text == "min") return symbolic::to_string(std::min(*a, *b));
          if (node.text == "max") return symbolic::to_string(std::max(*a, *b));
          return *b < 1 ? std::nullopt : std::optional(symbolic::to_string(-symbolic::floor_div(-*a, *b)));
        }
      }
      const auto arguments = list('(', ')');
      if (!arguments) return std::nullopt;
      const auto found = variables.find(node.text);
      if (found == variables.end()) return std::string(node.text) + *arguments;
      const auto callee = text_of(found->second, at, texts);
      return callee ? std::optional(*callee + *arguments) : std::nullopt;
    }
    case NodeKind::apply: {
      std::string out;
      for (std::size_t i = 0; i < node.children.size(); ++i) {
        const auto text = child(node.children[i]);
        if (!text) return std::nullopt;
        out += i == 0 ? *text + "(" : (i > 1 ? "," : "") + *text;
      }
      return out + ")";
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> text_at(const Node& node, const NamedNodes& variables,
                                   const std::map<std::string, symbolic::Integer, std::less<>>& at) {
  Texts texts;
  return written(node, variables, at, texts);
}

}  // namespace tessera::eval
