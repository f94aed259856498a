// SPDX-License-Identifier: Apache-2.0
/// \file
/// What every verb does that reads its questions from standard input.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "cli/session.h"

namespace tessera::cli {

/// A line of standard input; `text` is empty where the line was too long to be read.
struct InputLine {
  std::string_view text;
  std::size_t number = 1;
  bool too_long = false;
};

/// Writes the answer of one line and returns its exit status.
using AnswerLine = std::function<int(const InputLine&)>;

/// `error[code]: message (witness: ...)`: what stands in the place of one answer among several.
std::string problem_line(const Diagnostic& diagnostic);

/// Answers the lines of standard input in order, and each at once where no further line is at hand: programs
/// that write a line wait for its answer. Ends early when `out` takes no more. `blamed`: the argument to
/// point at when standard input cannot be read. Returns the worst status.
int answer_lines(Session& session, Output& out, std::string_view blamed, const AnswerLine& answer);

}  // namespace tessera::cli
