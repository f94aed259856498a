// SPDX-License-Identifier: Apache-2.0
#include "text/expr_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "expr/print.h"
#include "text/integers.h"
#include "text/limits.h"

namespace tessera::detail {
namespace {

constexpr std::size_t kScan = 16;  // up to this many names, a linear search beats a table

constexpr std::array<std::string_view, 11> kKeywords = {
    "domain", "in", "mod", "floordiv", "floorDiv", "ceildiv", "ceilDiv", "min", "max", "true", "false"};

std::optional<ExprKind> multiplicative(const Token& token) {
  if (token.kind == TokenKind::symbol) {
    if (token.text == "*") return ExprKind::mul;
    if (token.text == "/") return ExprKind::floor_div;
    return std::nullopt;
  }
  if (token.kind != TokenKind::name) return std::nullopt;
  if (token.text == "mod") return ExprKind::mod;
  if (token.text == "floordiv" || token.text == "floorDiv") return ExprKind::floor_div;
  if (token.text == "ceildiv" || token.text == "ceilDiv") return ExprKind::ceil_div;
  return std::nullopt;
}

// The edit distance of two short words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

bool is_keyword(std::string_view word) { return std::ranges::find(kKeywords, word) != kKeywords.end(); }

bool VariableNames::declare(std::string_view name) {
  if (find(name)) return false;
  if (names_.size() == kScan) {
    for (std::size_t i = 0; i < names_.size(); ++i) table_.emplace(names_[i], static_cast<Index>(i));
  }
  if (names_.size() >= kScan) table_.emplace(name, static_cast<Index>(names_.size()));
  names_.push_back(name);
  return true;
}

std::optional<Index> VariableNames::find(std::string_view name) const {
  if (numbered_) {
    const bool plain = name.size() >= 2 && name[0] == 'v' && (name[1] != '0' || name.size() == 2);
    const auto number = plain ? integer_value(name.substr(1), false) : std::nullopt;
    return number && *number <= kTextLimits.variable ? number : std::nullopt;
  }
  if (!table_.empty()) {
    const auto found = table_.find(name);
    return found == table_.end() ? std::nullopt : std::optional(found->second);
  }
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<Index>(found - names_.begin());
}

std::string VariableNames::suggestion(std::string_view unknown) const {
  if (numbered_) return "variables are v0, v1, ...";
  if (names_.empty()) return "the map has no variables";
  constexpr std::size_t kLongest = 64;
  if (unknown.size() <= kLongest) {
    for (const std::string_view name : names_) {
      if (name.size() <= kLongest && edit_distance(name, unknown) == 1 &&
          (name.size() > 1 || unknown.size() > 1)) {
        return fmt::format("did you mean '{}'?", name);
      }
    }
  }
  return "declare it in the lists before '->'";
}

bool ExprReader::fail(Code code, std::string message, Span span, std::string help) {
  if (!error_)
    error_ = Diagnostic{.code = code, .message = std::move(message), .span = span, .help = std::move(help)};
  return false;
}

bool ExprReader::fail_expected(std::string_view wanted, std::string help) {
  const Token& found = lexer_.peek();
  if (found.is("?")) help = kReplaceUnknown;
  return fail(Code::syntax, fmt::format("expected {}, found {}", wanted, describe(found)), found.span,
              std::move(help));
}

bool ExprReader::expect(std::string_view symbol, std::string_view where) {
  if (lexer_.accept(symbol)) return true;
  return fail_expected(fmt::format("'{}' {}", symbol, where));
}

bool ExprReader::integer(Index& out, std::string_view what) {
  Span span = lexer_.peek().span;
  const bool negative = lexer_.accept("-");
  const Token& digits = lexer_.peek();
  if (digits.kind != TokenKind::integer) return fail_expected(fmt::format("{}, an integer", what));
  const auto value = integer_value(digits.text, negative);
  if (!negative) span = digits.span;
  span.end = digits.span.end;
  if (!value) {
    return fail(Code::number_range,
                fmt::format("{}{} does not fit in 64 bits", negative ? "-" : "", digits.text.substr(0, 40)),
                span, detail::kIntegerRange);
  }
  out = *value;
  lexer_.take();
  return true;
}

bool ExprReader::binary(Expr& out, ExprKind kind, Expr rhs, Span operation) {
  if (is_division(kind) && rhs.is_constant(0) && zero_divisor_ == ZeroDivisor::refused) {
    return fail(Code::undefined_value, fmt::format("{} by 0", kind == ExprKind::mod ? "modulo" : "division"),
                operation, "use a nonzero divisor");
  }
  out = Expr::binary(kind, out, rhs);
  if (out.depth() > kMaxExprDepth) {
    return fail(Code::limit, fmt::format("the expression nests deeper than {} operations", kMaxExprDepth),
                operation);
  }
  return true;
}

bool ExprReader::expression(Expr& out) {
  if (!term(out)) return false;
  for (;;) {
    const Token& token = lexer_.peek();
    const bool minus = token.is("-");
    if (!minus && !token.is("+")) return true;
    const Span operation = lexer_.take().span;
    Expr rhs;
    if (minus) {
      if (!term(rhs)) return false;
      rhs = negated(rhs, negated_);
    } else if (!term(rhs)) {
      return false;
    }
    if (!append(out, ExprKind::add, rhs, operation)) return false;
  }
}

bool ExprReader::append(Expr& out, ExprKind kind, Expr rhs, Span operation) {
  if (!joins(kind, rhs)) return binary(out, kind, rhs, operation);
  return append(out, kind, rhs.lhs(), operation) && binary(out, kind, rhs.rhs(), operation);
}

bool ExprReader::term(Expr& out) {
  if (!factor(out)) return false;
  while (const auto kind = multiplicative(lexer_.peek())) {
    Span operation = lexer_.take().span;
    Expr rhs;
    if (!factor(rhs)) return false;
    operation.end = lexer_.taken_end();
    if (!append(out, *kind, rhs, operation)) return false;
  }
  return true;
}

bool ExprReader::factor(Expr& out) {
  const Token& token = lexer_.peek();
  if (nesting_ >= kMaxExprDepth) {
    return fail(Code::limit, fmt::format("brackets and signs nest deeper than {}", kMaxExprDepth),
                token.span);
  }
  switch (token.kind) {
    case TokenKind::integer: {
      Index value = 0;
      if (!integer(value, "an operand")) return false;
      out = Expr::constant(value);
      return true;
    }
    case TokenKind::name:
      return name(out);
    case TokenKind::symbol:
      if (token.text == "(") return parenthesis(out);
      if (token.text == "-") {
        const Span minus = lexer_.take().span;
        if (lexer_.peek().kind == TokenKind::integer) {
          const auto value = integer_value(lexer_.peek().text, true);
          if (!value) {
            return fail(Code::number_range,
                        fmt::format("-{} does not fit in 64 bits", lexer_.peek().text.substr(0, 40)),
                        {minus.begin, lexer_.peek().span.end}, detail::kIntegerRange);
          }
          lexer_.take();
          out = Expr::constant(*value);
          return true;
        }
        ++nesting_;
        const bool read = factor(out);
        --nesting_;
        if (read) out = negated(out, negated_);
        return read;
      }
      break;
    default:
      break;
  }
  if (token.kind == TokenKind::malformed) {
    return fail(Code::syntax, fmt::format("{} is not a number or a name", describe(token)), token.span,
                "numbers are decimal integers, names start with a letter");
  }
  return fail_expected("an operand");
}

bool ExprReader::parenthesis(Expr& out) {
  const Token open = lexer_.take();
  ++nesting_;
  const bool read = expression(out);
  --nesting_;
  if (!read) return false;
  if (lexer_.accept(")")) return true;
  fail_expected("')' or an operator");
  error_->notes.push_back(fmt::format("the '(' at byte {} is still open", open.span.begin));
  return false;
}

bool ExprReader::extremum(Expr& out, ExprKind kind) {
  const Token word = lexer_.take();
  if (!expect("(", fmt::format("after {}", word.text))) return false;
  ++nesting_;
  Expr rhs;
  bool read = expression(out);
  if (read && !lexer_.accept(","))
    read = fail_expected(fmt::format("',' and the second operand of {}", word.text));
  read = read && expression(rhs);
  --nesting_;
  if (!read) return false;
  if (!lexer_.accept(")")) {
    return fail_expected(fmt::format("')' after the two operands of {}", word.text),
                         fmt::format("nest {0}s for more operands: {0}(a, {0}(b, c))", word.text));
  }
  return binary(out, kind, rhs, word.span);
}

bool ExprReader::name(Expr& out) {
  const Token& token = lexer_.peek();
  if (token.text == "min") return extremum(out, ExprKind::min);
  if (token.text == "max") return extremum(out, ExprKind::max);
  if (is_keyword(token.text)) {
    return fail(Code::syntax, fmt::format("expected an operand, found the word '{}'", token.text),
                token.span);
  }
  const auto number = names_.find(token.text);
  if (!number) {
    return fail(Code::unknown_name, fmt::format("unknown variable '{}'", token.text.substr(0, 80)),
                token.span, names_.suggestion(token.text));
  }
  lexer_.take();
  out = Expr::variable(*number);
  return true;
}

}  // namespace tessera::detail
