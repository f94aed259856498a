// SPDX-License-Identifier: Apache-2.0
// The tree of a program of the calculator, each node with its place in the text.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/algebra/strided_layout.h"
#include "tessera/base/result.h"

namespace tessera::eval {

struct Node {
  enum class Kind : std::uint8_t {
    integer,  ///< number, marked
    hole,     ///< `_`
    name,     ///< text
    tuple,    ///< (a,b,…): children
    tiler,    ///< <a,b,…>: children
    layout,   ///< children: shape, stride
    basis,    ///< `3@1@0` in a stride: number, path
    swizzle,  ///< children: three integers
    chain,    ///< A o x o B: children, with the offsets where they stand
    call,     ///< text(children)
    apply,    ///< children[0](children[1], …)
  };
  Kind kind = Kind::integer;
  Span span = {};
  std::string_view text = {};
  Index number = 0;
  bool marked = false;  ///< written `_4`
  BasisPath path = 0;
  std::vector<Node> children = {};
};

struct Statement {
  std::string_view name = {};  ///< of the variable; empty for an expression alone
  Span name_span = {};
  Node expr = {};
};

/// How deep brackets and calls may nest; each level costs stack.
inline constexpr int kMaxDepth = 200;

/// Reads statements between `;`. The nodes view the text. Errors: syntax, number_range, capacity (levels
/// behind
/// `@`), limit (nesting beyond kMaxDepth), each at its byte.
Result<std::vector<Statement>> parse_program(std::string_view text);

}  // namespace tessera::eval
