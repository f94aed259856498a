// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>
#include <vector>

#include "base/try.h"
#include "files/bit_field.h"
#include "transfer/pair_verifier.h"
#include "transfer/widened.h"

namespace tessera::transfer {
namespace {

// Where the bits of a side's cells lie.
Result<std::vector<BitPlane>> planes_of(const CodeSide& side) {
  if (!side.layout.layout) return planes(*side.layout.named);
  return std::vector<BitPlane>{{0, static_cast<int>(side.cell_bits), *side.layout.layout}};
}

std::vector<ComparedPart> parts_of(const std::vector<BitPlane>& planes, std::span<const std::byte> bytes) {
  std::vector<ComparedPart> out;
  for (const BitPlane& plane : planes) out.emplace_back(plane.layout, plane.width, std::ssize(bytes));
  return out;
}

class CodeVerifier final : public PairVerifier {
 public:
  CodeVerifier(const CodeSide& from, const CodeSide& to, const std::optional<Recode>& recode,
               std::array<std::vector<BitPlane>, 2> planes, std::span<const std::byte> src,
               std::span<const std::byte> dst, const VerifyOptions& options,
               const std::function<void()>& release, const std::function<void(Progress)>& progress)
      : PairVerifier(from.shape(), {parts_of(planes[0], src), parts_of(planes[1], dst)}, options, release,
                     progress),
        from_(from.type),
        to_(to.type),
        recode_(recode),
        cell_bits_{bits_of(from), bits_of(to)},
        planes_(std::move(planes)),
        src_(src),
        dst_(dst),
        code_mask_(~std::uint64_t{0} >> (64 - from.type.bits)) {}

 private:
  static Index bits_of(const CodeSide& side) { return side.layout.layout ? side.cell_bits : side.type.bits; }

  // All bits of the destination's cell.
  std::uint64_t wanted(std::uint64_t code) const {
    if (recode_) code = (*recode_)(code, from_.bits);
    return widened(widened(code, from_, to_.bits), to_, cell_bits_[1]);
  }

  // All bits of a cell. The offsets of its planes begin at expression `first`.
  std::uint64_t cell(std::size_t side, std::size_t first, const RowEvaluator& maps, std::size_t i) const {
    const std::byte* const bytes = side == 0 ? src_.data() : dst_.data();
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < planes_[side].size(); ++k) {
      const BitPlane& plane = planes_[side][k];
      const Index at = maps.value(first + k, i) * plane.width;
      // Most codes lie in one byte.
      const std::uint64_t here = 8 % plane.width == 0 ? std::to_integer<unsigned>(bytes[at / 8]) >> at % 8 &
                                                            ((1u << plane.width) - 1)
                                                      : bits_at(bytes, at, plane.width);
      value |= here << plane.first;
    }
    return value;
  }

  // The rest of a cell has the sign, or zeros.
  std::size_t same_row(const RowEvaluator& maps, std::size_t count) const override {
    const std::size_t second = planes_[0].size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t held = cell(0, 0, maps, i);
      const std::uint64_t code = held & code_mask_;
      if (widened(code, from_, cell_bits_[0]) != held || wanted(code) != cell(1, second, maps, i)) return i;
    }
    return count;
  }

  Diagnostic difference(std::span<const Index> index) const override {
    RowEvaluator maps = evaluator();
    maps.run(index, 1);
    const std::uint64_t held = cell(0, 0, maps, 0);
    return {.code = Code::verify_failed,
            .message = "an element of the destination differs from the source",
            .witness =
                fmt::format("index ({}): code {:#x} of the source gives {:#x}, but the destination has {:#x}",
                            fmt::join(index, ", "), held, wanted(held & code_mask_),
                            cell(1, planes_[0].size(), maps, 0))};
  }

  CellType from_;
  CellType to_;
  const std::optional<Recode>& recode_;
  std::array<Index, 2> cell_bits_;
  std::array<std::vector<BitPlane>, 2> planes_;
  std::span<const std::byte> src_;
  std::span<const std::byte> dst_;
  std::uint64_t code_mask_;
};

}  // namespace

Result<VerifyReport> verify_codes(const CodeSide& from, const CodeSide& to,
                                  const std::optional<Recode>& recode, std::span<const std::byte> src,
                                  std::span<const std::byte> dst, const VerifyOptions& options,
                                  const std::function<void()>& release,
                                  const std::function<void(Progress)>& progress) {
  if (from.size() == 0) return VerifyReport{};
  TESSERA_TRY(before, planes_of(from));
  TESSERA_TRY(after, planes_of(to));
  return CodeVerifier(from, to, recode, {std::move(before), std::move(after)}, src, dst, options, release,
                      progress)
      .run();
}

}  // namespace tessera::transfer
