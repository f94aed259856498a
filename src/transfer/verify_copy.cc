// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>

#include "tessera/transfer/copy.h"
#include "transfer/element_reader.h"
#include "transfer/pair_verifier.h"

namespace tessera {
namespace {

using transfer::ElementReader;

std::string hex(const std::byte* element, std::size_t width) {
  std::string out = "0x";
  for (std::size_t i = width; i-- > 0;) out += fmt::format("{:02x}", std::to_integer<unsigned>(element[i]));
  return out;
}

std::vector<transfer::ComparedPart> compared_parts(const TensorBytes& side) {
  return {{side.tensor.layout, side.tensor.element_bits, std::ssize(side.bytes)}};
}

class Verifier final : public transfer::PairVerifier {
 public:
  Verifier(const TensorBytes& source, const TensorBytes& destination, const VerifyOptions& options,
           const std::function<void(Progress)>& progress)
      : PairVerifier(
            source.tensor.layout.shape(), {compared_parts(source), compared_parts(destination)}, options,
            [&source, &destination] {
              if (source.release) source.release();
              if (destination.release) destination.release();
            },
            progress),
        readers_{ElementReader(source.tensor, source.bytes),
                 ElementReader(destination.tensor, destination.bytes)} {}

 private:
  std::size_t width() const { return std::min(readers_[0].width(), readers_[1].width()); }

  std::size_t same_row(const RowEvaluator& maps, std::size_t count) const override {
    const std::size_t bytes = width();
    for (std::size_t i = 0; i < count; ++i) {
      std::byte scratch[2];
      const std::byte* const a = readers_[0].at(maps.value(0, i), &scratch[0]);
      const std::byte* const b = readers_[1].at(maps.value(1, i), &scratch[1]);
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

  Diagnostic difference(std::span<const Index> index) const override {
    RowEvaluator maps = evaluator();
    maps.run(index, 1);
    std::byte scratch[2];
    return {.code = Code::verify_failed,
            .message = "an element of the destination differs from the source",
            .witness =
                fmt::format("index ({}): {} at offset {} of the source, {} at offset {} of the destination",
                            fmt::join(index, ", "),
                            hex(readers_[0].at(maps.value(0, 0), &scratch[0]), width()), maps.value(0, 0),
                            hex(readers_[1].at(maps.value(1, 0), &scratch[1]), width()), maps.value(1, 0))};
  }

  std::array<ElementReader, 2> readers_;
};

}  // namespace

Result<VerifyReport> verify_copy(const TensorBytes& source, const TensorBytes& destination,
                                 const VerifyOptions& options,
                                 const std::function<void(Progress)>& progress) {
  if (source.tensor.layout.size() == 0) return VerifyReport{};
  return Verifier(source, destination, options, progress).run();
}

}  // namespace tessera
