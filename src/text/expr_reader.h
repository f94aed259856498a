// SPDX-License-Identifier: Apache-2.0
/// \file
/// The expression grammar of index maps, over declared names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/expr/expr.h"
#include "text/lexer.h"

namespace tessera::detail {

/// The names an expression may use: declared ones, or v0, v1, ... without declaration.
class VariableNames {
 public:
  /// False if the name is already declared.
  bool declare(std::string_view name);
  void allow_numbered() { numbered_ = true; }

  std::optional<Index> find(std::string_view name) const;
  std::size_t size() const { return names_.size(); }
  std::string_view operator[](std::size_t i) const { return names_[i]; }
  /// A suggestion for an unknown name.
  std::string suggestion(std::string_view unknown) const;

 private:
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, Index> table_;  // used when there are many names
  bool numbered_ = false;
};

bool is_keyword(std::string_view word);

/// A recursive-descent parser over a Lexer. Methods return true on success; after a failure `error` is the
/// first diagnostic.
class ExprReader {
 public:
  enum class ZeroDivisor : std::uint8_t { refused, accepted };

  ExprReader(Lexer& lexer, const VariableNames& names, ZeroDivisor zero_divisor)
      : lexer_(lexer), names_(names), zero_divisor_(zero_divisor) {}

  bool expression(Expr& out);
  /// [ "-" ] digits
  bool integer(Index& out, std::string_view what);

  bool fail(Code code, std::string message, Span span, std::string help = {});
  bool fail_expected(std::string_view wanted, std::string help = {});
  bool expect(std::string_view symbol, std::string_view where);
  bool failed() const { return error_.has_value(); }
  Diagnostic take_error() { return std::move(*error_); }

 private:
  bool term(Expr& out);
  bool factor(Expr& out);
  bool parenthesis(Expr& out);
  bool extremum(Expr& out, ExprKind kind);
  bool name(Expr& out);
  bool binary(Expr& out, ExprKind kind, Expr rhs, Span operation);
  /// Adds or multiplies, part by part if `rhs` would be printed without parentheses. Otherwise printing would
  /// change the map: near the ends of 64 bits, the order of operations decides which ones overflow.
  bool append(Expr& out, ExprKind kind, Expr rhs, Span operation);

  Lexer& lexer_;
  const VariableNames& names_;
  const ZeroDivisor zero_divisor_;
  int nesting_ = 0;
  std::unordered_map<const void*, Expr> negated_;  // negated expressions, by Expr::id of the operand
  std::optional<Diagnostic> error_;
};

}  // namespace tessera::detail
