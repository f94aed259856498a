// SPDX-License-Identifier: Apache-2.0
#include "notation/axe/axe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/try.h"
#include "notation/axe/axes.h"
#include "notation/axe/make_axe.h"
#include "notation/limits.h"
#include "notation/parse_layout.h"
#include "tessera/notation/axe.h"
#include "text/character_class.h"
#include "text/integers.h"

namespace tessera {
namespace {

constexpr std::string_view kAxePrefix = "axe:";

struct AxeStride {
  Index value = 0;
  std::string axis = "m";
};

// The text after the prefix, where it begins, and the position after a shape and its colon.
struct AxeHead {
  std::size_t begin = 0;
  std::size_t end = 0;  // after `shape:`; equal to `begin` without a shape
};

// Skips `8x16` or `(8, 16)` at `at`; the position after it, or npos.
std::size_t after_shape(std::string_view text, std::size_t at) {
  const auto blanks = [&](std::size_t p) { return detail::skip_blanks(text, p); };
  const auto number = [&](std::size_t p) {
    std::size_t q = p < text.size() && text[p] == '-' ? p + 1 : p;
    const std::size_t digits = q;
    while (q < text.size() && detail::is_digit(text[q])) ++q;
    return q == digits ? std::string_view::npos : q;
  };
  const bool bracket = at < text.size() && text[at] == '(';
  std::size_t p = bracket ? blanks(at + 1) : at;
  while (true) {
    p = number(p);
    if (p == std::string_view::npos) return p;
    if (bracket) p = blanks(p);
    if (p >= text.size()) return std::string_view::npos;
    if (bracket && text[p] == ',') {
      p = blanks(p + 1);
      if (p < text.size() && text[p] == ')') return p + 1;
    } else if (!bracket && text[p] == 'x') {
      ++p;
    } else {
      break;
    }
  }
  if (!bracket) return p;
  return text[p] == ')' ? p + 1 : std::string_view::npos;
}

AxeHead axe_head_of(std::string_view text) {
  std::size_t begin = detail::skip_blanks(text, 0);
  if (text.substr(begin).starts_with(kAxePrefix))
    begin = detail::skip_blanks(text, begin + kAxePrefix.size());
  std::size_t end = after_shape(text, begin);
  if (end == std::string_view::npos) return {begin, begin};
  end = detail::skip_blanks(text, end);
  if (end >= text.size() || text[end] != ':') return {begin, begin};
  return {begin, end + 1};
}

class AxeReader {
 public:
  // `text` has blanks in place of the prefix and the shape, so that spans are those of the whole text.
  explicit AxeReader(std::string_view text) : lexer_(text) {}

  Result<void> read_layout(AxeLayout& out, bool inside_swizzle = false) {
    accept_module();
    const Token word = lexer_.peek();
    if (lexer_.accept("TileLayout")) {
      TESSERA_NEED(need("("));
      TESSERA_NEED(read_sum(out));
      return need(")");
    }
    if (!lexer_.accept("ComposeLayout")) return read_sum(out);
    if (inside_swizzle) {
      Diagnostic error{.code = Code::not_applicable,
                       .message = "a layout has one swizzle, but this is a second (swizzle)",
                       .span = word.span};
      error.reason = "swizzle";
      return fail(std::move(error));
    }
    TESSERA_NEED(need("("));
    const std::uint32_t first = lexer_.peek().span.begin;
    Index numbers[3] = {};
    for (Index& number : numbers) {
      TESSERA_TRY(value, detail::read_integer(lexer_));
      number = value;
      swizzle_ = {first, lexer_.taken_end()};
      TESSERA_NEED(need(","));
    }
    const auto [base, bits, shift] = numbers;
    for (const Index number : numbers) {
      if (number > 62 || number < 0 || shift < bits)
        return fail(
            Code::bad_swizzle,
            fmt::format(
                "ComposeLayout({}, {}, {}, ...) is not a swizzle: M, B and S need S >= B >= 0, M >= 0 "
                "and a sum of at most 62",
                base, bits, shift),
            swizzle_);
    }
    TESSERA_NEED(read_layout(out, true));
    bool inner = true;
    if (lexer_.accept(",")) {
      if (lexer_.accept("swizzle_inner")) TESSERA_NEED(need("="));
      if (lexer_.accept("False")) {
        inner = false;
      } else if (!lexer_.accept("True")) {
        return detail::expected(lexer_, "True or False");
      }
    }
    out.swizzle =
        Swizzle{static_cast<int>(bits), static_cast<int>(base), static_cast<int>(inner ? shift : -shift)};
    return need(")");
  }

  Result<void> read_end() {
    if (lexer_.peek().kind != TokenKind::end) return detail::expected(lexer_, "'+' or the end");
    return {};
  }

  // Where an axis is named last.
  std::optional<Span> span_of(const std::string& axis) const {
    const auto found = mentions_.find(axis);
    return found == mentions_.end() ? std::nullopt : std::optional<Span>(found->second);
  }
  Span swizzle_span() const { return swizzle_; }

 private:
  void accept_module() {
    if (!lexer_.peek().is("T")) return;
    lexer_.take();
    if (!lexer_.accept(".")) lost_dot_ = true;
  }

  Result<void> need(std::string_view symbol) {
    if (lost_dot_) return detail::expected(lexer_, "'.' after T");
    if (!lexer_.accept(symbol)) return detail::expected(lexer_, fmt::format("'{}'", symbol));
    return {};
  }

  Result<void> read_sum(AxeLayout& out) {
    const std::uint32_t begin = lexer_.peek().span.begin;
    TESSERA_NEED(read_terms(out, 0));
    if (!has_sharded_ && !has_replicas_) {
      return fail(Code::syntax, "a layout needs S[...] or R[...]", Span{begin, lexer_.taken_end()},
                  "write the extents and strides of the tile: S[(8,4):(4@laneid,1@laneid)]");
    }
    return {};
  }

  Result<void> read_terms(AxeLayout& out, int depth) {
    do {
      TESSERA_NEED(read_term(out, depth));
    } while (lexer_.accept("+"));
    return {};
  }

  Result<void> read_term(AxeLayout& out, int depth) {
    accept_module();
    if (lost_dot_) return detail::expected(lexer_, "'.' after T");
    const Token next = lexer_.peek();
    if (next.is("S") || next.is("R")) {
      lexer_.take();
      bool& seen = next.is("S") ? has_sharded_ : has_replicas_;
      if (seen) {
        return fail(Code::syntax, fmt::format("{} is given twice", next.text), next.span,
                    fmt::format("write all iterators in one {}[...]", next.text));
      }
      seen = true;
      return read_iterators(next.is("S") ? out.sharded : out.replicas);
    }
    if (next.is("(")) {
      if (depth >= detail::kNotationLimits.axe.brackets)
        return fail(Code::limit,
                    fmt::format("brackets are nested deeper than {}", detail::kNotationLimits.axe.brackets),
                    next.span);
      lexer_.take();
      TESSERA_NEED(read_terms(out, depth + 1));
      return need(")");
    }
    if (next.kind != TokenKind::integer && !next.is("-"))
      return detail::expected(lexer_, "S[...], R[...] or an offset");
    TESSERA_TRY(offset, read_stride());
    out.offsets.push_back({offset.value, offset.axis});
    return {};
  }

  Result<AxeStride> read_stride() {
    AxeStride out;
    const std::uint32_t begin = lexer_.peek().span.begin;
    TESSERA_TRY(value, detail::read_integer(lexer_));
    out.value = value;
    if (lexer_.accept("@")) {
      if (lexer_.peek().is("Axis")) {
        lexer_.take();
        TESSERA_NEED(need("."));
      }
      if (lexer_.peek().kind != TokenKind::name)
        return detail::expected(lexer_, "the name of an axis after '@'");
      out.axis = lexer_.take().text;
    }
    mentions_.insert_or_assign(out.axis, Span{begin, lexer_.taken_end()});
    return out;
  }

  Result<Index> read_extent() {
    const std::uint32_t begin = lexer_.peek().span.begin;
    TESSERA_TRY(extent, detail::read_integer(lexer_));
    if (extent < 1)
      return fail(Code::bad_extent, fmt::format("the extent {} is below 1", extent),
                  Span{begin, lexer_.taken_end()});
    return extent;
  }

  // `each` until the closing bracket; a comma may end the list.
  template <class Each>
  Result<void> read_list(const Each& each) {
    do {
      TESSERA_NEED(each());
    } while (lexer_.accept(",") && !lexer_.peek().is(")"));
    if (!lexer_.accept(")")) return detail::expected(lexer_, "',' or ')'");
    return {};
  }

  Result<void> read_iterators(std::vector<AxeIterator>& out) {
    TESSERA_NEED(need("["));
    const auto extent = [&]() -> Result<void> {
      TESSERA_TRY(value, read_extent());
      out.push_back({value, 0});
      return {};
    };
    bool bare = false;
    if (lexer_.accept("(")) {
      TESSERA_NEED(read_list(extent));
    } else {
      TESSERA_NEED(extent());
      while (lexer_.accept(",")) {
        bare = true;
        TESSERA_NEED(extent());
      }
    }
    if (bare || !lexer_.accept(":")) {
      if (!lexer_.accept("]"))
        return detail::expected(lexer_, bare ? "',' or ']'" : "':' and strides, or ']'");
      Index stride = 1;
      for (std::size_t i = out.size(); i-- > 0;) {
        out[i].stride = stride;
        if (mul_overflows(stride, out[i].extent, stride))
          return fail(Code::overflow, "the extents multiply to more than 64 bits");
      }
      return {};
    }
    const std::uint32_t begin = lexer_.peek().span.begin;
    std::vector<AxeStride> strides;
    const auto stride = [&]() -> Result<void> {
      TESSERA_TRY(value, read_stride());
      strides.push_back(std::move(value));
      return {};
    };
    if (lexer_.accept("(")) {
      TESSERA_NEED(read_list(stride));
    } else {
      TESSERA_NEED(stride());
    }
    if (strides.size() != out.size()) {
      return fail(Code::not_congruent,
                  fmt::format("the number of extents is {}, but the number of strides is {}", out.size(),
                              strides.size()),
                  Span{begin, lexer_.taken_end()}, "give one stride for each extent");
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].stride = strides[i].value;
      out[i].axis = std::move(strides[i].axis);
    }
    return need("]");
  }

  Lexer lexer_;
  bool has_sharded_ = false;
  bool has_replicas_ = false;
  bool lost_dot_ = false;
  Span swizzle_ = {};
  std::map<std::string, Span> mentions_;
};

// The numbers of a shape. Errors have spans in the whole text.
Result<std::vector<Index>> read_shape(std::string_view text, AxeHead head) {
  std::string blanked(head.begin, ' ');
  for (const char c : text.substr(head.begin, head.end - head.begin - 1))
    blanked += c == 'x' || c == '(' || c == ')' || c == ',' ? ' ' : c;
  Lexer lexer(blanked);
  std::vector<Index> out;
  while (lexer.peek().kind != TokenKind::end) {
    const std::uint32_t begin = lexer.peek().span.begin;
    TESSERA_TRY(extent, detail::read_integer(lexer));
    if (extent < 1)
      return fail(Code::bad_extent, fmt::format("the extent {} is below 1", extent),
                  Span{begin, lexer.taken_end()});
    out.push_back(extent);
  }
  return out;
}

std::string iterator_list(std::span<const AxeIterator> iterators) {
  const auto stride = [](const AxeIterator& iterator) {
    return iterator.axis == "m" ? fmt::format("{}", iterator.stride)
                                : fmt::format("{}@{}", iterator.stride, iterator.axis);
  };
  if (iterators.size() == 1) return fmt::format("[{}:{}]", iterators[0].extent, stride(iterators[0]));
  std::string extents;
  std::string strides;
  for (const AxeIterator& iterator : iterators) {
    const char* const comma = extents.empty() ? "" : ",";
    extents += fmt::format("{}{}", comma, iterator.extent);
    strides += comma + stride(iterator);
  }
  return fmt::format("[({}):({})]", extents, strides);
}

}  // namespace

std::vector<Index> detail::default_shape(const AxeLayout& layout) {
  std::vector<Index> out;
  for (const AxeIterator& iterator : layout.sharded) out.push_back(iterator.extent);
  if (out.empty()) out.push_back(1);
  return out;
}

Result<AxeLayout> parse_axe(std::string_view text) {
  return detail::parse_axe(text, detail::AxeEnds::checked);
}

Result<AxeLayout> detail::parse_axe(std::string_view text, AxeEnds ends) {
  const AxeHead head = axe_head_of(text);
  AxeLayout out;
  if (head.end != head.begin) {
    TESSERA_TRY(shape, read_shape(text, head));
    out.shape = std::move(shape);
  }
  std::string blanked(text);
  std::fill_n(blanked.begin(), head.end, ' ');
  AxeReader reader(blanked);
  TESSERA_NEED(reader.read_layout(out));
  TESSERA_NEED(reader.read_end());
  if (head.end == head.begin) out.shape = default_shape(out);
  if (auto fault = detail::find_fault(out, ends)) {
    Diagnostic error = std::move(fault->error);
    error.span = detail::whole_span(text);
    if (error.code == Code::shape_mismatch)
      error.span = {static_cast<std::uint32_t>(head.begin), static_cast<std::uint32_t>(head.end - 1)};
    if (error.code == Code::bad_swizzle) error.span = reader.swizzle_span();
    if (const auto span = reader.span_of(fault->axis)) error.span = *span;
    return fail(std::move(error));
  }
  return out;
}

std::string to_string(const AxeLayout& layout) {
  std::string sum;
  const auto add = [&](const std::string& term) { sum += (sum.empty() ? "" : " + ") + term; };
  if (!layout.sharded.empty()) add("S" + iterator_list(layout.sharded));
  if (!layout.replicas.empty()) add("R" + iterator_list(layout.replicas));
  for (const AxeOffset& offset : layout.offsets) {
    const auto on_axis = [&](const AxeIterator& iterator) { return iterator.axis == offset.axis; };
    const bool elsewhere =
        std::ranges::any_of(layout.sharded, on_axis) || std::ranges::any_of(layout.replicas, on_axis);
    if (offset.value == 0 && (elsewhere || detail::axe_role(offset.axis) == AxisRole::memory)) continue;
    add(offset.axis == "m" ? fmt::format("{}", offset.value)
                           : fmt::format("{}@{}", offset.value, offset.axis));
  }
  std::string shape;
  if (layout.shape != detail::default_shape(layout)) {
    for (const Index extent : layout.shape) shape += fmt::format("{}{}", shape.empty() ? "" : "x", extent);
    shape += ":";
  }
  if (layout.swizzle) {
    const auto [bits, base, shift] = *layout.swizzle;
    sum = fmt::format("ComposeLayout({}, {}, {}, {}{})", base, bits, shift < 0 ? -shift : shift, sum,
                      shift < 0 ? ", False" : "");
  }
  return std::string(kAxePrefix) + shape + sum;
}

namespace {

bool begins_layout(std::string_view rest) {
  if (rest.starts_with("T.")) rest.remove_prefix(2);
  for (const std::string_view word : {"S[", "R[", "TileLayout(", "ComposeLayout("}) {
    if (rest.starts_with(word)) return true;
  }
  return false;
}

// Skips offsets and opening brackets of a sum: `5@warpid + (3 + `.
std::size_t after_offsets(std::string_view text, std::size_t at) {
  const auto skip = [&](const auto& in_token) {
    const std::size_t begin = at;
    while (at < text.size() && in_token(text[at])) ++at;
    return at != begin;
  };
  const auto blanks = [&] { at = detail::skip_blanks(text, at); };
  while (true) {
    blanks();
    if (at < text.size() && text[at] == '(') {
      ++at;
      continue;
    }
    const std::size_t term = at;
    if (at < text.size() && text[at] == '-') ++at;
    if (!skip(detail::is_digit)) return term;
    blanks();
    if (at < text.size() && text[at] == '@') {
      ++at;
      blanks();
      if (!skip([](char c) { return detail::is_word(c) || c == '.'; })) return term;
      blanks();
    }
    if (at >= text.size() || text[at] != '+') return term;
    ++at;
  }
}

}  // namespace

bool detail::begins_axe(std::string_view text) {
  const std::size_t begin = skip_blanks(text, 0);
  return text.substr(begin).starts_with(kAxePrefix) ||
         begins_layout(text.substr(skip_blanks(text, axe_head_of(text).end)));
}

std::size_t detail::axe_length(std::string_view text) {
  int depth = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && --depth < 0) break;
    if (depth == 0 && std::string_view(",;=!<>").find(c) != std::string_view::npos) break;
  }
  while (at > 0 && is_white_space(text[at - 1])) --at;
  return at;
}

bool is_axe_text(std::string_view text) {
  return detail::begins_axe(text) || begins_layout(text.substr(after_offsets(text, axe_head_of(text).end)));
}

}  // namespace tessera
