// SPDX-License-Identifier: Apache-2.0
/// \file
/// AttributeReader: reads attributes, Gluon's calls, and their values.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "notation/triton/raw_text.h"
#include "text/scanner.h"

namespace tessera::triton {

/// Errors of meaning that it finds on its way, such as an unknown name, wait in `later` until the whole text
/// has been read, because an error of syntax is reported first.
class AttributeReader : public tessera::detail::Scanner {
 public:
  AttributeReader(std::string_view text, const RawAliases& known) : Scanner(text), known_(known) {}

  /// An attribute, an alias, or a class of Gluon; null if an error of meaning waits.
  Result<RawAttributePtr> layout();
  /// `#ttg.blocked<{...}>` or `#blocked`.
  Result<RawAttributePtr> hash_attribute();

 protected:
  /// Skips blanks and comments; the position of what follows.
  std::size_t skip();
  bool take(std::string_view token);
  Result<void> need(std::string_view token);
  std::string_view word();
  Span from(std::size_t begin) const { return span(begin, pos_); }

  void report_later(Failure failure);
  const std::optional<Diagnostic>& later() const { return later_; }
  static Failure undefined(std::string_view name, Span at);

  RawAliases& aliases() { return aliases_; }
  const RawAliases& known() const { return known_; }
  /// An alias of the text, or one that is defined elsewhere; null if there is none.
  const RawAttributePtr* find_alias(std::string_view name) const;

 private:
  static Failure too_deep(Span at);
  Result<void> attribute_body(RawAttribute& out);
  Result<void> skip_body();
  Result<void> pads(RawAttribute& out);
  Result<void> entries(std::vector<RawEntry>& out, std::string_view end);
  Result<RawValue> signed_integer();
  Result<void> integer_type();
  Result<RawValue> list(std::string_view end);
  Result<RawValue> value();
  Result<RawValue> value_inside();
  Result<RawAttributePtr> gluon();

  const RawAliases& known_;
  RawAliases aliases_;
  std::optional<Diagnostic> later_;
  bool python_ = false;
  int depth_ = 0;   // of what is being read
  int inside_ = 0;  // the deepest layout that ends in what is being read; an alias counts with its depth
};

}  // namespace tessera::triton
