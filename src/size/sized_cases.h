// SPDX-License-Identifier: Apache-2.0
// Answers in cases, as texts: each holds for all sizes that satisfy its condition.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "size/assumption.h"
#include "size/explore.h"
#include "tessera/base/code.h"
#include "tessera/size/size.h"

namespace tessera::symbolic {

/// In the frame of a Leaf: a number as it is written inside a layout, in a map as an operand and as a bound,
/// and alone.
inline constexpr char kCompactNumber = '#';
inline constexpr char kOperandNumber = '\1';
inline constexpr char kBoundNumber = '\2';
inline constexpr char kSpacedNumber = '\3';

/// One case of an answer: a value, an error, or undecided.
struct SizedCase {
  enum class Kind : std::uint8_t { value, error, undecided };
  Kind kind = Kind::value;
  std::string condition = {};   ///< can be written after `where`; empty for all sizes
  std::string text = {};        ///< the value
  Code code = Code::undecided;  ///< of an error
  std::string reason = {};      ///< qualifies the code, or why the case is undecided
  SizeMap sizes = {};           ///< of an error: sizes at which the algorithms of numbers have it
  std::string witness = {};     ///< what they say there
  bool smallest = true;         ///< no smaller sizes have it
  std::string assume = {};      ///< of an undecided case: an assumption that leaves it out
};

struct SizedAnswer {
  std::string name;  ///< the assigned variable, a notation, a fact; empty for an answer alone
  std::vector<SizedCase> cases = {};
};

struct SizedParameter {
  std::string name;
  std::string lower;
  std::string upper;  ///< empty: without end
};

/// Answers about all sizes that satisfy `where`.
struct SizedAnswers {
  std::vector<SizedAnswer> answers = {};
  std::vector<SizedParameter> parameters = {};
  std::string where = {};
  std::vector<std::string> notes = {};
};

/// The parameters with their intervals.
std::vector<SizedParameter> parameters_of(const AssumptionList& where, const std::vector<std::string>& names);

/// What the algorithms of numbers say at some sizes: the text, or an error.
struct SaidAtSizes {
  std::string text = {};
  std::optional<Diagnostic> error = {};
};
/// Nothing if there are no numbers at these sizes.
using SayAtSizes = std::function<std::optional<SaidAtSizes>(const Sizes&)>;

/// The cases that a case with a value is, in place of the value of its leaf.
using WriteCase = std::function<std::vector<SizedCase>(const Case&)>;

/// A program whose values are the answer. The conditions of the cases exclude each other and cover all sizes
/// at which the operands exist, more general ones first. An error has the first sizes at which the algorithms
/// of numbers have it; an undecided case of few sizes is asked at each of them. Notes say which sizes are
/// outside. Errors: empty_range, bad_extent (the operands exist for no sizes).
Result<std::vector<SizedCase>> sized_cases(const AssumptionList& where, const std::vector<std::string>& names,
                                           const SizedProgram& program, const SayAtSizes& say,
                                           std::vector<std::string>& notes, const WriteCase& write = {});

}  // namespace tessera::symbolic
