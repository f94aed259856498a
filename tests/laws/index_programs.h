// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random programs that slice, update, gather or scatter at indices which the program computes.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::laws {

/// A random program whose root, or the root of the one fusion that is its root, is a dynamic-slice,
/// dynamic-update-slice, gather or scatter of parameter 0 (and 1). The indices come from constants, iotas and
/// parameters of narrow types, through instructions that move and compute integers.
class IndexProgram {
 public:
  explicit IndexProgram(std::uint64_t seed) : random_(seed) { write(); }

  const std::string& text() const { return text_; }
  /// Whether the program determines all indices.
  bool is_known() const { return index_parameters_.empty(); }
  /// Whether the indices are parameters as they are, or after instructions that only pass them on.
  bool is_plain() const { return plain_; }
  /// The type and the number of elements of each parameter that the indices come from.
  const std::vector<std::pair<std::string, Index>>& index_parameters() const { return index_parameters_; }
  /// The number of the first of these parameters.
  std::size_t first_index_parameter() const { return first_index_parameter_; }

 private:
  using Dims = std::vector<Index>;

  void write();
  std::string root(const std::string& x, const std::string& u);
  std::string gather_or_scatter(const std::string& x, const std::string& u);

  /// The name of an integer array with these dimensions and type.
  std::string indices(const Dims& dims, const std::string& type, int depth);
  std::string leaf(const Dims& dims, const std::string& type);
  std::string passed_on(const Dims& dims, const std::string& type, int depth);
  std::string moved(const Dims& dims, const std::string& type, int depth);
  std::string computed(const Dims& dims, const std::string& type, int depth);
  std::string literal(const Dims& dims, const std::string& type);

  std::string define(const std::string& type, const std::string& operation);
  std::string constant(const std::string& type, Index value);
  Index pick(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }
  bool chance(Index percent) { return pick(1, 100) <= percent; }
  std::string index_type();

  std::mt19937_64 random_;
  std::string text_;
  std::string lines_;
  std::string functions_;
  std::vector<std::pair<std::string, Index>> index_parameters_;
  std::vector<std::string> parameters_;  ///< the types of all parameters
  std::size_t first_index_parameter_ = 0;
  int names_ = 0;
  bool plain_ = true;
  bool constants_only_ = false;
};

/// The range of an integer type or pred, by its name.
std::pair<Index, Index> range_of(std::string_view type);

}  // namespace tessera::laws
