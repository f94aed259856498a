// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts with sizes in braces: `scale:128x4 u8[{M},{4*K}]`, and the ranges of the sizes, `M=1:4096,K=1:64:4`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// The values first, first + step, ... up to `last` of a name.
struct SizeRange {
  std::string name;
  Index first = 1;
  Index last = 1;
  Index step = 1;

  Index count() const { return last < first ? 0 : (last - first) / step + 1; }
  Index value(Index number) const { return first + number * step; }
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

/// Reads `M=1:4096,K=1:64:4`: a name, the first value, the last, and the step, or one value. Errors, with
/// spans: syntax, duplicate_name, number_range (a step below 1, a last value below the first).
Result<std::vector<SizeRange>> parse_size_ranges(std::string_view text);

/// A text with arithmetic in braces. A brace is arithmetic if a name of a size or another word begins it, or
/// if it contains a name of a size; a brace with a colon or a comma belongs to the text, as in `{1,0:T(8)}`.
class SizedText {
 public:
  /// Errors, with spans: unknown_name (an unknown word in braces), syntax.
  static Result<SizedText> make(std::string_view text, std::span<const SizeRange> sizes);

  /// The text with numbers in place of braces. `values` are those of the sizes. Errors, with spans in the
  /// whole text: those of size_arithmetic.
  Result<std::string> at(std::span<const Index> values) const;

  /// A brace: its arithmetic, and where it is.
  struct Hole {
    std::string arithmetic;
    Span span = {};                  ///< with the braces
    std::vector<std::size_t> names;  ///< of the sizes in it
  };
  const std::vector<Hole>& holes() const { return holes_; }
  const std::string& text() const { return text_; }
  /// The value of a brace.
  Result<Index> value(const Hole& hole, std::span<const Index> values) const;

 private:
  std::string text_;
  std::vector<SizeRange> sizes_;
  std::vector<Hole> holes_;
};

}  // namespace tessera
