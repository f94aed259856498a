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

/// The width of the integers: 32 or 64 bits. Errors: overflow.
Result<int> bits_of(const Function& function);

/// The text of one function: comment, signature, body. A list of nests becomes one function. Errors: bits_of.
Result<std::string> function_text(const Function& function);
Result<std::string> nest_text(const std::vector<LoopNest>& nests);

/// The text of a function that copies element number n for each n: a kernel for CUDA, HIP or Triton, or a
/// function on arrays. The only parameter of `function` is n.
Result<std::string> element_copy_text(const Function& function, Index element_bytes);

/// The comment: the lines of `about`, the ranges of the first `parameters` parameters, and the integer type.
std::string about_text(const Function& function, std::size_t parameters, int bits);

/// Checks that MLIR's affine maps can express the values and conditions. Errors: not_applicable.
Result<void> check_affine(const Function& function);

/// `text` in lines of at most 100 characters, each after `start`.
std::string comment(std::string_view start, std::string_view text);

}  // namespace tessera::coding
