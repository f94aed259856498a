// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names of tensors and files with holes: `layers.{l}.{*rest}`, `model-tp{t:02}.safetensors`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::transfer {

/// The values of a pattern's holes in one name.
struct NameMatch {
  std::map<std::string, Index, std::less<>> axes = {};
  std::map<std::string, std::string, std::less<>> words = {};
};

/// Text with holes: `{axis}` is a number, `{axis:02}` a number of at least two digits, `{*word}` any nonempty
/// text. All occurrences of one hole have the same value.
class NamePattern {
 public:
  /// Errors: syntax, with a span in `text`.
  static Result<NamePattern> parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::vector<std::string> axes() const;
  bool has_words() const;
  /// Words match as few characters as possible.
  std::optional<NameMatch> match(std::string_view name) const;
  /// The name with these values in its holes. Errors: unknown_name (an axis or a word without a value).
  Result<std::string> name(const NameMatch& values) const;
  /// The pattern with its words filled in. Errors: unknown_name.
  Result<std::string> without_words(const NameMatch& values) const;

 private:
  struct PatternPart {
    enum class Kind : std::uint8_t { text, axis, word };
    Kind kind = Kind::text;
    std::string text = {};  // text, or the name of the hole
    std::size_t digits = 0;
  };
  bool match_from(std::size_t part, std::string_view rest, NameMatch& match) const;

  std::string text_;
  std::vector<PatternPart> parts_;
};

/// Compares names as text, except that runs of digits compare as numbers: `tp2` comes before `tp10`.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace tessera::transfer
