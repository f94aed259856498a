// SPDX-License-Identifier: Apache-2.0
// Attributes with a value for each dimension: slices, paddings, windows, and the labels of a convolution.
#include "hlo/syntax/dimension_attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "hlo/syntax/attribute_reader.h"
#include "hlo/syntax/lexer.h"

namespace tessera {

using detail::HloLexer;
using detail::read_list;
using detail::read_value;

namespace {

bool read_slice_range(HloLexer& lexer, SliceRange& range) {
  if (!lexer.need('[', "'['") || !lexer.integer(range.start, "a start") ||
      !lexer.need(':', "':' between start and limit") || !lexer.integer(range.limit, "a limit")) {
    return false;
  }
  if (lexer.accept(':') && !lexer.integer(range.stride, "a stride")) return false;
  return lexer.need(']', "']' after a range");
}

// integer { 'x' integer }
template <class Item>
bool read_by_x(HloLexer& lexer, Item item) {
  do {
    if (!item()) return false;
  } while (lexer.peek() == 'x' && (lexer.advance(1), true));
  return true;
}

bool read_pad_range(HloLexer& lexer, PadRange& range) {
  if (!lexer.integer(range.low, "low_high[_interior]") || !lexer.need('_', "'_' and the high padding") ||
      !lexer.integer(range.high, "the high padding")) {
    return false;
  }
  if (lexer.peek() != '_') return true;
  lexer.advance(1);
  return lexer.integer(range.interior, "the interior padding");
}

// Reads one field of a window. The first field sets the number of dimensions.
bool read_window_field(HloLexer& lexer, std::string_view field, std::vector<WindowDim>& dims, bool& sized) {
  std::size_t count = 0;
  const auto next = [&]() -> WindowDim* {
    if (count == dims.size()) {
      if (sized) return nullptr;
      dims.emplace_back();
    }
    return &dims[count++];
  };
  const std::size_t begin = lexer.position();
  const bool read = read_by_x(lexer, [&] {
    WindowDim* const dim = next();
    if (dim == nullptr) {
      return lexer.fail_at(
          begin, Code::rank_mismatch,
          fmt::format("'{1}' has more than {0}", detail::plural(dims.size(), "entry"), field));
    }
    if (field == "size") return lexer.integer(dim->size, "a size");
    if (field == "stride") return lexer.integer(dim->stride, "a stride");
    if (field == "lhs_dilate") return lexer.integer(dim->lhs_dilate, "a dilation");
    if (field == "rhs_dilate") return lexer.integer(dim->rhs_dilate, "a dilation");
    if (field == "pad") {
      return lexer.integer(dim->pad_low, "low_high") && lexer.need('_', "'_' and the high padding") &&
             lexer.integer(dim->pad_high, "the high padding");
    }
    Index reversed = 0;
    if (!lexer.integer(reversed, "0 or 1")) return false;
    dim->reversed = reversed != 0;
    return reversed == 0 || reversed == 1 || lexer.fail_at(begin, Code::syntax, "a reversal must be 0 or 1");
  });
  if (!read) return false;
  if (count != dims.size()) {
    return lexer.fail_at(
        begin, Code::rank_mismatch,
        fmt::format("'{}' has {}, but the window has {}", field, detail::plural(count, "entry"),
                    detail::plural(dims.size(), "dimension")),
        lexer.position() - begin);
  }
  sized = true;
  return true;
}

bool read_window_into(HloLexer& lexer, std::vector<WindowDim>& dims) {
  static constexpr std::string_view kFields[] = {"size",       "stride",     "pad",
                                                 "lhs_dilate", "rhs_dilate", "rhs_reversal"};
  bool sized = false;
  unsigned seen = 0;
  if (!lexer.need('{', "'{' of a window")) return false;
  while (!lexer.accept('}')) {
    if (!lexer.skip()) return false;
    const std::size_t begin = lexer.position();
    const std::string_view field = lexer.identifier();
    const auto found = std::ranges::find(kFields, field);
    if (found == std::end(kFields)) {
      lexer.seek(begin);
      return lexer.expected("size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal or '}'");
    }
    const unsigned bit = 1u << (found - std::begin(kFields));
    if ((seen & bit) != 0) return lexer.fail_at(begin, Code::syntax, fmt::format("'{}' occurs twice", field));
    seen |= bit;
    if (!lexer.need('=', "'=' after the field") || !read_window_field(lexer, field, dims, sized))
      return false;
  }
  return !lexer.error.has_value();
}

// Reads one of the three label lists of a convolution: letters for two roles, digits for the spatial
// dimensions.
bool read_labels(HloLexer& lexer, char first, char second, Index& first_dim, Index& second_dim,
                 std::vector<Index>& spatial, std::size_t& rank) {
  const std::size_t begin = lexer.position();
  std::vector<std::pair<Index, Index>> numbered;  // digit, dimension
  Index dim = 0;
  for (;; ++dim) {
    const char c = lexer.peek();
    if (c == first || c == second) {
      Index& role = c == first ? first_dim : second_dim;
      if (role >= 0) return lexer.fail(Code::syntax, fmt::format("'{}' occurs twice", c));
      role = dim;
    } else if (detail::is_digit(c)) {
      numbered.emplace_back(c - '0', dim);
    } else if (c != '?') {
      break;
    }
    lexer.advance(1);
  }
  rank = static_cast<std::size_t>(dim);
  std::ranges::sort(numbered);
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    if (numbered[i].first != static_cast<Index>(i)) {
      return lexer.fail_at(
          begin, Code::syntax,
          fmt::format("the spatial dimensions must be numbered 0 to {}", numbered.size() - 1), rank);
    }
    spatial.push_back(numbered[i].second);
  }
  return rank >= 2 || lexer.expected(fmt::format("labels {}, {} and digits", first, second));
}

}  // namespace

Result<std::vector<SliceRange>> read_slice_ranges(const Attribute& attribute) {
  return read_value<std::vector<SliceRange>>(
      attribute, "{[start:limit:stride], ...}", [](HloLexer& lexer, std::vector<SliceRange>& out) {
        return read_list(lexer, '{', '}', [&] { return read_slice_range(lexer, out.emplace_back()); });
      });
}

Result<std::vector<PadRange>> read_padding(const Attribute& attribute) {
  return read_value<std::vector<PadRange>>(
      attribute, "low_high_interiorx...", [](HloLexer& lexer, std::vector<PadRange>& out) {
        if (!lexer.skip() || lexer.at_end()) return !lexer.error.has_value();
        return read_by_x(lexer, [&] { return read_pad_range(lexer, out.emplace_back()); });
      });
}

Result<std::vector<WindowDim>> read_window(const Attribute& attribute) {
  return read_value<std::vector<WindowDim>>(attribute, "{size=3x3 stride=1x1 pad=1_1x1_1}", read_window_into);
}

Result<ConvolutionDims> read_dim_labels(const Attribute& attribute) {
  return read_value<ConvolutionDims>(attribute, "b01f_01io->b01f", [](HloLexer& lexer, ConvolutionDims& out) {
    return lexer.skip() &&
           read_labels(lexer, 'b', 'f', out.input_batch, out.input_feature, out.input_spatial,
                       out.input_rank) &&
           lexer.need('_', "'_' and the labels of the kernel") &&
           read_labels(lexer, 'i', 'o', out.kernel_input_feature, out.kernel_output_feature,
                       out.kernel_spatial, out.kernel_rank) &&
           (lexer.accept("->") || lexer.expected("'->' and the labels of the output")) &&
           read_labels(lexer, 'b', 'f', out.output_batch, out.output_feature, out.output_spatial,
                       out.output_rank);
  });
}

}  // namespace tessera
