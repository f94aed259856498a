// SPDX-License-Identifier: Apache-2.0
/// \file
/// Worked examples of operand maps.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "laws/operand_maps_laws.h"

namespace tessera::laws {

inline constexpr Direction kToInput = Direction::output_to_input;
inline constexpr Direction kToOutput = Direction::input_to_output;

/// An operand and its maps. `hlo` is a program, or the lines of an entry computation.
struct MapExample {
  std::string_view hlo;
  Direction direction = kToInput;
  std::size_t output = 0;
  std::size_t operand = 0;
  std::vector<std::string_view> maps = {};     ///< the expected maps with their domains, in this order
  std::vector<std::string_view> runtime = {};  ///< runtime variables of the first map: source, `;` and map
  std::vector<std::string_view> replica = {};  ///< maps of the first map's replica hops
  Exactness exactness = Exactness::exact;      ///< the exactness of every map
};

/// Checks that the root's maps equal the example's maps (same variables, domain and values) and are not
/// larger.
void check_example(const MapExample& example);

}  // namespace tessera::laws
