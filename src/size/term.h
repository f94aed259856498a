// SPDX-License-Identifier: Apache-2.0
// Size terms as written: `ceil_div(N, 8) * 8 - 1`.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "size/space.h"
#include "tessera/base/result.h"

namespace tessera::symbolic {

struct SizeTerm {
  enum class Kind : std::uint8_t {
    number,
    name,
    negative,
    plus,
    minus,
    times,
    over,
    modulo,
    ceil_over,
    minimum,
    maximum
  };
  Kind kind = Kind::number;
  Integer number = 0;
  std::string name = {};
  std::vector<SizeTerm> parts = {};
  Span span = {};

  bool is_number() const { return kind == Kind::number; }
  static SizeTerm of(Integer value) { return {.number = value}; }
};

/// The words that cannot be names of parameters.
bool is_size_word(std::string_view name);

/// Adds the names of the term to `names`, in the order of the text.
void add_names(const SizeTerm& term, std::vector<std::string>& names);

/// The number for these sizes: nothing if a divisor is below 1, a name is missing, or a number is too large.
std::optional<Integer> evaluate(const SizeTerm& term,
                                const std::map<std::string, Integer, std::less<>>& sizes);

/// Whether a divisor of the term is a number below 1 for these sizes.
bool divides_below_one(const SizeTerm& term, const std::map<std::string, Integer, std::less<>>& sizes);

/// The polynomial of a term over the parameters of a space. The divisors other than numbers are added to
/// `divisors`: the value is meant where they are at least 1.
Polynomial polynomial(const SizeTerm& term, Space& space, std::vector<Polynomial>& divisors);

/// Reads terms and symbols from a text. After an error every call fails.
class TermReader {
 public:
  explicit TermReader(std::string_view text, std::uint32_t begin = 0) : text_(text), offset_(begin) {
    skip();
  }

  /// A sum; errors: syntax, reserved_name, number_range, limit (nesting, operators), undefined_value (a
  /// divisor that is the number 0).
  Result<SizeTerm> term();
  bool at_end() const { return position_ == text_.size(); }
  bool at(std::string_view symbol) const;
  /// Takes a symbol or a word.
  bool accept(std::string_view symbol);
  /// The next token and its place.
  std::string_view peek() const { return text_.substr(position_, length()); }
  Span span() const;
  /// "expected X, found Y" at the next token.
  Failure expected(std::string_view what) const;

 private:
  void skip();
  std::size_t length() const;
  Result<SizeTerm> product();
  Result<SizeTerm> factor();

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t offset_ = 0;
  int depth_ = 0;
  int operators_ = 0;  // of all terms
};

}  // namespace tessera::symbolic
