// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/index_walk.h"
#include "map/values/enumerate.h"
#include "tessera/transfer/copy.h"
#include "transfer/element_reader.h"
#include "transfer/pair_verifier.h"
#include "transfer/reach.h"

namespace tessera {
namespace {

using transfer::ElementReader;
using transfer::IndexBox;

constexpr Index kBoxElements = Index{1} << 20;
constexpr Index kBlock = Index{1} << 14;
constexpr Index kLongRow = 4;

// The map that defines the notation. It is independent of digits, which plans use.
IndexMap defining_map(const Layout& layout) {
  return layout.tiled_map() != nullptr ? layout.tiled_map()->to_index_map() : lower(layout);
}

std::string hex(const std::byte* element, std::size_t width) {
  std::string out = "0x";
  for (std::size_t i = width; i-- > 0;) out += fmt::format("{:02x}", std::to_integer<unsigned>(element[i]));
  return out;
}

// A side: its bytes, where they are, and the map that defines its layout.
struct ComparedSide {
  explicit ComparedSide(const TensorBytes& bytes)
      : tensor(bytes),
        reader(bytes.tensor, bytes.bytes),
        reach(bytes.tensor.layout),
        map(defining_map(bytes.tensor.layout)) {}

  const TensorBytes& tensor;
  ElementReader reader;
  transfer::Reach reach;
  IndexMap map;
};

class Verifier final : public transfer::PairVerifier {
 public:
  Verifier(const TensorBytes& source, const TensorBytes& destination, const VerifyOptions& options,
           const std::function<void(Progress)>& progress)
      : PairVerifier(
            source.tensor.layout.shape(), kBoxElements,
            source.tensor.element_bits + destination.tensor.element_bits, options,
            [&source, &destination] {
              if (source.release) source.release();
              if (destination.release) destination.release();
            },
            progress),
        sides_{ComparedSide(source), ComparedSide(destination)},
        exprs_{sides_[0].map.results()[0], sides_[1].map.results()[0]} {}

 private:
  std::optional<Digits> digits(int side) const override {
    return sides_[static_cast<std::size_t>(side)].reach.digits();
  }

  Index touched_bytes(const IndexBox& box) const override {
    const auto of = [&](const ComparedSide& side) {
      return side.reach.touched_bytes(box, side.tensor.tensor.element_bits, std::ssize(side.tensor.bytes));
    };
    return of(sides_[0]) + of(sides_[1]);
  }

  // An evaluator of both maps for one thread.
  RowEvaluator evaluator() const { return RowEvaluator(exprs_, shape().size()); }

  std::size_t width() const { return std::min(sides_[0].reader.width(), sides_[1].reader.width()); }

  // The first of `count` elements from index `base` on that differs, or `count`.
  std::size_t same_row(RowEvaluator& maps, std::span<const Index> base, std::size_t count) const {
    maps.run(base, count);
    const std::size_t bytes = width();
    for (std::size_t i = 0; i < count; ++i) {
      std::byte scratch[2];
      const std::byte* const a = sides_[0].reader.at(maps.value(0, i), &scratch[0]);
      const std::byte* const b = sides_[1].reader.at(maps.value(1, i), &scratch[1]);
      bool same = false;
      switch (bytes) {
        case 1:
          same = *a == *b;
          break;
        case 2:
          same = std::memcmp(a, b, 2) == 0;
          break;
        case 4:
          same = std::memcmp(a, b, 4) == 0;
          break;
        case 8:
          same = std::memcmp(a, b, 8) == 0;
          break;
        default:
          same = std::memcmp(a, b, bytes) == 0;
      }
      if (!same) return i;
    }
    return count;
  }

  // In blocks that fit into the cache, because elements that are near in one file may be far apart in the
  // other.
  void compare_box(const IndexBox& box) override {
    RowEvaluator maps = evaluator();
    // Blocks are cubes, but for rows that are evaluated together.
    const auto cost = [](const IndexBox& one) {
      if (one.size() <= kBlock) return Index{0};
      Index sum = one.hi.back() - one.lo.back();
      for (std::size_t d = 0; d + 1 < one.lo.size(); ++d) sum += kLongRow * (one.hi[d] - one.lo[d]);
      return sum;
    };
    transfer::for_each_fitting_box(nullptr, nullptr, box, cost, 0,
                                   [&](const IndexBox& block) { compare_block(maps, block); });
  }

  void compare_block(RowEvaluator& maps, const IndexBox& block) {
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i < block.lo.size(); ++i) intervals.push_back({block.lo[i], block.hi[i] - 1});
    for (BoxRows rows(std::move(intervals)); rows.next();) {
      const std::size_t same = same_row(maps, rows.base(), rows.size());
      if (same == rows.size()) continue;
      return differs(detail::number_of_index(rows.base(), shape()) + static_cast<Index>(same));
    }
  }

  Diagnostic difference(std::span<const Index> index) const override {
    RowEvaluator maps = evaluator();
    maps.run(index, 1);
    std::byte scratch[2];
    return {.code = Code::verify_failed,
            .message = "an element of the destination differs from the source",
            .witness = fmt::format(
                "index ({}): {} at offset {} of the source, {} at offset {} of the destination",
                fmt::join(index, ", "), hex(sides_[0].reader.at(maps.value(0, 0), &scratch[0]), width()),
                maps.value(0, 0), hex(sides_[1].reader.at(maps.value(1, 0), &scratch[1]), width()),
                maps.value(1, 0))};
  }

  std::array<ComparedSide, 2> sides_;
  std::array<Expr, 2> exprs_;
};

}  // namespace

Result<VerifyReport> verify_copy(const TensorBytes& source, const TensorBytes& destination,
                                 const VerifyOptions& options,
                                 const std::function<void(Progress)>& progress) {
  if (source.tensor.layout.size() == 0) return VerifyReport{.checked = 0, .all = true};
  return Verifier(source, destination, options, progress).run();
}

}  // namespace tessera
