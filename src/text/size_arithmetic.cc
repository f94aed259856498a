// SPDX-License-Identifier: Apache-2.0
#include "text/size_arithmetic.h"

#include <fmt/format.h>

#include "base/try.h"
#include "text/limits.h"

namespace tessera::detail {
namespace {

class Arithmetic {
 public:
  Arithmetic(std::string_view text, const SizeNames& names) : text_(text), names_(names) {}

  Result<Index> value() {
    TESSERA_TRY(value, sum());
    if (next() == text_.size()) return value;
    return fail(Code::syntax, fmt::format("'{}' for {} is not a sum of products", text_, names_.subject), {},
                std::string(names_.help));
  }

 private:
  std::size_t next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_;
  }
  bool accept(char c) {
    if (next() == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<Index> sum() {
    TESSERA_TRY(first, product());
    Index value = first;
    while (true) {
      const bool minus = accept('-');
      if (!minus && !accept('+')) return value;
      TESSERA_TRY(term, product());
      if (minus ? sub_overflows(value, term, value) : add_overflows(value, term, value)) return too_large();
    }
  }

  Result<Index> product() {
    TESSERA_TRY(first, atom());
    Index value = first;
    while (true) {
      const bool divide = accept('/');
      if (!divide && !accept('*')) return value;
      TESSERA_TRY(factor, atom());
      if (!divide) {
        if (mul_overflows(value, factor, value)) return too_large();
      } else if (factor < 1) {
        return fail(Code::number_range,
                    fmt::format("a divisor is {} in '{}', but it must be at least 1", factor, text_));
      } else if (names_.exact_division && value % factor != 0) {
        return fail(Code::shape_mismatch,
                    fmt::format("{} / {} in '{}' leaves a remainder", value, factor, text_));
      } else {
        value = floor_div(value, factor);
      }
    }
  }

  Result<Index> atom() {
    if (accept('(')) {
      if (++depth_ > kTextLimits.parentheses)
        return fail(Code::limit, fmt::format("parentheses in the text of {} nest deeper than {} levels",
                                             names_.subject, kTextLimits.parentheses));
      TESSERA_TRY(value, sum());
      --depth_;
      if (!accept(')')) return fail(Code::syntax, fmt::format("'{}' has a '(' without ')'", text_));
      return value;
    }
    const bool key = names_.key_of && accept('$');
    const std::size_t begin = next();
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '.';
    };
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) {
      return fail(Code::syntax,
                  fmt::format("'{}' lacks a number or a name after '{}'", text_, text_.substr(0, begin)));
    }
    if (key) return names_.key_of(word);
    if (word == "cdiv" && accept('(')) return rounded_up_quotient();
    if (word[0] >= '0' && word[0] <= '9') {
      Index value = 0;
      for (const char c : word) {
        if (c < '0' || c > '9') return fail(Code::syntax, fmt::format("'{}' is not a number", word));
        if (mul_overflows(value, Index{10}, value) || add_overflows(value, Index{c - '0'}, value))
          return too_large();
      }
      return value;
    }
    return names_.size_of(word);
  }

  // `cdiv(a, b)` after its parenthesis.
  Result<Index> rounded_up_quotient() {
    if (++depth_ > kTextLimits.parentheses)
      return fail(Code::limit, fmt::format("'{}' nests too deeply", text_));
    TESSERA_TRY(a, sum());
    if (!accept(',')) return fail(Code::syntax, fmt::format("'{}' lacks a ',' in cdiv(a, b)", text_));
    TESSERA_TRY(b, sum());
    if (!accept(')')) return fail(Code::syntax, fmt::format("'{}' has a '(' without ')'", text_));
    --depth_;
    if (b < 1)
      return fail(Code::number_range,
                  fmt::format("the divisor of cdiv is {} in '{}', but it must be at least 1", b, text_));
    return ceil_div(a, b);
  }

  Failure too_large() const {
    return fail(Code::overflow, fmt::format("'{}' does not fit in 64 bits", text_));
  }

  std::string_view text_;
  const SizeNames& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Index> size_arithmetic(std::string_view text, const SizeNames& names) {
  return Arithmetic(text, names).value();
}

}  // namespace tessera::detail
