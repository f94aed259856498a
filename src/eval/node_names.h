// SPDX-License-Identifier: Apache-2.0
// The names of sizes in a parsed expression, and its text with numbers for them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/syntax.h"
#include "size/polynomial.h"

namespace tessera::eval {

struct Definition;
using NamedNodes = std::map<std::string, Definition, std::less<>>;

/// The expression of a variable, and the variables before it: `x = x + 1` is about another x.
struct Definition {
  const Node* node = nullptr;
  const NamedNodes* before = nullptr;
};

/// `M*N + 1:K*2` is a layout between operators in the tree, since `:` binds first: the shape and the stride
/// that are meant, or nothing.
struct ShapeAndStride {
  Node shape;
  Node stride;
};
std::optional<ShapeAndStride> computed_layout(const Node& node);

/// The names of a tree that are neither variables nor words of the calculator. `strong`: at least one is a
/// part of a layout, a tuple or a tiler, or an operand of arithmetic.
struct FreeNames {
  std::vector<std::string> names = {};
  bool strong = false;
};
void add_free_names(const Node& node, const NamedNodes& variables, FreeNames& out, bool inside = false);

/// The text of the tree with numbers for the names, as the calculator reads it; nothing if a number does not
/// exist or does not fit, or the text of a variable is too long.
std::optional<std::string> text_at(const Node& node, const NamedNodes& variables,
                                   const std::map<std::string, symbolic::Integer, std::less<>>& at);

/// Functions of numbers that size terms have.
bool is_term_function(std::string_view name);
/// Whether a node is a bracket around one element.
bool is_bracket(const Node& node);

}  // namespace tessera::eval
