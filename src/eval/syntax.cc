// SPDX-License-Identifier: Apache-2.0
#include "eval/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "eval/function.h"
#include "eval/token.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {
namespace {

using Kind = Node::Kind;
/// A written operator and its letter in Node::operators.
using Operators = std::initializer_list<std::pair<std::string_view, char>>;

template <class T>
Value to_value_of(const T& value) {
  return Value(Value::Data(value));
}

// Recursive descent. The first error wins: `error_` is set once, and every later read returns at once.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  Program program() {
    Program out;
    for (;;) {
      while (accept(";")) {
      }
      if (failed() || peek().kind == TokenKind::end) break;
      out.statements.push_back(statement());
      if (failed() || peek().kind == TokenKind::end) break;
      if (!accept(";"))
        fail_here(out.statements.back().expr.kind == Kind::name && peek().kind != TokenKind::symbol
                      ? "expected '=', '(' or ';'"
                      : "expected an operator, ';' or the end");
    }
    out.error = error_;
    out.open = open_;
    return out;
  }

 private:
  bool failed() const { return error_.has_value(); }
  const Token& peek() const { return tokens_.peek(); }
  bool at(std::string_view symbol) const { return !failed() && peek().is(symbol); }
  bool accept(std::string_view symbol) {
    if (!at(symbol)) return false;
    tokens_.take();
    return true;
  }
  void fail_at(Span span, Code code, std::string message, std::string help = {}) {
    if (!failed())
      error_ = Diagnostic{.code = code, .message = std::move(message), .span = span, .help = std::move(help)};
  }
  void fail_here(std::string_view expected) {
    const Token& token = peek();
    if (token.is("?"))
      return fail_at(token.span, Code::syntax, "replace '?' with a number, the extent or the stride",
                     "the program that printed it knows the number only while it runs");
    if (token.kind == TokenKind::end && depth_ > 0 && !failed()) open_ = true;
    fail_at(token.span, Code::syntax, fmt::format("{}, found {}", expected, describe(token)));
  }
  void expect(std::string_view symbol, std::string_view expected) {
    if (!failed() && !accept(symbol)) fail_here(expected);
  }
  Node& close(Node& node) {
    node.span.end = tokens_.taken_end();
    return node;
  }

  struct Level {
    Parser& parser;
    explicit Level(Parser& p) : parser(p) {
      if (++p.depth_ > kMaxDepth) {
        p.fail_at(p.peek().span, Code::limit,
                  fmt::format("brackets nested deeper than {} levels", kMaxDepth));
      }
    }
    ~Level() { --parser.depth_; }
  };

  // C++ declares a name with a word before it: `auto L = …`, `using L = …`.
  Statement statement() {
    Statement out;
    Node first = expression();
    const auto declares = [&] {
      return first.kind == Kind::name && peek().kind == TokenKind::name &&
             std::ranges::find(kDeclarations, first.text) != std::end(kDeclarations);
    };
    while (!failed() && declares()) first = expression();
    if (at("=")) {
      if (first.kind != Kind::name) {
        fail_here("expected ';' or the end, because only a name can be given a value");
        return out;
      }
      tokens_.take();
      out.name = first.text;
      out.name_span = first.span;
      first = expression();
    }
    out.expr = std::move(first);
    return out;
  }

  // conjunction { "or" conjunction }
  Node expression() { return flat(Kind::logic, {{"or", '|'}}, &Parser::conjunction); }
  Node conjunction() { return flat(Kind::logic, {{"and", '&'}}, &Parser::negation); }
  Node negation() {
    if (!at("not")) return comparison();
    return prefixed(Kind::logic, '!', &Parser::negation);
  }
  // chain [ "==" chain ]
  Node comparison() {
    Node first = chain();
    if (failed()) return first;
    for (const auto& [word, letter] :
         Operators{{"==", '='}, {"!=", '!'}, {"<=", 'l'}, {">=", 'g'}, {"<", '<'}, {">", '>'}}) {
      if (!at(word)) continue;
      tokens_.take();
      Node out{.kind = Kind::comparison, .span = first.span, .operators = std::string(1, letter)};
      out.children.push_back(std::move(first));
      out.children.push_back(chain());
      return close(out);
    }
    return first;
  }
  // sum { "o" sum }
  Node chain() {
    Node first = sum();
    if (!at("o")) return first;
    Node out{.kind = Kind::chain, .span = first.span};
    out.children.push_back(std::move(first));
    while (accept("o") && bounded(out)) out.children.push_back(sum());
    return close(out);
  }
  Node sum() { return flat(Kind::arithmetic, {{"+", '+'}, {"-", '-'}}, &Parser::product); }
  Node product() {
    return flat(Kind::arithmetic, {{"*", '*'}, {"/", '/'}, {"//", '/'}, {"%", '%'}, {"mod", '%'}},
                &Parser::signed_term);
  }
  Node signed_term() {
    if (!at("-")) return term();
    return prefixed(Kind::negative, '-', &Parser::signed_term);
  }

  // One node for a whole chain of operators of one precedence, so that the tree's depth does not grow with
  // its length.
  Node flat(Kind kind, Operators operators, Node (Parser::*operand)()) {
    Node first = (this->*operand)();
    const auto next = [&]() -> char {
      for (const auto& [word, letter] : operators) {
        if (accept(word)) return letter;
      }
      return '\0';
    };
    Node out{.kind = kind, .span = first.span};
    while (const char letter = next()) {
      if (out.children.empty()) out.children.push_back(std::move(first));
      if (!bounded(out)) break;
      out.operators += letter;
      out.children.push_back((this->*operand)());
    }
    return out.children.empty() ? std::move(first) : std::move(close(out));
  }
  Node prefixed(Kind kind, char letter, Node (Parser::*operand)()) {
    const Level level(*this);
    Node out{.kind = kind, .span = tokens_.take().span, .operators = std::string(1, letter)};
    if (!failed()) out.children.push_back((this->*operand)());
    return close(out);
  }

  // primary [ ":" stride ] { "(" arguments ")" }
  Node term() {
    Node node = primary();
    if (at(":")) {
      tokens_.take();
      Node layout{.kind = Kind::layout, .span = node.span};
      layout.children.push_back(std::move(node));
      layout.children.push_back(stride());
      node = std::move(close(layout));
    }
    for (int levels = 0; at("("); ++levels) {
      if (levels == kMaxDepth) {  // each level is also a level of the tree
        fail_at(peek().span, Code::limit, fmt::format("more than {} applications in a row", kMaxDepth));
      }
      Node call{.kind = Kind::apply, .span = node.span};
      call.children.push_back(std::move(node));
      arguments(call);
      node = std::move(call);
    }
    return node;
  }

  Node primary() {
    const Token token = peek();
    Node node{.span = token.span, .text = token.text};
    if (failed()) return node;
    switch (token.kind) {
      case TokenKind::integer:
        return stride_leaf("");
      case TokenKind::name:
        return name();
      case TokenKind::symbol:
        if (token.is("(")) return list(Kind::tuple, ")", "expected ',' or ')'");
        if (token.is("<")) return list(Kind::tiler, ">", "expected ',' or '>' in tiler");
        if (accept("_")) {
          node.kind = Kind::hole;
          return node;
        }
        break;
      case TokenKind::end:
      case TokenKind::malformed:
        break;
    }
    fail_here("expected a layout, a tuple, a number or a function");
    return node;
  }

  Node name() {
    const bool one_letter = peek().text.size() == 1;  // `S < 3` compares a variable
    if ((!one_letter || tokens_.rest().substr(1).starts_with("<")) && begins_spelled_cute(tokens_.rest()))
      return spelled();
    const Token token = tokens_.take();
    Node node{.kind = Kind::name, .span = token.span, .text = token.text};
    const bool adjacent = at("<") && peek().span.begin == token.span.end;
    if ((token.text == "Int" || token.text == "C") && adjacent) return constant(node);
    if (token.text == "o") {
      fail_at(token.span, Code::syntax, "expected a layout or a swizzle before 'o'");
    } else if (adjacent && find_function(token.text) != nullptr) {
      template_call(node);
    } else if (at("(")) {
      node.kind = Kind::call;
      arguments(node);
    } else {
      constructed();
    }
    return node;
  }

  // Text as CuTe prints it, or C++, goes to the reader of the notation. A pointer does not affect the layout:
  // `ptr[32b](0x0) o L` is L.
  Node spelled() {
    const Level level(*this);
    Node node{.kind = Kind::literal, .span = peek().span, .text = peek().text};
    const Result<SpelledCute> read = parse_spelled_cute(tokens_.rest());
    if (!read) {
      Diagnostic d = read.error();
      open_ = open_ || d.span.begin >= tokens_.rest().size();
      d.span.begin += node.span.begin;
      d.span.end += node.span.begin;
      fail_at(d.span, d.code, d.message, d.help);
      return node;
    }
    tokens_.skip(read->length);
    if (!read->value) {
      expect("o", "expected 'o' and the layout of the pointer");
      return failed() ? node : chain();
    }
    node.literal = std::visit([](const auto& v) { return to_value_of(v); }, *read->value);
    return close(node);
  }

  // `Int<4>{}`
  Node constant(Node& name) {
    tokens_.take();
    Node node = integer("expected a number");
    expect(">", "expected '>' of a constant");
    constructed();
    node.span.begin = name.span.begin;
    node.marked = true;
    return close(node);
  }
  // The `{}` that makes a value of a type.
  void constructed() {
    if (accept("{")) expect("}", "expected '}'");
  }

  // `size<0>(L)` is size(L, 0): the numbers in angle brackets follow the first argument.
  void template_call(Node& call) {
    call.kind = Kind::call;
    std::vector<Node> numbers;
    {
      const Level level(*this);
      tokens_.take();
      do {
        numbers.push_back(sum());
      } while (accept(",") && numbers.size() < kMaxElements);
      expect(">", "expected ',' or '>' in template arguments");
    }
    if (!failed() && !at("(")) return fail_here("expected '(' and the arguments");
    if (failed()) return;
    arguments(call);
    if (failed()) return;
    if (call.children.empty()) return fail_at(call.span, Code::argument_count, "expected an argument");
    // With a rank, CuTe's append fills up to it.
    if (call.text == "append") call.text = "append_to_rank";
    call.children.insert(call.children.begin() + 1, std::make_move_iterator(numbers.begin()),
                         std::make_move_iterator(numbers.end()));
  }

  void arguments(Node& call) {
    const Level level(*this);
    call.opened = tokens_.take().span.begin;
    if (!accept(")")) {
      do {
        argument(call);
      } while (accept(",") && bounded(call));
      expect(")", "expected ',' or ')' in arguments");
    }
    close(call);
  }
  // Python names some arguments, `stride=(8,1)` and `mode=[0,1]`; they come in the same order.
  void argument(Node& call) {
    Node value = expression();
    if (!failed() && value.kind == Kind::name && at("=") &&
        std::ranges::find(kKeywords, value.text) != std::end(kKeywords)) {
      tokens_.take();
      if (accept("[")) {
        do {
          call.children.push_back(expression());
        } while (accept(",") && bounded(call));
        return expect("]", "expected ',' or ']'");
      }
      value = expression();
    }
    call.children.push_back(std::move(value));
  }

  Node list(Kind kind, std::string_view end, std::string_view expected) {
    const Level level(*this);
    Node node{.kind = kind, .span = tokens_.take().span};
    do {
      // In a tiler, `>` is the closing bracket, not a comparison.
      node.children.push_back(kind == Kind::tiler ? chain() : expression());
    } while (accept(",") && bounded(node));
    expect(end, expected);
    return close(node);
  }
  bool bounded(const Node& node) {
    if (node.children.size() < kMaxElements) return !failed();
    fail_at(peek().span, Code::capacity, fmt::format("more than {} elements in a row", kMaxElements));
    return false;
  }

  Node integer(std::string_view expected) {
    Node node{.span = peek().span};
    if (failed()) return node;
    if (peek().kind != TokenKind::integer) {
      fail_here(expected);
      return node;
    }
    const Token token = tokens_.take();
    node.marked = token.text.front() == '_';
    std::string_view digits = token.text.substr(node.marked ? 1 : 0);
    const bool negative = digits.front() == '-';
    if (negative) digits.remove_prefix(1);
    const std::optional<Index> value = integer_value(digits, negative);
    if (!value) fail_at(token.span, Code::number_range, "the number does not fit in 64 bits");
    node.number = value.value_or(0);
    constructed();
    return close(node);
  }

  // Strides are tuples whose leaves may count components: `(1@0,(1@0@1,1@1@1))`. Inside brackets, leaves may
  // also be expressions.
  Node stride() {
    if (at("(")) {
      const Level level(*this);
      Node node{.kind = Kind::tuple, .span = tokens_.take().span};
      do {
        node.children.push_back(sum());
      } while (accept(",") && bounded(node));
      expect(")", "expected ',' or ')' in stride");
      return close(node);
    }
    if (!failed() && peek().kind == TokenKind::name) return name();
    return stride_leaf("expected a stride or '('");
  }
  Node stride_leaf(std::string_view expected) {
    Node node = integer(expected);
    return at("@") ? basis(std::move(node)) : node;
  }
  Node basis(Node node) {
    node.kind = Kind::basis;
    std::vector<Index> path;  // innermost first
    while (accept("@")) {
      const Node component = integer("expected the index of a component");
      if (failed()) return node;
      if (component.number < 0 || component.marked) {
        fail_at(component.span, Code::syntax, "expected the index of a component");
      } else if (component.number > kMaxPathIndex) {
        fail_at(component.span, Code::capacity,
                fmt::format("component {} is too large: at most {} fits", component.number, kMaxPathIndex));
      } else if (path.size() == kMaxPathLevels) {
        fail_at(component.span, Code::capacity,
                fmt::format("{} levels after '@', at most {} fit", path.size() + 1, kMaxPathLevels));
      }
      path.push_back(component.number);
    }
    if (failed()) return node;
    while (!path.empty()) {
      node.path = path_append(node.path, static_cast<int>(path.back()));
      path.pop_back();
    }
    return close(node);
  }

  static constexpr std::string_view kDeclarations[] = {"auto", "const", "constexpr", "static", "using"};
  static constexpr std::string_view kKeywords[] = {"stride", "order", "mode", "shape", "tiler", "coord"};

  Tokens tokens_;
  int depth_ = 0;
  bool open_ = false;
  std::optional<Diagnostic> error_;
};

}  // namespace

Program parse_program(std::string_view text) { return Parser(text).program(); }

}  // namespace tessera::eval
