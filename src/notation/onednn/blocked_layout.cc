// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/blocked_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "base/plural.h"
#include "notation/onednn/blocked_memory.h"
#include "notation/onednn/format_tag.h"
#include "notation/xla/dtype_help.h"
#include "text/character_class.h"
#include "text/scanner.h"

namespace tessera {
namespace {

class BlockedReader : public detail::Scanner {
 public:
  using Scanner::Scanner;

  Result<BlockedLayout> read() {
    if (auto shape = read_shape(); !shape) return fail(shape.error());
    if (!accept(":"))
      return expected(out_.dtype ? "':' and a format tag"
                                 : "'x' and another extent, or ':' and a format tag");
    const std::size_t begin = next();
    while (detail::is_word(here())) ++pos_;
    if (pos_ == begin) return expected("a format tag such as aBcd16b");
    auto tag = detail::parse_format_tag(text_.substr(begin, pos_ - begin), out_.shape.size());
    if (!tag) {
      tag.error().span.begin += static_cast<std::uint32_t>(begin);
      tag.error().span.end += static_cast<std::uint32_t>(begin);
      return fail(tag.error());
    }
    out_.order = std::move(tag->order);
    out_.blocks = std::move(tag->blocks);
    std::vector<Span> strides;
    std::vector<Span> padded;
    if (accept(":")) {
      if (const auto good = read_list("strides", out_.strides, strides); !good) return fail(good.error());
    }
    if (accept("padded")) {
      if (const auto good = read_list("padded extents", out_.padded, padded); !good)
        return fail(good.error());
    }
    const bool plain = strides.empty() && padded.empty();
    const auto done =
        end(!padded.empty()    ? "the end of the layout"
            : !strides.empty() ? "' padded' and extents, or the end of the layout"
                               : "':' and strides, ' padded' and extents, or the end of the layout");
    if (!done) return fail(done.error());
    if (plain) return std::move(out_);
    detail::BlockedMemory memory;
    if (auto fault = detail::measure(out_, memory)) {
      using Part = detail::BlockedFault::Part;
      if (fault->part == Part::strides) fault->error.span = strides[fault->dim];
      if (fault->part == Part::padded) fault->error.span = padded[fault->dim];
      if (fault->part == Part::whole) fault->error.span = span(0, text_.size());
      return fail(std::move(fault->error));
    }
    return std::move(out_);
  }

 private:
  // Reads `2x32x7x7`, `2,32,7,7`, `(2,32,7,7)` or `f32[2,32,7,7]`.
  Result<void> read_shape() {
    const std::size_t begin = next();
    while (detail::is_word(here())) ++pos_;
    const std::string_view word = text_.substr(begin, pos_ - begin);
    std::string_view close;
    if (!word.empty() && !detail::is_digit(word[0])) {
      if (detail::parse_format_tag(word, std::nullopt) && next() == text_.size()) {
        return fail(Code::missing_layout, "a format tag needs a shape", span(begin, pos_),
                    fmt::format("write the shape before it: 2x32x7x7:aBcd16b"));
      }
      out_.dtype = parse_dtype(word);
      if (!out_.dtype) {
        return fail(Code::unknown_type, fmt::format("unknown type '{}'", word), span(begin, pos_),
                    dtype_help(word));
      }
      if (!accept("[")) return expected("'[' and the extents");
      close = "]";
    } else {
      pos_ = begin;
      if (accept("(")) close = ")";
    }
    do {
      const auto extent = integer();
      if (!extent) return fail(extent.error());
      out_.shape.push_back(*extent);
    } while (accept(",") || (close.empty() && accept("x")));
    if (!close.empty() && !accept(close))
      return expected(fmt::format("',' and another extent, or '{}'", close));
    if (out_.shape.size() > kMaxTagDims) {
      return fail(Code::rank_mismatch,
                  fmt::format("the layout has {} dimensions, but a format tag has at most {}",
                              out_.shape.size(), kMaxTagDims),
                  span(begin, pos_));
    }
    return {};
  }

  // Reads `2x48x8x7`: one number for each dimension. `spans` are those of the numbers.
  Result<void> read_list(std::string_view what, std::vector<Index>& list, std::vector<Span>& spans) {
    do {
      const std::size_t begin = next();
      const auto number = integer();
      if (!number) return fail(number.error());
      list.push_back(*number);
      spans.push_back(span(begin, pos_));
    } while (accept("x") || accept(","));
    if (list.size() == out_.shape.size()) return {};
    return fail(Code::rank_mismatch,
                fmt::format("the layout has {}, but {} {}", detail::plural(out_.shape.size(), "dimension"),
                            list.size(), list.size() == 1 ? what.substr(0, what.size() - 1) : what),
                {spans.front().begin, spans.back().end},
                "give one number for each dimension, in the order a, b, c, ...");
  }

  BlockedLayout out_;
};

}  // namespace

Index BlockedLayout::offset(std::span<const Index> index) const {
  Index sum = 0;
  Index stride = 1;
  std::vector<Index> covered(shape.size(), 1);
  for (std::size_t k = blocks.size(); k-- > 0;) {
    const auto dim = static_cast<std::size_t>(blocks[k].dim);
    sum += index[dim] / covered[dim] % blocks[k].size * stride;
    stride *= blocks[k].size;
    covered[dim] *= blocks[k].size;
  }
  for (std::size_t k = order.size(); k-- > 0;) {
    const auto dim = static_cast<std::size_t>(order[k]);
    sum += index[dim] / covered[dim] * (strides.empty() ? stride : strides[dim]);
    stride *= ceil_div(padded.empty() ? shape[dim] : padded[dim], covered[dim]);
  }
  return sum;
}

Result<BlockedLayout> parse_blocked_layout(std::string_view text) { return BlockedReader(text).read(); }

bool is_format_tag(std::string_view word) { return detail::parse_format_tag(word, std::nullopt).has_value(); }

std::string format_tag(const BlockedLayout& layout) {
  return to_string(detail::FormatTag{layout.order, layout.blocks});
}

std::string to_string(const BlockedLayout& layout) {
  const std::string shape =
      layout.dtype ? fmt::format("{}[{}]", to_string(*layout.dtype), fmt::join(layout.shape, ","))
                   : fmt::format("{}", fmt::join(layout.shape, "x"));
  std::string text = fmt::format("{}:{}", shape, format_tag(layout));
  if (!layout.strides.empty()) text += fmt::format(":{}", fmt::join(layout.strides, "x"));
  if (!layout.padded.empty()) text += fmt::format(" padded {}", fmt::join(layout.padded, "x"));
  return text;
}

}  // namespace tessera
