// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random layouts in every notation over one shape.
#pragma once

#include <random>
#include <vector>

#include "tessera/notation/layout.h"

namespace tessera::testing_relayout {

/// A source of choices: a random generator, or the bytes of a fuzzer.
class Choices {
 public:
  virtual ~Choices() = default;
  /// A number in [low, high].
  virtual Index pick(Index low, Index high) = 0;
  bool one_in(Index n) { return pick(1, n) == 1; }
};

class RandomChoices final : public Choices {
 public:
  explicit RandomChoices(std::uint64_t seed) : random_(seed) {}
  Index pick(Index low, Index high) override {
    return low + static_cast<Index>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 random_;
};

/// The extents of a box with at most `elements` indices. Some boxes have an extent of 0, or no dimensions.
std::vector<Index> draw_box(Choices& choices, Index elements);

/// A layout of the shape with nonnegative offsets below `most`: strides with gaps and negative strides, CuTe
/// with crops and swizzles, XLA with tiles and `*`, Morello with odd-even dimensions, layouts that are linear
/// over F2, and index maps of all of these. If `injective`, no two indices share an offset.
Layout draw_layout(Choices& choices, const std::vector<Index>& box, bool injective, Index most);

/// Strides for the shape, half of them 0, so that many indices share an element.
Layout draw_broadcast(Choices& choices, const std::vector<Index>& box);

/// One or two swizzles, possibly with negative shifts and offsets, applied to strides of the shape.
/// Injective.
Layout draw_swizzled(Choices& choices, const std::vector<Index>& box);

/// A shape of two or three dimensions, large enough for blocks, squares of vectors and streamed lines.
std::vector<Index> draw_wide_box(Choices& choices);

/// An injective layout of such a shape with offsets below kWideBuffer. In some layouts, rows are a multiple
/// of 1024 apart, tiles fit in registers, or swizzles are those of shared memory.
inline constexpr Index kWideBuffer = Index{1} << 18;
Layout draw_wide_layout(Choices& choices, const std::vector<Index>& box);

}  // namespace tessera::testing_relayout
