// SPDX-License-Identifier: Apache-2.0
/// \file
/// How fast chips move bytes and compute.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hlo/operations/work.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// Peak rates of one chip, each of which may be unknown.
struct Chip {
  std::string name = {};
  std::string title = {};                ///< the product that the numbers are of
  std::string source = {};               ///< where its maker publishes them
  std::optional<double> bandwidth = {};  ///< bytes of memory for each second, read and written together
  std::optional<double> link = {};    ///< bytes that leave for other chips each second, on all links together
  std::optional<double> memory = {};  ///< bytes of memory
  std::optional<Index> on_chip = {};  ///< bytes of the last memory on the chip that all cores share
  std::string on_chip_source = {};    ///< the document that says so
  /// Operations for each second, by kind (product or arithmetic) and type. Products are those of matrix
  /// units, without sparsity.
  std::map<Work::Key, double> rates = {};

  /// The rate, or that of a related type: floating-point types of 8 bits share one, and so do f16 and bf16.
  std::optional<double> rate(OperationKind kind, DType type) const;
};

/// Reads `h100`, `cpu` (this machine, measured now), or rates for one second, also after a name:
/// `h100,bandwidth=2T`, `bf16=989T,f32.arithmetic=67T`. K, M, G, T or P are powers of 1000. A type alone is
/// the rate of products; `TYPE.arithmetic` that of other operations. Errors: bad_option.
Result<Chip> read_chip(std::string_view text);

}  // namespace tessera::detail
