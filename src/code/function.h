// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions and loop nests, before they are written in a language.
#pragma once

#include <string>
#include <vector>

#include "code/term_text.h"
#include "tessera/base/result.h"

namespace tessera::coding {

struct Parameter {
  std::string name;
  Interval range = {};
};

/// Values computed from parameters; variable i of the terms is parameter i.
struct Function {
  Terms terms;
  std::string name = {};
  std::vector<std::string> about = {};  ///< comment lines
  std::vector<Parameter> parameters = {};
  std::vector<std::string> results = {};  ///< names of the values
  std::vector<TermId> values = {};
  /// If a condition fails, the function has no result.
  std::vector<Condition> conditions = {};
  /// Sizes are parameters: `about` has the intervals, and some may have no last number.
  bool sized = false;
};

/// The work done at each point of a loop nest.
enum class Body : std::uint8_t {
  visit,  ///< a call with the variables and the values
  copy,   ///< destination[values[1]] = source[values[0]]
};

/// Loops over the parameters from `loops_from` on, outermost first. Earlier parameters remain parameters.
struct LoopNest {
  Function function;
  std::size_t loops_from = 0;
  Body body = Body::visit;
  Index element_bytes = 4;  ///< for a copy: 1, 2, 4 or 8
};

}  // namespace tessera::coding
