// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>

#include "tessera/transfer/copy.h"
#include "transfer/code_verify.h"
#include "transfer/pair_verifier.h"

namespace tessera {
namespace {

std::string hex(const std::byte* element, std::size_t width) {
  std::string out = "0x";
  for (std::size_t i = width; i-- > 0;) out += fmt::format("{:02x}", std::to_integer<unsigned>(element[i]));
  return out;
}

std::vector<transfer::ComparedPart> compared_parts(const TensorBytes& side) {
  return {{side.tensor.layout, side.tensor.element_bits, std::ssize(side.bytes)}};
}

// Elements of whole bytes, of any width.
class Verifier final : public transfer::PairVerifier {
 public:
  Verifier(const TensorBytes& source, const TensorBytes& destination, const VerifyOptions& options,
           const std::function<void()>& release, const std::function<void(Progress)>& progress)
      : PairVerifier(source.tensor.layout.shape(), {compared_parts(source), compared_parts(destination)},
                     options, release, progress),
        bytes_{source.bytes.data(), destination.bytes.data()},
        width_(static_cast<std::size_t>(source.tensor.element_bits / 8)) {}

 private:
  // An element whose offset is the value of a map.
  const std::byte* at(std::size_t side, const RowEvaluator& maps, std::size_t i) const {
    return bytes_[side] + maps.value(side, i) * static_cast<Index>(width_);
  }

  std::size_t same_row(const RowEvaluator& maps, std::size_t count) const override {
    const std::size_t bytes = width_;
    for (std::size_t i = 0; i < count; ++i) {
      const std::byte* const a = at(0, maps, i);
      const std::byte* const b = at(1, maps, i);
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
    return {.code = Code::verify_failed,
            .message = "an element of the destination differs from the source",
            .witness =
                fmt::format("index ({}): {} at offset {} of the source, {} at offset {} of the destination",
                            fmt::join(index, ", "), hex(at(0, maps, 0), width_), maps.value(0, 0),
                            hex(at(1, maps, 0), width_), maps.value(1, 0))};
  }

  std::array<const std::byte*, 2> bytes_;
  std::size_t width_;
};

}  // namespace

Result<VerifyReport> verify_copy(const TensorBytes& source, const TensorBytes& destination,
                                 const VerifyOptions& options,
                                 const std::function<void(Progress)>& progress) {
  if (source.tensor.layout.size() == 0) return VerifyReport{};
  const auto release = [&source, &destination] {
    if (source.release) source.release();
    if (destination.release) destination.release();
  };
  if (source.tensor.is_packed() || source.tensor.element_bits != destination.tensor.element_bits) {
    return transfer::verify_codes(code_side(source.tensor), code_side(destination.tensor), std::nullopt,
                                  source.bytes, destination.bytes, options, release, progress);
  }
  return Verifier(source, destination, options, release, progress).run();
}

}  // namespace tessera
