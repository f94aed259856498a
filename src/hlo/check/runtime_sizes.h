// SPDX-License-Identifier: Apache-2.0
/// \file
/// The sizes that the dynamic dimensions of a program have when it runs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Names the sizes: n0, n1, ... in the order of the program. Dimensions that the program forces to have one
/// size share a name: those of element-wise operations, pairs of a dot, a size that set-dimension-size takes
/// from get-dimension-size. Computations are apart: a caller's operand and a parameter have two names.
class RuntimeSizes {
 public:
  explicit RuntimeSizes(const HloModule& module);

  /// `n0, the size of dimension 0 of x`; empty for a fixed dimension.
  std::string text(const Instruction& value, std::size_t dim) const;

 private:
  using Place = std::pair<const Instruction*, std::size_t>;

  void read(const Instruction& op);
  void read_transpose(const Instruction& op);
  void read_broadcast(const Instruction& op);
  void read_concatenate(const Instruction& op);
  void read_set_dimension_size(const Instruction& op);
  void read_dot(const Instruction& op);
  void unite(const Place& a, const Place& b);
  void unite_operand(const Instruction& op, std::size_t dim, std::size_t operand, std::size_t operand_dim);
  std::size_t root(std::size_t node) const;

  std::map<Place, std::size_t> nodes_;
  std::vector<std::size_t> parent_;  // an earlier node, or itself
  std::vector<Place> places_;
  std::vector<std::size_t> number_;  // of roots, in the order of the program
};

}  // namespace tessera::detail
