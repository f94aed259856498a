// SPDX-License-Identifier: Apache-2.0
#include "transfer/axis_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/try.h"

namespace tessera::transfer {
namespace {

constexpr int kMostParentheses = 64;

class AxisArithmetic {
 public:
  AxisArithmetic(std::string_view text, const std::string& axis, const Json* config,
                 const std::function<Result<Index>(const std::string&)>& size_of)
      : text_(text), axis_(axis), config_(config), size_of_(size_of) {}

  Result<Index> value() {
    TESSERA_TRY(value, sum());
    if (next() == text_.size()) return value;
    return fail(Code::syntax, fmt::format("'{}' for axis '{}' is not a sum of products", text_, axis_), {},
                "write + - * / between numbers, axes and $keys of config.json");
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
      } else if (value % factor != 0) {
        return fail(Code::shape_mismatch,
                    fmt::format("{} / {} in '{}' leaves a remainder", value, factor, text_));
      } else {
        value /= factor;
      }
    }
  }

  Result<Index> atom() {
    if (accept('(')) {
      if (++depth_ > kMostParentheses)
        return fail(Code::limit,
                    fmt::format("parentheses in the text of axis '{}' nest deeper than {} levels", axis_,
                                kMostParentheses));
      TESSERA_TRY(value, sum());
      --depth_;
      if (!accept(')')) return fail(Code::syntax, fmt::format("'{}' has a '(' without ')'", text_));
      return value;
    }
    const bool key = accept('$');
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
    if (key) return config_value(word);
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
    return size_of_(word);
  }

  // `cdiv(a, b)` after its parenthesis.
  Result<Index> rounded_up_quotient() {
    if (++depth_ > kMostParentheses) return fail(Code::limit, fmt::format("'{}' nests too deeply", axis_));
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

  Result<Index> config_value(const std::string& key) {
    const Json* at = config_;
    for (std::size_t begin = 0; at != nullptr && begin <= key.size();) {
      const std::size_t end = std::min(key.find('.', begin), key.size());
      const auto found = at->is_object() ? at->find(key.substr(begin, end - begin)) : at->end();
      at = at->is_object() && found != at->end() ? &*found : nullptr;
      begin = end + 1;
    }
    if (at == nullptr || at->is_null()) {
      return fail(Code::unknown_name,
                  config_ != nullptr ? fmt::format("config.json has no '{}'", key)
                                     : fmt::format("there is no config.json with '{}'", key),
                  {}, fmt::format("give the size of the axis: --set {}=N", axis_));
    }
    if (at->is_number_unsigned() && at->get<std::uint64_t>() <= static_cast<std::uint64_t>(kIndexMax))
      return static_cast<Index>(at->get<std::uint64_t>());
    return fail(Code::bad_file, fmt::format("'{}' in config.json is not a count", key));
  }

  Failure too_large() const {
    return fail(Code::overflow, fmt::format("'{}' does not fit in 64 bits", text_));
  }

  std::string_view text_;
  const std::string& axis_;
  const Json* config_;
  const std::function<Result<Index>(const std::string&)>& size_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Index> axis_arithmetic(std::string_view text, const std::string& axis, const Json* config,
                              const std::function<Result<Index>(const std::string&)>& size_of) {
  std::optional<Diagnostic> first;
  while (true) {
    const std::size_t bar = std::min(text.find('|'), text.size());
    auto value = AxisArithmetic(text.substr(0, bar), axis, config, size_of).value();
    if (value || value.error().code != Code::unknown_name) return value;
    if (!first) first = value.error();
    if (bar == text.size()) return fail(*first);
    text.remove_prefix(bar + 1);
  }
}

}  // namespace tessera::transfer
