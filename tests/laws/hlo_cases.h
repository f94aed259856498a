// SPDX-License-Identifier: Apache-2.0
/// \file
/// Small random programs, one for each family of opcodes.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "laws/hlo_functions.h"
#include "tessera/base/index.h"

namespace tessera::laws {

/// Generates HLO texts. The root is one instruction with random small shapes and attributes.
class HloCases {
 public:
  explicit HloCases(std::uint64_t seed) : random_(seed) {}

  std::string elementwise();
  std::string bitcast_convert();
  std::string broadcast();
  std::string reshape();
  std::string bitcast();
  std::string tiled_bitcast();
  std::string transpose();
  std::string reverse();
  std::string slice();
  std::string concatenate();
  std::string pad();
  std::string reduce();
  std::string variadic_reduce();
  std::string reduce_window();
  std::string select_and_scatter();
  std::string convolution();
  std::string dot();
  std::string scaled_dot();
  std::string ragged_dot();
  std::string dynamic_slice();
  std::string dynamic_update_slice();
  /// Start indices with known values: constants, iotas, arithmetic.
  std::string known_starts();
  std::string gather();
  std::string known_gather();
  std::string scatter();
  std::string known_scatter();
  std::string sort();
  std::string topk();
  std::string scan();
  std::string fft();
  std::string cholesky();
  std::string triangular_solve();
  std::string batch_norm();
  std::string rng();
  std::string tuples();
  std::string sizes();
  /// A collective over a group of `members` replicas.
  std::string collective(Index members);

 private:
  using Dims = std::vector<Index>;

  static constexpr const char* kReplace = "f {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n";
  static constexpr const char* kSelect =
      "g {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), "
      "direction=GE\n}\n";

  // Parts of the text.
  static std::string list(const Dims& dims);
  static std::string array(const std::string& type, const Dims& dims);
  static std::string f32(const Dims& dims);
  static std::string braces(const Dims& dims);
  /// A program with these parameter types and the root `type opcode(p0, p1, ...) attributes`.
  static std::string program(const std::vector<std::string>& parameters, const std::string& type,
                             const std::string& opcode, const std::string& attributes = "",
                             const std::string& functions = "");
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  static Dims join(Dims a, const Dims& b);

  Index pick(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }
  bool coin() { return pick(0, 1) == 1; }
  /// `rank` sizes in [low, high].
  Dims dims(Index rank, Index low = 1, Index high = 4);
  /// The numbers below `rank` in random order.
  Dims permutation(Index rank);
  /// Some of the numbers below `rank`, in order.
  Dims some(Index rank);
  /// Another shape with the same number of elements.
  Dims reshaped(const Dims& shape);
  std::string pick_text(std::vector<std::string> texts) {
    return texts[static_cast<std::size_t>(pick(0, static_cast<Index>(texts.size()) - 1))];
  }
  std::string gather_with(const std::string& indices_text, bool scatter_form);
  struct WindowText {
    std::string text;
    Dims out;
  };
  /// Pairs of a sending and a receiving replica, of `members` replicas.
  std::string pairs(Index members);
  WindowText window(const Dims& in, bool dilated, bool padded, Dims sizes = {}, bool reversal = false);

  std::mt19937_64 random_;
};

}  // namespace tessera::laws
