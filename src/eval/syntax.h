// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a calculator program; each node has its span in the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/limits.h"
#include "tessera/algebra/strided_layout.h"
#include "tessera/base/result.h"
#include "tessera/eval/evaluator.h"

namespace tessera::eval {

struct Node {
  enum class Kind : std::uint8_t {
    integer,     ///< number, marked
    hole,        ///< `_`: a hole in a coordinate or tiler, elsewhere the last answer
    name,        ///< text
    tuple,       ///< (a,b,…): children
    tiler,       ///< <a,b,…>: children
    layout,      ///< children: shape, stride
    basis,       ///< `3@1@0` in a stride: number, path
    literal,     ///< a value that the notation's parser returned
    chain,       ///< A o x o B: children, the offsets among them
    call,        ///< text(children)
    apply,       ///< children[0](children[1], …)
    arithmetic,  ///< operators between the children, from left to right
    negative,    ///< -children[0]
    comparison,  ///< children[0] operators[0] children[1]
    logic,       ///< and, or, not
  };
  Kind kind = Kind::integer;
  Span span = {};
  std::string_view text = {};
  Index number = 0;
  bool marked = false;       ///< written `_4`
  std::uint32_t opened = 0;  ///< position of the bracket before the arguments
  BasisPath path = 0;
  std::string operators = {};  ///< one letter each: + - * / %; < > = ! and l, g for <= and >=; & | !
  std::optional<Value> literal = {};
  std::vector<Node> children = {};
};

struct Statement {
  std::string_view name = {};  ///< the assigned variable; empty for an expression alone
  Span name_span = {};
  Node expr = {};
};

struct ParsedProgram {
  std::vector<Statement> statements = {};
  std::optional<Diagnostic> error = {};
  bool open = false;  ///< the error is that the text ends inside a bracket
};

/// Reads statements separated by `;`. The nodes are views of the text. Errors, each with its span: syntax,
/// number_range, capacity (levels after `@`, elements of a bracket), limit (nesting).
ParsedProgram parse_program(std::string_view text);

}  // namespace tessera::eval
