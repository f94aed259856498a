// SPDX-License-Identifier: Apache-2.0
#include "eval/syntax.h"

#include <fmt/format.h>

#include "eval/token.h"

namespace tessera::eval {
namespace {

// Recursive descent. The first error wins: `error_` is set once, and every read returns at once after that.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  Result<std::vector<Statement>> program() {
    std::vector<Statement> statements;
    for (;;) {
      while (accept(";")) {
      }
      if (failed() || peek().kind == TokenKind::end) break;
      statements.push_back(statement());
      if (failed() || peek().kind == TokenKind::end) break;
      if (!accept(";"))
        fail_here(statements.back().expr.kind == Node::Kind::name && peek().kind != TokenKind::symbol
                      ? "expected '=', '(' or ';'"
                      : "expected ';' or the end");
    }
    if (error_) return fail(*error_);
    return statements;
  }

 private:
  bool failed() const { return error_.has_value(); }
  const Token& peek() const { return tokens_.peek(); }
  bool accept(std::string_view symbol) {
    if (failed() || !peek().is(symbol)) return false;
    tokens_.take();
    return true;
  }
  void fail_at(Span span, Code code, std::string message, std::string help = {}) {
    if (!failed())
      error_ = Diagnostic{.code = code, .message = std::move(message), .span = span, .help = std::move(help)};
  }
  void fail_here(std::string_view expected) {
    const Token& token = peek();
    std::string help;
    if (token.text == "?") help = "the value of a dynamic integer is needed here";
    fail_at(token.span, Code::syntax, fmt::format("{}, found {}", expected, describe(token)),
            std::move(help));
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

  Statement statement() {
    Statement out;
    Node first = expression();
    if (!failed() && peek().is("=")) {
      if (first.kind != Node::Kind::name) {
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

  // term { "o" term }
  Node expression() {
    Node first = term();
    if (failed() || !peek().is("o")) return first;
    Node chain{.kind = Node::Kind::chain, .span = first.span};
    chain.children.push_back(std::move(first));
    while (accept("o")) chain.children.push_back(term());
    return close(chain);
  }

  // primary [ ":" stride ] { "(" arguments ")" }
  Node term() {
    Node node = primary();
    if (!failed() && peek().is(":")) {
      tokens_.take();
      Node layout{.kind = Node::Kind::layout, .span = node.span};
      layout.children.push_back(std::move(node));
      layout.children.push_back(stride());
      node = std::move(close(layout));
    }
    const auto applies = [&] {
      return node.kind != Node::Kind::integer && node.kind != Node::Kind::hole && peek().is("(");
    };
    for (int levels = 0; !failed() && applies(); ++levels) {
      if (levels == kMaxDepth) {  // each is a level of the tree, too
        fail_at(peek().span, Code::limit, fmt::format("more than {} applications in a row", kMaxDepth));
      }
      Node call{.kind = Node::Kind::apply, .span = node.span};
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
        return integer("");
      case TokenKind::name:
        return name();
      case TokenKind::symbol:
        if (token.is("(")) return list(Node::Kind::tuple, ")", "expected ',' or ')'");
        if (token.is("<")) return list(Node::Kind::tiler, ">", "expected ',' or '>' in tiler");
        if (accept("_")) {
          node.kind = Node::Kind::hole;
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
    const Token token = tokens_.take();
    Node node{.kind = Node::Kind::name, .span = token.span, .text = token.text};
    if ((token.text == "Sw" || token.text == "S") && peek().is("<")) {
      tokens_.take();
      node.kind = Node::Kind::swizzle;
      node.children.push_back(integer("expected the number of bits"));
      expect(",", "expected ',' in swizzle");
      node.children.push_back(integer("expected the base"));
      expect(",", "expected ',' in swizzle");
      node.children.push_back(integer("expected the shift"));
      expect(">", "expected '>' of a swizzle");
      return close(node);
    }
    if (token.text == "o") {
      fail_at(token.span, Code::syntax, "expected a layout or a swizzle in front of 'o'");
    } else if (peek().is("(")) {
      node.kind = Node::Kind::call;
      arguments(node);
    }
    return node;
  }

  void arguments(Node& call) {
    const Level level(*this);
    tokens_.take();  // the bracket
    if (!accept(")")) {
      do {
        call.children.push_back(expression());
      } while (accept(","));
      expect(")", "expected ',' or ')' in arguments");
    }
    close(call);
  }

  Node list(Node::Kind kind, std::string_view end, std::string_view expected) {
    const Level level(*this);
    Node node{.kind = kind, .span = tokens_.take().span};
    do {
      node.children.push_back(expression());
    } while (accept(","));
    expect(end, expected);
    return close(node);
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
    if (!value) fail_at(token.span, Code::number_range, "the number does not fit 64 bits");
    node.number = value.value_or(0);
    return node;
  }

  // Strides are tuples whose leaves may count components: `(1@0,(1@0@1,1@1@1))`.
  Node stride() {
    const Level level(*this);
    if (!failed() && peek().is("(")) {
      Node node{.kind = Node::Kind::tuple, .span = tokens_.take().span};
      do {
        node.children.push_back(stride());
      } while (accept(","));
      expect(")", "expected ',' or ')' in stride");
      return close(node);
    }
    if (!failed() && peek().kind == TokenKind::name) return name();
    Node node = integer("expected a stride or '('");
    if (failed() || !peek().is("@")) return node;
    node.kind = Node::Kind::basis;
    std::vector<Index> path;  // innermost first
    while (accept("@")) {
      const Node component = integer("expected the index of a component");
      if (failed()) return node;
      if (component.number < 0 || component.marked) {
        fail_at(component.span, Code::syntax, "expected the index of a component");
      } else if (component.number > kMaxPathIndex) {
        fail_at(component.span, Code::capacity,
                fmt::format("component {} where at most {} fit", component.number, kMaxPathIndex));
      } else if (path.size() == kMaxPathLevels) {
        fail_at(component.span, Code::capacity,
                fmt::format("{} levels behind '@' where at most {} fit", path.size() + 1, kMaxPathLevels));
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

  Tokens tokens_;
  int depth_ = 0;
  std::optional<Diagnostic> error_;
};

}  // namespace

Result<std::vector<Statement>> parse_program(std::string_view text) { return Parser(text).program(); }

}  // namespace tessera::eval
