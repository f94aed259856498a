// SPDX-License-Identifier: Apache-2.0
#include "eval/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "eval/function.h"
#include "eval/limits.h"
#include "eval/token.h"
#include "notation/atoms/atom_text.h"
#include "notation/axe/axe_text.h"
#include "notation/cute/cute_text.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/cute.h"
#include "text/character_class.h"

namespace tessera::eval {
namespace {

using Kind = Node::Kind;
/// Operators as written, each with its letter in Node::operators.
using Operators = std::initializer_list<std::pair<std::string_view, char>>;

template <class T>
Value to_value_of(const T& value) {
  return Value(Value::Data(value));
}

// A recursive-descent parser. Only the first error is kept: after it, every read returns at once.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  ParsedProgram program() {
    ParsedProgram out;
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
      return fail_at(token.span, Code::syntax, kDynamicInteger,
                     "the value is known only while the program that printed it runs");
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
      if (++p.depth_ > kEvalLimits.depth) {
        p.fail_at(p.peek().span, Code::limit,
                  fmt::format("brackets nested deeper than {} levels", kEvalLimits.depth));
      }
    }
    ~Level() { --parser.depth_; }
  };

  // Skips the words of a C++ declaration: `auto L = …`, `using L = …`.
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

  // Consecutive operators of the same precedence make one node, so that the depth of the tree does not grow
  // with their number.
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
      if (levels == kEvalLimits.depth) {  // each application adds a level to the tree
        fail_at(peek().span, Code::limit,
                fmt::format("more than {} applications in a row", kEvalLimits.depth));
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
    if (tessera::detail::begins_axe(tokens_.rest())) return axe();
    switch (token.kind) {
      case TokenKind::integer:
        return stride_leaf("");
      case TokenKind::name:
        return name();
      case TokenKind::symbol:
        if (token.is("(")) return list(Kind::tuple, ")", "expected ',' or ')'");
        if (token.is("<")) return list(Kind::tiler, ">", "expected ',' or '>' in tiler");
        if (token.is("[")) return bracketed();
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
    if (at_constant()) return stride_leaf("expected a number");
    if (peek().text == "atom") {
      const std::optional<tessera::detail::AtomName> name = tessera::detail::atom_name(tokens_.rest());
      // `atom:2` is a layout whose shape is a variable.
      if (name && !name->id.empty() && tessera::detail::is_letter(name->id[0])) return atom(*name);
    }
    if (peek().text == "None") {  // the hole of the Python DSL
      const Token token = tokens_.take();
      return {.kind = Kind::hole, .span = token.span, .text = token.text};
    }
    if (peek().text == "Step" && tokens_.rest().substr(4).starts_with("<")) return step();
    const bool one_letter = peek().text.size() == 1;  // `S < 3` compares a variable
    if ((!one_letter || tokens_.rest().substr(1).starts_with("<")) && begins_spelled_cute(tokens_.rest()))
      return spelled();
    const Token token = tokens_.take();
    Node node{.kind = Kind::name, .span = token.span, .text = token.text};
    const bool adjacent = at("<") && peek().span.begin == token.span.end;
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

  // A value as written in C++ or printed by CuTe, which the parser of the notation reads. A pointer says
  // nothing about a layout: `ptr[32b](0x0) o L` is L.
  Node spelled() {
    const Level level(*this);
    Node node{.kind = Kind::literal, .span = peek().span, .text = peek().text};
    const Result<SpelledCute> read = parse_spelled_cute(tokens_.rest());
    if (!read) {
      fail_in_rest(read.error());
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

  // `axe:8x4:S[(8,4):(4@laneid,1)] + R[2:1@warpid]`: a sum ends at a comma, a bracket or an operator.
  Node axe() {
    Node node{.kind = Kind::literal, .span = peek().span, .text = peek().text};
    const std::string_view text = tokens_.rest().substr(0, tessera::detail::axe_length(tokens_.rest()));
    Result<AxeLayout> layout = parse_axe(text);
    if (!layout) {
      fail_in_rest(std::move(layout.error()));
      return node;
    }
    tokens_.skip(text.size());
    node.literal = to_value_of(*std::move(layout));
    return close(node);
  }

  // `atom:ID`, in CuTe's notation.
  Node atom(const tessera::detail::AtomName& name) {
    Node node{.kind = Kind::literal, .span = peek().span, .text = peek().text};
    const Result<const Atom*> found = tessera::detail::find_atom(name);
    if (!found) {
      fail_in_rest(found.error());
      return node;
    }
    const Result<Layout> own = parse_layout((*found)->layout);
    const Result<Conversion> cute = own ? convert(*own, Notation::cute) : fail(own.error());
    if (!cute || cute->layout.is_cropped()) {
      Diagnostic error = cute ? Diagnostic{.code = Code::not_representable,
                                           .message = fmt::format("atom {} has padding", name.id)}
                              : cute.error();
      error.span = {static_cast<std::uint32_t>(name.begin), static_cast<std::uint32_t>(name.end)};
      fail_in_rest(std::move(error));
      return node;
    }
    tokens_.skip(name.end);
    const Layout& layout = cute->layout;
    node.literal =
        layout.shape_stride() != nullptr ? Value(*layout.shape_stride()) : Value(*layout.composed());
    return close(node);
  }

  // `Step<_1,X,_1>`, a projection: X is a hole.
  Node step() {
    const Level level(*this);
    Node node{.kind = Kind::tuple, .span = tokens_.take().span};
    expect("<", "expected '<'");
    do {
      Node& mode = node.children.emplace_back(sum());
      if (mode.kind == Kind::name && mode.text == "X") mode.kind = Kind::hole;
    } while (accept(",") && bounded(node));
    expect(">", "expected ',' or '>' in Step");
    constructed();
    return close(node);
  }

  // Skips the `{}` that makes a value of a type.
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
      } while (accept(",") && numbers.size() < kEvalLimits.elements);
      expect(">", "expected ',' or '>' in template arguments");
    }
    if (!failed() && !at("(")) return fail_here("expected '(' and the arguments");
    if (failed()) return;
    arguments(call);
    if (failed()) return;
    if (call.children.empty()) return fail_at(call.span, Code::argument_count, "expected an argument");
    // `append<3>(L)` of CuTe appends modes up to rank 3.
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
  // The Python DSL names some arguments, `stride=(8,1)` and `mode=[0,1]`; their order is the same here.
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
      // In a tiler, `>` closes the bracket and is not a comparison.
      node.children.push_back(kind == Kind::tiler ? chain() : expression());
    } while (accept(",") && bounded(node));
    expect(end, expected);
    return close(node);
  }
  // `[[1,2],[4,8]]`, the bases of each leaf, as to_linear prints them, or `[0,4,1,5]`, as values prints them.
  Node bracketed() {
    const Level level(*this);
    Node node{.kind = Kind::literal, .span = tokens_.take().span};
    std::vector<Index> numbers;
    LinearBases bases;
    const bool nested = at("[");
    do {
      if (!nested) {
        numbers.push_back(stride_leaf("expected a number").number);
        continue;
      }
      const Token open = peek();
      expect("[", "expected '['");
      while (!failed() && !at("]")) {
        const Token token = peek();
        const Index basis = stride_leaf("expected a number or ']'").number;
        if (basis < 0) fail_at(token.span, Code::number_range, fmt::format("the basis {} is below 0", basis));
        if (bases.total() + static_cast<int>(numbers.size()) == kEvalLimits.bits)
          fail_at(token.span, Code::capacity, fmt::format("more than {} bases", kEvalLimits.bits));
        if (failed()) break;
        bases.basis[bases.total() + static_cast<int>(numbers.size())] = basis;
        numbers.push_back(basis);
        if (!accept(",")) break;
      }
      expect("]", "expected ',' or ']'");
      if (bases.leaves == kMaxLeaves)
        fail_at(open.span, Code::capacity, fmt::format("more than {} leaves", kMaxLeaves));
      if (failed()) break;
      bases.bits[bases.leaves++] = static_cast<std::uint8_t>(numbers.size());
      numbers.clear();
    } while (accept(",") && numbers.size() < kEvalLimits.elements);
    expect("]", "expected ',' or ']'");
    node.literal = nested ? to_value_of(bases) : to_value_of(numbers);
    return close(node);
  }
  bool bounded(const Node& node) {
    if (node.children.size() < kEvalLimits.elements) return !failed();
    fail_at(peek().span, Code::capacity, fmt::format("more than {} elements in a row", kEvalLimits.elements));
    return false;
  }

  // Strides are tuples whose leaves may be scaled bases: `(1@0,(1@0@1,1@1@1))`. Inside parentheses, leaves
  // may also be expressions.
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
  // Whether a constant like `Int<4>{}` starts here.
  bool at_constant() const {
    const std::string_view rest = tokens_.rest();
    return !failed() && (rest.starts_with("Int<") || rest.starts_with("C<"));
  }
  // One integer or scaled basis in the notation: `_4`, `Int<4>{}`, `3@1@0`.
  Node stride_leaf(std::string_view expected) {
    Node node{.span = peek().span};
    if (failed()) return node;
    if (peek().kind != TokenKind::integer && !at_constant()) {
      fail_here(expected);
      return node;
    }
    const Result<CuteStride> read = parse_cute_stride(tokens_.rest());
    if (!read) {
      fail_in_rest(read.error());
      return node;
    }
    tokens_.skip(read->length);
    node.kind = read->path != 0 ? Kind::basis : Kind::integer;
    node.number = read->value;
    node.marked = read->marked;
    node.path = read->path;
    return close(node);
  }
  // Fails with an error whose span is relative to the next token.
  void fail_in_rest(Diagnostic d) {
    const std::uint32_t begin = peek().span.begin;
    open_ = open_ || d.span.begin >= tokens_.rest().size();
    d.span = {d.span.begin + begin, d.span.end + begin};
    if (!failed()) error_ = std::move(d);
  }

  static constexpr std::string_view kDeclarations[] = {"auto", "const", "constexpr", "static", "using"};
  static constexpr std::string_view kKeywords[] = {"stride", "order", "mode", "shape",
                                                   "tiler",  "coord", "proj"};

  Tokens tokens_;
  int depth_ = 0;
  bool open_ = false;
  std::optional<Diagnostic> error_;
};

}  // namespace

namespace {

bool is_list_of_one(const Node& node) { return node.kind == Node::Kind::tuple && node.children.size() == 1; }

/// Whether parentheses only group arithmetic, as in (M + 1) * N. Around an integer or a name they make a
/// tuple.
bool groups(const Node& node) {
  return is_list_of_one(node) &&
         (node.children[0].kind == Node::Kind::arithmetic || node.children[0].kind == Node::Kind::negative);
}

void drop_group(Node& node) {
  while (groups(node)) {
    Node inner = std::move(node.children[0]);
    node = std::move(inner);
  }
}

/// In a layout, parentheses are a tuple where they meet a tuple of one: (6/2):(1) is (3):(1), (6/2):1 is 3:1.
void match_groups(Node& shape, Node& stride) {
  if (!is_list_of_one(stride)) drop_group(shape);
  if (!is_list_of_one(shape)) drop_group(stride);
  const bool lists = shape.kind == Node::Kind::tuple && stride.kind == Node::Kind::tuple &&
                     shape.children.size() == stride.children.size();
  for (std::size_t i = 0; lists && i < shape.children.size(); ++i)
    match_groups(shape.children[i], stride.children[i]);
}

/// Without parentheses that only group; the tree says what belongs together.
void drop_groups(Node& node, bool in_layout) {
  const bool is_layout = node.kind == Node::Kind::layout;
  if (is_layout) match_groups(node.children[0], node.children[1]);
  for (Node& child : node.children) {
    const bool kept = is_layout || (in_layout && node.kind == Node::Kind::tuple);
    if (!kept) drop_group(child);
    drop_groups(child, kept);
  }
}

}  // namespace

ParsedProgram parse_program(std::string_view text) {
  ParsedProgram out = Parser(text).program();
  for (Statement& s : out.statements) {
    drop_group(s.expr);
    drop_groups(s.expr, false);
  }
  return out;
}

}  // namespace tessera::eval
