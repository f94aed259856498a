// SPDX-License-Identifier: Apache-2.0
#include "ttgir/lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "text/character_class.h"

namespace tessera::ttgir {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool is_name(char c) { return detail::is_word(c) || c == '.' || c == '$' || c == '-'; }

// Older names of dialects.
std::string todays(std::string_view op) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOld = {
      std::pair{"triton_gpu.", "ttg."}, std::pair{"triton_nvidia_gpu.", "ttng."},
      std::pair{"amdgpu.", "amdg."}};
  for (const auto& [old, now] : kOld) {
    if (op.starts_with(old)) return std::string(now) + std::string(op.substr(old.size()));
  }
  return std::string(op);
}

// Cuts ` loc(...)` off the end.
void cut_location(TtgirLine& line) {
  if (line.text.empty() || line.text.back() != ')') return;
  const std::size_t at = line.text.rfind(" loc(");
  // A location may hold others, so its beginning is the one whose bracket closes at the end.
  for (std::size_t begin = at; begin != std::string_view::npos;
       begin = begin == 0 ? std::string_view::npos : line.text.rfind(" loc(", begin - 1)) {
    if (closing(line.text, begin + 4) != line.text.size() - 1) continue;
    line.location = line.text.substr(begin + 5, line.text.size() - begin - 6);
    line.text = trimmed(line.text.substr(0, begin));
    return;
  }
}

void read_operation(TtgirLine& line) {
  std::string_view rest = line.text;
  if (rest.starts_with("%")) {
    const std::size_t equal = rest.find(" = ");
    if (equal == std::string_view::npos) return;
    line.results = values_in(rest.substr(0, equal));
    rest = trimmed(rest.substr(equal + 3));
  }
  const bool quoted = rest.starts_with("\"");
  if (quoted) rest.remove_prefix(1);
  std::size_t end = 0;
  while (end < rest.size() && is_name(rest[end])) ++end;
  const std::string_view name = rest.substr(0, end);
  if (name.find('.') == std::string_view::npos) return;
  line.op = todays(name);
  rest.remove_prefix(end);
  if (quoted && rest.starts_with("\"")) rest.remove_prefix(1);
  line.rest = rest;
}

}  // namespace

std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if ((c == '>' && !arrow) || c == ')' || c == ']' || c == '}') {
      if (--depth == 0) return i;
    }
  }
  return std::string_view::npos;
}

std::vector<TtgirLine> lines_of(std::string_view text) {
  std::vector<TtgirLine> lines;
  Index number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    TtgirLine line;
    line.number = ++number;
    line.text = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.text.empty() || line.text.starts_with("//")) continue;
    if (!line.text.starts_with("#")) cut_location(line);
    line.closes = line.text.starts_with("}");
    line.opens = line.text.ends_with("{");
    if (!line.closes && !line.text.starts_with("#") && !line.text.starts_with("^")) read_operation(line);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string_view types_of(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  std::size_t at = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if ((c == '>' && !arrow) || c == ')' || c == ']' || c == '}') --depth;
    if (c == ':' && depth == 0) at = i + 1;
  }
  return at == std::string_view::npos ? std::string_view{} : trimmed(text.substr(at));
}

std::vector<std::string_view> tensor_types(std::string_view types) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::size_t open = std::string_view::npos;
    for (const std::string_view start :
         {"tensor<", "!ttg.memdesc<", "!tt.memdesc<", "!triton_gpu.memdesc<", "<"}) {
      if (types.substr(i).starts_with(start)) {
        open = i + start.size() - 1;
        break;
      }
    }
    if (open == std::string_view::npos) continue;
    const std::size_t end = closing(types, open);
    if (end == std::string_view::npos) break;
    const bool other = types[i] == '<' && i > 0 && is_name(types[i - 1]);  // `!tt.ptr<f16>`
    if (!other) out.push_back(types.substr(i, end - i + 1));
    i = end;
  }
  return out;
}

std::vector<std::string_view> values_in(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (is_name(text[end]) || text[end] == '#')) ++end;
    out.push_back(text.substr(at, end - at));
  }
  return out;
}

std::optional<Index> integer_key(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    std::string_view rest = trimmed(text.substr(at + key.size()));
    if (rest.starts_with("\"")) rest = trimmed(rest.substr(1));
    if (!rest.starts_with("=")) continue;
    rest = trimmed(rest.substr(1));
    Index value = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc()) return value;
  }
  return std::nullopt;
}

std::optional<std::vector<std::size_t>> permutation_of(std::string_view text) {
  const std::size_t at = text.find("order = array<");
  const std::size_t begin = at == std::string_view::npos ? at : text.find(':', at);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = std::min(text.find('>', begin), text.size());
  std::vector<std::size_t> out;
  std::size_t number = 0;
  bool digit = false;
  for (std::size_t i = begin + 1; i <= end; ++i) {
    const char c = i < end ? text[i] : ',';
    if (c >= '0' && c <= '9') {
      digit = true;
      number = std::min<std::size_t>(number * 10 + static_cast<std::size_t>(c - '0'), 1000);
    } else if (digit) {
      out.push_back(number);
      number = 0;
      digit = false;
    }
  }
  std::vector<std::size_t> sorted = out;
  std::ranges::sort(sorted);
  for (std::size_t d = 0; d < sorted.size(); ++d) {
    if (sorted[d] != d) return std::nullopt;
  }
  return out;
}

}  // namespace tessera::ttgir
