// SPDX-License-Identifier: Apache-2.0
#include "transfer/name_pattern.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/try.h"

namespace tessera::transfer {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || is_decimal(c); });
}

}  // namespace

Result<NamePattern> NamePattern::parse(std::string_view text) {
  NamePattern out;
  out.text_ = text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find_first_of("{}", at), text.size());
    if (open > at)
      out.parts_.push_back({PatternPart::Kind::text, std::string(text.substr(at, open - at)), 0});
    if (open == text.size()) break;
    const std::size_t close = text[open] == '{' ? text.find('}', open) : text.npos;
    const auto wrong = [&](std::string message) {
      const std::size_t end = close == text.npos ? open + 1 : close + 1;
      return fail(Code::syntax, std::move(message),
                  {static_cast<std::uint32_t>(open), static_cast<std::uint32_t>(end)},
                  "write {axis}, {axis:02} or {*word}");
    };
    if (close == text.npos) return wrong("a brace without its partner");
    std::string_view hole = text.substr(open + 1, close - open - 1);
    PatternPart part{PatternPart::Kind::axis, {}, 0};
    if (hole.starts_with('*')) {
      part.kind = PatternPart::Kind::word;
      hole.remove_prefix(1);
    } else if (const std::size_t colon = hole.find(':'); colon != hole.npos) {
      const std::string_view width = hole.substr(colon + 1);
      if (width.size() != 2 || width[0] != '0' || !is_decimal(width[1]) || width[1] == '0')
        return wrong(fmt::format("'{}' is not a number of digits such as 02", width));
      part.digits = static_cast<std::size_t>(width[1] - '0');
      hole = hole.substr(0, colon);
    }
    if (!is_name(hole)) return wrong(fmt::format("'{}' is not a name", hole));
    part.text = hole;
    out.parts_.push_back(std::move(part));
    at = close + 1;
  }
  return out;
}

std::vector<std::string> NamePattern::axes() const {
  std::vector<std::string> out;
  for (const PatternPart& part : parts_) {
    if (part.kind == PatternPart::Kind::axis && std::ranges::find(out, part.text) == out.end())
      out.push_back(part.text);
  }
  return out;
}

bool NamePattern::has_words() const {
  return std::ranges::find(parts_, PatternPart::Kind::word, &PatternPart::kind) != parts_.end();
}

std::optional<NameMatch> NamePattern::match(std::string_view name) const {
  NameMatch out;
  return match_from(0, name, out) ? std::optional(std::move(out)) : std::nullopt;
}

bool NamePattern::match_from(std::size_t number, std::string_view rest, NameMatch& match) const {
  if (number == parts_.size()) return rest.empty();
  const PatternPart& part = parts_[number];
  if (part.kind == PatternPart::Kind::text)
    return rest.starts_with(part.text) && match_from(number + 1, rest.substr(part.text.size()), match);
  if (part.kind == PatternPart::Kind::axis) {
    std::size_t digits = 0;
    while (digits < rest.size() && is_decimal(rest[digits])) ++digits;
    Index value = 0;
    if (digits == 0 || digits < part.digits ||
        std::from_chars(rest.data(), rest.data() + digits, value).ec != std::errc()) {
      return false;
    }
    // A leading zero is allowed only as padding to the minimum number of digits.
    if (digits > std::max<std::size_t>(part.digits, 1) && rest[0] == '0') return false;
    const auto [known, fresh] = match.axes.emplace(part.text, value);
    if (known->second == value && match_from(number + 1, rest.substr(digits), match)) return true;
    if (fresh) match.axes.erase(part.text);
    return false;
  }
  if (const auto known = match.words.find(part.text); known != match.words.end()) {
    return rest.starts_with(known->second) &&
           match_from(number + 1, rest.substr(known->second.size()), match);
  }
  for (std::size_t size = 1; size <= rest.size(); ++size) {
    match.words[part.text] = rest.substr(0, size);
    if (match_from(number + 1, rest.substr(size), match)) return true;
  }
  match.words.erase(part.text);
  return false;
}

Result<std::string> NamePattern::name(const NameMatch& values) const {
  std::string out;
  for (const PatternPart& part : parts_) {
    if (part.kind == PatternPart::Kind::text) {
      out += part.text;
    } else if (part.kind == PatternPart::Kind::word) {
      const auto word = values.words.find(part.text);
      if (word == values.words.end())
        return fail(Code::unknown_name, fmt::format("'{}' has the unknown word '{}'", text_, part.text));
      out += word->second;
    } else {
      const auto axis = values.axes.find(part.text);
      if (axis == values.axes.end())
        return fail(Code::unknown_name, fmt::format("'{}' has no value for '{}'", text_, part.text));
      out += fmt::format("{:0{}}", axis->second, part.digits);
    }
  }
  return out;
}

Result<std::string> NamePattern::without_words(const NameMatch& values) const {
  std::string out;
  for (const PatternPart& part : parts_) {
    if (part.kind == PatternPart::Kind::text) {
      out += part.text;
    } else if (part.kind == PatternPart::Kind::axis) {
      out += part.digits > 0 ? fmt::format("{{{}:0{}}}", part.text, part.digits)
                             : fmt::format("{{{}}}", part.text);
    } else if (const auto word = values.words.find(part.text); word != values.words.end()) {
      out += word->second;
    } else {
      return fail(Code::unknown_name, fmt::format("'{}' has the unknown word '{}'", text_, part.text));
    }
  }
  return out;
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_decimal(a[i]) && is_decimal(b[j])) {
      const auto run = [](std::string_view text, std::size_t& at) {
        while (at + 1 < text.size() && text[at] == '0' && is_decimal(text[at + 1])) ++at;
        const std::size_t begin = at;
        while (at < text.size() && is_decimal(text[at])) ++at;
        return text.substr(begin, at - begin);
      };
      const std::string_view x = run(a, i);
      const std::string_view y = run(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

}  // namespace tessera::transfer
