// SPDX-License-Identifier: Apache-2.0
#include "notation/onednn/format_tag.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "notation/layout_form.h"
#include "notation/limits.h"
#include "text/character_class.h"

namespace tessera::detail {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char upper_case(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

// The names that oneDNN gives to dimensions 0, 1, ... of activations, weights and recurrent networks. No two
// lists have the same letters, and none has an `a`, so a tag with an `a` is never one of these.
constexpr std::array<std::string_view, 17> kDimensionNames = {
    "nc",    "ncw",    "nchw", "ncdhw", "oi",    "oiw",  "oihw", "oidhw", "goiw",
    "goihw", "goidhw", "tnc",  "ldnc",  "ldigo", "ldio", "ldgo", "nt"};

std::string sorted(std::string text) {
  std::ranges::sort(text);
  return text;
}

// The list of names with these letters, or `abcd`.
std::string names_of(const std::string& letters) {
  for (const std::string_view names : kDimensionNames) {
    if (sorted(std::string(names)) == sorted(letters)) return std::string(names);
  }
  return "abcdefghijkl";
}

class TagReader {
 public:
  TagReader(std::string_view tag, std::optional<std::size_t> rank) : tag_(tag), rank_(rank) {}

  Result<FormatTag> read() {
    std::size_t at = 0;
    while (at < tag_.size() && is_letter(tag_[at])) ++at;
    if (at == 0) return refuse_at(0, "expected the letters of a format tag");
    const std::string outer(tag_.substr(0, at));
    if (const auto good = read_order(outer); !good) return fail(good.error());
    while (at < tag_.size()) {
      const std::size_t number = at;
      while (at < tag_.size() && is_digit(tag_[at])) ++at;
      if (at == number) return refuse_at(at, "expected the size of a block");
      const auto block = read_block(number, at);
      if (!block) return fail(block.error());
      out_.blocks.push_back(*block);
      ++at;
    }
    if (const auto good = check_case(outer); !good) return fail(good.error());
    return std::move(out_);
  }

 private:
  static Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  Failure refuse_at(std::size_t at, std::string_view expected) const {
    const std::string found = at < tag_.size() ? fmt::format("'{}'", tag_[at]) : "the end of the tag";
    return fail(Code::syntax, fmt::format("{}, found {}", expected, found),
                span(at, std::min(at + 1, tag_.size())));
  }

  // Reads the dimensions in memory order, and finds the names that blocks use for them.
  Result<void> read_order(const std::string& outer) {
    std::string letters;
    for (const char c : outer) letters += lower_case(c);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (letters.find(letters[i]) < i)
        return fail(Code::syntax, fmt::format("dimension '{}' is named twice", letters[i]), span(i, i + 1));
    }
    const std::size_t wildcard = letters.find('x');
    if (wildcard != std::string::npos) {
      if (!rank_) return refuse_at(wildcard, "expected a dimension: a tag with 'x' needs a shape");
      names_ = "abcdefghijkl";
    } else {
      names_ = names_of(letters);
    }
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (i == wildcard) {
        for (std::size_t d = 0; d < *rank_; ++d) {
          if (letters.find(names_[d]) == std::string::npos) out_.order.push_back(static_cast<Index>(d));
        }
        continue;
      }
      const std::size_t dim = names_.find(letters[i]);
      if (dim == std::string::npos) {
        return fail(Code::syntax, fmt::format("'{}' is not a dimension", outer[i]), span(i, i + 1),
                    "dimensions are a to l, or the names that oneDNN defines: nchw, oihw, goihw, tnc, ldigo");
      }
      out_.order.push_back(static_cast<Index>(dim));
    }
    const std::size_t rank = rank_.value_or(out_.order.size());
    if (out_.order.size() != rank) {
      return fail(Code::rank_mismatch,
                  fmt::format("the tag has {} dimensions, but the shape has {}", out_.order.size(), rank),
                  span(0, outer.size()));
    }
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (i == wildcard || names_.find(letters[i]) < rank) continue;
      std::string missing;
      for (std::size_t d = 0; d < rank; ++d) {
        if (letters.find(names_[d]) == std::string::npos)
          missing += fmt::format("{}{}", missing.empty() ? "" : ", ", names_[d]);
      }
      return fail(Code::syntax, fmt::format("a tag of {} dimensions has no '{}'", rank, outer[i]),
                  span(i, i + 1), fmt::format("not named: {}", missing));
    }
    return {};
  }

  // Reads the block whose size is at [begin, end) and whose letter follows.
  Result<BlockedLayout::Block> read_block(std::size_t begin, std::size_t end) {
    Index size = 0;
    const auto error = std::from_chars(tag_.data() + begin, tag_.data() + end, size).ec;
    if (error != std::errc() || size >= kNotationLimits.offset)
      return fail(Code::number_range, "the size of a block must be below 2^62", span(begin, end));
    if (size < 2) {
      return fail(Code::bad_extent, fmt::format("the block size is {}, but must be at least 2", size),
                  span(begin, end), "a block of 1 has no effect: leave it out");
    }
    if (end == tag_.size()) return refuse_at(end, "expected the dimension of the block");
    const char letter = tag_[end];
    const std::size_t dim = is_lower(letter) ? names_.find(letter) : std::string::npos;
    if (dim == std::string::npos || dim >= out_.order.size()) {
      auto refused = refuse_at(end, "expected the dimension of the block");
      if (is_upper(letter))
        refused.value().help = fmt::format("write it in lower case: {}{}", size, lower_case(letter));
      return refused;
    }
    return BlockedLayout::Block{static_cast<Index>(dim), size};
  }

  // Checks that exactly the dimensions with blocks are in upper case.
  Result<void> check_case(const std::string& outer) {
    for (std::size_t i = 0; i < outer.size(); ++i) {
      const std::size_t dim = names_.find(lower_case(outer[i]));
      const bool blocked = std::ranges::any_of(out_.blocks, [&](const BlockedLayout::Block& block) {
        return static_cast<std::size_t>(block.dim) == dim;
      });
      if (dim == std::string::npos || blocked == is_upper(outer[i])) continue;
      std::string right(tag_);
      right[i] = blocked ? upper_case(outer[i]) : lower_case(outer[i]);
      return fail(Code::syntax,
                  blocked ? fmt::format("'{}' has blocks, so it must be in upper case", outer[i])
                          : fmt::format("'{}' is in upper case, but has no block", outer[i]),
                  span(i, i + 1), fmt::format("write {}", right));
    }
    return {};
  }

  std::string_view tag_;
  std::optional<std::size_t> rank_;
  std::string names_;
  FormatTag out_;
};

}  // namespace

Result<FormatTag> parse_format_tag(std::string_view tag, std::optional<std::size_t> rank) {
  return TagReader(tag, rank).read();
}

std::string to_string(const FormatTag& tag) {
  std::string text;
  for (const Index dim : tag.order) {
    const bool blocked = std::ranges::find(tag.blocks, dim, &BlockedLayout::Block::dim) != tag.blocks.end();
    text += static_cast<char>((blocked ? 'A' : 'a') + dim);
  }
  for (const BlockedLayout::Block& block : tag.blocks)
    text += fmt::format("{}{}", block.size, static_cast<char>('a' + block.dim));
  return text;
}

}  // namespace tessera::detail
