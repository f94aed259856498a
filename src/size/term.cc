// SPDX-License-Identifier: Apache-2.0
#include "size/term.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shortened.h"
#include "size/limits.h"

namespace tessera::symbolic {
namespace {

using TermKind = SizeTerm::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

SizeTerm binary(TermKind kind, SizeTerm a, SizeTerm b) {
  SizeTerm out{.kind = kind, .span = {a.span.begin, b.span.end}};
  out.parts.push_back(std::move(a));
  out.parts.push_back(std::move(b));
  return out;
}

/// Whether the second part of such a term is not the number 0, if the first is divided by it.
Result<void> has_divisor(TermKind kind, const SizeTerm& second) {
  const bool divides = kind == TermKind::over || kind == TermKind::ceil_over || kind == TermKind::modulo;
  if (!divides || !second.is_number() || second.number != 0) return {};
  return fail(Code::undefined_value, kind == TermKind::modulo ? "modulo by 0" : "division by 0", second.span,
              "use a divisor of at least 1");
}

}  // namespace

bool is_size_word(std::string_view name) {
  constexpr std::string_view words[] = {"in",    "mod", "floordiv", "ceildiv", "min", "max",   "ceil_div",
                                        "where", "and", "or",       "crop",    "o",   "domain"};
  return std::ranges::find(words, name) != std::end(words);
}

void add_names(const SizeTerm& term, std::vector<std::string>& names) {
  if (term.kind == TermKind::name && std::ranges::find(names, term.name) == names.end())
    names.push_back(term.name);
  for (const SizeTerm& part : term.parts) add_names(part, names);
}

std::optional<Integer> evaluate(const SizeTerm& term,
                                const std::map<std::string, Integer, std::less<>>& sizes) {
  if (term.kind == TermKind::number) return term.number;
  if (term.kind == TermKind::name) {
    const auto found = sizes.find(term.name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  }
  const std::optional<Integer> a = evaluate(term.parts[0], sizes);
  if (!a) return std::nullopt;
  if (term.kind == TermKind::negative) return -*a;
  const std::optional<Integer> b = evaluate(term.parts[1], sizes);
  if (!b) return std::nullopt;
  switch (term.kind) {
    case TermKind::plus:
      return checked_add(*a, *b);
    case TermKind::minus:
      return checked_add(*a, -*b);
    case TermKind::times:
      return checked_mul(*a, *b);
    case TermKind::minimum:
      return std::min(*a, *b);
    case TermKind::maximum:
      return std::max(*a, *b);
    default:
      break;
  }
  if (*b < 1) return std::nullopt;
  if (term.kind == TermKind::over) return floor_div(*a, *b);
  return term.kind == TermKind::modulo ? floor_mod(*a, *b) : -floor_div(-*a, *b);
}

bool divides_below_one(const SizeTerm& term, const std::map<std::string, Integer, std::less<>>& sizes) {
  const bool divides =
      term.kind == TermKind::over || term.kind == TermKind::modulo || term.kind == TermKind::ceil_over;
  if (divides) {
    const std::optional<Integer> divisor = evaluate(term.parts[1], sizes);
    if (divisor && *divisor < 1) return true;
  }
  return std::ranges::any_of(term.parts,
                             [&](const SizeTerm& part) { return divides_below_one(part, sizes); });
}

Polynomial polynomial(const SizeTerm& term, Space& space, std::vector<Polynomial>& divisors) {
  if (term.kind == TermKind::number) return term.number;
  if (term.kind == TermKind::name) return Polynomial::of(space.parameter(term.name));
  const Polynomial a = polynomial(term.parts[0], space, divisors);
  if (term.kind == TermKind::negative) return -a;
  const Polynomial b = polynomial(term.parts[1], space, divisors);
  switch (term.kind) {
    case TermKind::plus:
      return a + b;
    case TermKind::minus:
      return a - b;
    case TermKind::times:
      return a * b;
    case TermKind::minimum:
      return space.minimum(a, b);
    case TermKind::maximum:
      return space.maximum(a, b);
    default:
      break;
  }
  if (!(b.is_constant() && b.constant() >= 1)) divisors.push_back(b);
  if (term.kind == TermKind::over) return space.quotient(a, b);
  return term.kind == TermKind::modulo ? a - b * space.quotient(a, b) : space.ceil_quotient(a, b);
}

void TermReader::skip() {
  while (position_ < text_.size() &&
         (text_[position_] == ' ' || (text_[position_] >= '\t' && text_[position_] <= '\r')))
    ++position_;
}

std::size_t TermReader::length() const {
  if (at_end()) return 0;
  std::size_t end = position_;
  const char c = text_[end];
  if (is_digit(c)) {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  } else if (is_letter(c)) {
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  } else {
    const std::string_view two = text_.substr(end, 2);
    for (const std::string_view symbol : {"//", "==", "!=", "<=", ">="}) {
      if (two == symbol) return 2;
    }
    ++end;
    // The bytes of one character beyond ASCII stay together in messages.
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
  }
  return end - position_;
}

bool TermReader::at(std::string_view symbol) const { return !at_end() && peek() == symbol; }

bool TermReader::accept(std::string_view symbol) {
  if (!at(symbol)) return false;
  position_ += symbol.size();
  skip();
  return true;
}

Span TermReader::span() const {
  const auto begin = static_cast<std::uint32_t>(position_) + offset_;
  return {begin, begin + static_cast<std::uint32_t>(length())};
}

Failure TermReader::expected(std::string_view what) const {
  const std::string found = at_end() ? "the end" : fmt::format("'{}'", shortened(peek()));
  return fail(Code::syntax, fmt::format("expected {}, found {}", what, found), span());
}

Result<SizeTerm> TermReader::term() {
  Result<SizeTerm> out = product();
  while (out && (at("+") || at("-"))) {
    if (++operators_ > kSizeLimits.operators)
      return fail(Code::limit, "the terms have too many operators", span());
    const TermKind kind = at("+") ? TermKind::plus : TermKind::minus;
    accept(peek());
    Result<SizeTerm> next = product();
    if (!next) return next;
    out = binary(kind, *std::move(out), *std::move(next));
  }
  return out;
}

Result<SizeTerm> TermReader::product() {
  Result<SizeTerm> out = factor();
  while (out) {
    std::optional<TermKind> kind;
    if (at("*")) kind = TermKind::times;
    if (at("/") || at("//") || at("floordiv")) kind = TermKind::over;
    if (at("%") || at("mod")) kind = TermKind::modulo;
    if (at("ceildiv")) kind = TermKind::ceil_over;
    if (!kind) break;
    if (++operators_ > kSizeLimits.operators)
      return fail(Code::limit, "the terms have too many operators", span());
    accept(peek());
    Result<SizeTerm> next = factor();
    if (!next) return next;
    if (auto divides = has_divisor(*kind, *next); !divides) return fail(std::move(divides.error()));
    out = binary(*kind, *std::move(out), *std::move(next));
  }
  return out;
}

Result<SizeTerm> TermReader::factor() {
  const Span place = span();
  const std::string_view token = peek();
  if (depth_ > kSizeLimits.depth)
    return fail(Code::limit, fmt::format("brackets nested deeper than {} levels", kSizeLimits.depth), place);
  if (token.empty()) return expected("a number, a name or '('");
  if (is_digit(token[0])) {
    Integer value = 0;
    for (const char c : token) {
      value = value * 10 + (c - '0');
      if (value > (Integer{1} << 63) - 1)
        return fail(Code::number_range, fmt::format("'{}' does not fit in 63 bits", shortened(token)), place);
    }
    accept(token);
    if (!at_end() && is_letter(text_[position_]) && place.end == span().begin)
      return fail(Code::syntax, fmt::format("'{}{}' is neither a number nor a name", token, peek()), place,
                  "write a product with '*'");
    return SizeTerm{.number = value, .span = place};
  }
  ++depth_;
  struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  if (accept("-")) {
    Result<SizeTerm> inner = factor();
    if (!inner) return inner;
    SizeTerm out{.kind = TermKind::negative, .span = {place.begin, inner->span.end}};
    out.parts.push_back(*std::move(inner));
    return out;
  }
  if (accept("(")) {
    Result<SizeTerm> inner = term();
    if (!inner) return inner;
    if (!accept(")")) return expected("')'");
    return inner;
  }
  if (!is_letter(token[0])) return expected("a number, a name or '('");
  const bool ceil = token == "ceil_div" || token == "ceildiv";
  if (ceil || token == "min" || token == "max") {
    accept(token);
    if (!accept("(")) return expected(fmt::format("'(' and two terms after {}", token));
    Result<SizeTerm> a = term();
    if (!a) return a;
    if (!accept(",")) return expected("','");
    Result<SizeTerm> b = term();
    if (!b) return b;
    if (!at(")")) return expected("')'");
    const Span close = span();
    accept(")");
    const TermKind kind = ceil ? TermKind::ceil_over : token == "min" ? TermKind::minimum : TermKind::maximum;
    if (auto divides = has_divisor(kind, *b); !divides) return fail(std::move(divides.error()));
    SizeTerm out = binary(kind, *std::move(a), *std::move(b));
    out.span = {place.begin, close.end};
    return out;
  }
  if (is_size_word(token))
    return fail(Code::reserved_name,
                fmt::format("'{}' is a word of the language and cannot be a parameter", token), place,
                "choose another name");
  accept(token);
  return SizeTerm{.kind = TermKind::name, .name = std::string(token), .span = place};
}

}  // namespace tessera::symbolic
