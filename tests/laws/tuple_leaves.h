// SPDX-License-Identifier: Apache-2.0
/// \file
/// The leaves of tuples, for oracles that run programs with one value for each leaf.
#pragma once

#include <cstddef>
#include <vector>

#include "hlo/syntax/attributes.h"
#include "tessera/hlo/module.h"

namespace tessera::laws {

/// The values of a get-tuple-element, from those of its operand's leaves.
template <class T>
std::vector<T> leaves_of_element(const Instruction& get_tuple_element, const std::vector<T>& operand) {
  const auto index = static_cast<std::size_t>(int_of(get_tuple_element, "index").value());
  std::size_t first = 0;
  for (std::size_t i = 0; i < index; ++i) {
    first += get_tuple_element.operand_type(0).elements()[i].leaf_count();
  }
  const auto begin = operand.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(get_tuple_element.type.leaf_count())};
}

}  // namespace tessera::laws
