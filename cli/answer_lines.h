// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answering standard input line by line.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "cli/session.h"
#include "verbs/answer.h"

namespace tessera::cli {

using verbs::problem_line;

/// A line of standard input; `text` is empty if the line was too long.
struct InputLine {
  std::string_view text;
  std::size_t number = 1;
  bool too_long = false;
};

/// Writes the answer of one line and returns its exit status.
using AnswerLine = std::function<int(const InputLine&)>;

/// Answers the lines of standard input in order. Flushes if no further line is buffered, because the program
/// that wrote the line may wait for its answer. Ends early if `out` fails. If standard input cannot be read,
/// the diagnostic points at `argument`. Returns the worst status.
int answer_lines(Session& session, Output& out, std::string_view argument, const AnswerLine& answer);

}  // namespace tessera::cli
