// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/unknown_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/character_class.h"

namespace tessera::symbolic {
namespace {

/// The quoted text of a wrapper, or the whole text: its first character and its end.
struct Inside {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Unknowns {
 public:
  Unknowns(std::string_view text, std::size_t first) : text_(text), next_(first) {}

  Result<NamedUnknowns> read() {
    Result<Inside> inside = unwrapped();
    if (!inside) return fail(inside.error());
    // Whether a number is a stride, for each open bracket: inside it, and where it began.
    std::vector<std::pair<bool, bool>> strides = {{false, false}};
    bool colon = false;
    for (at_ = inside->begin; at_ < inside->end;) {
      const char c = text_[at_];
      if (c == '?') {
        if (Result<void> read = unknown(strides.back().first, inside->end); !read) return fail(read.error());
        continue;
      }
      if (c == '(') strides.emplace_back(strides.back().first, strides.back().first);
      if (c == ')' && strides.size() > 1) strides.pop_back();
      if (c == ',') strides.back().first = strides.back().second;
      if (c == ':') {
        strides.back().first = true;
        colon = true;
      }
      out_.text += c;
      out_.places.push_back(static_cast<std::uint32_t>(at_++));
    }
    // One extent alone is a compact layout.
    if (!colon && out_.count == 1 && out_.text.find_first_of("(,") == std::string::npos) {
      out_.text += ":1";
      out_.places.insert(out_.places.end(), 2, static_cast<std::uint32_t>(inside->end));
    }
    out_.places.push_back(static_cast<std::uint32_t>(inside->end));
    std::string where = divisors_;
    where += (where.empty() || intervals_.empty() ? "" : ", ") + intervals_;
    if (where.empty()) return std::move(out_);
    Result<AssumptionList> list = AssumptionList::parse(where);
    if (!list) return fail(list.error());
    out_.where = *std::move(list);
    return std::move(out_);
  }

 private:
  Failure problem(Code code, std::size_t begin, std::size_t end, std::string what,
                  std::string help = {}) const {
    return fail(code, std::move(what),
                Span{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, std::move(help));
  }

  Result<Inside> unwrapped() const {
    std::size_t begin = 0;
    while (begin < text_.size() && detail::is_white_space(text_[begin])) ++begin;
    if (!text_.substr(begin).starts_with("!cute.")) return Inside{0, text_.size()};
    const std::string_view rest = text_.substr(begin);
    if (!rest.starts_with("!cute.layout<") && !rest.starts_with("!cute.memref<"))
      return problem(Code::syntax, begin, text_.size(), "this type of CuTe's IR is not a layout",
                     "write !cute.layout<\"(16,?):(1,16)\">, or the layout alone");
    const std::size_t close = text_.rfind('"');
    const std::size_t open =
        close == std::string_view::npos || close == 0 ? close : text_.rfind('"', close - 1);
    if (open == std::string_view::npos || open == close)
      return problem(Code::syntax, begin, text_.size(), "expected a layout in quotes",
                     "write !cute.layout<\"(16,?):(1,16)\">, or the layout alone");
    std::size_t after = close + 1;
    while (after < text_.size() && detail::is_white_space(text_[after])) ++after;
    if (text_.substr(after) != ">")
      return problem(Code::syntax, after, std::min(after + 1, text_.size()), "expected '>' and the end");
    return Inside{open + 1, close};
  }

  // `?` with its attributes, at at_.
  Result<void> unknown(bool stride, std::size_t end) {
    const std::size_t begin = at_;
    std::size_t before = begin;
    while (before > 0 && detail::is_white_space(text_[before - 1])) --before;
    const bool begins =
        before == 0 || std::string_view("(,:\"").find(text_[before - 1]) != std::string_view::npos;
    if (!begins)
      return problem(Code::syntax, begin, begin + 1, "'?' is a whole extent or stride, without an operator",
                     "use a name for a size: 2*N");
    ++at_;
    const std::string name = fmt::format("x{}", next_++);
    bool wide = false;
    if (at_ < end && text_[at_] == '{') {
      if (Result<void> read = attributes(name, wide, end); !read) return read;
    }
    std::size_t after = at_;
    while (after < end && detail::is_white_space(text_[after])) ++after;
    if (after < end && std::string_view("),:@").find(text_[after]) == std::string_view::npos)
      return problem(Code::syntax, after, after + 1, "expected ',', ':' or ')' after '?'",
                     "use a name for a size: 2*N");
    intervals_ += fmt::format("{}{} in [{}, {}]", intervals_.empty() ? "" : ", ", name, stride ? 0 : 1,
                              wide ? "9223372036854775807" : "2147483647");
    out_.text += name;
    out_.places.insert(out_.places.end(), name.size(), static_cast<std::uint32_t>(begin));
    ++out_.count;
    return {};
  }

  // `{i64 div=16}`.
  Result<void> attributes(const std::string& name, bool& wide, std::size_t end) {
    const std::size_t open = at_++;
    const std::size_t close = std::min(text_.find('}', open), end);
    if (close == end) return problem(Code::syntax, open, open + 1, "expected '}'");
    const auto separates = [](char c) { return c == ',' || detail::is_white_space(c); };
    while (at_ < close) {
      if (separates(text_[at_])) {
        ++at_;
        continue;
      }
      const std::size_t begin = at_;
      while (at_ < close && !separates(text_[at_])) ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      if (word == "i64" || word == "i32") {
        wide = word == "i64";
        continue;
      }
      if (!word.starts_with("div="))
        return problem(Code::unknown_attribute, begin, at_,
                       fmt::format("'{}' is not known of a number", word),
                       "the attributes are i32, i64 and div=16");
      Integer divisor = 0;
      for (const char c : word.substr(4)) {
        if (!detail::is_digit(c) || divisor > (Integer{1} << 62))
          return problem(Code::syntax, begin, at_, "a divisor is a number of 63 bits", "write div=16");
        divisor = divisor * 10 + (c - '0');
      }
      if (word.size() == 4)
        return problem(Code::syntax, begin, at_, "expected a number after 'div='", "write div=16");
      if (divisor == 0)
        return problem(Code::bad_attribute, begin, at_, "nothing is divisible by 0",
                       "write div=16, or leave it out");
      divisors_ += fmt::format("{}{} % {} == 0", divisors_.empty() ? "" : ", ", name, to_string(divisor));
    }
    at_ = close + 1;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t next_;
  std::string divisors_;
  std::string intervals_;
  NamedUnknowns out_;
};

}  // namespace

Span NamedUnknowns::original(Span span) const {
  const auto place = [&](std::uint32_t at) { return places[std::min<std::size_t>(at, places.size() - 1)]; };
  return {place(span.begin), std::max(place(span.begin), place(span.end))};
}

bool has_unknowns(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with("!cute.")) return true;
  // Only CuTe's IR writes ? for a number of its own.
  const std::size_t prefix = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  if (prefix != 0 && prefix < text.size() && text[prefix] == ':' && !text.starts_with("cute:")) return false;
  return text.find('?') != std::string_view::npos;
}

std::size_t first_unknown(std::string_view text) {
  std::size_t first = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i++;
    if (!detail::is_word(text[begin])) continue;
    while (i < text.size() && detail::is_word(text[i])) ++i;
    // Numbers of ten digits are never reached.
    if (text[begin] != 'x' || i - begin < 2 || i - begin > 10) continue;
    std::size_t number = 0;
    const auto digits = text.substr(begin + 1, i - begin - 1);
    if (!std::ranges::all_of(digits, detail::is_digit)) continue;
    for (const char c : digits) number = number * 10 + static_cast<std::size_t>(c - '0');
    first = std::max(first, number + 1);
  }
  return first;
}

std::size_t unknown_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '?'));
}

Result<NamedUnknowns> named_unknowns(std::string_view text, std::size_t first) {
  return Unknowns(text, first).read();
}

Result<SymbolicLayout> parse_with_unknowns(std::string_view text, std::size_t first) {
  const std::size_t split = assumptions_at(text);
  const std::string_view layout = text.substr(0, split);
  if (!has_unknowns(layout)) return SymbolicLayout::parse(text);
  Result<NamedUnknowns> named = named_unknowns(layout, std::max(first, first_unknown(text)));
  if (!named) return fail(named.error());
  std::string whole = named->text;
  std::string where = named->where.text();
  if (split != text.size()) where += (where.empty() ? "" : ",") + std::string(text.substr(split + 5));
  if (!where.empty()) whole += " where " + where;
  Result<SymbolicLayout> out = SymbolicLayout::parse(whole);
  if (out) return out;
  Diagnostic error = std::move(out.error());
  error.span = named->original(error.span);
  return fail(std::move(error));
}

}  // namespace tessera::symbolic
